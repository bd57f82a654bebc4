"""Helpers that several gradient rules share."""

from __future__ import annotations

import numpy as np

from ..core.errors import ShapeError
from ..core.shapes import is_static, normal_axes, normal_axis
from ..tensors.operation import ops


def zero_of(tensor):
    """The NumPy scalar 0 in the dtype of a tensor."""
    return tensor.dtype.numpy_dtype.type(0)


def zeros_like(tensor):
    """Zeros in the dtype and shape of a tensor."""
    return ops.fill(ops.shape(tensor), zero_of(tensor))


def scalar_zero(tensor):
    """A scalar tensor 0 in the dtype of a tensor."""
    return ops.fill([], zero_of(tensor))


def through(dy, slope):
    """The cotangent through a slope. It is 0 where `dy` is 0, even if the slope is not finite: what
    does not count has no gradient.
    """
    return ops.masked_product(slope, dy)


def select_cotangents(dy, first) -> tuple:
    """The cotangents of an elementwise choice between two operands: the chosen one gets all."""
    zero = scalar_zero(dy)
    return ops.select(first, dy, zero), ops.select(first, zero, dy)


# ---- reductions ------------------------------------------------------------------------------


def unreduced(y, x, axis, keepdims: bool):
    """The result of a reduction with its axes kept, so that it broadcasts against `x`."""
    if keepdims or (axis is None and not y.dims):
        return y
    if x.dims is None:
        raise ShapeError("a reduction over axes of a tensor of unknown rank")
    axes = normal_axes(axis, len(x.dims))
    for axis_of_x in sorted(axes):
        y = ops.expand_dims(y, axis=axis_of_x)
    return y


def spread(dy, x, axis, keepdims: bool):
    """A cotangent broadcast over the axes that were reduced."""
    return ops.broadcast_to(unreduced(dy, x, axis, keepdims), ops.shape(x))


def count_of(y, x):
    """The number of elements that were reduced to each result, in the dtype of `y`."""
    if is_static(x.dims) and is_static(y.dims):
        total = int(np.prod(x.dims)) // max(int(np.prod(y.dims)), 1)
        return ops.cast(ops.fill([], np.int32(max(total, 1))), dtype=y.dtype)
    counts = ops.size(x) // ops.maximum(ops.size(y), 1)
    return ops.cast(ops.maximum(counts, 1), dtype=y.dtype)


def extremes_cotangent(dy, y, x, axis, keepdims: bool):
    """The cotangent of a maximum or minimum, divided equally among the elements that attain it."""
    hits = ops.cast(x == unreduced(y, x, axis, keepdims), dtype=dy.dtype)
    total = ops.reduce_sum(hits, axis=axis, keepdims=keepdims)
    return hits * spread(dy / ops.maximum(total, 1), x, axis, keepdims)


def products_of_others(x, axis):
    """For each element the product of the others that are reduced with it, without division."""
    rank = len(x.dims)
    axes = sorted(normal_axes(axis, rank))
    if not axes:
        return x * 0 + 1
    kept = [axis_of_x for axis_of_x in range(rank) if axis_of_x not in axes]
    order = (*kept, *axes)
    moved = ops.transpose(x, perm=order)
    shape = ops.shape(moved)
    count = ops.reduce_prod(shape[len(kept) :], axis=None, keepdims=True)
    flat = ops.reshape(moved, ops.concat(shape[: len(kept)], count, axis=0))
    before = ops.cumprod(flat, axis=len(kept), exclusive=True, reverse=False)
    after = ops.cumprod(flat, axis=len(kept), exclusive=True, reverse=True)
    products = ops.reshape(before * after, shape)
    return ops.transpose(products, perm=tuple(order.index(axis_of_x) for axis_of_x in range(rank)))


# ---- indices ---------------------------------------------------------------------------------


def swapped(x, first: int, second: int = 0):
    """`x` with two axes exchanged."""
    order = list(range(len(x.dims)))
    first, second = normal_axis(first, len(order)), normal_axis(second, len(order))
    order[first], order[second] = order[second], order[first]
    return ops.transpose(x, perm=tuple(order))


def batch_grid(indices, axis: int):
    """For each index its position along a batch axis, in the shape of the indices."""
    size = ops.shape(indices)[axis]
    column = ops.range(0, size, 1)
    shape = [1] * len(indices.dims)
    shape[axis] = -1
    return ops.broadcast_to(ops.reshape(column, shape), ops.shape(indices))


def scatter_last_axis(rows, indices, size):
    """Zeros of length `size` on the last axis, with the elements of `rows` at `indices`."""
    lead = len(rows.dims) - 1
    grids = [batch_grid(indices, axis) for axis in range(lead)]
    shape = ops.concat(ops.shape(rows)[:-1], ops.reshape(size, [1]), axis=0)
    zeros = ops.fill(shape, zero_of(rows))
    return ops.added_by_arrays(zeros, rows, *grids, indices, axes=tuple(range(lead + 1)))


# ---- sums of products ------------------------------------------------------------------------

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def tensordot_equation(left_rank: int, right_rank: int, left, right) -> str:
    """The `einsum` equation of a tensordot over pairs of axes."""
    left_letters = list(LETTERS[:left_rank])
    right_letters = list(LETTERS[left_rank : left_rank + right_rank])
    for i, j in zip(left, right, strict=True):
        right_letters[j] = left_letters[i]
    kept = [letter for axis, letter in enumerate(left_letters) if axis not in left]
    kept += [letter for axis, letter in enumerate(right_letters) if axis not in right]
    return f"{''.join(left_letters)},{''.join(right_letters)}->{''.join(kept)}"


def paired_axes(left_rank: int, right_rank: int, axes) -> tuple:
    """The axes of both operands that a tensordot sums over, pair by pair."""
    if isinstance(axes, int):
        return tuple(range(left_rank - axes, left_rank)), tuple(range(axes))
    return normal_axes(axes[0], left_rank), normal_axes(axes[1], right_rank)


def einsum_gradient(dy, operands, equation: str) -> list:
    """The cotangent of each operand: an einsum of the cotangent and the other operands."""
    terms, out = explicit_terms(equation, operands)
    cotangents = []
    for position, term in enumerate(terms):
        if len(set(term)) < len(term):
            raise LookupError(f"einsum: '{term}' repeats a letter, which has no gradient")
        others = [other for at, other in enumerate(terms) if at != position]
        available = set(out).union(*others)
        inner = [letter for letter in term if letter in available]
        tensors = [operand for at, operand in enumerate(operands) if at != position]
        cotangent = ops.einsum(
            dy, *tensors, equation=f"{','.join([out, *others])}->{''.join(inner)}"
        )
        for axis, letter in enumerate(term):
            if letter not in available:  # summed over: its cotangent is constant along this axis
                cotangent = ops.expand_dims(cotangent, axis=axis)
        cotangents.append(ops.broadcast_to(cotangent, _target_shape(cotangent, operands[position])))
    return cotangents


def _target_shape(cotangent, operand):
    """The shape to broadcast a cotangent to, if others may broadcast the operand's batch axes."""
    if cotangent.dims == operand.dims or any(size == 1 for size in operand.dims):
        return ops.shape(cotangent) if cotangent.dims else ops.shape(operand)
    return ops.shape(operand)


def implied_output(inputs: str) -> str:
    """The output term of an equation that names none: the letters that occur once, in order."""
    letters = inputs.replace(",", "").replace("...", "")
    once = sorted(letter for letter in set(letters) if letters.count(letter) == 1)
    return "..." * ("..." in inputs) + "".join(once)


def explicit_terms(equation: str, operands) -> tuple[list[str], str]:
    """The input terms of an equation and its output term, with `...` replaced by letters."""
    inputs, arrow, out = equation.replace(" ", "").partition("->")
    terms = inputs.split(",")
    out = out if arrow else implied_output(inputs)
    free = "".join(letter for letter in LETTERS if letter not in equation)
    counts = [
        len(operand.dims) - len(term.replace("...", ""))
        for term, operand in zip(terms, operands, strict=True)
    ]
    longest = max(
        (count for term, count in zip(terms, counts, strict=True) if "..." in term), default=0
    )
    batch = free[:longest]
    expanded = [
        term.replace("...", batch[longest - count :] if count else "")
        for term, count in zip(terms, counts, strict=True)
    ]
    return expanded, out.replace("...", batch)
