"""Elements and slices: `x[...]`, and item assignment."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import ANY, SIGNED, int32
from ...core.errors import DTypeError, OutOfBoundsError, ShapeError
from ...core.public_names import public
from ...core.shapes import is_static, show
from ...ir.constant_values import fully_known
from ...ir.indexing import Slot, expanded, slice_length
from ...ir.op import Spec
from ...tensors.apply import apply, as_text, convert_to_tensor
from ...tensors.operation import op
from ...tensors.tensor import EagerTensor, Operators, Tensor
from ..gradient_helpers import scalar_zero, zeros_like
from .gathering import (
    PickedByArrays,
    ReplacedByArrays,
    check_fits,
)
from .gathering import gather as gather  # a way of slicing: others take it from here
from .masking import PlacesUnder, ReplacedByMask, boolean_mask, where
from .shape_ops import settled

# ---- reading an index ------------------------------------------------------------------------
# An index template is a tuple of integers, Slots, (start, stop, step) triples of integers, Slots
# and None, np.newaxis and Ellipsis. What is known while tracing stays in the template.


def _parsed(key) -> list:
    """The parts of `x[key]`: None, Ellipsis, integers, tensors, and slices of those."""
    parts = [_part(item) for item in (key if isinstance(key, tuple) else (key,))]
    if sum(part is Ellipsis for part in parts) > 1:
        raise ShapeError("an index has at most one Ellipsis")
    return parts


def _part(item):
    if item is None or item is Ellipsis:
        return item
    if isinstance(item, slice):
        return slice(_bound(item.start), _bound(item.stop), _bound(item.step))
    return _position(item)


def _position(item):
    """An integer, or a tensor of integers or truth values."""
    if isinstance(item, (int, np.integer)) and not isinstance(item, bool):
        return int(item)
    tensor = (
        convert_to_tensor(item)
        if not isinstance(item, list) or item
        else convert_to_tensor([], int32)
    )
    if not (tensor.dtype.is_integer or tensor.dtype.is_bool):
        raise DTypeError(f"an index is an integer or a mask, not {tensor.dtype.name}")
    return int(tensor.array) if isinstance(tensor, EagerTensor) and _is_scalar(tensor) else tensor


def _bound(item):
    """A bound of a slice: None, an integer, or a scalar tensor of one."""
    part = None if item is None else _position(item)
    if isinstance(part, Tensor) and not _is_scalar(part):
        raise DTypeError(f"the bound of a slice is one integer, not {part}")
    return part


def _is_scalar(tensor: Tensor) -> bool:
    return tensor.dims in ((), None) and not tensor.dtype.is_bool


def _is_array(part) -> bool:
    return isinstance(part, Tensor) and not _is_scalar(part)


def _template(parts) -> tuple[tuple, list]:
    """The template of a basic index, and the scalars that fill its slots."""
    scalars: list = []

    def slot(part):
        if not isinstance(part, Tensor):
            return part
        scalars.append(part)
        return Slot(len(scalars) - 1)

    rows = [
        (slot(part.start), slot(part.stop), slot(part.step))
        if isinstance(part, slice)
        else slot(part)
        for part in parts
    ]
    return tuple(rows), scalars


def _with(index: tuple, scalars) -> tuple:
    """The template with its slots filled as far as the scalars are known."""
    if not scalars:
        return index
    known = [None if array is None else int(array) for array in scalars]

    def fill(part):
        return known[part.place] if type(part) is Slot and known[part.place] is not None else part

    return tuple(tuple(map(fill, row)) if type(row) is tuple else fill(row) for row in index)


def _as_numpy(index: tuple) -> tuple:
    return tuple(slice(*row) if type(row) is tuple else row for row in index)


def _sliced_shape(shape, index: tuple):
    """The shape of `x[index]`, as far as it is known; the error where it does not exist."""
    if shape is None:
        return None
    made, axis = [], 0
    for row in expanded(index, len(shape)):
        if row is None:
            made.append(1)
            continue
        size, axis = shape[axis], axis + 1
        if type(row) is tuple:
            made.append(slice_length(row, size))
        elif isinstance(row, int) and size is not None and not -size <= row < size:
            where = f"axis {axis - 1} with size {size} (the shape is {show(shape)})"
            raise OutOfBoundsError(f"index {row} is out of range for {where}")
    return tuple(made)


# ---- x[...] ----------------------------------------------------------------------------------


@op
class StridedSlice:
    """`x[index]` for NumPy's basic indices."""

    accepts = {"x": ANY, "scalars": SIGNED}
    hidden = True
    inputs = ("x", "*scalars")

    def kernel(x, *scalars, index):
        index = _with(index, scalars)
        try:
            made = np.asarray(x)[_as_numpy(index)]
        except (IndexError, ValueError):
            _sliced_shape(x.shape, index)
            raise
        return made if hasattr(made, "dtype") else as_text(made)

    def result(x, *scalars, index):
        return Spec(x.dtype, _sliced_shape(x.shape, _with(index, list(map(fully_known, scalars)))))

    def partial(x, *scalars, index):
        known = list(map(fully_known, scalars))
        if x.known is None or any(array is None for array in known):
            return None
        return settled(x.known[_as_numpy(_with(index, known))], x.dtype)

    def element(ix, x, *scalars, index, out):
        indices, places = iter(ix), []
        for row in expanded(_with(index, [scalar.known for scalar in scalars]), x.rank):
            if row is None:
                next(indices)
            elif type(row) is tuple:
                places.append(x.slice(len(places), row, next(indices), scalars))
            else:
                place = scalars[row.place].at() if type(row) is Slot else row
                places.append(x.index(len(places), place))
        return x.at(*places)

    def gradient(dy, y, x, *scalars, index):
        zeros = zeros_like(x)
        return apply(SetItem, (zeros, dy, *scalars), {"index": index}), *[None] * len(scalars)


def getitem(self, key):
    """`x[key]`: integers, slices, Ellipsis, new axes, tensors among them; masks, index arrays.

    All of it means what it means in NumPy; negative indices count from the end.

    >>> import allograph as ag
    >>> x = ag.constant([[1, 2, 3], [4, 5, 6]])
    >>> x[1, ::-1].numpy(), x[x > 4].numpy(), x[:, [0, -1]].numpy().tolist()
    (array([6, 5, 4], dtype=int32), array([5, 6], dtype=int32), [[1, 3], [4, 6]])

    Raises OutOfBoundsError (an IndexError) for an index outside its axis, ShapeError for too many.
    """
    parts = _parsed(key)
    if any(map(_is_array, parts)):
        if len(parts) == 1 and parts[0].dtype.is_bool:
            return boolean_mask(self, parts[0])
        basic, arrays, axes = _apart(convert_to_tensor(self), parts)
        return PickedByArrays(_sliced(self, basic), *arrays, axes=axes)
    index, scalars = _template(parts)
    return apply(StridedSlice, (self, *scalars), {"index": index})


def _sliced(x, parts: list):
    """`x[parts]` for basic parts; `x` itself where they take everything."""
    index, scalars = _template(parts)
    if all(row is Ellipsis or row == (None, None, None) for row in index):
        return x
    return apply(StridedSlice, (x, *scalars), {"index": index})


def _apart(x, parts) -> tuple[list, list, tuple]:
    """An index with arrays as a basic one, then arrays (and integers with them) for some axes."""
    basic, arrays, axes = [], [], []
    axis = own = 0  # of what the basic index gives, and of `x`
    used = sum(_axes_used(part) for part in parts)
    for part in parts:
        if part is None or part is Ellipsis or isinstance(part, slice):
            basic.append(part)
            taken = _rank_beside_arrays(x) - used if part is Ellipsis else _axes_used(part)
            axis, own = axis + (1 if part is None else taken), own + taken
            continue
        for column in _columns(x, own, part):
            basic.append(slice(None))
            arrays.append(column)
            axes.append(axis)
            axis, own = axis + 1, own + 1
    return basic, arrays, tuple(axes)


def _rank_beside_arrays(x) -> int:
    if x.dims is None:
        raise ShapeError("an Ellipsis beside an index array needs a tensor of known rank")
    return len(x.dims)


def _axes_used(part) -> int:
    if part is None or part is Ellipsis:
        return 0
    if not isinstance(part, Tensor) or not part.dtype.is_bool:
        return 1
    if not part.dims:
        raise ShapeError("a mask beside other indices needs axes, and a known number of them")
    return len(part.dims)


def _columns(x, axis: int, part) -> list:
    """An index array for each axis of `x`, from `axis` on, that a part covers (a mask: several)."""
    if not isinstance(part, Tensor) or not part.dtype.is_bool:
        return [convert_to_tensor(part)]
    return list(PlacesUnder(part, x, axis=axis, rank=len(part.dims)))


Operators.__getitem__ = getitem


def iterate(tensor):
    """The elements along the first axis, for Python's `for` outside graphs."""
    if tensor.dims == ():
        raise TypeError("a scalar tensor cannot be iterated over")
    return (tensor[place] for place in range(len(tensor)))


Operators.__iter__ = iterate


# ---- item assignment -------------------------------------------------------------------------


def _set(made, value, *scalars, index):
    index = _with(index, scalars)
    try:
        made[_as_numpy(index)] = value if value.ndim else value[()]
    except (IndexError, ValueError):
        check_fits(value.shape, _sliced_shape(made.shape, index))
        raise
    return made


@op
class SetItem:
    """`x` with `x[index]` replaced by `value`; `x` itself stays as it is."""

    accepts = {"x": ANY, "value": ANY, "scalars": SIGNED}
    inputs = ("x", "value", "*scalars")
    hidden = True
    moves_only = True
    parallel_safe = True

    def kernel(x, value, *scalars, index):
        return _set(np.array(x), value, *scalars, index=index)

    in_place = _set

    def result(x, value, *scalars, index):
        index = _with(index, list(map(fully_known, scalars)))
        check_fits(value.shape, _sliced_shape(x.shape, index))
        return Spec(x.dtype, x.shape)

    def gradient(dy, y, x, value, *scalars, index):
        zero = scalar_zero(dy)
        kept = apply(SetItem, (dy, zero, *scalars), {"index": index})
        taken = apply(StridedSlice, (dy, *scalars), {"index": index})
        return kept, taken, *[None] * len(scalars)


@public("tensor_set_item")
def set_item(target, key, value):
    """`target` with `target[key]` replaced: what `x[key] = value` means for a tensor.

    `key` is anything that `x[key]` takes; `value` broadcasts to that shape and has the same type.

    >>> set_item(convert_to_tensor([1, 2, 3]), 1, 9).numpy()
    array([1, 9, 3], dtype=int32)

    Raises OutOfBoundsError for an index outside its axis, ShapeError where `value` does not fit.
    """
    target = convert_to_tensor(target)
    value = convert_to_tensor(value, dtype_hint=target.dtype)
    if value.dtype is not target.dtype:
        raise DTypeError(
            f"a value of {value.dtype.name} is assigned into a tensor of {target.dtype.name}",
            f"Cast it: ag.cast(value, ag.{target.dtype.name})",
        )
    parts = _parsed(key)
    if any(map(_is_array, parts)):
        return _set_arrays(target, parts, value)
    index, scalars = _template(parts)
    return apply(SetItem, (target, value, *scalars), {"index": index})


def _set_arrays(target, parts, value):
    mask = parts[0]
    if len(parts) == 1 and mask.dtype.is_bool:
        if not _covers(mask, target, value):
            return ReplacedByMask(target, mask, value)
        return where(mask[(..., *[None] * (len(target.dims) - len(mask.dims)))], value, target)
    basic, arrays, axes = _apart(target, parts)
    part = _sliced(target, basic)
    made = ReplacedByArrays(part, value, *arrays, axes=axes)
    return made if part is target else set_item(target, tuple(basic), made)


def _covers(mask, target, value) -> bool:
    """Whether every slice under the mask gets the same value: a choice, which loops fuse."""
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
