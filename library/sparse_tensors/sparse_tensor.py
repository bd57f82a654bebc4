"""`SparseTensor`: the elements of a tensor that are not zero, and their indices."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import (
    DType,
    Tensor,
    TensorShape,
    TensorSpec,
    as_dtype,
    cast,
    convert_to_tensor,
    float32,
    int64,
)
from ...extend.errors import ShapeError, in_users_words
from ...extend.operations import constant_dimensions
from ...extend.registration import expose, public
from ...extend.specs import CompositeSpec, CompositeTensor, Shape, as_shape, is_compatible, show
from ...extend.tensors import EagerTensor, SymbolicTensor


@public("SparseTensorSpec")
class SparseTensorSpec(CompositeSpec):
    """The type of a sparse tensor: its dense shape and the data type of its values.

    >>> import allograph as ag
    >>> @ag.function(input_signature=[ag.SparseTensorSpec([None, 2], ag.int32)])
    ... def total(sp):
    ...     return ag.sparse.reduce_sum(sp)
    >>> int(total(ag.sparse.from_dense([[0, 1], [2, 0]])))
    3
    """

    def __init__(self, shape=None, dtype=float32) -> None:
        self.dims = as_shape(shape)
        self.dtype: DType = as_dtype(dtype)

    def parameters(self) -> tuple:
        return self.dims, self.dtype

    def with_dims(self, dims: Shape) -> SparseTensorSpec:
        return SparseTensorSpec(dims, self.dtype)

    @property
    def component_specs(self) -> list[TensorSpec]:
        rank = None if self.dims is None else len(self.dims)
        return [
            TensorSpec([None, rank], int64),
            TensorSpec([None], self.dtype),
            TensorSpec([rank], int64),
        ]

    def from_components(self, tensors) -> Any:
        result = SparseTensor.__tf_unflatten__((), tensors)
        result.declared = self.dims
        return result

    # ---- as elements of datasets -----------------------------------------------------------

    def batched(self, count: int | None) -> SparseTensorSpec:
        return self.with_dims(None if self.dims is None else (count, *self.dims))

    def unbatched(self) -> SparseTensorSpec:
        if self.dims == ():
            raise ShapeError("a sparse tensor of rank 0 has no slices")
        return self.with_dims(None if self.dims is None else self.dims[1:])

    def stacked(self, rows: list[tuple]) -> tuple:
        columns = list(zip(*rows, strict=True))
        numbers = np.repeat(np.arange(len(rows)), [len(column) for column in columns[0]])
        indices = np.column_stack([numbers, np.concatenate(columns[0])]).astype(np.int64)
        largest = np.max(columns[2], axis=0)
        shape = np.concatenate([[len(rows)], largest]).astype(np.int64)
        return indices, np.concatenate(columns[1]), shape

    def slices(self, components: tuple) -> list[tuple]:
        indices, values, shape = components
        order = np.argsort(indices[:, 0], kind="stable")
        indices, values = indices[order], values[order]
        bounds = np.searchsorted(indices[:, 0], np.arange(int(shape[0]) + 1))
        return [
            (indices[start:end, 1:], values[start:end], shape[1:])
            for start, end in itertools.pairwise(bounds)
        ]


@public("SparseTensor")
class SparseTensor(CompositeTensor):
    """A tensor of which only some elements are stored; the others are zero.

    indices      the indices of the elements, a row of int64 for each
    values       the elements
    dense_shape  the shape of the whole tensor

    The functions of `ag.sparse` take sparse tensors, those that sort or join want the indices in
    order (`sparse.reorder`). Decorated functions, loops and datasets take them too.

    >>> import allograph as ag
    >>> sp = ag.SparseTensor(indices=[[0, 1], [2, 0]], values=[5, 6], dense_shape=[3, 2])
    >>> ag.sparse.to_dense(sp).numpy().tolist()
    [[0, 5], [0, 0], [6, 0]]

    Raises ShapeError where the shapes of the three do not fit.
    """

    if TYPE_CHECKING:  # what other files of this folder add

        def __mul__(self, other: Any) -> SparseTensor: ...
        def __truediv__(self, other: Any) -> SparseTensor: ...
        def numpy(self) -> np.ndarray: ...

    def __init__(self, indices, values, dense_shape) -> None:
        self._indices = _of_int64(indices, "indices")
        self._values = convert_to_tensor(values)
        self._dense_shape = _of_int64(dense_shape, "dense_shape")
        self.declared: Shape = None
        self._check()

    def _check(self) -> None:
        """Raise ShapeError where the shapes of the parts do not fit."""
        at, values, shape = (one.dims for one in (self._indices, self._values, self._dense_shape))
        rank = None if shape is None else shape[0] if len(shape) == 1 else -1
        count = None if values is None else values[0] if len(values) == 1 else -1
        if -1 in (rank, count) or not is_compatible(at, (count, rank)):
            raise ShapeError(
                f"SparseTensor: indices of shape {show(at)}, values of {show(values)} and a "
                f"dense_shape of {show(shape)}",
                "n elements of rank r have indices of shape [n, r], values [n], dense_shape [r].",
            )

    # ---- in structures ---------------------------------------------------------------------

    def __tf_flatten__(self):
        return (), (self._indices, self._values, self._dense_shape)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        new = object.__new__(cls)
        new._indices, new._values, new._dense_shape = components
        new.declared = None
        return new

    def __tf_tracing_type__(self, context) -> SparseTensorSpec:
        return SparseTensorSpec(self.dims, self.dtype)

    @property
    def __tf_differentiable__(self) -> Tensor:
        """The component that gradients flow to."""
        return self._values

    def __tf_with_differentiable__(self, gradient) -> SparseTensor:
        return self.with_values(gradient)

    # ---- parts -----------------------------------------------------------------------------

    @classmethod
    def from_value(cls, value) -> SparseTensor:
        """The sparse tensor itself, or one of a tuple `(indices, values, dense_shape)`."""
        return value if isinstance(value, SparseTensor) else cls(*value)

    @property
    def indices(self) -> Tensor:
        return self._indices

    @property
    def values(self) -> Tensor:
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        return self._dense_shape

    @property
    def dtype(self) -> DType:
        return self._values.dtype

    @property
    def dims(self) -> Shape:
        shape = self._dense_shape
        if isinstance(shape, EagerTensor):
            return tuple(int(size) for size in np.asarray(shape.array))
        known = None
        if isinstance(shape, SymbolicTensor):
            known = constant_dimensions(shape.graph_value)
        if known is None:
            rank = shape.dims and shape.dims[0]
            known = None if rank is None else (None,) * rank  # type: ignore[operator]
        if self.declared is None or known is None:
            return known if self.declared is None else self.declared
        pairs = zip(known, self.declared, strict=True)
        return tuple(other if size is None else size for size, other in pairs)

    @property
    def shape(self) -> TensorShape:
        """The static shape.

        >>> import allograph as ag
        >>> ag.sparse.eye(2, 3).shape
        TensorShape([2, 3])
        """
        return TensorShape(self.dims)

    def get_shape(self) -> TensorShape:
        return self.shape

    def with_values(self, new_values) -> SparseTensor:
        """Other values at the same indices.

        >>> import allograph as ag
        >>> sp = ag.sparse.from_dense([0, 3, 4])
        >>> sp.with_values(sp.values * 10).values.numpy()
        array([30, 40], dtype=int32)
        """
        result = SparseTensor(self._indices, new_values, self._dense_shape)
        result.declared = self.declared
        return result

    def __array__(self, dtype=None, copy=None):
        raise TypeError(in_users_words("a sparse tensor is no array: use ag.sparse.to_dense(x)"))

    def __tf_print__(self):
        """How `ag.print` shows it, eagerly and when a graph runs."""
        names = ("indices", "values", "shape")
        parts = zip(names, self.__tf_flatten__()[1], strict=True)
        return "SparseTensor(", [(f"{name}=", part) for name, part in parts], ")"

    def __repr__(self):
        return (
            f"SparseTensor(indices={self._indices!s}, values={self._values!s}, "
            f"dense_shape={self._dense_shape!s})"
        )


expose(SparseTensor, "sparse.SparseTensor")
SparseTensorSpec.value_type = SparseTensor


def _of_int64(value, name: str) -> Tensor:
    """A tensor of int64, from numbers of any integer type."""
    try:
        tensor = convert_to_tensor(value)
    except ValueError as error:
        raise ShapeError(f"SparseTensor: {name}: {error}") from None
    if tensor.dims is not None and 0 in tensor.dims and not isinstance(value, Tensor):
        return convert_to_tensor(np.zeros(tensor.dims, np.int64))
    if not tensor.dtype.is_integer:
        raise TypeError(f"SparseTensor: {name} are int64, not {tensor.dtype.name}")
    return cast(tensor, int64)
