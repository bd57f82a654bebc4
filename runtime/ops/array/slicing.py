"""Elements and slices: `x[...]`, and item assignment."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.dtypes import ANY, SIGNED, conversion, int32, string
from ...core.errors import DTypeError, OutOfBoundsError, ShapeError
from ...core.public_names import public
from ...core.shapes import is_static, show
from ...core.user_source import users_operands
from ...ir.constant_values import full_constant
from ...ir.indexing import Slot, broadcast_axes, expanded, slice_length, sliced_axes
from ...ir.op import Spec
from ...tensors.apply import apply, convert_to_tensor, object_array
from ...tensors.operation import attach_method, hidden_op
from ...tensors.python_numbers import refuse_characters
from ...tensors.tensor import EagerTensor, Tensor
from ..gradient_helpers import scalar_zero, zeros_like
from .gathering import PickedByArrays, ReplacedByArrays, check_fits
from .gathering import gather as gather  # re-exported: gather is a way of slicing
from .masking import PlacesUnder, ReplacedByMask, boolean_mask, where
from .shape_ops import as_constant

# ---- parsing an index ------------------------------------------------------------------------
# An index template is a tuple of integers, Slots, (start, stop, step) triples of integers, Slots
# and None, np.newaxis and Ellipsis. Integers that are constant while tracing stay in the template.


def _parsed(key) -> list:
    """The items of `x[key]`: None, Ellipsis, integers, tensors, and slices of those."""
    items = [_checked_item(item) for item in (key if isinstance(key, tuple) else (key,))]
    if sum(item is Ellipsis for item in items) > 1:
        raise ShapeError("an index has at most one Ellipsis")
    return items


def _checked_item(item):
    if item is None or item is Ellipsis:
        return item
    if isinstance(item, slice):
        return slice(_bound(item.start), _bound(item.stop), _bound(item.step))
    return _position(item)


def _position(item):
    """An integer, or a tensor of integers or bools."""
    if isinstance(item, (int, np.integer)) and not isinstance(item, bool):
        return int(item)
    is_empty = isinstance(item, list) and not item
    tensor = convert_to_tensor(item, int32 if is_empty else None)
    if not (tensor.dtype.is_integer or tensor.dtype.is_bool):
        (index,) = users_operands(1) or ("index",)
        parts = [part.strip() for part in index.split(":") if part.strip()]
        index = parts[0] if len(parts) == 1 else "bound"  # of a slice
        convert = "strings.to_number" if tensor.dtype is string else "cast"
        raise DTypeError(
            f"an index is an integer or a mask, not {tensor.dtype.name}",
            f"Cast it: ag.{convert}({index}, ag.int32)",
        )
    return int(tensor.array) if isinstance(tensor, EagerTensor) and _is_scalar(tensor) else tensor


def _bound(item):
    """A bound of a slice: None, an integer, or a scalar integer tensor."""
    bound = None if item is None else _position(item)
    if isinstance(bound, Tensor) and not _is_scalar(bound):
        raise DTypeError(f"the bound of a slice is one integer, not {bound}")
    return bound


def _is_scalar(tensor: Tensor) -> bool:
    return tensor.dims in ((), None) and not tensor.dtype.is_bool


def _is_array(item) -> bool:
    return isinstance(item, Tensor) and not _is_scalar(item)


def _template(items) -> tuple[tuple, list]:
    """The template of a basic index, and the scalars that fill its slots."""
    scalars: list = []

    def slot(item):
        if not isinstance(item, Tensor):
            return item
        scalars.append(item)
        return Slot(len(scalars) - 1)

    entries = [
        (slot(item.start), slot(item.stop), slot(item.step))
        if isinstance(item, slice)
        else slot(item)
        for item in items
    ]
    return tuple(entries), scalars


def _with(index: tuple, scalars) -> tuple:
    """The template with slots replaced by the scalars that are constant."""
    if not scalars:
        return index
    constants = [None if array is None else int(array) for array in scalars]

    def fill(item):
        known = constants[item.position] if type(item) is Slot else None
        return item if known is None else known

    return tuple(
        tuple(map(fill, entry)) if type(entry) is tuple else fill(entry) for entry in index
    )


def _as_numpy(index: tuple) -> tuple:
    return tuple(slice(*entry) if type(entry) is tuple else entry for entry in index)


def _sliced_shape(shape, index: tuple):
    """The static shape of `x[index]`. Raises OutOfBoundsError for an index out of range."""
    if shape is None:
        return None
    sizes, axis = [], 0
    for entry in expanded(index, len(shape)):
        if entry is None:
            sizes.append(1)
            continue
        size, axis = shape[axis], axis + 1
        if type(entry) is tuple:
            sizes.append(slice_length(entry, size))
        elif isinstance(entry, int) and size is not None and not -size <= entry < size:
            where = f"axis {axis - 1} with size {size} (the shape is {show(shape)})"
            cure = f"Its indices go from {-size} to {size - 1}." if size else "This axis is empty."
            raise OutOfBoundsError(f"index {entry} is out of range for {where}", cure)
    return tuple(sizes)


# ---- x[...] ----------------------------------------------------------------------------------


def _may_leave(node) -> bool:
    """Whether an index of `x[index]` may be outside its axis, or a step 0; slices are cut off."""
    is_known, shape = _has_known_sizes(node), node.inputs[0].shape
    return shape is None or any(
        (not is_known and type(entry) is int)
        or (type(entry) is Slot and not entry.in_bounds)
        or (type(entry) is tuple and type(entry[2]) is Slot)
        for entry in node.attrs["index"]
    )


def _has_known_sizes(node) -> bool:
    return all(is_static(value.shape) for value in node.inputs)


def _may_not_fit(node) -> bool:
    """Whether `x[index] = y` may raise: also where `y` does not have the size of a slice."""
    has_sizes = any(
        type(entry) is tuple and Slot in map(type, entry) for entry in node.attrs["index"]
    )
    may_differ = has_sizes or not _has_known_sizes(node)
    return _may_leave(node) or (may_differ and node.inputs[1].shape != ())


@hidden_op
class StridedSlice:
    """`x[index]` for NumPy's basic indices."""

    accepts = {"x": ANY, "scalars": SIGNED}
    is_indexing = True
    inputs = ("x", "*scalars")
    reads_lines = True
    may_raise = _may_leave
    any_rows = True
    native_result = "view"
    is_view = True

    def kernel(x, *scalars, index):
        index = _with(index, scalars)
        try:
            result = np.asarray(x)[_as_numpy(index)]
        except (IndexError, ValueError):
            _sliced_shape(x.shape, index)
            raise
        return result if hasattr(result, "dtype") else object_array(result)

    def result(x, *scalars, index):
        return Spec(
            x.dtype, _sliced_shape(x.shape, _with(index, list(map(full_constant, scalars))))
        )

    def kept_axes(result, x, *scalars, index):
        return sliced_axes(index, x), *({} for _ in scalars)

    def largest_shape(x, *scalars, index):
        return x if all(type(row) is tuple for row in expanded(index, len(x))) else None

    def partial(x, *scalars, index):
        constants = list(map(full_constant, scalars))
        if x.constant is None or any(array is None for array in constants):
            return None
        return as_constant(x.constant[_as_numpy(_with(index, constants))], x.dtype)

    def element(ix, x, *scalars, index, out):
        indices, positions = iter(ix), []
        for entry in expanded(_with(index, [scalar.constant for scalar in scalars]), x.rank):
            if entry is None:
                next(indices)
            elif type(entry) is tuple:
                positions.append(x.slice(len(positions), entry, next(indices), scalars))
            else:
                positions.append(x.picked(len(positions), entry, scalars))
        return x.at(*positions)

    def gradient(dy, y, x, *scalars, index):
        zeros = zeros_like(x)
        return apply(SetItem, (zeros, dy, *scalars), {"index": index}), *[None] * len(scalars)


def getitem(self, key) -> Any:
    """`x[key]` with the meaning that it has in NumPy.

    `key` is made of integers, slices, Ellipsis, None for a new axis, bool masks and integer arrays.
    Integers, bounds, masks and arrays may be tensors. Negative indices count from the end.

    >>> x = ag.constant([[1, 2, 3], [4, 5, 6]])
    >>> x[1, ::-1].numpy(), x[x > 4].numpy(), x[:, [0, -1]].numpy().tolist()
    (array([6, 5, 4], dtype=int32), array([5, 6], dtype=int32), [[1, 3], [4, 6]])

    Raises OutOfBoundsError (an IndexError) for an index outside its axis, ShapeError for too many
    indices, and DTypeError for an index that is neither integer nor bool.
    """
    refuse_characters(self)
    items = _parsed(key)
    if any(map(_is_array, items)):
        if len(items) == 1 and items[0].dtype.is_bool:
            return boolean_mask(self, items[0])
        basic, arrays, axes = _split_arrays(convert_to_tensor(self), items)
        return PickedByArrays(_sliced(self, basic), *arrays, axes=axes)  # type: ignore[call-arg]
    index, scalars = _template(items)
    return apply(StridedSlice, (self, *scalars), {"index": index})  # type: ignore[arg-type]


def _sliced(x, items: list):
    """`x[items]` for basic items; `x` itself if they select everything."""
    index, scalars = _template(items)
    if all(entry is Ellipsis or entry == (None, None, None) for entry in index):
        return x
    return apply(StridedSlice, (x, *scalars), {"index": index})  # type: ignore[arg-type]


def _split_arrays(x, items) -> tuple[list, list, tuple]:
    """An index with arrays split into a basic index, then arrays and integers for some axes."""
    basic, arrays, axes = [], [], []
    axis = own_axis = 0  # the axis of the basic index's result, and that of `x`
    used = sum(_axes_used(item) for item in items)
    for item in items:
        if item is None or item is Ellipsis or isinstance(item, slice):
            basic.append(item)
            used_here = _rank_beside_arrays(x) - used if item is Ellipsis else _axes_used(item)
            axis, own_axis = axis + (1 if item is None else used_here), own_axis + used_here
            continue
        for column in _columns(x, own_axis, item):
            basic.append(slice(None))
            arrays.append(column)
            axes.append(axis)
            axis, own_axis = axis + 1, own_axis + 1
    return basic, arrays, tuple(axes)


def _rank_beside_arrays(x) -> int:
    if x.dims is None:
        raise ShapeError("an Ellipsis beside an index array needs a tensor of known rank")
    return len(x.dims)


def _axes_used(item) -> int:
    if item is None or item is Ellipsis:
        return 0
    if not isinstance(item, Tensor) or not item.dtype.is_bool:
        return 1
    if not item.dims:
        raise ShapeError("a mask beside other indices needs axes, and a known number of them")
    return len(item.dims)


def _columns(x, axis: int, item) -> list:
    """An index array for each axis of `x` that an item covers, from `axis` on; masks: several."""
    if not isinstance(item, Tensor) or not item.dtype.is_bool:
        return [convert_to_tensor(item)]
    rank = len(item.dims or ())
    return list(PlacesUnder(item, x, axis=axis, rank=rank))  # type: ignore[call-arg, call-overload]


attach_method("__getitem__", getitem)


def refuse_scalar(tensor) -> None:
    if tensor.dims == ():
        raise TypeError("a scalar tensor cannot be iterated over")


def iterate(tensor) -> Any:
    """The elements along the first axis, for Python's `for` outside graphs."""
    refuse_scalar(tensor)
    return (tensor[index] for index in range(len(tensor)))


attach_method("__iter__", iterate)


# ---- item assignment -------------------------------------------------------------------------


def _set(array, value, *scalars, index):
    index = _with(index, scalars)
    try:
        array[_as_numpy(index)] = value if value.ndim else value[()]
    except (IndexError, ValueError):
        check_fits(value.shape, _sliced_shape(array.shape, index))
        raise
    return array


@hidden_op
class SetItem:
    """A copy of `x` with `x[index]` replaced by `value`."""

    accepts = {"x": ANY, "value": ANY, "scalars": SIGNED}
    inputs = ("x", "value", "*scalars")
    is_indexing = True
    moves_only = True
    parallel_safe = True
    may_raise = _may_not_fit

    def kernel(x, value, *scalars, index):
        return _set(np.array(x), value, *scalars, index=index)

    in_place = _set
    any_rows = True
    native_result = "overwrites"
    part_is_read_by = "strided_slice"

    def result(x, value, *scalars, index):
        index = _with(index, list(map(full_constant, scalars)))
        check_fits(value.shape, _sliced_shape(x.shape, index))
        return Spec(x.dtype, x.shape)

    def kept_axes(result, x, value, *scalars, index):
        whole = sliced_axes(index, x)
        axis_of = {along: at for at, along in whole.items()}
        part = [1] * sum(row is None or type(row) is tuple for row in expanded(index, len(x)))
        for along, at in axis_of.items():
            part[along] = x[at]
        own = broadcast_axes(value, tuple(part))
        set_axes = {at: axis_of[along] for at, along in own.items() if along in axis_of}
        return {at: at for at in whole}, set_axes, *({} for _ in scalars)

    def gradient(dy, y, x, value, *scalars, index):
        replaced = apply(StridedSlice, (dy, *scalars), {"index": index})
        zero = scalar_zero(dy)
        kept = apply(SetItem, (dy, zero, *scalars), {"index": index})  # last: it may overwrite dy
        return kept, replaced, *[None] * len(scalars)


@public("tensor_set_item")
def set_item(target, key, value):
    """A copy of `target` with `target[key]` replaced, as `x[key] = value` does for a tensor.

    `key` is anything that `x[key]` takes. `value` has the dtype of `target` and broadcasts to the
    shape of `target[key]`.

    >>> ag.tensor_set_item(ag.convert_to_tensor([1, 2, 3]), 1, 9).numpy()
    array([1, 9, 3], dtype=int32)

    Raises OutOfBoundsError for an index outside its axis, ShapeError if `value` does not fit, and
    DTypeError if its dtype differs.
    """
    target = convert_to_tensor(target)
    value = convert_to_tensor(value, dtype_hint=target.dtype)
    if value.dtype is not target.dtype:
        operands = users_operands(3) or ("target", "key", "value")
        raise DTypeError(
            f"a value of {value.dtype.name} is assigned into a tensor of {target.dtype.name}",
            f"Cast it: {conversion(operands[2], value.dtype, target.dtype)}",
        )
    items = _parsed(key)
    if any(map(_is_array, items)):
        return _set_arrays(target, items, value)
    index, scalars = _template(items)
    return apply(SetItem, (target, value, *scalars), {"index": index})


def _set_arrays(target, items, value):
    mask = items[0]
    if len(items) == 1 and mask.dtype.is_bool:
        if not _covers(mask, target, value):
            return ReplacedByMask(target, mask, value)
        return where(mask[(..., *[None] * (len(target.dims) - len(mask.dims)))], value, target)
    basic, arrays, axes = _split_arrays(target, items)
    sliced = _sliced(target, basic)
    result = ReplacedByArrays(sliced, value, *arrays, axes=axes)
    return result if sliced is target else set_item(target, tuple(basic), result)


def _covers(mask, target, value) -> bool:
    """Whether every masked slice gets the same value: then it is a select, which loops fuse."""
    if not (is_static(mask.dims) and is_static(target.dims) and is_static(value.dims)):
        return False
    rank = len(mask.dims)
    if mask.dims != target.dims[:rank]:
        raise ShapeError(
            f"a mask of shape {show(mask.dims)} for a tensor of shape {show(target.dims)}"
        )
    if len(value.dims) > len(target.dims) - rank:
        return False
    check_fits(value.dims, target.dims[rank:])
    return True
