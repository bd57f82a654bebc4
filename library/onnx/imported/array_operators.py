"""The operators of ONNX that create, index, join and rearrange arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import Tensor, convert_to_tensor, string
from ....extend.errors import UnimplementedError
from ....extend.operations import ops as by_name
from .operator_table import dtype_of, known, like, numbers, operator

ops: Any = by_name  # operations get their calls from modules that mypy does not see here


@operator("Shape")
def shape(x, *, start=0, end=None):
    return ops.shape(x, dtype=dtype_of(7))[start:end]


@operator("Size")
def size(x):
    return ops.size(x, dtype=dtype_of(7))


@operator("Reshape")
def reshape(x, sizes, *, allowzero=0):
    target = known(sizes)
    if target is not None and not allowzero and (target == 0).any():
        own = ops.shape(x, dtype=dtype_of(7))
        rows = [own[at] if one == 0 else np.int64(one) for at, one in enumerate(target.tolist())]
        sizes = ops.stack(*rows, axis=0)
    return ops.reshape(x, sizes)


@operator("Flatten")
def flatten(x, *, axis=1):
    sizes = ops.shape(x, dtype=dtype_of(7))
    first = ops.reduce_prod(sizes[:axis], axis=None, keepdims=False)
    return ops.reshape(x, ops.stack(first, np.int64(-1), axis=0))


@operator("Transpose")
def transpose(x, *, perm=None):
    return ops.transpose(x, perm=None if perm is None else list(perm))


@operator("Unsqueeze")
def unsqueeze(x, axes_operand=None, *, axes=None):
    x = convert_to_tensor(x)
    axes = numbers(axes_operand, "axes") if axes is None else axes
    rank = len(x.dims) + len(axes)
    for axis in sorted(one % rank for one in axes):
        x = ops.expand_dims(x, axis=axis)
    return x


@operator("Squeeze")
def squeeze(x, axes_operand=None, *, axes=None):
    if axes_operand is not None:
        axes = numbers(axes_operand, "axes")
    return ops.squeeze(x, axis=None if axes is None else tuple(axes))


@operator("Concat")
def concat(*values, axis):
    return ops.concat(*values, axis=axis)


@operator("Split")
def split(x, sizes=None, *, axis=0, num_outputs=None, split=None, count=0):
    if split is not None:
        sizes = np.array(split, np.int64)
    if sizes is None:
        sizes = np.full(count, -1, np.int64)
    return ops.split(x, sizes, num=count, axis=axis)


@operator("Slice")
def slice_(x, starts, ends, axes=None, steps=None):
    x = convert_to_tensor(x)
    count = len(x.dims)
    firsts, lasts = (_items(one) for one in (starts, ends))
    where = range(len(firsts)) if axes is None else numbers(axes, "axes")
    by = [1] * len(firsts) if steps is None else numbers(steps, "steps")
    index = [slice(None)] * count
    for axis, start, end, step in zip(where, firsts, lasts, by, strict=True):
        if isinstance(end, int) and step < 0 and end < -(1 << 31):
            end = None
        if isinstance(start, int) and step < 0 and start >= (1 << 31) - 1:
            start = None
        if isinstance(end, int) and step > 0 and end >= (1 << 31) - 1:
            end = None
        index[axis] = slice(start, end, step)
    return x[tuple(index)]


def _items(value) -> list:
    """The elements of a vector: integers where they are known."""
    found = known(value)
    if found is not None:
        return np.atleast_1d(found).tolist()
    return [value[at] for at in range(value.dims[0])]


@operator("Gather")
def gather(x, indices, *, axis=0):
    x, found = convert_to_tensor(x), known(indices)
    at = axis % len(x.dims)
    if found is None or (found < 0).any():
        indices = convert_to_tensor(indices)
        length = ops.cast(ops.shape(x)[at], dtype=indices.dtype)
        indices = ops.floor_mod(indices, length) if found is not None else indices
    return ops.gather(x, indices, axis=at, batch_dims=0)


@operator("GatherND")
def gather_nd(x, indices, *, batch_dims=0):
    return ops.gather_nd(x, indices, batch_dims=batch_dims)


@operator("ScatterND")
def scatter_nd(x, indices, updates, *, reduction="none"):
    name = {"none": "update"}.get(reduction, reduction)
    return getattr(ops, f"tensor_scatter_nd_{name}")(x, indices, updates)


def _places(x, indices, axis: int):
    """The index vectors of elements whose place along an axis is given."""
    x, indices = convert_to_tensor(x), convert_to_tensor(indices)
    rank, axis = len(x.dims), axis % len(x.dims)
    sizes = ops.shape(indices, dtype=dtype_of(7))
    length = ops.cast(ops.shape(x)[axis], dtype=indices.dtype)
    columns = []
    for at in range(rank):
        if at == axis:
            columns.append(ops.cast(ops.floor_mod(indices, length), dtype=dtype_of(7)))
            continue
        along = [-1 if number == at else 1 for number in range(rank)]
        places = ops.range(np.int64(0), sizes[at], np.int64(1))
        columns.append(ops.broadcast_to(ops.reshape(places, np.array(along, np.int64)), sizes))
    return ops.stack(*columns, axis=-1)


@operator("GatherElements")
def gather_elements(x, indices, *, axis=0):
    return ops.gather_nd(x, _places(x, indices, axis), batch_dims=0)


@operator("ScatterElements")
def scatter_elements(x, indices, updates, *, axis=0, reduction="none"):
    return scatter_nd(x, _places(x, indices, axis), updates, reduction=reduction)


def _above(x):
    """How far each element of matrices is above the main diagonal."""
    sizes = ops.shape(convert_to_tensor(x), dtype=dtype_of(7))
    rows, columns = (ops.range(np.int64(0), sizes[at], np.int64(1)) for at in (-2, -1))
    return ops.subtract(columns, ops.expand_dims(rows, axis=1))


@operator("Trilu")
def trilu(x, k=None, *, upper=1):
    offset = np.int64(0) if k is None else ops.reshape(k, np.zeros(0, np.int64))
    compare = ops.greater_equal if upper else ops.less_equal
    return ops.select(compare(_above(x), offset), x, like(0, x))


@operator("EyeLike")
def eye_like(x, *, dtype=None, k=0):
    dtype = x.dtype if dtype is None else dtype_of(dtype)
    return ops.cast(ops.equal(_above(x), np.int64(k)), dtype=dtype)


@operator("BitShift")
def bit_shift(x, y, *, direction):
    return ops.left_shift(x, y) if direction == "LEFT" else ops.right_shift(x, y)


@operator("OneHot")
def one_hot(indices, depth, values, *, axis=-1):
    indices = ops.cast(indices, dtype=dtype_of(7))
    count = ops.reshape(ops.cast(depth, dtype=dtype_of(7)), np.zeros(0, np.int64))
    indices = ops.select(ops.less(indices, np.int64(0)), ops.add(indices, count), indices)
    off, on = _items(convert_to_tensor(values))
    off, on = (one if isinstance(one, Tensor) else like(one, values) for one in (off, on))
    return ops.one_hot(indices, ops.cast(count, dtype=dtype_of(6)), on, off, axis=axis)


@operator("CastLike")
def cast_like(x, target, *, saturate=1, round_mode="up"):
    return ops.cast(x, dtype=convert_to_tensor(target).dtype)


@operator("DepthToSpace")
def depth_to_space(x, *, blocksize, mode="DCR"):
    n, c, h, w = _sizes_of(x)
    b, inner = np.int64(blocksize), ops.floor_divide(c, np.int64(blocksize**2))
    sizes, order = ([n, b, b, inner, h, w], [0, 3, 4, 1, 5, 2])
    if mode == "CRD":
        sizes, order = [n, inner, b, b, h, w], [0, 1, 4, 2, 5, 3]
    rows = ops.transpose(ops.reshape(x, ops.stack(*sizes, axis=0)), perm=order)
    return ops.reshape(rows, ops.stack(n, inner, ops.multiply(h, b), ops.multiply(w, b), axis=0))


@operator("SpaceToDepth")
def space_to_depth(x, *, blocksize):
    n, c, h, w = _sizes_of(x)
    b = np.int64(blocksize)
    h, w = ops.floor_divide(h, b), ops.floor_divide(w, b)
    rows = ops.reshape(x, ops.stack(n, c, h, b, w, b, axis=0))
    rows = ops.transpose(rows, perm=[0, 3, 5, 1, 2, 4])
    channels = ops.multiply(c, np.int64(blocksize**2))
    return ops.reshape(rows, ops.stack(n, channels, h, w, axis=0))


def _sizes_of(x) -> list:
    sizes = ops.shape(x, dtype=dtype_of(7))
    return [sizes[at] for at in range(len(x.dims))]


@operator("Expand")
def expand(x, sizes):
    """Sizes of 1 keep what the operand has."""
    own = ops.shape(convert_to_tensor(x), dtype=dtype_of(7))
    return ops.broadcast_to(x, ops.broadcast_dynamic_shape(own, sizes))


@operator("ConstantOfShape")
def constant_of_shape(sizes, *, value=None):
    number = np.zeros(1, np.float32) if value is None else value
    return ops.fill(sizes, number.reshape(()))


@operator("Range")
def range_(start, limit, delta):
    return ops.range(start, limit, delta)


@operator("Cast")
def cast(x, *, to, saturate=1, round_mode="up"):
    x, dtype = convert_to_tensor(x), dtype_of(to)
    if x.dtype is string and dtype is not string:
        return ops.to_number(x, dtype=dtype)
    if dtype is not string or x.dtype is string:
        return ops.cast(x, dtype=dtype)
    if x.dtype.is_floating:
        raise UnimplementedError("a Cast of floats to strings, whose digits ONNX does not define")
    return ops.as_string(ops.cast(x, dtype=dtype_of(7)), form="")


@operator("Pad")
def pad(x, pads=None, value=None, axes=None, *, mode="constant", **older):
    x = convert_to_tensor(x)
    if mode not in ("constant", "reflect", "edge") or (axes is not None and known(axes) is None):
        raise UnimplementedError(f"Pad with mode={mode!r}, or along axes that are computed")
    sides = np.asarray(older.get("pads"), np.int64) if pads is None else pads
    sides = ops.cast(sides, dtype=dtype_of(7))
    sides = ops.transpose(ops.reshape(sides, np.array([2, -1], np.int64)), perm=None)
    if axes is not None:
        zeros = np.zeros((len(x.dims), 2), np.int64)
        places = np.array(numbers(axes, "axes"), np.int64)[:, None] % len(x.dims)
        sides = ops.tensor_scatter_nd_update(zeros, places, sides)
    if mode == "edge":
        return _with_edges(x, sides)
    filling = like(older.get("value", 0), x)
    if value is not None:
        filling = ops.reshape(value, np.zeros(0, np.int64))
    return ops.pad(x, sides, filling, mode=mode.upper())


def _with_edges(x, sides):
    """The first and the last element of each axis repeated."""
    sizes = ops.shape(x, dtype=dtype_of(7))
    for axis in range(len(x.dims)):
        before, after = sides[axis, 0], sides[axis, 1]
        last = ops.subtract(sizes[axis], np.int64(1))
        places = ops.range(ops.negative(before), ops.add(sizes[axis], after), np.int64(1))
        places = ops.minimum(ops.maximum(places, np.int64(0)), last)
        x = ops.gather(x, places, axis=axis, batch_dims=0)
    return x


@operator("NonZero")
def nonzero(x):
    return ops.transpose(ops.cast(ops.nonzero(x), dtype=dtype_of(7)), perm=None)


@operator("Compress")
def compress(x, condition, *, axis=None):
    if axis is None:
        x, axis = ops.reshape(x, np.array([-1], np.int64)), 0
    return ops.boolean_mask(x, condition, axis=axis)


@operator("TopK")
def top_k(x, k, *, axis=-1, largest=1, sorted=1):
    order = ops.argsort(x, axis=axis, descending=bool(largest))
    values = ops.sort(x, axis=axis, descending=bool(largest))
    (count,) = _items(k)
    index = [slice(None)] * len(x.dims)
    index[axis] = slice(None, count)
    places = ops.cast(order, dtype=dtype_of(7))
    return values[tuple(index)], places[tuple(index)]
