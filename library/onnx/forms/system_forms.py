"""ONNX forms of linear systems, which ONNX does not have: elimination in a `Loop`."""

from __future__ import annotations

import numpy as np

from ....extend.graphs import Node, Value
from .array_forms import rank_of
from .counted_loops import repeated
from .table import form
from .writer import Writer


@form("matrix_solve")
def matrix_solve(to: Writer, node: Node, matrix: str, rhs: str):
    """By elimination with pivots (Gauss and Jordan), for all systems at once.

    A singular matrix gives infinite numbers or NaN in place of an error.
    """
    matrix, rhs, batch = _batches(to, node, matrix, rhs)
    count = to.op("Shape", matrix, start=1, end=2)
    (solved,) = repeated(
        to, to.op("Squeeze", count), [to.op("Concat", matrix, rhs, axis=2)],
        [Value(node.output.dtype, (None, None, None))],
        lambda step, rows: [_eliminated(to, node.output, step, rows[0])],
    )  # fmt: skip
    solved = to.op("Slice", solved, count, to.ints(np.iinfo(np.int64).max), to.ints(2))
    sizes = to.op("Concat", batch, _last_sizes(to, rhs), axis=0)
    return to.op("Reshape", solved, sizes, allowzero=1)


@form("inv")
def inv(to: Writer, node: Node, matrix: str):
    ones = to.op("Shape", matrix)
    identity = to.op("EyeLike", _last_matrix(to, matrix), dtype=1)
    identity = to.op("Expand", to.cast(identity, node.output.dtype), ones)
    square = Node(node.op, (node.inputs[0], node.inputs[0]), node.attrs, node.outputs, node.where)
    return matrix_solve(to, square, matrix, identity)


@form("triangular_solve")
def triangular_solve(to: Writer, node: Node, matrix: str, rhs: str):
    """The entries on the other side of the diagonal are not read."""
    return matrix_solve(to, node, to.op("Trilu", matrix, upper=int(not node.attrs["lower"])), rhs)


def _last_matrix(to: Writer, matrix: str) -> str:
    """A matrix of zeros with the sizes of the last two axes."""
    sizes = _last_sizes(to, matrix)
    return to.op("Expand", to.const(np.zeros((), np.float32)), sizes)


def _last_sizes(to: Writer, matrix: str) -> str:
    return to.op("Shape", matrix, start=-2)


def _batches(to: Writer, node: Node, matrix: str, rhs: str) -> tuple[str, str, str]:
    """Both operands with one axis of batches, and the sizes of these axes before."""
    batch = to.op("Shape", matrix, end=-2)
    if max(map(rank_of, node.inputs)) > 2:
        one = to.const(np.zeros((), np.float32))
        pair = [to.op("Expand", one, to.op("Shape", x, end=-2)) for x in (matrix, rhs)]
        batch = to.op("Shape", to.op("Add", *pair))
        matrix, rhs = (
            to.op("Expand", x, to.op("Concat", batch, _last_sizes(to, x), axis=0))
            for x in (matrix, rhs)
        )
    return _flat(to, matrix, batch), _flat(to, rhs, batch), batch


def _flat(to: Writer, matrices: str, batch: str) -> str:
    """The matrices with one axis before theirs."""
    count = to.op("ReduceProd", batch, keepdims=1)
    sizes = to.op("Concat", count, _last_sizes(to, matrices), axis=0)
    return to.op("Reshape", matrices, sizes, allowzero=1)


def _eliminated(to: Writer, like: Value, step: str, rows: str) -> str:
    """The rows [batch, n, m] with the unit vector `step` as column `step`."""
    count = to.op("Squeeze", to.op("Shape", rows, start=1, end=2))
    places = to.op("Range", to.const(np.int64(0)), count, to.const(np.int64(1)))
    column = to.op("Abs", to.op("Gather", rows, step, axis=2))
    is_left = to.op("Less", places, step)
    sizes = to.op("Where", is_left, to.like(-1, like), column)
    pivot = to.op("ArgMax", sizes, axis=1, keepdims=1)  # [batch, 1]
    is_step = to.op("Equal", places, step)
    order = to.op("Where", to.op("Equal", places, pivot), step, places)
    order = to.op("Where", is_step, pivot, order)  # [batch, n]: the pivot and its row exchanged
    order = to.op("Expand", to.op("Unsqueeze", order, to.ints(2)), to.op("Shape", rows))
    rows = to.op("GatherElements", rows, order, axis=1)
    at_step = to.op("Reshape", step, to.ints(1))
    first = to.op("Gather", rows, at_step, axis=1)  # [batch, 1, m]
    first = to.op("Div", first, to.op("Gather", first, at_step, axis=2))
    reduced = to.op("Sub", rows, to.op("Mul", to.op("Gather", rows, at_step, axis=2), first))
    return to.op("Where", to.op("Unsqueeze", is_step, to.ints(1)), first, reduced)


@form("cholesky")
def cholesky(to: Writer, node: Node, matrix: str):
    """Column by column, for all matrices at once. NaN where a matrix is not positive definite."""
    batch = to.op("Shape", matrix, end=-2)
    sizes = _last_sizes(to, matrix)
    matrix = _flat(to, matrix, batch)
    three = Value(node.output.dtype, (None, None, None))
    factor = to.op("Mul", matrix, to.like(0, node.output))
    (factor,) = repeated(
        to, to.op("Squeeze", to.op("Shape", matrix, start=1, end=2)), [factor], [three],
        lambda step, given: [_next_column(to, node.output, step, matrix, given[0])],
    )  # fmt: skip
    return to.op("Reshape", factor, to.op("Concat", batch, sizes, axis=0), allowzero=1)


def _next_column(to: Writer, like: Value, step: str, matrix: str, factor: str) -> str:
    """The factor with column `step`: what the columns before leave, over the root of its pivot."""
    at_step = to.op("Reshape", step, to.ints(1))
    row = to.op("Transpose", to.op("Gather", factor, at_step, axis=1), perm=[0, 2, 1])
    left = to.op("Sub", to.op("Gather", matrix, at_step, axis=2), to.op("MatMul", factor, row))
    pivot = to.op("Sqrt", to.op("Gather", left, at_step, axis=1))
    count = to.op("Squeeze", to.op("Shape", matrix, start=1, end=2))
    places = to.op("Range", to.const(np.int64(0)), count, to.const(np.int64(1)))
    below = to.op("Unsqueeze", to.op("GreaterOrEqual", places, step), to.ints(1))
    column = to.op("Where", below, to.op("Div", left, pivot), to.like(0, like))
    return to.op("Where", to.op("Equal", places, step), column, factor)
