"""Processes that are killed while they save: `python tests/helpers/killed_savers.py module 200`.

A child saves a state over and over, in which all numbers are equal, and is killed at a random
moment. What can be read afterwards is the state of one moment, and never an older one than before.
Prints the number of rounds and of states that were read.
"""

import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import allograph as ag

SIZE = 100_000


class Saver(NamedTuple):
    """How a state is saved to a folder, and read."""

    save: Callable[[str, int], object]
    read: Callable[[str], tuple]


class Holder(ag.Module):
    def __init__(self, number: int):
        self.v = ag.Variable(np.full(SIZE, float(number)))
        self.w = ag.Variable(float(number))

    @ag.function(input_signature=[])
    def total(self):
        return ag.reduce_min(self.v), ag.reduce_max(self.v), self.w


def save_module(folder: str, number: int) -> None:
    ag.saved_model.save(Holder(number), folder + "/module")


def read_module(folder: str) -> tuple:
    least, most, w = ag.saved_model.load(folder + "/module").total()
    return float(least), float(most), float(w)


def save_checkpoint(folder: str, number: int) -> None:
    ag.train.Checkpoint(holder=Holder(number)).write(folder + "/always")


def state_of(path: str) -> tuple:
    reader = ag.train.load_checkpoint(path)
    values = reader.get_tensor("holder/v")
    return values.min(), values.max(), reader.get_tensor("holder/w")


def save_managed(folder: str, number: int) -> None:
    checkpoint = ag.train.Checkpoint(holder=Holder(number))
    manager = ag.train.CheckpointManager(checkpoint, folder + "/managed", max_to_keep=2)
    manager.save(checkpoint_number=number)


def save_dataset(folder: str, number: int) -> None:
    values = np.full((10, SIZE // 10), float(number))
    ag.data.Dataset.from_tensor_slices(values).save(folder + "/dataset")


def read_dataset(folder: str) -> tuple:
    values = list(ag.data.Dataset.load(folder + "/dataset").as_numpy_iterator())
    assert len(values) == 10
    return np.min(values), np.max(values)


def dense(number: int):
    model = ag.keras.Sequential([ag.keras.layers.Dense(SIZE // 10)])
    model(ag.ones([1, 10]))
    model.set_weights([np.full(np.shape(one), float(number)) for one in model.get_weights()])
    return model


def read_weights(folder: str) -> tuple:
    model = dense(0)
    model.load_weights(folder + "/w.npz")
    return tuple(value for one in model.get_weights() for value in (one.min(), one.max()))


SAVERS = {
    "module": Saver(save_module, read_module),
    "checkpoint": Saver(save_checkpoint, lambda folder: state_of(folder + "/always")),
    "managed": Saver(
        save_managed, lambda folder: state_of(ag.train.latest_checkpoint(folder + "/managed") or "")
    ),
    "dataset": Saver(save_dataset, read_dataset),
    "weights": Saver(
        lambda folder, number: dense(number).save_weights(folder + "/w.npz"), read_weights
    ),
}


def save_until_killed(saver: Saver, folder: str, number: int) -> None:
    try:
        while True:
            number += 1
            saver.save(folder, number)
    finally:
        os._exit(1)


def seconds_of_a_child(saver: Saver, folder: str) -> float:
    """How long a child takes for its first save, the slowest."""
    begin = time.perf_counter()
    child = os.fork()
    if child == 0:
        saver.save(folder, 1)
        os._exit(0)
    os.waitpid(child, 0)
    return time.perf_counter() - begin


def main() -> int:
    saver, rounds = SAVERS[sys.argv[1]], int(sys.argv[2])
    choose = random.Random(rounds)
    with tempfile.TemporaryDirectory() as folder:
        saver.save(folder, 1)
        seconds = seconds_of_a_child(saver, folder)
        last = 1.0
        for _ in range(rounds):
            child = os.fork()
            if child == 0:
                save_until_killed(saver, folder, int(last))
            time.sleep(choose.uniform(0.0, 5 * seconds))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            numbers = set(map(float, saver.read(folder)))
            assert len(numbers) == 1, numbers
            assert last <= min(numbers), (last, numbers)
            last = numbers.pop()
    print(f"{rounds} kills, {last - 1:.0f} states saved meanwhile, none lost")
    return 0


if __name__ == "__main__":
    sys.exit(main())
