"""`data.experimental`: older equivalents of methods of `Dataset`.

`data.experimental.unique()` and similar return a function for `Dataset.apply`, which calls the
method of the same name.
"""

from __future__ import annotations

from ....runtime.core.public_names import expose, public
from .dataset import Dataset


def _for_apply(name: str, method: str):
    """A function that returns a function of a dataset, which calls its method `name`."""

    def curried(*args, **kwargs):
        return lambda dataset: getattr(dataset, method)(*args, **kwargs)

    curried.__name__ = curried.__qualname__ = name
    curried.__doc__ = f"A function for `Dataset.apply` that calls the method `Dataset.{method}`."
    return curried


METHODS = {"dense_to_ragged_batch": "ragged_batch"}  # where the names differ
APPLIED = (
    "assert_cardinality",
    "bucket_by_sequence_length",
    "group_by_window",
    "ignore_errors",
    "rejection_resample",
    "scan",
    "take_while",
    "dense_to_ragged_batch",
    "unbatch",
    "unique",
)
for _name in APPLIED:
    expose(_for_apply(_name, METHODS.get(_name, _name)), "data.experimental." + _name)

expose(Dataset.choose_from_datasets, "data.experimental.choose_from_datasets")
expose(Dataset.sample_from_datasets, "data.experimental.sample_from_datasets")


@public("data.experimental.cardinality")
def cardinality(dataset):
    """The number of elements of a dataset: `dataset.cardinality()`.

    >>> import allograph as ag
    >>> int(ag.data.experimental.cardinality(ag.data.Dataset.range(3)))
    3
    """
    return dataset.cardinality()


@public("data.experimental.enumerate_dataset")
def enumerate_dataset(start=0):
    """A function for `Dataset.apply` that calls `Dataset.enumerate`.

    >>> import allograph as ag
    >>> ds = ag.data.Dataset.range(7, 9).apply(ag.data.experimental.enumerate_dataset())
    >>> [(int(k), int(x)) for k, x in ds]
    [(0, 7), (1, 8)]
    """
    return lambda dataset: dataset.enumerate(start)


@public("data.experimental.get_single_element")
def get_single_element(dataset, name=None):
    """The only element of a dataset: `dataset.get_single_element()`.

    >>> import allograph as ag
    >>> int(ag.data.experimental.get_single_element(ag.data.Dataset.range(4, 5)))
    4

    Raises InvalidArgumentError unless there is exactly one.
    """
    return dataset.get_single_element()


@public("data.experimental.shuffle_and_repeat")
def shuffle_and_repeat(buffer_size, count=None, seed=None):
    """A function for `Dataset.apply` that shuffles a dataset and repeats it `count` times.

    >>> import allograph as ag
    >>> shuffled = ag.data.experimental.shuffle_and_repeat(3, count=2)
    >>> sorted(int(x) for x in ag.data.Dataset.range(2).apply(shuffled))
    [0, 0, 1, 1]
    """
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


@public("data.experimental.parallel_interleave")
def parallel_interleave(map_func, cycle_length, block_length=1, sloppy=False, **buffers):
    """A function for `Dataset.apply` that calls `Dataset.interleave`."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)
