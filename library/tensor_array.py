"""`TensorArray`: a list of tensors that loops on tensors can write.

Elements of one static shape are the rows of one tensor. Others are kept in a list.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

from .. import (
    Tensor,
    TensorShape,
    as_dtype,
    concat,
    convert_to_tensor,
    gather,
    get_static_value,
    shape,
    stack,
    zeros,
)
from .. import tensor_set_item as set_item
from ..extend.errors import DTypeError, OutOfRangeError, ShapeError
from ..extend.operations import OPERATIONS
from ..extend.registration import public
from ..extend.specs import STACK, as_shape, is_compatible, is_static, merge_shapes, show
from ..extend.tensors import Deferred, EagerTensor, StagedSequence
from . import element_lists

RAGGED = (
    "Elements of several lengths need ag.TensorArray(..., infer_shape=False), or are appended to "
    "one tensor in a loop: rows = ag.concat([rows, x], 0)."
)


class _Unallocated(Deferred):
    """The elements of an array whose element shape is not known yet: rows, or a list."""

    def __init__(self, dtype, allocate):
        self.dtype = dtype
        self._allocate = allocate

    def of_type(self, dtype) -> _Unallocated:
        if dtype is STACK:
            self.dtype = dtype
        return self

    def tensor(self, shape) -> Tensor:
        return self._allocate(None if self.dtype is STACK else shape[1:])


def _as_size(number) -> int:
    """An integer that is a size; DTypeError for other numbers, which are not rounded."""
    try:
        return operator.index(number)
    except TypeError:
        raise DTypeError(f"the size of a TensorArray is an integer, not {number}") from None


@public("TensorArray")
class TensorArray(StagedSequence):
    """An array of tensors, which are written and read by index.

    A TensorArray is immutable: every change returns a new one.

    dtype          the dtype of the elements
    size           the number of elements: an int or a scalar tensor
    dynamic_size   whether writing past the end extends the array
    element_shape  the shape of an element; by default that of the first one written
    infer_shape    whether all elements have one shape

    >>> import allograph as ag
    >>> @ag.function
    ... def squares(n):
    ...     rows = ag.TensorArray(ag.int32, size=n)
    ...     for i in ag.range(n):
    ...         rows = rows.write(i, i * i)
    ...     return rows.stack()
    >>> squares(ag.constant(4)).numpy()
    array([0, 1, 4, 9], dtype=int32)

    Elements of several shapes, or of one that is known only when the graph runs, are kept in a
    list, which native code does not contain. Raises ShapeError for an element of another shape,
    OutOfRangeError for an index out of range.
    """

    def __init__(
        self,
        dtype,
        size=None,
        dynamic_size=None,
        clear_after_read=None,
        tensor_array_name=None,
        handle=None,
        flow=None,
        infer_shape=True,
        element_shape=None,
        colocate_with_first_write_call=True,
        name=None,
    ) -> None:
        self.dtype = as_dtype(dtype)
        self.dynamic_size = bool(dynamic_size)
        self.dims = self.declared_dims = as_shape(element_shape)
        known = get_static_value(size) if isinstance(size, Tensor) else size or 0
        self._size = size if known is None else _as_size(known)
        self._rows = _Unallocated(self.dtype, self._allocate)
        if is_static(self.dims):
            self._rows = self._allocate(self.dims)
        elif not infer_shape:
            self._rows = self._allocate(None)

    def _allocate(self, shape) -> Tensor:
        """Rows of a shape, or a list for None."""
        if shape is None:
            return element_lists.run("new_elements", self._size)
        sizes = (self._size, *shape)
        rows = zeros(
            stack([convert_to_tensor(size) for size in sizes])
            if isinstance(self._size, Tensor)
            else sizes,
            self.dtype,
        )
        return OPERATIONS["ensure_length"](rows, 0) if self.dynamic_size else rows

    __tf_composite__ = True  # a leaf for users of `nest`

    # ---- structure: the elements and a variable size are tensors, the rest is metadata -----

    def __tf_flatten__(self):
        fixed = None if self.dynamic_size or not isinstance(self._size, int) else self._size
        components = (self._rows,) if fixed is not None else (self._rows, self._size)
        return (self.dtype, self.dynamic_size, fixed, self.declared_dims), components

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        new = object.__new__(cls)
        new.dtype, new.dynamic_size, fixed, new.declared_dims = metadata
        new._rows, *size = components
        new._size = size[0] if size else fixed
        new._learn_shape()
        return new

    def _with(self, rows, size=None) -> TensorArray:
        new = object.__new__(type(self))
        new.dtype, new.dynamic_size = self.dtype, self.dynamic_size
        new.declared_dims = self.declared_dims
        new._rows, new._size = rows, self._size if size is None else size
        new._learn_shape()
        return new

    def _learn_shape(self) -> None:
        is_known = isinstance(self._rows, Tensor) and self._rows.dims is not None
        self.dims = self._rows.dims[1:] if is_known and not self._is_list else self.declared_dims

    @property
    def _is_list(self) -> bool:
        return self._rows.dtype is STACK

    @property
    def element_shape(self) -> TensorShape:
        return TensorShape(self.dims)

    def size(self, name=None) -> Tensor:
        """The number of elements, as a scalar tensor."""
        return convert_to_tensor(self._size)

    def staged_length(self) -> Any:
        return self._size

    def __tf_truth__(self) -> Tensor:
        return self.size() > 0

    def __len__(self) -> int:
        """The number of elements. In a graph `len` gives a tensor where the size is one."""
        return int(self._size)

    def __iter__(self) -> Iterator[Any]:
        return (self.read(index) for index in range(len(self)))

    # ---- elements ------------------------------------------------------------------------

    def write(self, index, value, name=None) -> TensorArray:
        """A new array with `value` at `index`."""
        value = convert_to_tensor(value, dtype_hint=self.dtype)
        if not is_compatible(value.dims, self.dims):
            raise ShapeError(
                f"an element of shape {show(value.dims)} in a TensorArray of {show(self.dims)}",
                RAGGED,
            )
        if isinstance(index, (int, EagerTensor)) and int(index) < 0:
            raise OutOfRangeError(f"a TensorArray has no element {int(index)}")
        rows, size = self._rows, self._size
        if self._is_list or not is_static(merge_shapes(value.dims, self.dims)):
            return self._write_to_list(index, value)
        if not isinstance(rows, Tensor):
            count = None if self.dynamic_size or not isinstance(self._size, int) else self._size
            rows = rows.tensor((count, *merge_shapes(value.dims, self.dims)))
        if self.dynamic_size:
            index = convert_to_tensor(index)
            size = OPERATIONS["maximum"](convert_to_tensor(size), index + 1)
            rows = OPERATIONS["ensure_length"](rows, index + 1)
        return self._with(set_item(rows, index, value), size)

    def _write_to_list(self, index, value) -> TensorArray:
        is_list = self._is_list or not isinstance(self._rows, Tensor)
        rows = self._list() if is_list else element_lists.run("unstack_elements", self._all())
        index = convert_to_tensor(index)
        rows = element_lists.run("write_element", rows, index, value, grows=self.dynamic_size)
        size = self._size
        if self.dynamic_size:
            size = OPERATIONS["maximum"](convert_to_tensor(size), index + 1)
        return self._with(rows, size)

    def _of_list(self, name: str, *operands) -> Tensor:
        operands = (self._list(), *operands)
        return element_lists.run(name, *operands, dtype=self.dtype, shape=self.dims)

    def _list(self) -> Tensor:
        """The elements, which are in a list, also before the first one is written."""
        return (
            self._rows if isinstance(self._rows, Tensor) else self._rows.of_type(STACK).tensor(())
        )

    def read(self, index, name=None) -> Tensor:
        """The element at `index`; zeros if it was not written."""
        if self._is_list:
            return self._of_list("read_element", index)
        return self._all()[index]

    def _all(self) -> Tensor:
        if not isinstance(self._rows, Tensor):
            if is_static(self.dims):
                return self._allocate(self.dims)
            if isinstance(self._size, (int, EagerTensor)) and int(self._size) == 0:
                return zeros((0,), self.dtype)  # as in the reference, and as of scalars
            raise ShapeError(
                "nothing was written to a TensorArray, so the shape of its elements is not known",
                "Give element_shape.",
            )
        if self._is_list:
            return self._of_list("stack_elements")
        return self._rows[: self._size] if self.dynamic_size else self._rows

    def stack(self, name=None) -> Tensor:
        """All elements, stacked along a new first axis."""
        return self._all()

    def gather(self, indices, name=None) -> Tensor:
        """The elements at `indices`, stacked along a new first axis."""
        return gather(self._all(), indices)

    def concat(self, name=None) -> Tensor:
        """All elements, concatenated along their first axis."""
        if self._is_list:
            return self._of_list("concat_elements")
        elements = self._all()
        return OPERATIONS["reshape"](elements, concat([[-1], shape(elements)[2:]], 0))

    def unstack(self, value, name=None) -> TensorArray:
        """A new array of the slices of `value` along its first axis."""
        value = convert_to_tensor(value, dtype_hint=self.dtype)
        if self._is_list:
            rows = element_lists.run("unstack_elements", value)
            return self._with(rows, element_lists.run("count_elements", rows))
        size = value.dims[0] if value.dims and value.dims[0] is not None else shape(value)[0]
        return self._with(
            OPERATIONS["ensure_length"](value, 0) if self.dynamic_size else value, size
        )

    def split(self, value, lengths, name=None) -> TensorArray:
        """A new array of consecutive sections of `value`, with the given lengths.

        Raises ShapeError if the lengths differ and elements have one shape.
        """
        if self._is_list:
            value = convert_to_tensor(value, dtype_hint=self.dtype)
            rows = element_lists.run("split_elements", value, convert_to_tensor(lengths))
            return self._with(rows, element_lists.run("count_elements", rows))
        distinct_lengths = {int(length) for length in lengths}
        if len(distinct_lengths) != 1:
            raise ShapeError(
                f"the sections have the lengths {list(lengths)}, but elements have one shape",
                "Slice the value instead, for example x[start : start + length].",
            )
        value = convert_to_tensor(value, dtype_hint=self.dtype)
        sections = OPERATIONS["reshape"](
            value, concat([[len(lengths), *distinct_lengths], shape(value)[1:]], 0)
        )
        return self.unstack(sections)

    def scatter(self, indices, value, name=None) -> TensorArray:
        """A new array with the slices of `value` at `indices`."""
        array = self
        for position in range(len(indices)):
            array = array.write(indices[position], value[position])
        return array

    def identity(self) -> TensorArray:
        return self

    def __tf_output__(self):
        raise TypeError(
            "a TensorArray cannot be returned from a decorated function: return its stack()"
        )

    def __repr__(self):
        return f"<TensorArray of {self.dtype.name}{show(self.dims)}>"
