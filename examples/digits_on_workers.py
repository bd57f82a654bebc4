"""Train on two worker processes: each computes the gradients of half of every batch.

    python examples/digits_on_workers.py [WORKERS [EPOCHS [FOLDER]]]

The workers are Dask's, on this machine; a client of another cluster works as well. With FOLDER
there is a checkpoint after every 50 steps, and the program continues from the last one: kill it and
start it again. The weights are the same for any number of workers.
"""

import sys
import tempfile

import numpy as np

import allograph as ag

layers = ag.keras.layers
BATCH = 64
REPLICAS = 2


def digits():
    """Scans of 8 by 8 pixels between 0 and 1, and labels: for training, and for the test."""
    from sklearn.datasets import load_digits

    images, labels = load_digits(return_X_y=True)
    images = (images / 16).astype(np.float32).reshape(-1, 8, 8, 1)
    order = np.random.default_rng(1).permutation(len(labels))
    return [one[split] for split in np.split(order, [1500]) for one in (images, labels)]


def dense_model():
    model = ag.keras.Sequential(
        [
            layers.Flatten(),
            layers.Dense(128, activation="relu"),
            layers.Dropout(0.3),
            layers.Dense(10),
        ]
    )
    model.build([None, 8, 8, 1])
    model.compile(
        ag.keras.optimizers.Adam(2e-3),
        ag.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
    )
    return model


def main(workers: int | str = 2, epochs: int | str = 20, folder=None):
    from dask.distributed import Client, LocalCluster

    ag.random.set_seed(1)
    images, labels, other_images, other_labels = digits()
    rows = ag.data.Dataset.from_tensor_slices((images, labels)).shuffle(1500)
    batches = rows.batch(BATCH, drop_remainder=True)
    model = dense_model()
    with (
        tempfile.TemporaryDirectory() as scratch,
        LocalCluster(
            n_workers=int(workers), threads_per_worker=1, dashboard_address=None,
            local_directory=scratch,
        ) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        strategy = ag.distribute.Strategy(REPLICAS, client=client)
        strategy.fit(model, batches, int(epochs), folder, every=50, verbose=1)
    _, score = model.evaluate(other_images, other_labels)
    print(f"{100 * score:.2f} % of the images held out are read correctly.")


if __name__ == "__main__":
    main(*sys.argv[1:])
