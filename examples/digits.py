"""Learn to read handwritten digits: the whole training, with early stopping, is one graph.

    python examples/digits.py [FOLDER [dense|conv|both [EPOCHS]]]

FOLDER, by default demo-output, gets the curves. There are at most 60 epochs.

The images are scikit-learn's: 1797 scans of 8 by 8 pixels. `train` is plain Python: a `while` over
epochs, a `for` over batches, and a `break` when the accuracy on the validation images has not
improved for some epochs. Its conditions are tensors, so the decorator turns it into a graph. The
result is the accuracy on test images that are not used for training.
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
    """Images (count, 8, 8, 1) between 0 and 1, and labels: for training, validation and test."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    images = (images / 16).astype(np.float32).reshape(-1, 8, 8, 1)
    order = np.random.default_rng(1).permutation(len(labels))
    splits = np.split(order, [1257, 1527])
    return [ag.constant(one[split]) for split in splits for one in (images, labels)]


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
    """The fraction of images that the model classifies correctly."""
    predicted = ag.argmax(model(images, training=False), axis=-1)
    return ag.reduce_mean(ag.cast(predicted == labels, ag.float32))


def train(model, optimizer, images, labels, other_images, other_labels, max_epochs):
    """Train; returns the loss and the validation accuracy of each epoch, and their number."""
    count = labels.shape[0]
    losses = ag.zeros([max_epochs])
    scores = ag.zeros([max_epochs])
    best = ag.constant(0.0)
    waited = ag.constant(0)
    epoch = ag.constant(0)
    while epoch < max_epochs:
        order = ag.random.shuffle(ag.range(count))
        total = 0.0
        for start in ag.range(0, count - BATCH + 1, BATCH):
            rows = order[start : start + BATCH]
            batch, batch_labels = ag.gather(images, rows), ag.gather(labels, rows)
            with ag.GradientTape() as tape:
                logits = model(batch, training=True)
                loss = ag.reduce_mean(
                    ag.nn.sparse_softmax_cross_entropy_with_logits(batch_labels, logits)
                )
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


def main(folder="demo-output", which="both", epochs: int | str = 60):
    folder, max_epochs = Path(folder), int(epochs)
    folder.mkdir(parents=True, exist_ok=True)
    images, labels, other_images, other_labels, held_images, held_labels = digits()
    print(f"{len(labels)} digits to learn from, {len(other_labels)} to end by, "
          f"{len(held_labels)} held out.")  # fmt: skip
    for name, make in (("dense", dense_model), ("conv", conv_model)):
        if which not in (name, "both"):
            continue
        ag.random.set_seed(1)
        model = make()
        model.build([None, 8, 8, 1])
        start = time.perf_counter()
        optimizer = ag.keras.optimizers.Adam(2e-3)
        losses, scores, epochs = ag.function(train)(
            model, optimizer, images, labels, other_images, other_labels, max_epochs
        )
        seconds, epochs = time.perf_counter() - start, int(epochs)
        score = float(accuracy(model, held_images, held_labels))
        print(f"{name}: {epochs} epochs, {seconds:.1f} s: {100 * score:.2f} % of the images "
              f"held out are read correctly, with {model.count_params()} weights.")  # fmt: skip
        save_curves(folder, name, losses.numpy()[:epochs], scores.numpy()[:epochs])
    print(f"Curves: {folder}/digits-*.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
