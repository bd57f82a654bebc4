"""The methods of `Dataset` that batch, window, shuffle, cache and prefetch elements."""

from __future__ import annotations

import numpy as np

from .... import TensorSpec, convert_to_tensor, int64, string
from ....extend import nest
from ....extend.errors import ShapeError
from ....extend.specs import CompositeSpec, as_shape, show
from ..elements.dataset_specs import DatasetSpec
from ..elements.element_structure import batched, require_tensors, static_int, unbatched
from ..transformations import batching, shuffle_and_cache
from .elementwise_methods import count_tensor


class Grouping:
    """Mixin of `Dataset` with the methods that batch and buffer elements."""

    def batch(
        self, batch_size, drop_remainder=False, num_parallel_calls=None, deterministic=None,
        name=None,
    ):  # fmt: skip
        """Batches of `batch_size` elements, stacked along a new first axis.

        The last batch may be smaller, unless `drop_remainder` is true.

        >>> import allograph as ag
        >>> [x.tolist() for x in ag.data.Dataset.range(5).batch(2).as_numpy_iterator()]
        [[0, 1], [2, 3], [4]]

        Raises InvalidArgumentError, on iteration, if the elements of a batch differ in shape.
        """
        require_tensors(self.element_spec, "batch", composite=True)
        spec = batched(self.element_spec, self._batch_length(batch_size, drop_remainder))
        leaves = _leaves_of(self.element_spec)
        operands, drop = [self, count_tensor(batch_size, 0)], bool(drop_remainder)
        return self._create(batching.Batch, operands, spec, drop=drop, leaves=leaves)

    def ragged_batch(self, batch_size, drop_remainder=False, row_splits_dtype=int64, name=None):
        """Batches of elements of different shapes, as rows of ragged tensors.

        Components of a known shape are stacked as by `batch`.

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.range(3).map(ag.range).ragged_batch(3)
        >>> next(iter(ds))
        <ag.RaggedTensor [[], [0], [0, 1]]>

        Raises ValueError for a component of unknown rank.
        """
        require_tensors(self.element_spec, "ragged_batch", composite=True)
        flat = nest.flatten(self.element_spec)
        leaves = tuple(_ragged_leaf(leaf, row_splits_dtype) for leaf in flat)
        specs = [leaf.spec or own for leaf, own in zip(leaves, flat, strict=True)]
        count = self._batch_length(batch_size, drop_remainder)
        spec = batched(nest.pack_sequence_as(self.element_spec, specs), count)
        operands, drop = [self, count_tensor(batch_size, 0)], bool(drop_remainder)
        return self._create(batching.Batch, operands, spec, drop=drop, leaves=leaves)

    def _batch_length(self, batch_size, drop_remainder) -> int | None:
        """The size of every batch if it is static, else None."""
        return static_int(batch_size) if drop_remainder else None

    def padded_batch(
        self, batch_size, padded_shapes=None, padding_values=None, drop_remainder=False, name=None
    ):
        """Batches of elements of different shapes, each padded at its end to a common shape.

        padded_shapes   a shape for each component; None or -1: the largest size in the batch
        padding_values  a value for each component, or one for all; by default 0, False or ""

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.range(1, 4).map(lambda n: ag.fill([n], n))
        >>> [x.tolist() for x in ds.padded_batch(2, padding_values=np.int64(9)).as_numpy_iterator()]
        [[[1, 9], [2, 2]], [[3, 3, 3]]]
        """
        element_spec = _without_rows(self.element_spec)
        require_tensors(element_spec, "padded_batch")
        leaves = nest.flatten(element_spec)
        shapes = _padded_shapes(element_spec, padded_shapes)
        values = _padding_values(element_spec, padding_values)
        count = self._batch_length(batch_size, drop_remainder)
        specs = [
            TensorSpec((count, *shape), leaf.dtype)
            for leaf, shape in zip(leaves, shapes, strict=True)
        ]
        spec = nest.pack_sequence_as(element_spec, specs)
        operands = [self, count_tensor(batch_size, 0), *values]
        return self._create(
            batching.PaddedBatch, operands, spec, drop=bool(drop_remainder), shapes=tuple(shapes)
        )

    def unbatch(self, name=None):
        """The slices of each element along its first axis, as separate elements.

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.from_tensors([1, 2, 3]).unbatch()
        >>> [int(x) for x in ds]
        [1, 2, 3]

        Raises ShapeError if a component is a scalar or the first dimensions differ.
        """
        require_tensors(self.element_spec, "unbatch", composite=True)
        shapes = [leaf.dims for leaf in nest.flatten(self.element_spec)]
        if () in shapes:
            raise ShapeError("unbatch: a scalar has no first axis")
        lengths = {shape[0] for shape in shapes if shape} - {None}
        length = lengths.pop() if lengths else None
        if lengths:
            raise ShapeError("unbatch: the first dimensions of the elements differ")
        spec, leaves = unbatched(self.element_spec), _leaves_of(self.element_spec)
        return self._create(batching.Unbatch, [self], spec, length=length, leaves=leaves)

    def rebatch(self, batch_size, drop_remainder=False, name=None):
        """The slices of the elements in batches of another size: `unbatch`, then `batch`."""
        return self.unbatch().batch(batch_size, drop_remainder)

    def window(self, size, shift=None, stride=1, drop_remainder=False, name=None):
        """Windows of `size` elements, each a dataset; consecutive windows start `shift` apart.

        `shift` defaults to `size`. A window takes every `stride`-th element. If the elements have
        several components, a window has a dataset for each.

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.range(5).window(3, shift=2, drop_remainder=True)
        >>> [[int(x) for x in window] for window in ds]
        [[0, 1, 2], [2, 3, 4]]
        """
        require_tensors(self.element_spec, "window")
        spec = nest.map_structure(DatasetSpec, self.element_spec)
        operands = [self, count_tensor(size, 0), count_tensor(size if shift is None else shift, 0)]
        operands.append(count_tensor(stride, 1))
        return self._create(batching.Window, operands, spec, drop=bool(drop_remainder))

    def shuffle(self, buffer_size, seed=None, reshuffle_each_iteration=None, name=None):
        """The elements in random order, each drawn from a buffer of `buffer_size` elements.

        With `seed`, or after `random.set_seed`, the order is the same in every run of the program.
        Each pass has another order, unless `reshuffle_each_iteration` is False.

        >>> import allograph as ag
        >>> sorted(int(x) for x in ag.data.Dataset.range(5).shuffle(3, seed=1))
        [0, 1, 2, 3, 4]
        """
        operands = [self, count_tensor(buffer_size, 0), *_seed(seed)]
        reshuffle = reshuffle_each_iteration is not False
        return self._create(
            shuffle_and_cache.Shuffle, operands, self.element_spec, reshuffle=reshuffle
        )

    @classmethod
    def random(cls, seed=None, rerandomize_each_iteration=None, name=None):
        """Random int64 integers, 0 <= x < 2**32, without end.

        Each pass has the same numbers, unless `rerandomize_each_iteration` is true.

        >>> import allograph as ag
        >>> ds = ag.data.Dataset.random(seed=4).take(3)
        >>> [int(x) for x in ds] == [int(x) for x in ds]
        True
        """
        return cls._create(
            shuffle_and_cache.Random, _seed(seed), TensorSpec([], int64),
            reshuffle=bool(rerandomize_each_iteration),
        )  # fmt: skip

    def cache(self, filename="", name=None):
        """The same elements; the first complete pass stores them, in memory or in `filename`.

        >>> import allograph as ag
        >>> [int(x) for x in ag.data.Dataset.range(3).cache()]
        [0, 1, 2]
        """
        if isinstance(filename, (str, bytes)) and not filename:
            return self._create(shuffle_and_cache.Cache, [self], self.element_spec)
        require_tensors(self.element_spec, "cache in a file", composite=True)
        spec, operands = self.element_spec, [self, count_tensor(filename, 0)]
        return self._create(shuffle_and_cache.FileCache, operands, spec, spec=spec)

    def prefetch(self, buffer_size, name=None):
        """The same elements, produced ahead by a thread, at most `buffer_size` of them.

        >>> import allograph as ag
        >>> [int(x) for x in ag.data.Dataset.range(3).prefetch(ag.data.AUTOTUNE)]
        [0, 1, 2]
        """
        return self._create(
            shuffle_and_cache.Prefetch, [self, count_tensor(buffer_size, -1)], self.element_spec
        )


def _leaves_of(spec) -> tuple[batching.Leaf, ...]:
    """How the leaves of elements are stacked; empty where all are tensors."""
    leaves = nest.flatten(spec)
    if not any(isinstance(leaf, CompositeSpec) for leaf in leaves):
        return ()
    return tuple(
        batching.Leaf(leaf if isinstance(leaf, CompositeSpec) else None) for leaf in leaves
    )


def _ragged_leaf(leaf, row_splits_dtype) -> batching.Leaf:
    """How a leaf is stacked by `ragged_batch`."""
    if isinstance(leaf, CompositeSpec):
        return batching.Leaf(leaf)
    if leaf.dims is None:
        raise ValueError("ragged_batch: the rank of an element is unknown: use ag.ensure_shape")
    if None not in leaf.dims:
        return batching.Leaf()
    from ...ragged.ragged_spec import RaggedTensorSpec  # few datasets are ragged

    last = max(axis for axis, size in enumerate(leaf.dims) if size is None)
    spec = RaggedTensorSpec(leaf.dims, leaf.dtype, last, row_splits_dtype)
    return batching.Leaf(spec, is_dense=True)


def _without_rows(spec):
    """The specification in which rows of ragged tensors are the tensors that they are."""
    from ...ragged.ragged_spec import RaggedTensorSpec  # few datasets are ragged

    return nest.map_structure(
        lambda leaf: (
            TensorSpec(leaf.dims, leaf.dtype)
            if isinstance(leaf, RaggedTensorSpec) and leaf.ragged_rank == 0
            else leaf
        ),
        spec,
    )


def _seed(seed) -> list:
    return [] if seed is None else [count_tensor(seed, 0)]


def _padded_shapes(spec, argument) -> list:
    """The shape of each component after padding. Raises ValueError for an unknown rank."""
    leaves = nest.flatten(spec)
    shapes = [leaf.dims for leaf in leaves] if argument is None else _shapes_like(spec, argument)
    for leaf, shape in zip(leaves, shapes, strict=True):
        if shape is None:
            raise ValueError("padded_batch: the rank of an element is unknown: give padded_shapes")
        if leaf.dims is not None and len(leaf.dims) != len(shape):
            raise ValueError(
                f"padded_batch: the shape {show(shape)} does not fit elements of the shape "
                f"{show(leaf.dims)}"
            )
    return shapes


def _shapes_like(spec, argument) -> list:
    """A shape for each leaf of `spec`, from a structure in which shapes may be lists or tuples."""
    container = nest.container_type(spec)
    if container is None:
        sizes = argument.tolist() if isinstance(argument, np.ndarray) else argument
        if sizes is None or hasattr(sizes, "rank"):
            return [as_shape(sizes)]
        return [as_shape([None if size == -1 else size for size in sizes])]
    keys = container.keys(spec)
    pairs = zip(container.children(spec, keys), container.children(argument, keys), strict=True)
    return [
        shape for child, argument_child in pairs for shape in _shapes_like(child, argument_child)
    ]


def _padding_values(spec, argument) -> list:
    """The padding value of each component, as a tensor of its dtype."""
    leaves = nest.flatten(spec)
    values = nest.flatten(argument) if nest.is_nested(argument) else [argument] * len(leaves)
    if len(values) != len(leaves):
        raise ValueError(f"padded_batch: {len(values)} values for {len(leaves)} components")
    tensors = []
    for leaf, value in zip(leaves, values, strict=True):
        if value is None:
            value = b"" if leaf.dtype is string else leaf.dtype.numpy_dtype.type(0)
        tensors.append(convert_to_tensor(value, leaf.dtype))
    return tensors
