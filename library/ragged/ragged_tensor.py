"""`RaggedTensor`: rows of different lengths, as the tensor of their elements and row splits."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import (
    DType,
    Tensor,
    TensorShape,
    as_dtype,
    cast,
    convert_to_tensor,
    gather,
    int32,
    reduce_max,
)
from ...extend.errors import InvalidArgumentError, in_users_words, package_name
from ...extend.operations import ops
from ...extend.registration import public
from ...extend.specs import CompositeTensor, show
from ...extend.tensors import EagerTensor, Rows, StagedSequence, TensorReference, show_rows
from . import row_partitions as partitions
from .ragged_construction import Construction, values_of
from .ragged_spec import RaggedTensorSpec


@public("RaggedTensor")
class RaggedTensor(Construction, CompositeTensor, StagedSequence):
    """A tensor with axes along which the lengths of the rows differ.

    It consists of `values`, the elements of all rows, and `row_splits`: row `i` has the elements
    `values[row_splits[i]:row_splits[i + 1]]`. The values of a ragged tensor with several ragged
    axes are ragged themselves; their number is `ragged_rank`. Operations on elements, reductions,
    `concat`, `stack`, `gather` and others take ragged tensors; decorated functions, loops and
    datasets too.

    >>> import allograph as ag
    >>> rt = ag.ragged.constant([[1, 2, 3], [], [4, 5]])
    >>> rt + 1, ag.reduce_sum(rt, axis=1).numpy()
    (<ag.RaggedTensor [[2, 3, 4], [], [5, 6]]>, array([6, 0, 9], dtype=int32))

    Made by `ragged.constant`, and by the methods `from_row_splits`, `from_row_lengths`,
    `from_value_rowids`, `from_tensor` and others.
    """

    __array_priority__ = 200  # operators of tensors and arrays leave ragged operands to this class
    __hash__ = None  # type: ignore[assignment]

    if TYPE_CHECKING:  # what other files of this folder add

        def _unary(self) -> RaggedTensor: ...
        def _binary(self, other: Any, /) -> RaggedTensor: ...
        def __eq__(self, other: Any, /) -> RaggedTensor: ...  # type: ignore[override]
        def __ne__(self, other: Any, /) -> RaggedTensor: ...  # type: ignore[override]
        def __getitem__(self, key: Any) -> Any: ...

        __neg__ = __invert__ = __abs__ = _unary
        __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = _binary
        __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = _binary
        __rpow__ = __and__ = __or__ = __xor__ = __rand__ = __ror__ = __rxor__ = _binary
        __lt__ = __le__ = __gt__ = __ge__ = _binary

        @staticmethod
        def from_tensor(
            tensor, lengths=None, padding=None, ragged_rank=1, name=None, row_splits_dtype=...
        ) -> RaggedTensor: ...
        @staticmethod
        def from_sparse(st_input, name=None, row_splits_dtype=...) -> RaggedTensor: ...
        def to_tensor(self, default_value=None, name=None, shape=None) -> Tensor: ...
        def to_sparse(self, name=None) -> Any: ...

    def __init__(self, *args, **kwargs) -> None:
        raise ValueError(
            "RaggedTensor(...) is private: use ragged.constant, or a method such as "
            "RaggedTensor.from_row_lengths"
        )

    # ---- in structures: the tensors are components, the rest is metadata -------------------

    def __tf_flatten__(self):
        uniform, splits, values = [], [], self
        while isinstance(values, RaggedTensor):
            uniform.append(values.uniform)
            splits.append(values.row_splits)
            values = values.values
        return tuple(uniform), (values, *splits)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        values, *splits = components
        for row_splits, uniform in zip(reversed(splits), reversed(metadata), strict=True):
            values = cls.of_rows(values, row_splits, uniform)
        return values

    def __tf_tracing_type__(self, context) -> RaggedTensorSpec:
        return RaggedTensorSpec(self.dims, self.dtype, self.ragged_rank, self.row_splits.dtype)

    @property
    def __tf_differentiable__(self) -> Tensor:
        """The component that gradients flow to."""
        return self.flat_values

    def __tf_with_differentiable__(self, gradient) -> RaggedTensor:
        return self.with_flat_values(gradient)

    # ---- parts -----------------------------------------------------------------------------

    @property
    def values(self) -> Any:
        """The elements of all rows: a tensor, or a ragged tensor with one ragged axis less."""
        return self._values

    @property
    def row_splits(self) -> Tensor:
        return self._row_splits

    @property
    def flat_values(self) -> Tensor:
        """The innermost values."""
        return self.__tf_flatten__()[1][0]

    @property
    def nested_row_splits(self) -> tuple[Tensor, ...]:
        """The splits of each ragged axis, the outermost first."""
        return self.__tf_flatten__()[1][1:]

    @property
    def ragged_rank(self) -> int:
        """The number of axes with row splits."""
        return len(self.__tf_flatten__()[0])

    @property
    def uniform_row_length(self) -> Any:
        """The length of all rows as a tensor, None if it is not known to be one."""
        if self.uniform is None:
            return None
        return convert_to_tensor(self.uniform, self._row_splits.dtype)

    @property
    def dtype(self) -> DType:
        return self._values.dtype

    @property
    def dims(self) -> Any:
        splits, inner = self._row_splits.dims, self._values.dims
        count = None if not splits or splits[0] is None else splits[0] - 1
        return None if inner is None else (count, self.uniform, *inner[1:])

    @property
    def shape(self) -> TensorShape:
        """The static shape, in which ragged axes are None.

        >>> import allograph as ag
        >>> ag.ragged.constant([[1, 2], [3]]).shape
        TensorShape([2, None])
        """
        return TensorShape(self.dims)

    def get_shape(self) -> TensorShape:
        return self.shape

    def nrows(self, out_type=None, name=None) -> Tensor:
        """The number of rows."""
        count = partitions.count_of(self._row_splits, self._row_splits.dtype) - 1
        return count if out_type is None else cast(count, out_type)

    def row_lengths(self, axis=1, name=None) -> Any:
        """The lengths of the rows along an axis.

        >>> import allograph as ag
        >>> ag.ragged.constant([[1, 2], [], [3]]).row_lengths().numpy()
        array([2, 0, 1])
        """
        if axis == 1:
            return partitions.lengths_of(self._row_splits)
        if axis < 1 or not isinstance(self._values, RaggedTensor):
            raise ValueError(f"row_lengths: axis {axis} is not ragged, in {show(self.dims)}")
        return self.with_values(self._values.row_lengths(axis - 1))

    def row_starts(self, name=None) -> Tensor:
        """The position of the first value of each row."""
        return self._row_splits[:-1]

    def row_limits(self, name=None) -> Tensor:
        """The position after the last value of each row."""
        return self._row_splits[1:]

    def value_rowids(self, name=None) -> Tensor:
        """The row number of each value.

        >>> import allograph as ag
        >>> ag.ragged.constant([[1, 2], [], [3]]).value_rowids().numpy()
        array([0, 0, 2])
        """
        return partitions.row_ids_of(self._row_splits)

    def nested_row_lengths(self, name=None) -> tuple[Tensor, ...]:
        """The row lengths of each ragged axis, the outermost first."""
        return tuple(map(partitions.lengths_of, self.nested_row_splits))

    def nested_value_rowids(self, name=None) -> tuple[Tensor, ...]:
        """The row numbers of each ragged axis, the outermost first."""
        return tuple(map(partitions.row_ids_of, self.nested_row_splits))

    def bounding_shape(self, axis=None, name=None, out_type=None) -> Tensor:
        """The shape of the smallest tensor that holds all rows, or its size along axes.

        >>> import allograph as ag
        >>> ag.ragged.constant([[1, 2], [], [3]]).bounding_shape().numpy()
        array([3, 2])
        """
        dtype = self._row_splits.dtype
        sizes = [ops.reshape(self.nrows(), [1])]
        for splits in self.nested_row_splits:
            lengths = ops.concat(splits[:1] * 0, partitions.lengths_of(splits), axis=0)
            sizes.append(ops.reshape(reduce_max(lengths), [1]))
        sizes.append(ops.shape(self.flat_values, dtype=dtype)[1:])
        whole = ops.concat(*sizes, axis=0)
        whole = whole if out_type is None else cast(whole, out_type)
        if axis is None:
            return whole
        return whole[axis] if isinstance(axis, int) else gather(whole, axis, axis=0)

    # ---- with other parts ------------------------------------------------------------------

    def with_values(self, new_values) -> RaggedTensor:
        """The same rows with other values."""
        return self.of_rows(values_of(new_values), self._row_splits, self.uniform)

    def with_flat_values(self, new_values) -> RaggedTensor:
        """The same rows with other innermost values.

        >>> import allograph as ag
        >>> rt = ag.ragged.constant([[1, 2], [3]])
        >>> rt.with_flat_values(rt.flat_values * 10)
        <ag.RaggedTensor [[10, 20], [30]]>
        """
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype) -> RaggedTensor:
        """The same rows, with splits of int32 or int64."""
        values = self._values
        if isinstance(values, RaggedTensor):
            values = values.with_row_splits_dtype(dtype)
        return self.of_rows(values, cast(self._row_splits, as_dtype(dtype)), self.uniform)

    def merge_dims(self, outer_axis, inner_axis) -> Any:
        """The axes from `outer_axis` to `inner_axis` merged into one.

        >>> import allograph as ag
        >>> rt = ag.ragged.constant([[[1, 2], [3]], [], [[4]]])
        >>> rt.merge_dims(1, 2), rt.merge_dims(0, 2).numpy()
        (<ag.RaggedTensor [[1, 2, 3], [], [4]]>, array([1, 2, 3, 4], dtype=int32))
        """
        return merged(self, *(_axis(self, axis) for axis in (outer_axis, inner_axis)))

    # ---- values for Python -----------------------------------------------------------------

    def to_list(self) -> list:
        """Nested lists of the elements.

        >>> import allograph as ag
        >>> ag.ragged.constant([[1, 2], [3]]).to_list()
        [[1, 2], [3]]
        """
        return [row.tolist() if isinstance(row, np.ndarray) else row for row in self._rows(True)]

    def numpy(self) -> np.ndarray:
        """An array of the rows, which are arrays; of one dtype where all have one length."""
        rows = list(self._rows(False))
        same = len({getattr(row, "shape", None) for row in rows}) == 1
        if same and rows[0].dtype != object:
            return np.array(rows)
        result = np.empty(len(rows), object)
        for index, row in enumerate(rows):
            result[index] = row
        return result

    def _rows(self, nested: bool):
        if not isinstance(self._row_splits, EagerTensor):
            raise NotImplementedError("a ragged tensor has no values while a function is traced")
        if isinstance(self._values, RaggedTensor):
            values = self._values.to_list() if nested else list(self._values._rows(False))
        else:
            values = np.asarray(self._values.array)  # type: ignore[assignment]
        bounds = self._row_splits.array.tolist()
        for start, end in itertools.pairwise(bounds):
            row = values[start:end]
            yield row if nested or isinstance(row, np.ndarray) else _array_of_rows(row)

    def __len__(self) -> int:
        """The number of rows. In a decorated function, `len` gives a tensor."""
        count = self.dims and self.dims[0]
        if count is None:
            raise TypeError("the number of rows is not known while tracing: use nrows()")
        return count

    def staged_length(self) -> Any:
        static = self.dims and self.dims[0]
        return self.nrows(int32) if static is None else static

    def read(self, index) -> Any:
        """The row at an index."""
        return self[index]

    def __iter__(self) -> Iterator[Any]:
        return (self[index] for index in range(len(self)))

    def __bool__(self):
        raise TypeError(
            in_users_words("the truth of a ragged tensor is ambiguous: use ag.reduce_any or len()")
        )

    def __tf_truth__(self):
        return bool(self)

    def __array__(self, dtype=None, copy=None):
        raise TypeError(
            "a ragged tensor is no array, since its rows differ in length: use to_tensor(), "
            "to_list() or numpy()"
        )

    def ref(self) -> TensorReference:
        """A hashable stand-in for this very tensor; `.deref()` gives it back."""
        return TensorReference(self)

    def __tf_print__(self):
        """How `ag.print` shows it, eagerly and when a graph runs."""
        _, components = self.__tf_flatten__()
        return f"<{package_name()}.RaggedTensor ", [("", Rows(components))], ">"

    def __repr__(self):
        name = f"{package_name()}.RaggedTensor"
        if not isinstance(self._row_splits, EagerTensor):
            return f"{name}(values={self._values!r}, row_splits={self._row_splits!r})"
        components = [np.asarray(one.array) for one in self.__tf_flatten__()[1]]
        return f"<{name} {show_rows(components, decodes=False)}>"


RaggedTensorSpec.value_type = RaggedTensor


def _axis(value: RaggedTensor, axis: int) -> int:
    """An axis counted from the front."""
    rank = len(value.dims or ())
    if not -rank <= axis < rank:
        raise InvalidArgumentError(f"axis {axis} is out of range for shape {show(value.dims)}")
    return axis % rank


def merged(value, outer: int, inner: int):
    """A tensor or ragged tensor with the axes `outer` to `inner` merged into one."""
    if outer >= inner:
        return value
    if not isinstance(value, RaggedTensor):
        sizes = ops.shape(value)
        return ops.reshape(value, ops.concat(sizes[:outer], [-1], sizes[inner + 1 :], axis=0))
    below, splits = value.values, value.row_splits
    if outer == 0:
        return merged(below, 0, inner - 1)
    if outer > 1:
        return value.with_values(merged(below, outer - 1, inner - 1))
    if isinstance(below, RaggedTensor):
        joined = RaggedTensor.of_rows(below.values, gather(below.row_splits, splits, axis=0))
    else:
        width = ops.shape(below, dtype=splits.dtype)[1]
        joined = RaggedTensor.of_rows(merged(below, 0, 1), splits * width)
    return merged(joined, 1, inner - 1)


def _array_of_rows(rows: list) -> np.ndarray:
    result = np.empty(len(rows), object)
    for index, row in enumerate(rows):
        result[index] = row
    return result
