"""Batches from arrays, datasets, generators and other iterables of batches."""

from __future__ import annotations

import itertools

import numpy as np

from .... import convert_to_tensor
from ....extend import nest
from ....extend.registration import public
from ....extend.state import RANDOM_STATE
from ....extend.tensors import tensor_of

DEFAULT_BATCH_SIZE = 32


@public("keras.utils.unpack_x_y_sample_weight")
def unpack_x_y_sample_weight(data) -> tuple:
    """A batch as (inputs, labels, weights), with None for missing components.

    >>> ag.keras.utils.unpack_x_y_sample_weight((1, 2))
    (1, 2, None)
    """
    if not isinstance(data, (tuple, list)):
        return data, None, None
    return (*data, None, None)[:3]


@public("keras.utils.pack_x_y_sample_weight")
def pack_x_y_sample_weight(x, y=None, sample_weight=None):
    """A batch of inputs, labels and weights, without those that are None.

    >>> ag.keras.utils.pack_x_y_sample_weight(1, 2)
    (1, 2)
    """
    if sample_weight is not None:
        return x, y, sample_weight
    if y is not None:
        return x, y
    return (x,) if isinstance(x, (tuple, list)) else x


@public("keras.utils.PyDataset", "keras.utils.Sequence")
class PyDataset:
    """Base class of sequences of batches for `fit`: a subclass defines `__len__`, the number of
    batches, and `__getitem__`, the batch with an index.

    `on_epoch_end` is called after each pass. Batches are made one after the other: `workers` and
    the other arguments change nothing.
    """

    def __init__(self, workers=1, use_multiprocessing=False, max_queue_size=10):
        self.workers, self.use_multiprocessing = workers, use_multiprocessing
        self.max_queue_size = max_queue_size

    def __getitem__(self, index):
        raise NotImplementedError(f"{type(self).__name__} does not define `__getitem__`")

    def __len__(self) -> int:
        return self.num_batches

    @property
    def num_batches(self):
        """The number of batches, for a subclass without `__len__`."""
        raise NotImplementedError(f"{type(self).__name__} does not define `__len__`")

    def on_epoch_begin(self) -> None:
        """Called before each pass."""

    def on_epoch_end(self) -> None:
        """Called after each pass."""


class Batches:
    """Batches x, (x, y) or (x, y, sample_weight), shuffled anew for each iteration if asked."""

    def __init__(
        self, x, y=None, sample_weight=None, batch_size=None, shuffle=False, steps=None,
        class_weight=None,
    ):  # fmt: skip
        self.shuffle, self.steps, self.class_weight = shuffle, steps, class_weight
        self.size = batch_size or DEFAULT_BATCH_SIZE
        self.arrays = self.source = None
        if _is_source(x):
            self.source = x
            self.count = steps or _length(x)
            return
        self.arrays = nest.map_structure(_to_numpy, (x, y, sample_weight))
        self.length = _common_length(self.arrays)
        self.count = -(-self.length // self.size)
        self.count = min(self.count, steps) if steps else self.count

    def __iter__(self):
        batches = self._of_source() if self.arrays is None else self._of_arrays()
        for batch in itertools.islice(batches, self.steps):
            yield pack_x_y_sample_weight(*self._weighted(batch))

    def _of_source(self):
        for batch in self._passes():
            yield nest.map_structure(as_batch, tuple(unpack_x_y_sample_weight(batch)))

    def _passes(self):
        """The batches of one pass, those of a `PyDataset` in a new order if `shuffle`."""
        if not isinstance(self.source, PyDataset):
            yield from self.source
            return
        self.source.on_epoch_begin()
        order = np.arange(len(self.source))
        for index in RANDOM_STATE.generator(None, 0).permutation(order) if self.shuffle else order:
            yield self.source[int(index)]
        self.source.on_epoch_end()

    def _of_arrays(self):
        order = np.arange(self.length)
        if self.shuffle:
            order = RANDOM_STATE.generator(None, 0).permutation(order)
        for start in range(0, self.length, self.size):
            indices = order[start : start + self.size]
            yield nest.map_structure(
                lambda one, indices=indices: (
                    None if one is None else convert_to_tensor(one[indices])
                ),
                self.arrays,
            )

    def _weighted(self, batch):
        """The batch with its sample weights multiplied by the weights of the classes."""
        x, y, weight = batch
        if self.class_weight is None:
            return x, y, weight
        labels = np.asarray(y)
        if labels.ndim > 1:
            labels = labels.argmax(-1) if labels.shape[-1] > 1 else labels[..., 0]
        by_class = [self.class_weight.get(int(label), 1.0) for label in labels]
        by_class = convert_to_tensor(np.array(by_class, np.float32))
        return x, y, by_class if weight is None else weight * by_class


def _is_source(x) -> bool:
    """Whether `x` is an iterable of batches: a dataset, a generator, a list of tuples."""
    if isinstance(x, list):
        return bool(x) and all(isinstance(one, tuple) for one in x)
    if isinstance(x, (tuple, dict, np.ndarray)) or tensor_of(x) is not None:
        return False
    if isinstance(x, PyDataset):
        return True
    return hasattr(x, "__iter__") and not hasattr(x, "__array__")


def _length(source) -> int | None:
    """The number of batches of a source, None if unknown."""
    try:
        return len(source)
    except (TypeError, OverflowError):
        return None


def _common_length(arrays) -> int:
    """The length of the first axes of x, y and sample_weight. Raises ValueError if they differ."""
    named = [
        (name, np.shape(leaf))
        for name, structure in zip(("x", "y", "sample_weight"), arrays, strict=True)
        for leaf in nest.flatten(structure)
        if leaf is not None
    ]
    scalars = [name for name, sizes in named if not sizes]
    if scalars:
        raise ValueError(
            f"{scalars[0]} is a list of numbers, which would be inputs of their own: "
            f"pass np.array({scalars[0]})"
        )
    if len({sizes[0] for _, sizes in named}) != 1:
        each = ", ".join(f"{name} has {sizes[0]}" for name, sizes in named)
        raise ValueError(f"the number of samples differs: {each}")
    return named[0][1][0]


def _to_numpy(leaf):
    if leaf is None:
        return None
    array = np.asarray(leaf)
    return array.astype(np.float32) if array.dtype == np.float64 else array


def as_batch(leaf):
    """A leaf as a tensor; NumPy's float64 becomes float32."""
    return None if leaf is None else convert_to_tensor(_to_numpy(leaf))


def split_off(data, fraction: float) -> tuple:
    """Arrays split into the first slices, for training, and the last `fraction`, for validation."""
    if _is_source(data[0]):
        raise ValueError(
            "validation_split takes arrays; divide a dataset yourself: "
            "fit(dataset.skip(10), validation_data=dataset.take(10))"
        )
    length = len(nest.flatten(data)[0])
    cut = int(length * (1 - fraction))
    first, last = (
        nest.map_structure(lambda one, section=section: None if one is None else one[section], data)
        for section in (slice(None, cut), slice(cut, None))
    )
    return first, last
