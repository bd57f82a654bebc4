"""Learn to read handwritten digits: the whole training, with its early end, is one graph.

    python examples/digits.py [FOLDER [dense|conv|both [EPOCHS]]]

FOLDER is demo-output unless named, and gets the curves; there are at most 60 epochs.

The images are scikit-learn's: 1797 scans of 8 by 8 pixels. `train` is plain Python: a `while` over
epochs, a `for` over batches, a `break` when the accuracy on some other images has not grown for
some epochs. Its conditions are tensors, so the decorator makes a graph of it. What counts is the
accuracy on a third part of the images, which plays no part in the training.
"""

import sys
import time
from pathlib import Path

import numpy as np

import allograph as ag

layers = ag.keras.layers
BATCH = 32
PATIENCE = 8


def digits():
    """Images (count, 8, 8, 1) between 0 and 1 and labels: to learn from, to end by, held out."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    images = (images / 16).astype(np.float32).reshape(-1, 8, 8, 1)
    order = np.random.default_rng(1).permutation(len(labels))
    parts = np.split(order, [1257, 1527])
    return [ag.constant(one[part]) for part in parts for one in (images, labels)]


def dense_model():
    return ag.keras.Sequential(
        [
            layers.Flatten(),
            layers.Dense(128, activation="relu"),
            layers.Dropout(0.3),
            layers.Dense(10),
        ]
    )


def conv_model():
    return ag.keras.Sequential(
        [
            layers.Conv2D(16, 3, padding="same", activation="relu"),
            layers.MaxPool2D(),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.Flatten(),
            layers.Dropout(0.3),
            layers.Dense(10),
        ]
    )


def accuracy(model, images, labels):
    """The share of images that the model reads correctly."""
    found = ag.argmax(model(images, training=False), axis=-1)
    return ag.reduce_mean(ag.cast(found == labels, ag.float32))


def train(model, optimizer, images, labels, other_images, other_labels, most_epochs):
    """The loss of each epoch, the accuracy after it on other images, and how many epochs."""
    count = labels.shape[0]
    losses = ag.zeros([most_epochs])
    scores = ag.zeros([most_epochs])
    best = ag.constant(0.0)
    waited = ag.constant(0)
    epoch = ag.constant(0)
    while epoch < most_epochs:
        order = ag.random.shuffle(ag.range(count))
        total = 0.0
        for start in ag.range(0, count - BATCH + 1, BATCH):
            rows = order[start : start + BATCH]
            batch, truth = ag.gather(images, rows), ag.gather(labels, rows)
            with ag.GradientTape() as tape:
                logits = model(batch, training=True)
                loss = ag.reduce_mean(ag.nn.sparse_softmax_cross_entropy_with_logits(truth, logits))
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            total += loss
        losses[epoch] = total / (count // BATCH)
        score = accuracy(model, other_images, other_labels)
        scores[epoch] = score
        epoch += 1
        if score > best:
            best = score
            waited = 0
        else:
            waited += 1
            if waited == PATIENCE:
                break
    return losses, scores, epoch


def save_curves(folder, name, losses, scores):
    """`digits-NAME.png`: the loss and the accuracy, epoch by epoch."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.2))
    epochs = range(1, len(losses) + 1)
    left.semilogy(epochs, losses)
    left.set(xlabel="epoch", ylabel="loss", title=f"{name}: loss")
    right.plot(epochs, 100 * scores)
    right.set(xlabel="epoch", ylabel="%", title="accuracy on other images")
    figure.savefig(folder / f"digits-{name}.png", dpi=150, bbox_inches="tight")
    pyplot.close(figure)


def main(folder="demo-output", which="both", epochs=60):
    folder, most = Path(folder), int(epochs)
    folder.mkdir(parents=True, exist_ok=True)
    *data, held_images, held_labels = digits()
    learned, ended, held = (len(labels) for labels in (data[1], data[3], held_labels))
    print(f"{learned} digits to learn from, {ended} to end by, {held} held out.")
    for name, make in (("dense", dense_model), ("conv", conv_model)):
        if which not in (name, "both"):
            continue
        ag.random.set_seed(1)
        model = make()
        model.build([None, 8, 8, 1])
        start = time.perf_counter()
        losses, scores, epochs = ag.function(train)(
            model, ag.keras.optimizers.Adam(2e-3), *data, most
        )
        seconds, epochs = time.perf_counter() - start, int(epochs)
        score = float(accuracy(model, held_images, held_labels))
        print(f"{name}: {epochs} epochs, {seconds:.1f} s: {100 * score:.2f} % of the images "
              f"held out are read correctly, with {model.count_params()} weights.")  # fmt: skip
        save_curves(folder, name, losses.numpy()[:epochs], scores.numpy()[:epochs])
    print(f"Curves: {folder}/digits-*.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
