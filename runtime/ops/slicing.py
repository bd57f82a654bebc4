"""Elements and slices: `x[...]`, gather, scatter, item assignment, where."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..apply import apply, convert_to_tensor, tensor_of
from ..builder import fully_known
from ..dtypes import ANY, BOOLS, NUMBERS, SIGNED, int64
from ..errors import DTypeError, OutOfRangeError, ShapeError
from ..op import Spec, op
from ..shapes import is_static, show
from ..tensor import EagerTensor, Operators
from ..vocabulary import public
from .reductions import static_axis
from .rules import broadcast_shapes, normal_axis


class Slot(NamedTuple):
    """A place in an index template that a run-time scalar fills: input number `place`."""

    place: int


# ---- x[...] --------------------------------------------------------------------------------
# An index template is a tuple of integers, Slots, (start, stop, step) triples of integers, Slots
# and None, np.newaxis and Ellipsis. What is known while tracing stays in the template.


def _template(key) -> tuple[tuple, list]:
    """The template of an index expression, and the scalars that fill its slots."""
    scalars: list = []

    def part(item):
        if item is None or (isinstance(item, (int, np.integer)) and not isinstance(item, bool)):
            return None if item is None else int(item)
        tensor = tensor_of(item)
        if tensor is None:
            tensor = convert_to_tensor(item)
        if isinstance(tensor, EagerTensor) and tensor._shape == () and tensor.dtype.is_integer:
            return int(tensor._array)
        if tensor._shape not in ((), None) or not tensor.dtype.is_integer:
            raise DTypeError(f"an index or slice bound is an integer, not {tensor}")
        scalars.append(tensor)
        return Slot(len(scalars) - 1)

    rows = []
    for item in key if isinstance(key, tuple) else (key,):
        if item is None or item is Ellipsis:
            rows.append(item if item is Ellipsis else np.newaxis)
        elif isinstance(item, slice):
            rows.append((part(item.start), part(item.stop), part(item.step)))
        else:
            rows.append(part(item))
    return tuple(rows), scalars


def _filled(index: tuple, scalars) -> tuple:
    """The NumPy index of a template; integers are checked by NumPy itself."""
    values = [int(scalar) for scalar in scalars]

    def fill(part):
        return values[part.place] if type(part) is Slot else part

    return tuple(slice(*map(fill, row)) if type(row) is tuple else fill(row) for row in index)


def expanded(index: tuple, rank: int) -> list:
    """The template with the Ellipsis written out, a row for every axis and every new axis."""
    used = sum(row is not None and row is not Ellipsis for row in index)
    if used > rank:
        raise ShapeError(f"{used} indices for a tensor of rank {rank}")
    full = [(None, None, None)] * (rank - used)
    if Ellipsis not in [row for row in index if type(row) is type(Ellipsis)]:
        return [*index, *full]
    place = next(i for i, row in enumerate(index) if row is Ellipsis)
    return [*index[:place], *full, *index[place + 1 :]]


def _sliced_shape(x, index):
    if x.shape is None:
        return None
    sizes, shape = iter(x.shape), []
    for axis, row in enumerate(expanded(index, len(x.shape))):
        if row is None:
            shape.append(1)
            continue
        size = next(sizes)
        if type(row) is tuple:
            shape.append(_slice_length(row, size))
        elif isinstance(row, int) and size is not None and not -size <= row < size:
            raise OutOfRangeError(f"index {row} is out of range for axis {axis} with size {size}")
    return tuple(shape)


def _slice_length(row, size):
    if row == (None, None, None):
        return size
    if size is None or any(type(part) is Slot for part in row):
        return None
    return len(range(*slice(*row).indices(size)))


@op
class StridedSlice:
    """`x[index]` for NumPy's basic indices."""

    accepts = {"x": ANY, "scalars": SIGNED}
    hidden = True
    inputs = ("x", "*scalars")

    def kernel(x, *scalars, index):
        try:
            return np.asarray(x)[_filled(index, scalars)]
        except IndexError as error:
            raise OutOfRangeError(f"{error} (the shape is {show(x.shape)})") from None

    def result(x, *scalars, index):
        return Spec(x.dtype, _sliced_shape(x, index))

    def partial(x, *scalars, index):
        if x.known is None or scalars:
            return None
        found = np.asarray(x.known[_filled(index, ())])
        if (
            found.dtype == object
            and x.dtype.name != "string"
            and not any(v is None for v in found.reshape(-1))
        ):
            return found.astype(x.dtype.numpy_dtype)
        return None if found.ndim == 0 and found[()] is None else found

    def element(ix, x, *scalars, index, out):
        indices, places, axis = iter(ix), [], 0
        for row in expanded(index, x.rank):
            if row is None:
                next(indices)
                continue
            if type(row) is not tuple:
                value = scalars[row.place].at() if type(row) is Slot else row
                places.append(x.index(axis, value))
            else:
                places.append(x.slice(axis, row, next(indices), scalars))
            axis += 1
        return x.at(*places)


def getitem(self, key):
    """`x[key]`: integers, slices, Ellipsis and new axes, tensors among them; masks and index
    arrays.

    >>> import allograph as ag
    >>> x = ag.constant([[1, 2, 3], [4, 5, 6]])
    >>> x[1, ::-1].numpy(), x[x > 4].numpy()
    (array([6, 5, 4], dtype=int32), array([5, 6], dtype=int32))

    Raises OutOfRangeError (an IndexError) for an index outside its axis.
    """
    array = _as_index_array(key)
    if array is not None:
        return boolean_mask(self, array) if array.dtype.is_bool else gather(self, array)
    index, scalars = _template(key)
    return apply(StridedSlice, (self, *scalars), {"index": index})


def _as_index_array(key):
    """A mask or an array of indices, or None for a basic index."""
    if isinstance(key, (tuple, slice, int)) or key is None or key is Ellipsis:
        return None
    tensor = convert_to_tensor(key)
    if tensor.dtype.is_bool or tensor._shape not in ((), None):
        return tensor
    return None


Operators.__getitem__ = getitem


def iterate(tensor):
    """The elements along the first axis, for Python's `for` outside graphs."""
    if tensor._shape == ():
        raise TypeError("a scalar tensor cannot be iterated over")
    return (tensor[place] for place in range(len(tensor)))


@public("strided_slice")
def strided_slice(input_, begin, end, strides=None, name=None):
    """`input_[begin[0]:end[0]:strides[0], ...]`."""
    rows = [static_axis(begin), static_axis(end), static_axis(strides) or (1,) * len(begin)]
    return convert_to_tensor(input_)[tuple(slice(*row) for row in zip(*rows, strict=True))]


@public("slice")
def slice_(input_, begin, size, name=None):
    """`size[i]` elements from `begin[i]` on along each axis; -1 means all that is left.

    >>> slice_([1, 2, 3, 4], [1], [2]).numpy()
    array([2, 3], dtype=int32)
    """
    begin, size = (convert_to_tensor(one) for one in (begin, size))
    rows = []
    for place in range(begin._shape[0]):
        start, count = begin[place], size[place]
        everything = _static(count) == -1
        rows.append(slice(start, None if everything else start + count))
    return convert_to_tensor(input_)[tuple(rows)]


def _static(tensor):
    if isinstance(tensor, EagerTensor):
        return int(tensor._array)
    known = fully_known(tensor._value)
    return None if known is None else int(known)


# ---- item assignment -----------------------------------------------------------------------


@op
class SetItem:
    """`x` with `x[index]` replaced by `value`; `x` itself stays as it is."""

    accepts = {"x": ANY, "value": ANY, "scalars": SIGNED}
    inputs = ("x", "value", "*scalars")
    hidden = True

    def kernel(x, value, *scalars, index):
        made = np.array(x)
        try:
            made[_filled(index, scalars)] = value
        except IndexError as error:
            raise OutOfRangeError(f"{error} (the shape is {show(x.shape)})") from None
        return made

    def result(x, value, *scalars, index):
        target = _sliced_shape(x, index)
        if is_static(target) and is_static(value.shape):
            try:
                np.broadcast_shapes(target, value.shape)
                fits = len(value.shape) <= len(target) or set(
                    value.shape[: len(value.shape) - len(target)]
                ) <= {1}
            except ValueError:
                fits = False
            if not fits:
                raise ShapeError(
                    f"a value of shape {show(value.shape)} does not fit the slice of "
                    f"shape {show(target)}"
                )
        return Spec(x.dtype, x.shape)


def set_item(target, key, value):
    """`target` with `target[key]` replaced: what `x[key] = value` means for a tensor.

    >>> set_item(convert_to_tensor([1, 2, 3]), 1, 9).numpy()
    array([1, 9, 3], dtype=int32)
    """
    target = convert_to_tensor(target)
    value = convert_to_tensor(value, dtype_hint=target.dtype)
    if value.dtype is not target.dtype:
        raise DTypeError(
            f"a value of {value.dtype.name} is assigned into a tensor of {target.dtype.name}"
        )
    array = _as_index_array(key)
    if array is not None and array.dtype.is_bool:
        return where(array, value, target)
    if array is not None:
        return tensor_scatter_nd_update(target, array[..., None], value)
    index, scalars = _template(key)
    return apply(SetItem, (target, value, *scalars), {"index": index})


public("tensor_set_item")(set_item)


# ---- gather and scatter --------------------------------------------------------------------


def _check_indices(indices, size, axis, name) -> None:
    wrong = (indices < 0) | (indices >= size)
    if np.any(wrong):
        first = np.asarray(indices)[wrong].reshape(-1)[0]
        raise OutOfRangeError(
            f"{name}: index {first} is out of range for axis {axis} with size {size}"
        )


@op
class Gather:
    """Slices along an axis, picked by index."""

    accepts = {"params": ANY, "indices": SIGNED}
    hidden = True

    def kernel(params, indices, *, axis, batch_dims):
        axis = normal_axis(axis, params.ndim)
        _check_indices(indices, params.shape[axis], axis, "gather")
        if batch_dims == 0:
            return np.take(params, indices, axis)
        rest = [np.take(p, i, axis - 1) if batch_dims == 1 else
                Gather.kernel(p, i, axis=axis - 1, batch_dims=batch_dims - 1)
                for p, i in zip(params, indices, strict=True)]  # fmt: skip
        return np.stack(rest) if rest else np.empty((0, *params.shape[1:]), params.dtype)

    def result(params, indices, *, axis, batch_dims):
        if params.shape is None or indices.shape is None:
            return Spec(params.dtype, None)
        place = normal_axis(axis, len(params.shape))
        return Spec(
            params.dtype,
            (*params.shape[:place], *indices.shape[batch_dims:], *params.shape[place + 1 :]),
        )

    def element(ix, params, indices, *, axis, batch_dims, out):
        if batch_dims:
            return None
        place = axis % params.rank
        picked = ix[place : place + indices.rank]
        index = params.checked(place, indices.at(*picked))
        return params.at(*ix[:place], index, *ix[place + indices.rank :])


@public("gather")
def gather(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    """Slices of `params` along `axis`, picked by `indices`.

    >>> gather([10, 20, 30], [2, 0]).numpy()
    array([30, 10], dtype=int32)

    Raises OutOfRangeError naming the index, axis and size.
    """
    axis = batch_dims if axis is None else static_axis(axis)
    return Gather(params, indices, axis=axis, batch_dims=batch_dims)


@op
class GatherNd:
    """Slices picked by index vectors.

    >>> import allograph as ag
    >>> ag.gather_nd([[1, 2], [3, 4]], [[1, 0]]).numpy()
    array([3], dtype=int32)
    """

    accepts = {"params": ANY, "indices": SIGNED}
    public = ("gather_nd",)

    def kernel(params, indices):
        rows = tuple(np.moveaxis(indices, -1, 0))
        for axis, row in enumerate(rows):
            _check_indices(row, params.shape[axis], axis, "gather_nd")
        return params[rows]

    def result(params, indices):
        if params.shape is None or indices.shape is None or indices.shape[-1] is None:
            return Spec(params.dtype, None)
        return Spec(params.dtype, (*indices.shape[:-1], *params.shape[indices.shape[-1] :]))


def _scatter(combine):
    def kernel(tensor, indices, updates):
        made = np.array(tensor)
        rows = tuple(np.moveaxis(indices, -1, 0))
        for axis, row in enumerate(rows):
            _check_indices(row, tensor.shape[axis], axis, "scatter")
        if combine is None:
            made[rows] = updates
        else:
            combine.at(made, rows, updates)
        return made

    return kernel


def _like_tensor(tensor, indices, updates):
    return Spec(tensor.dtype, tensor.shape)


@op
class TensorScatterNdUpdate:
    """`tensor` with the slices at `indices` replaced by `updates`."""

    accepts = {"tensor": ANY, "indices": SIGNED, "updates": ANY}
    public = ("tensor_scatter_nd_update",)
    kernel = _scatter(None)
    result = _like_tensor


tensor_scatter_nd_update = TensorScatterNdUpdate


@op
class TensorScatterNdAdd:
    """`tensor` with `updates` added to the slices at `indices`; repeated indices add up."""

    accepts = {"tensor": NUMBERS, "indices": SIGNED, "updates": NUMBERS}
    public = ("tensor_scatter_nd_add",)
    kernel = _scatter(np.add)
    result = _like_tensor


@public("scatter_nd")
def scatter_nd(indices, updates, shape, name=None):
    """Zeros of `shape` with `updates` added at `indices`.

    >>> scatter_nd([[1], [1]], [5, 6], [3]).numpy()
    array([ 0, 11,  0], dtype=int32)
    """
    from .creation import zeros

    updates = convert_to_tensor(updates)
    return TensorScatterNdAdd(zeros(shape, updates.dtype), indices, updates)


# ---- where ---------------------------------------------------------------------------------


@op
class Select:
    """`x` where the condition holds, else `y`."""

    accepts = {"condition": BOOLS, "x": ANY, "y": ANY}
    hidden = True
    scalar = "{x} if {condition} else {y}"

    def kernel(condition, x, y):
        return np.where(condition, x, y)

    def result(condition, x, y):
        return Spec(x.dtype, broadcast_shapes(condition, x, y))


@op
class Nonzero:
    """The places where the condition holds, a row each."""

    hidden = True

    def kernel(condition):
        return np.argwhere(condition).astype(np.int64)

    def result(condition):
        return Spec(int64, (None, None if condition.shape is None else len(condition.shape)))


@public("where")
def where(condition, x=None, y=None, name=None):
    """`x` where `condition` holds, else `y`; without them, the places where it holds.

    >>> where([True, False], [1, 2], 0).numpy()
    array([1, 0], dtype=int32)
    >>> where([False, True]).numpy()
    array([[1]])
    """
    if x is None and y is None:
        return Nonzero(convert_to_tensor(condition))
    if x is None or y is None:
        raise ValueError("where: give both x and y, or neither")
    return Select(condition, x, y)


@op
class BooleanMask:
    """The slices for which the mask holds."""

    accepts = {"tensor": ANY, "mask": BOOLS}
    hidden = True

    def kernel(tensor, mask):
        if tensor.shape[: mask.ndim] != mask.shape:
            raise ShapeError(
                f"a mask of shape {show(mask.shape)} for a tensor of shape {show(tensor.shape)}"
            )
        return tensor[mask]

    def result(tensor, mask):
        if tensor.shape is None or mask.shape is None:
            return Spec(tensor.dtype, None)
        return Spec(tensor.dtype, (None, *tensor.shape[len(mask.shape) :]))


@public("boolean_mask")
def boolean_mask(tensor, mask, axis=None, name="boolean_mask"):
    """The slices of `tensor` for which `mask` holds.

    >>> boolean_mask([1, 2, 3], [True, False, True]).numpy()
    array([1, 3], dtype=int32)
    """
    return BooleanMask(tensor, mask)
