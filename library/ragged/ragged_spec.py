"""`RaggedTensorSpec`: the type of ragged tensors."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from ... import DType, TensorSpec, TypeSpec, as_dtype, float32, int64
from ...extend.registration import public
from ...extend.specs import CompositeSpec, Shape, as_shape, show


@public("RaggedTensorSpec")
class RaggedTensorSpec(CompositeSpec):
    """The type of a ragged tensor: its shape, data types, and number of ragged axes.

    shape             None for axes of unknown size, as ragged ones are
    ragged_rank       the number of axes with row splits; by default all but the first. A tensor is
                      what 0 means: a row, of which a dataset makes ragged batches
    row_splits_dtype  int64 or int32

    >>> import allograph as ag
    >>> @ag.function(input_signature=[ag.RaggedTensorSpec([None, None], ag.int32)])
    ... def totals(rt):
    ...     return ag.reduce_sum(rt, axis=1)
    >>> totals(ag.ragged.constant([[1, 2], [3]])).numpy()
    array([3, 3], dtype=int32)

    Raises ValueError for a ragged rank that is not below the rank of the shape.
    """

    def __init__(
        self,
        shape=None,
        dtype=float32,
        ragged_rank: int | None = None,
        row_splits_dtype=int64,
        flat_values_spec=None,
    ):
        self.dims = as_shape(shape)
        self.dtype: DType = as_dtype(dtype)
        if self.dims is None and ragged_rank is None:
            raise ValueError("RaggedTensorSpec: give a shape or ragged_rank")
        rank = None if self.dims is None else len(self.dims)
        self.ragged_rank: int = (rank or 1) - 1 if ragged_rank is None else ragged_rank
        self.row_splits_dtype: DType = as_dtype(row_splits_dtype)
        if not 0 <= self.ragged_rank < (rank or self.ragged_rank + 1):
            raise ValueError(
                f"ragged_rank={self.ragged_rank} is not between 1 and {(rank or 1) - 1}, the "
                f"number of axes after the first in {show(self.dims)}"
            )

    def parameters(self) -> tuple:
        return self.dims, self.dtype, self.ragged_rank, self.row_splits_dtype

    def with_dims(self, dims: Shape) -> RaggedTensorSpec:
        if dims is not None and len(dims) <= self.ragged_rank:
            return self  # another rank: no subtype
        return RaggedTensorSpec(dims, *self.parameters()[1:])

    @property
    def component_specs(self) -> list[TensorSpec]:
        dims, splits = self.dims, self.row_splits_dtype
        inner = None if dims is None else (None, *dims[self.ragged_rank + 1 :])
        if self.ragged_rank == 0:
            return [TensorSpec(dims, self.dtype)]
        count = None if dims is None or dims[0] is None else dims[0] + 1
        rest = [TensorSpec([None], splits) for _ in range(self.ragged_rank - 1)]
        return [TensorSpec(inner, self.dtype), TensorSpec([count], splits), *rest]

    def from_components(self, tensors) -> Any:
        unknown = (None,) * self.ragged_rank
        uniform = unknown if self.dims is None else self.dims[1 : self.ragged_rank + 1]
        return self.value_type.__tf_unflatten__(uniform, tensors)  # type: ignore[attr-defined]

    def cast(self, value) -> Any:
        if self.ragged_rank == 0:
            return TensorSpec(self.dims, self.dtype).cast(value)
        return super().cast(value)

    # ---- as elements of datasets -----------------------------------------------------------

    def batched(self, count: int | None) -> RaggedTensorSpec:
        dims = None if self.dims is None else (count, *self.dims)
        return RaggedTensorSpec(dims, self.dtype, self.ragged_rank + 1, self.row_splits_dtype)

    def unbatched(self) -> TypeSpec:
        dims = None if self.dims is None else self.dims[1:]
        if self.ragged_rank == 0:
            return TensorSpec(dims, self.dtype)
        return RaggedTensorSpec(dims, self.dtype, self.ragged_rank - 1, self.row_splits_dtype)

    def components_of(self, array: np.ndarray) -> tuple:
        """An array as the components of a ragged tensor, whose rows have one length."""
        shape, dtype = array.shape, self.row_splits_dtype.numpy_dtype
        counts = np.cumprod(shape[: self.ragged_rank + 1])
        splits = [
            np.arange(count + 1, dtype=dtype) * size
            for count, size in zip(counts[:-1], shape[1:], strict=False)
        ]
        inner = shape[self.ragged_rank + 1 :]
        return array.reshape(int(counts[-1]), *inner), *splits

    def stacked(self, rows: list[tuple]) -> tuple:
        columns = list(zip(*rows, strict=True))
        dtype = self.row_splits_dtype.numpy_dtype
        counts = [len(row[1]) - 1 if len(row) > 1 else len(row[0]) for row in rows]
        outer = np.concatenate([[0], np.cumsum(counts)]).astype(dtype)
        return np.concatenate(columns[0]), outer, *map(_joined_splits, columns[1:])

    def slices(self, components: tuple) -> list[tuple]:
        if len(components) == 1:
            return [(row,) for row in components[0]]
        flat, outer, *nested = components
        return [_row(flat, nested, start, end) for start, end in itertools.pairwise(outer)]


def _row(flat: np.ndarray, nested: list, start: int, end: int) -> tuple:
    """The components of the elements `start` to `end` of the outermost ragged axis."""
    parts = []
    for splits in nested:
        window = splits[start : end + 1]
        parts.append(window - window[0])
        start, end = window[0], window[-1]
    return flat[start:end], *parts


def _joined_splits(columns: tuple) -> np.ndarray:
    """The splits of concatenated rows."""
    lengths = np.concatenate([np.diff(splits) for splits in columns])
    return np.concatenate([[0], np.cumsum(lengths)]).astype(columns[0].dtype)
