"""The older forms of methods of `Dataset`, and options.

`data.experimental.unique()` and its like give a function for `Dataset.apply`; each does what the
method of its name does.
"""

from __future__ import annotations

from ....runtime.core.public_names import expose, public
from .dataset import Dataset


def _for_apply(name: str):
    """A function that gives a function of a dataset: its method `name`, called with the same."""

    def form(*args, **kwargs):
        return lambda dataset: getattr(dataset, name)(*args, **kwargs)

    form.__name__ = form.__qualname__ = name
    form.__doc__ = f"For `Dataset.apply`: what the method `{name}` of a dataset does."
    return form


APPLIED = (
    "assert_cardinality",
    "bucket_by_sequence_length",
    "group_by_window",
    "ignore_errors",
    "scan",
    "take_while",
    "unbatch",
    "unique",
)
for _name in APPLIED:
    expose(_for_apply(_name), "data.experimental." + _name)

expose(Dataset.choose_from_datasets, "data.experimental.choose_from_datasets")
expose(Dataset.sample_from_datasets, "data.experimental.sample_from_datasets")


@public("data.experimental.cardinality")
def cardinality(dataset):
    """How many elements a dataset has, as its method says.

    >>> import allograph as ag
    >>> int(ag.data.experimental.cardinality(ag.data.Dataset.range(3)))
    3
    """
    return dataset.cardinality()


@public("data.experimental.enumerate_dataset")
def enumerate_dataset(start=0):
    """For `Dataset.apply`: each element behind its number."""
    return lambda dataset: dataset.enumerate(start)


@public("data.experimental.get_single_element")
def get_single_element(dataset, name=None):
    """The only element of a dataset."""
    return dataset.get_single_element()


@public("data.experimental.shuffle_and_repeat")
def shuffle_and_repeat(buffer_size, count=None, seed=None):
    """For `Dataset.apply`: shuffled anew for each of `count` passes."""
    return lambda dataset: dataset.shuffle(buffer_size, seed).repeat(count)


@public("data.experimental.parallel_interleave")
def parallel_interleave(map_func, cycle_length, block_length=1, sloppy=False, **buffers):
    """For `Dataset.apply`: the elements of the datasets that `map_func` gives, in turns."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length)
