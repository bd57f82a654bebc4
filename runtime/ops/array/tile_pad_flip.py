"""Tiling, padding, repeating, reversing and rolling tensors."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import ANY, INTEGERS, SIGNED, int32
from ...core.errors import ShapeError
from ...core.public_names import public
from ...core.shapes import normal_axes, normal_axis, show
from ...ir.constant_values import constant_dimensions, full_constant
from ...ir.node_properties import has_unknown_shape
from ...ir.op import Spec
from ...tensors.apply import convert_to_tensor
from ...tensors.operation import hidden_op, op, ops
from ..gradient_helpers import zero_of, zeros_like
from ..math.reductions import static_axis
from .creation import filler, range_
from .shape_ops import reshape


@op
class Tile:
    """`input` repeated `multiples[i]` times along each axis i.

    >>> ag.tile([1, 2], [2]).numpy()
    array([1, 2, 1, 2], dtype=int32)

    Raises ShapeError unless `multiples` has an element for each axis.
    """

    accepts = {"input": ANY, "multiples": SIGNED}
    public = ("tile",)

    def kernel(input, multiples):
        _check_multiples(input.shape, multiples.shape[0])
        return np.tile(input, multiples.tolist())

    def result(input, multiples):
        counts = constant_dimensions(multiples)
        if input.shape is None or counts is None:
            rank = None if counts is None else len(counts)
            rank = rank if input.shape is None else len(input.shape)
            return Spec(input.dtype, None if rank is None else (None,) * rank)
        _check_multiples(input.shape, len(counts))
        sizes = zip(input.shape, counts, strict=True)
        return Spec(
            input.dtype, tuple(None if None in pair else pair[0] * pair[1] for pair in sizes)
        )

    def element(ix, input, multiples, *, out):
        same = [size == total for size, total in zip(input.shape, out.shape, strict=True)]
        axes = zip(ix, input.shape, same, strict=True)
        return input.at(*(index if whole else index % size for index, size, whole in axes))

    def gradient(dy, y, input, multiples):
        rank = len(multiples.dims) and multiples.dims[0]
        pairs = ops.reshape(ops.stack(multiples, ops.shape(input), axis=1), [-1])
        cut = ops.reshape(dy, ops.ensure_shape(pairs, shape=(2 * rank,)))
        return ops.reduce_sum(cut, axis=tuple(range(0, 2 * rank, 2))), None


def _check_multiples(shape, count: int) -> None:
    if len(shape) != count:
        raise ShapeError(f"tile: {count} multiples for a tensor of shape {show(shape)}")


MIRRORED = {"REFLECT": 0, "SYMMETRIC": 1}  # how often the mirrored border repeats the edge element


@hidden_op
class Pad:
    """The tensor with a border."""

    accepts = {"tensor": ANY, "paddings": SIGNED, "constant_values": ANY}

    def kernel(tensor, paddings, constant_values, *, mode):
        shape = _padded_shape(tensor.shape, paddings, mode)
        if mode in MIRRORED:
            return np.pad(tensor, paddings.tolist(), mode.lower())
        result = np.full(shape, constant_values.reshape(()), tensor.dtype)
        inner = zip(tensor.shape, paddings[:, 0].tolist(), strict=True)
        result[tuple(slice(before, before + size) for size, before in inner)] = tensor
        return result

    def result(tensor, paddings, constant_values, *, mode):
        if constant_values.shape not in ((), None):
            raise ShapeError(
                f"pad: constant_values has shape {show(constant_values.shape)}, not ()"
            )
        if tensor.shape is None:
            return Spec(tensor.dtype, None)
        if paddings.constant is None:
            return Spec(tensor.dtype, (None,) * len(tensor.shape))
        return Spec(tensor.dtype, _padded_shape(tensor.shape, paddings.constant, mode))

    def element(ix, tensor, paddings, constant_values, *, mode, out):
        if paddings.constant is None:
            return None
        positions, inside = list(ix), []
        for axis, (before, after) in enumerate(paddings.constant.tolist()):
            size = tensor.shape[axis]
            if before:
                positions[axis] = ix[axis] - before
            if mode in MIRRORED:
                positions[axis] = _mirrored(positions[axis], size, MIRRORED[mode])
            elif before or after:
                inside.append(positions[axis].is_index_of(size))
        if not inside:
            return tensor.at(*positions)
        is_inside = inside[0].joined("and", *inside[1:])
        return is_inside.choice(tensor.at(*positions), constant_values.at())

    def gradient(dy, y, tensor, paddings, constant_values, *, mode):
        if mode in MIRRORED:
            return _mirrored_back(dy, tensor, paddings, mode), None, None
        inner = ops.slice(dy, paddings[:, 0], ops.shape(tensor))
        return inner, None, ops.reduce_sum(dy) - ops.reduce_sum(inner)


def _mirrored_back(dy, tensor, paddings, mode: str):
    """The cotangents of a mirrored border added to those of the elements that it repeats."""
    for axis in range(len(tensor.dims)):
        size = ops.shape(tensor)[axis]
        origins = ops.pad(range_(size), paddings[axis : axis + 1], 0, mode=mode)
        shape = ops.concat(ops.shape(dy)[:axis], size[None], ops.shape(dy)[axis + 1 :], axis=0)
        dy = ops.added_by_arrays(ops.fill(shape, zero_of(dy)), dy, origins, axes=(axis,))
    return dy


def _mirrored(position, size: int, edge: int):
    """The index that a position outside `0 <= position < size` mirrors."""
    last = 2 * size - 2 + edge
    inside = (position >= size).choice(last - position, position)
    return (position < 0).choice(-edge - position, inside)


def _padded_shape(shape: tuple, paddings: np.ndarray, mode: str) -> tuple:
    """The padded shape, None where a size is not static. Raises ShapeError for bad paddings."""
    if paddings.shape != (len(shape), 2):
        of = f"a tensor of shape {show(shape)}"
        raise ShapeError(
            f"pad: paddings of shape {paddings.shape} for {of}", "Give a pair for each axis."
        )
    sizes = []
    for axis, (size, pair) in enumerate(zip(shape, paddings.tolist(), strict=True)):
        widths = [width for width in pair if width is not None]
        if min(widths, default=0) < 0:
            raise ShapeError(f"pad: a border of {min(widths)} at axis {axis}")
        most = None if mode not in MIRRORED or size is None else max(size - 1 + MIRRORED[mode], 0)
        if most is not None and max(widths, default=0) > most:
            raise ShapeError(
                f"pad: axis {axis} of size {size} cannot mirror {max(widths)} elements"
            )
        sizes.append(None if size is None or None in pair else size + sum(pair))
    return tuple(sizes)


@public("pad")
def pad(tensor, paddings, mode="CONSTANT", constant_values=0, name=None):
    """`tensor` with a border of `paddings[i] = [before, after]` elements on each axis i.

    The mode "CONSTANT" fills the border with the scalar `constant_values`. "REFLECT" mirrors the
    tensor without repeating its edge, "SYMMETRIC" repeats the edge.

    >>> ag.pad([1, 2], [[1, 2]]).numpy()
    array([0, 1, 2, 0, 0], dtype=int32)
    >>> ag.pad([1, 2, 3], [[1, 2]], "REFLECT").numpy()
    array([2, 1, 2, 3, 2, 1], dtype=int32)

    Raises ShapeError if the pairs do not fit the tensor, ValueError for another mode.
    """
    mode = mode.upper()
    if mode != "CONSTANT" and mode not in MIRRORED:
        raise ValueError(f"pad: the mode is CONSTANT, REFLECT or SYMMETRIC, not {mode!r}")
    tensor = convert_to_tensor(tensor)
    if isinstance(constant_values, int) and constant_values == 0:
        constant_values = filler(0, tensor.dtype)
    return Pad(tensor, paddings, constant_values, mode=mode, name=name)


@hidden_op
class Repeat:
    """Each element repeated along an axis."""

    accepts = {"x": ANY, "repeats": INTEGERS}

    def kernel(x, repeats, *, axis):
        return np.repeat(x, repeats, axis)

    def result(x, repeats, *, axis):
        if x.shape is None:
            return Spec(x.dtype, None)
        shape = x.shape or (1,)  # a scalar is repeated as a vector of one element
        position, counts = normal_axis(axis, len(shape)), full_constant(repeats)
        size, total = shape[position], None
        if repeats.shape not in (None, (), (1,), (None,), (size,)) and size is not None:
            of = f"repeats of shape {show(repeats.shape)}"
            raise ShapeError(f"repeat: {of} for axis {position} of {show(x.shape)}")
        if counts is not None and (counts.size > 1 or size is not None):
            total = int(counts.sum()) if counts.size != 1 else size * int(counts.reshape(-1)[0])
        return Spec(x.dtype, (*shape[:position], total, *shape[position + 1 :]))

    def element(ix, x, repeats, *, axis, out):
        if not x.shape or repeats.constant is None or repeats.constant.size != 1:
            return None
        position = axis % len(ix)
        index = ix[position] // max(int(repeats.constant.reshape(-1)[0]), 1)
        index = 0 if x.shape[position] == 1 else index
        return x.at(*ix[:position], index, *ix[position + 1 :])

    def gradient(dy, y, x, repeats, *, axis):
        if x.dims == ():
            return ops.reduce_sum(dy), None
        axis = normal_axis(axis, len(x.dims))
        size = ops.shape(x)[axis]
        counts = ops.broadcast_to(ops.reshape(repeats, [-1]), ops.reshape(size, [1]))
        owners = ops.repeat(ops.range(0, size, 1), counts, axis=0)
        return ops.added_by_arrays(zeros_like(x), dy, owners, axes=(axis,)), None


@public("repeat")
def repeat(input, repeats, axis=None, name=None):
    """The slices of `input` along `axis`, each repeated `repeats` times.

    `repeats` is a scalar, or a vector with a count for each slice. Without `axis`, `input` is
    flattened first. A scalar is a vector of one element.

    >>> ag.repeat([1, 2], 2).numpy()
    array([1, 1, 2, 2], dtype=int32)
    >>> ag.repeat([[1], [2]], [1, 2], axis=0).numpy().tolist()
    [[1], [2], [2]]

    Raises ShapeError if the length of `repeats` is not the size of the axis.
    """
    input = convert_to_tensor(input)
    if axis is None or input.shape.rank == 0:
        input, axis = reshape(input, [-1]), 0 if axis is None else axis
    return Repeat(input, repeats, axis=static_axis(axis), name=name)


@hidden_op
class Reverse:
    """The elements in reverse order along axes."""

    may_raise = False

    def kernel(x, *, axis):
        return np.flip(x, axis)

    def result(x, *, axis):
        if x.shape is not None and len(set(normal_axes(axis, len(x.shape)))) < len(axis):
            raise ShapeError(f"reverse: an axis is listed twice in {list(axis)}")
        return Spec(x.dtype, x.shape)

    def element(ix, x, *, axis, out):
        axes = normal_axes(axis, len(ix))
        axes_of_x = enumerate(zip(ix, x.shape, strict=True))
        return x.at(
            *(n - 1 - index if position in axes else index for position, (index, n) in axes_of_x)
        )

    def gradient(dy, y, x, *, axis):
        return (Reverse(dy, axis=axis),)


@public("reverse")
def reverse(tensor, axis, name=None):
    """`tensor` with its elements in reverse order along the listed axes.

    >>> ag.reverse([1, 2, 3], [0]).numpy()
    array([3, 2, 1], dtype=int32)

    Raises ShapeError if an axis does not exist or is listed twice.
    """
    axis = static_axis(axis)
    return Reverse(tensor, axis=(axis,) if isinstance(axis, int) else tuple(axis), name=name)


@hidden_op
class Roll:
    """The elements shifted cyclically along axes."""

    may_raise = has_unknown_shape
    accepts = {"x": ANY, "shift": SIGNED}

    def kernel(x, shift, *, axis):
        _check_shifts(shift, axis)
        return np.roll(x, tuple(shift.reshape(-1).tolist()), axis)

    def result(x, shift, *, axis):
        if x.shape is not None:
            for position in axis:
                normal_axis(position, len(x.shape))
        _check_shifts(shift, axis)
        return Spec(x.dtype, x.shape)

    def element(ix, x, shift, *, axis, out):
        positions = list(ix)
        for number, position in enumerate(axis):
            position %= len(ix)
            size, index = x.shape[position], positions[position]
            start, stop = out.part(position)
            by = None if shift.constant is None else int(shift.constant.flat[number]) % max(size, 1)
            if by is not None and index is ix[position] and not start < by < stop:
                positions[position] = index - by if start >= by else index + (size - by)
                continue
            by = shift.at(number) if shift.rank else shift.at()
            positions[position] = (index - by) % size
        return x.at(*positions)

    def breaks(out, x, shift, *, axis):
        last, shifts = len(out.shape) - 1, full_constant(shift)
        if shifts is None or not out.shape[last]:
            return ()
        own = [int(by) for by, at in zip(shifts.flat, axis, strict=True) if at % (last + 1) == last]
        return (own[0] % out.shape[last],) if len(own) == 1 else ()

    def gradient(dy, y, x, shift, *, axis):
        return Roll(dy, -shift, axis=axis), None


def _check_shifts(shift, axis) -> None:
    if shift.shape not in (None, (), (None,), (len(axis),)):
        raise ShapeError(f"roll: shifts of shape {show(shift.shape)} for {len(axis)} axes")


@public("roll")
def roll(input, shift, axis, name=None):
    """`input` shifted cyclically by `shift` elements along `axis`.

    `shift` and `axis` may be lists of equal length. Shifts of the same axis add up.

    >>> ag.roll([1, 2, 3], 1, 0).numpy()
    array([3, 1, 2], dtype=int32)

    Raises ShapeError if an axis does not exist, or if the numbers of shifts and axes differ.
    """
    axis = static_axis(axis)
    return Roll(input, shift, axis=(axis,) if isinstance(axis, int) else tuple(axis), name=name)


@hidden_op
class EnsureLength:
    """At least `length` rows: if there are fewer, zeros are appended, at least doubling them."""

    accepts = {"rows": ANY, "length": SIGNED}
    moves_only = True
    may_raise = False
    any_rows = True
    native_result = "overwrites"

    def kernel(rows, length):
        if rows.shape[0] >= length:
            return rows
        grown = np.zeros((max(int(length), 2 * rows.shape[0]), *rows.shape[1:]), rows.dtype)
        grown[: rows.shape[0]] = rows
        return grown

    def result(rows, length):
        return Spec(rows.dtype, None if rows.shape is None else (None, *rows.shape[1:]))

    def gradient(dy, y, rows, length):
        return dy[: ops.shape(rows, dtype=int32)[0]], None
