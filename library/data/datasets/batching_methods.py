"""The methods of `Dataset` that put elements together, hold them back or mix them."""

from __future__ import annotations

import numpy as np

from ....runtime.core.dtypes import int64, string
from ....runtime.core.errors import ShapeError
from ....runtime.core.shapes import as_shape, show
from ....runtime.tensors.apply import convert_to_tensor
from ....tracing.structures import nest
from ....tracing.type_system.trace_types import TensorSpec
from ..elements.dataset_specs import DatasetSpec
from ..elements.element_structure import known_int, map_specs, require_tensors
from ..transformations import batching, shuffle_and_cache
from .elementwise_methods import number


class Grouping:
    """Mixed into `Dataset`."""

    def batch(
        self, batch_size, drop_remainder=False, num_parallel_calls=None, deterministic=None,
        name=None,
    ):  # fmt: skip
        """Batches of `batch_size` elements, stacked; the last one may be smaller.

        >>> import allograph as ag
        >>> [x.tolist() for x in ag.data.Dataset.range(5).batch(2).as_numpy_iterator()]
        [[0, 1], [2, 3], [4]]

        Raises InvalidArgumentError when the elements of a batch differ in shape.
        """
        require_tensors(self.element_spec, "batch")
        count = self._rows_of_batch(batch_size, drop_remainder)
        spec = map_specs(
            lambda shape, _: None if shape is None else (count, *shape), self.element_spec
        )
        operands = [self, number(batch_size, 0)]
        return self._made(batching.Batch, operands, spec, drop=bool(drop_remainder))

    def _rows_of_batch(self, batch_size, drop_remainder) -> int | None:
        """How many rows every batch has, where that is known."""
        return known_int(batch_size) if drop_remainder else None

    def padded_batch(
        self, batch_size, padded_shapes=None, padding_values=None, drop_remainder=False, name=None
    ):
        """Batches of elements of different shapes, each filled up at its end.

        padded_shapes   for each part of an element; None or -1: as long as the longest of the batch
        padding_values  for each part, or one for all; 0 and empty text when left out

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.range(1, 4).map(lambda n: ag.fill([n], n))
        >>> [x.tolist() for x in ds.padded_batch(2, padding_values=np.int64(9)).as_numpy_iterator()]
        [[[1, 9], [2, 2]], [[3, 3, 3]]]
        """
        require_tensors(self.element_spec, "padded_batch")
        leaves = nest.flatten(self.element_spec)
        shapes = _padded_shapes(self.element_spec, padded_shapes)
        values = _padding_values(self.element_spec, padding_values)
        count = self._rows_of_batch(batch_size, drop_remainder)
        specs = [
            TensorSpec((count, *shape), leaf.dtype)
            for leaf, shape in zip(leaves, shapes, strict=True)
        ]
        spec = nest.pack_sequence_as(self.element_spec, specs)
        operands = [self, number(batch_size, 0), *values]
        return self._made(
            batching.PaddedBatch, operands, spec, drop=bool(drop_remainder), shapes=tuple(shapes)
        )

    def unbatch(self, name=None):
        """The rows of each element.

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.from_tensors([1, 2, 3]).unbatch()
        >>> [int(x) for x in ds]
        [1, 2, 3]
        """
        require_tensors(self.element_spec, "unbatch")
        shapes = [leaf.dims for leaf in nest.flatten(self.element_spec)]
        if () in shapes:
            raise ShapeError("unbatch: a scalar has no rows")
        known = {shape[0] for shape in shapes if shape} - {None}
        rows = known.pop() if known else None
        if known:
            raise ShapeError("unbatch: the first dimensions of the elements differ")
        spec = map_specs(lambda shape, _: None if shape is None else shape[1:], self.element_spec)
        return self._made(batching.Unbatch, [self], spec, rows=rows)

    def rebatch(self, batch_size, drop_remainder=False, name=None):
        """The rows of the elements in batches of another size."""
        return self.unbatch().batch(batch_size, drop_remainder)

    def window(self, size, shift=None, stride=1, drop_remainder=False, name=None):
        """Datasets of `size` elements, each beginning `shift` (as many as `size`) further on.

        An element with several parts becomes one of several datasets.

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.range(5).window(3, shift=2, drop_remainder=True)
        >>> [[int(x) for x in window] for window in ds]
        [[0, 1, 2], [2, 3, 4]]
        """
        spec = nest.map_structure(DatasetSpec, self.element_spec)
        operands = [self, number(size, 0), number(size if shift is None else shift, 0)]
        operands.append(number(stride, 1))
        return self._made(batching.Window, operands, spec, drop=bool(drop_remainder))

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=None, name=None):
        """The elements in random order: each is drawn from a buffer of `buffer_size` elements.

        With a `seed` (or `random.set_seed`) the orders are the same in every run of the program;
        each pass has another one unless `reshuffle_each_iteration` is False.

        >>> import allograph as ag
        >>> sorted(int(x) for x in ag.data.Dataset.range(5).shuffle(3, seed=1))
        [0, 1, 2, 3, 4]
        """
        operands = [self, number(buffer_size, 0), *_seed(seed)]
        fresh = reshuffle_each_iteration is not False
        return self._made(shuffle_and_cache.Shuffle, operands, self.element_spec, reshuffle=fresh)

    @classmethod
    def random(cls, seed=None, rerandomize_each_iteration=None, name=None):
        """Random integers from 0 up to 2**32, without end.

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.random(seed=4).take(3)
        >>> [int(x) for x in ds] == [int(x) for x in ds]
        True
        """
        return cls._made(
            shuffle_and_cache.Random, _seed(seed), TensorSpec([], int64),
            reshuffle=bool(rerandomize_each_iteration),
        )  # fmt: skip

    def cache(self, filename="", name=None):
        """The same elements; the first whole pass keeps them, in memory or in a file.

        >>> import allograph as ag
        >>> [int(x) for x in ag.data.Dataset.range(3).cache()]
        [0, 1, 2]
        """
        if isinstance(filename, (str, bytes)) and not filename:
            return self._made(shuffle_and_cache.Cache, [self], self.element_spec)
        require_tensors(self.element_spec, "cache in a file")
        return self._made(
            shuffle_and_cache.FileCache, [self, number(filename, 0)], self.element_spec
        )

    def prefetch(self, buffer_size, name=None):
        """The same elements, made ahead by a thread.

        >>> import allograph as ag
        >>> [int(x) for x in ag.data.Dataset.range(3).prefetch(ag.data.AUTOTUNE)]
        [0, 1, 2]
        """
        return self._made(
            shuffle_and_cache.Prefetch, [self, number(buffer_size, -1)], self.element_spec
        )


def _seed(seed) -> list:
    return [] if seed is None else [number(seed, 0)]


def _padded_shapes(spec, given) -> list:
    """The shape of each part after padding; ValueError where a rank is unknown."""
    leaves = nest.flatten(spec)
    shapes = [leaf.dims for leaf in leaves] if given is None else _shapes_like(spec, given)
    for leaf, shape in zip(leaves, shapes, strict=True):
        if shape is None:
            raise ValueError("padded_batch: the rank of an element is unknown: give padded_shapes")
        if leaf.dims is not None and len(leaf.dims) != len(shape):
            raise ValueError(
                f"padded_batch: the shape {show(shape)} does not fit elements of the shape "
                f"{show(leaf.dims)}"
            )
    return shapes


def _shapes_like(spec, given) -> list:
    """One shape for each leaf of `spec`; a shape may be a list or tuple."""
    kind = nest.kind_of(spec)
    if kind is None:
        sizes = given.tolist() if isinstance(given, np.ndarray) else given
        if sizes is None or hasattr(sizes, "rank"):
            return [as_shape(sizes)]
        return [as_shape([None if size == -1 else size for size in sizes])]
    keys = kind.keys(spec)
    pairs = zip(kind.children(spec, keys), kind.children(given, keys), strict=True)
    return [shape for part, inner in pairs for shape in _shapes_like(part, inner)]


def _padding_values(spec, given) -> list:
    """The value that fills up each part, as a tensor of its type."""
    leaves = nest.flatten(spec)
    values = nest.flatten(given) if nest.is_nested(given) else [given] * len(leaves)
    if len(values) != len(leaves):
        raise ValueError(f"padded_batch: {len(values)} values for {len(leaves)} parts")
    made = []
    for leaf, value in zip(leaves, values, strict=True):
        if value is None:
            value = b"" if leaf.dtype is string else leaf.dtype.numpy_dtype.type(0)
        made.append(convert_to_tensor(value, leaf.dtype))
    return made
