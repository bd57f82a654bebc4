"""`data.experimental`: older equivalents of methods of `Dataset`.

`data.experimental.unique()` and similar return a function for `Dataset.apply`, which calls the
method of the same name.
"""

from __future__ import annotations

import enum
import os

from .... import int64
from ....extend.registration import expose, public
from .dataset import Dataset
from .iterators import Optional


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
expose(Optional, "data.experimental.Optional")


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


@public("data.experimental.map_and_batch")
def map_and_batch(map_func, batch_size, num_parallel_batches=None, drop_remainder=False,
                  num_parallel_calls=None):  # fmt: skip
    """A function for `Dataset.apply` that calls `Dataset.map` and `Dataset.batch`.

    >>> doubled = ag.data.experimental.map_and_batch(lambda x: x * 2, 2)
    >>> [x.numpy().tolist() for x in ag.data.Dataset.range(3).apply(doubled)]
    [[0, 2], [4]]
    """
    return lambda dataset: dataset.map(map_func).batch(batch_size, drop_remainder)


@public("data.experimental.Counter")
def counter(start=0, step=1, dtype=int64):
    """The integers from `start` on, without end: `Dataset.counter`.

    >>> [int(x) for x in ag.data.experimental.Counter(5, 2).take(2)]
    [5, 7]
    """
    return Dataset.counter(start, step, dtype)


@public("data.experimental.RandomDataset")
def random_dataset(seed=None):
    """Random integers without end: `Dataset.random`.

    >>> len(list(ag.data.experimental.RandomDataset(seed=1).take(2)))
    2
    """
    return Dataset.random(seed)


@public("data.experimental.load")
def load(path, element_spec=None, compression=None, reader_func=None):
    """The dataset that `data.experimental.save` wrote: `Dataset.load(path)`.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "numbers")
    >>> ag.data.experimental.save(ag.data.Dataset.range(2), path)
    >>> len(ag.data.experimental.load(path))
    2
    """
    return Dataset.load(path, element_spec, compression, reader_func)


@public("data.experimental.save")
def save(dataset, path, compression=None, shard_func=None, checkpoint_args=None) -> None:
    """Write the elements of a dataset: `dataset.save(path)`.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "numbers")
    >>> ag.data.experimental.save(ag.data.Dataset.range(2), path)
    >>> [int(x) for x in ag.data.experimental.load(path)]
    [0, 1]
    """
    dataset.save(path, compression, shard_func, checkpoint_args)


@public("data.experimental.snapshot")
def snapshot(path, compression="AUTO", reader_func=None, shard_func=None):
    """A function for `Dataset.apply`: the first pass writes the elements, later ones read them.

    The file in the folder `path` serves later processes too.

    >>> import tempfile
    >>> kept = ag.data.Dataset.range(2).apply(ag.data.experimental.snapshot(tempfile.mkdtemp()))
    >>> [int(x) for x in kept], [int(x) for x in kept]
    ([0, 1], [0, 1])

    Raises ValueError for functions that read or write, which there are not.
    """
    if reader_func is not None or shard_func is not None:
        raise ValueError("snapshot: reader_func and shard_func are not supported: use Dataset.save")
    os.makedirs(path, exist_ok=True)
    return lambda dataset: dataset.cache(os.path.join(path, "snapshot"))


@public("data.experimental.get_structure")
def get_structure(dataset_or_iterator):
    """The types of the elements: `dataset.element_spec`.

    >>> ag.data.experimental.get_structure(ag.data.Dataset.range(2))
    TensorSpec(shape=(), dtype=ag.int64, name=None)
    """
    return dataset_or_iterator.element_spec


@public("data.experimental.get_next_as_optional")
def get_next_as_optional(iterator):
    """The next element as an `Optional`, which has no value at the end.

    >>> numbers = iter(ag.data.Dataset.range(1))
    >>> [bool(ag.data.experimental.get_next_as_optional(numbers).has_value()) for _ in range(2)]
    [True, False]
    """
    return iterator.get_next_as_optional()


@public("data.experimental.from_list")
def from_list(elements, name=None):
    """A dataset of the elements of a list, which are alike in structure and shape.

    >>> ds = ag.data.experimental.from_list([(1, "a"), (2, "b")])
    >>> [(int(k), word.numpy()) for k, word in ds]
    [(1, b'a'), (2, b'b')]

    Raises ValueError for an empty list.
    """
    if not elements:
        raise ValueError("data.experimental.from_list takes at least one element")
    return Dataset.from_tensor_slices(_transposed(elements))


def _transposed(elements):
    """Elements of dicts and tuples as a dict or a tuple of lists; a list is a value."""
    first = elements[0]
    if isinstance(first, dict):
        return {key: _transposed([element[key] for element in elements]) for key in first}
    if isinstance(first, tuple):
        parts = [_transposed(column) for column in zip(*elements, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else tuple(parts)
    return list(elements)


@public("data.experimental.at")
def at(dataset, index):
    """The element of a dataset at an index, which counts from 0.

    >>> int(ag.data.experimental.at(ag.data.Dataset.range(5), 3))
    3

    Raises InvalidArgumentError if there is no such element.
    """
    return dataset.skip(index).take(1).get_single_element()


@public("data.experimental.prefetch_to_device")
def prefetch_to_device(device, buffer_size=None):
    """A function for `Dataset.apply` that calls `Dataset.prefetch`: the elements of iterations are
    on the device by then, as `copy_to_device` puts them there.

    >>> ds = ag.data.Dataset.range(2).apply(ag.data.experimental.prefetch_to_device("/cpu:0"))
    >>> [int(x) for x in ds]
    [0, 1]
    """
    copied = copy_to_device(device)
    return lambda dataset: copied(dataset).prefetch(-1 if buffer_size is None else buffer_size)


@public("data.experimental.copy_to_device")
def copy_to_device(target_device, source_device="/cpu:0"):
    """A function for `Dataset.apply` that gives a dataset whose elements are on a device where a
    program iterates over it; what comes after it, as `map`, takes them on the CPU.

    >>> ds = ag.data.Dataset.range(2)
    >>> ds.apply(ag.data.experimental.copy_to_device("/cpu:0")) is ds
    True

    Where there is no such device, it gives the dataset itself, unless
    `config.set_soft_device_placement(False)` makes that an InvalidArgumentError.
    """
    from ..transformations.on_device import copying  # what few programs need

    return copying(target_device)


class AutoShardPolicy(enum.IntEnum):
    """How a dataset was divided among workers: an option that changes nothing here.

    >>> options = ag.data.Options()
    >>> options.experimental_distribute.auto_shard_policy = ag.data.experimental.AutoShardPolicy.OFF
    >>> options.experimental_distribute.auto_shard_policy.name
    'OFF'
    """

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


class ExternalStatePolicy(enum.Enum):
    """What happens to state outside of a dataset: an option that changes nothing here.

    >>> ag.data.experimental.ExternalStatePolicy.WARN.value
    0
    """

    WARN = 0
    IGNORE = 1
    FAIL = 2


expose(AutoShardPolicy, "data.experimental.AutoShardPolicy")
expose(ExternalStatePolicy, "data.experimental.ExternalStatePolicy")
