"""`TensorArray`: a list of equally shaped tensors that a loop on tensors may fill."""

from __future__ import annotations

from ..runtime.core.dtypes import as_dtype
from ..runtime.core.errors import OutOfRangeError, ShapeError
from ..runtime.core.public_names import public
from ..runtime.core.shapes import TensorShape, as_shape, is_compatible, is_static, merge, show
from ..runtime.ir.op import TABLE
from ..runtime.ops.array.creation import zeros
from ..runtime.ops.array.joining import concat, stack
from ..runtime.ops.array.shape_ops import shape
from ..runtime.ops.array.slicing import gather, set_item
from ..runtime.tensors.apply import convert_to_tensor
from ..runtime.tensors.tensor import EagerTensor, Tensor
from ..tracing.structures.leaves import Deferred


class _Unallocated(Deferred):
    """The rows of an array whose element shape is not known yet."""

    def __init__(self, dtype, allocate):
        self.dtype = dtype
        self._allocate = allocate

    def tensor(self, shape) -> Tensor:
        return self._allocate(shape[1:])


@public("TensorArray")
class TensorArray:
    """Equally shaped tensors, written and read by index; every change returns a new TensorArray.

    dtype          of the elements
    size           how many there are; an int or a scalar tensor
    dynamic_size   whether writing past the end makes it longer
    element_shape  of one element; taken from the first one written when left out

    >>> import allograph as ag
    >>> @ag.function
    ... def squares(n):
    ...     rows = ag.TensorArray(ag.int32, size=n)
    ...     for i in ag.range(n):
    ...         rows = rows.write(i, i * i)
    ...     return rows.stack()
    >>> squares(ag.constant(4)).numpy()
    array([0, 1, 4, 9], dtype=int32)

    Raises ShapeError for an element of another shape, OutOfRangeError for an index past the end.
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
    ):
        self.dtype = as_dtype(dtype)
        self.dynamic_size = bool(dynamic_size)
        self.dims = as_shape(element_shape)
        self._size = 0 if size is None else size
        self._rows = _Unallocated(self.dtype, self._allocate)
        if is_static(self.dims):
            self._rows = self._allocate(self.dims)

    def _allocate(self, shape) -> Tensor:
        if not is_static(shape):
            raise ShapeError(
                f"the element shape {show(shape)} of a TensorArray is not fully known",
                "Give element_shape.",
            )
        sizes = (self._size, *shape)
        rows = zeros(
            stack([convert_to_tensor(size) for size in sizes])
            if isinstance(self._size, Tensor)
            else sizes,
            self.dtype,
        )
        return TABLE["ensure_length"](rows, 0) if self.dynamic_size else rows

    __tf_composite__ = True  # a leaf for users of `nest`

    # ---- structure: the rows and a number that may change are tensors, the rest stays ------

    def __tf_flatten__(self):
        fixed = None if self.dynamic_size or not isinstance(self._size, int) else self._size
        moving = (self._rows,) if fixed is not None else (self._rows, self._size)
        return (self.dtype, self.dynamic_size, fixed), moving

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        made = object.__new__(cls)
        made.dtype, made.dynamic_size, fixed = metadata
        made._rows, *size = components
        made._size = size[0] if size else fixed
        made._learn_shape()
        return made

    def _with(self, rows, size=None) -> TensorArray:
        made = object.__new__(type(self))
        made.dtype, made.dynamic_size = self.dtype, self.dynamic_size
        made._rows, made._size = rows, self._size if size is None else size
        made._learn_shape()
        return made

    def _learn_shape(self) -> None:
        known = isinstance(self._rows, Tensor) and self._rows.dims is not None
        self.dims = self._rows.dims[1:] if known else None

    @property
    def element_shape(self) -> TensorShape:
        return TensorShape(self.dims)

    def size(self, name=None) -> Tensor:
        """How many elements there are, as a scalar tensor."""
        return convert_to_tensor(self._size)

    # ---- elements ------------------------------------------------------------------------

    def write(self, index, value, name=None) -> TensorArray:
        """The array with `value` at `index`."""
        value = convert_to_tensor(value, dtype_hint=self.dtype)
        if not is_compatible(value.dims, self.dims):
            raise ShapeError(
                f"an element of shape {show(value.dims)} in a TensorArray of {show(self.dims)}"
            )
        if isinstance(index, (int, EagerTensor)) and int(index) < 0:
            raise OutOfRangeError(f"a TensorArray has no element {int(index)}")
        rows, size = self._rows, self._size
        if not isinstance(rows, Tensor):
            count = None if self.dynamic_size or not isinstance(self._size, int) else self._size
            rows = rows.tensor((count, *merge(value.dims, self.dims)))
        if self.dynamic_size:
            index = convert_to_tensor(index)
            size = TABLE["maximum"](convert_to_tensor(size), index + 1)
            rows = TABLE["ensure_length"](rows, index + 1)
        return self._with(set_item(rows, index, value), size)

    def read(self, index, name=None) -> Tensor:
        """The element at `index`; zeros when nothing was written there."""
        return self._all()[index]

    def _all(self) -> Tensor:
        if not isinstance(self._rows, Tensor):
            return self._allocate(self.dims)
        return self._rows[: self._size] if self.dynamic_size else self._rows

    def stack(self, name=None) -> Tensor:
        """All elements, along a new first axis."""
        return self._all()

    def gather(self, indices, name=None) -> Tensor:
        """The elements at `indices`, along a new first axis."""
        return gather(self._all(), indices)

    def concat(self, name=None) -> Tensor:
        """All elements, joined along their first axis."""
        rows = self._all()
        return TABLE["reshape"](rows, concat([[-1], shape(rows)[2:]], 0))

    def unstack(self, value, name=None) -> TensorArray:
        """The array that holds the rows of `value`."""
        value = convert_to_tensor(value, dtype_hint=self.dtype)
        size = value.dims[0] if value.dims and value.dims[0] is not None else shape(value)[0]
        return self._with(TABLE["ensure_length"](value, 0) if self.dynamic_size else value, size)

    def split(self, value, lengths, name=None) -> TensorArray:
        """The array whose elements are the parts of `value`, `lengths` rows each.

        Raises ShapeError for parts that differ in length: the elements have one shape.
        """
        rows = {int(length) for length in lengths}
        if len(rows) != 1:
            raise ShapeError(f"the parts have the lengths {list(lengths)}; elements have one shape")
        value = convert_to_tensor(value, dtype_hint=self.dtype)
        parts = TABLE["reshape"](value, concat([[len(lengths), *rows], shape(value)[1:]], 0))
        return self.unstack(parts)

    def scatter(self, indices, value, name=None) -> TensorArray:
        """The array with the rows of `value` at `indices`."""
        made = self
        for place in range(len(indices)):
            made = made.write(indices[place], value[place])
        return made

    def identity(self) -> TensorArray:
        return self

    def __tf_output__(self):
        raise TypeError(
            "a TensorArray cannot be returned from a decorated function: return its stack()"
        )

    def __repr__(self):
        return f"<TensorArray of {self.dtype.name}{show(self.dims)}>"
