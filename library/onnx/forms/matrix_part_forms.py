"""ONNX forms of diagonals and bands of matrices, by masks over rows and columns."""

from __future__ import annotations

import numpy as np

from ....extend.graphs import Node
from .table import form
from .writer import Writer


def _counted(to: Writer, x: str, axis: int, kept: int) -> str:
    """0, 1, ... along an axis of the last two, as an array that broadcasts with these."""
    count = to.op("Squeeze", to.op("Gather", to.op("Shape", x), to.ints(axis)))
    places = to.op("Range", to.const(np.int64(0)), count, to.const(np.int64(1)))
    return to.op("Unsqueeze", places, to.ints(1)) if kept == 2 else places


def _above(to: Writer, x: str) -> str:
    """How far each element of matrices is above the main diagonal."""
    return to.op("Sub", _counted(to, x, -1, 1), _counted(to, x, -2, 2))


@form("band_part")
def band_part(to: Writer, node: Node, x: str, lower: str, upper: str):
    above, zero = _above(to, x), to.const(np.int64(0))

    def inside(distance: str, most: str) -> str:
        most = to.int64(most)
        is_all = to.op("Less", most, zero)
        return to.op("Or", is_all, to.op("LessOrEqual", distance, most))

    kept = to.op("And", inside(to.op("Neg", above), lower), inside(above, upper))
    return to.op("Where", kept, x, to.like(0, node.output))


@form("diag_part")
def diag_part(to: Writer, node: Node, x: str):
    """The elements at the flat places of the diagonal."""
    k = node.attrs["k"]
    down, across = max(-k, 0), max(k, 0)
    rows, columns = (to.op("Gather", to.op("Shape", x), to.ints(axis)) for axis in (-2, -1))
    count = to.op("Min", to.op("Sub", rows, to.ints(down)), to.op("Sub", columns, to.ints(across)))
    steps = to.op("Range", to.const(np.int64(0)), to.op("Squeeze", count), to.const(np.int64(1)))
    places = to.op(
        "Add", to.op("Mul", to.op("Add", steps, to.ints(down)), columns),
        to.op("Add", steps, to.ints(across)),
    )  # fmt: skip
    batch = to.op("Slice", to.op("Shape", x), to.ints(0), to.ints(-2))
    flat = to.op(
        "Reshape", x, to.op("Concat", batch, to.op("Mul", rows, columns), axis=0), allowzero=1
    )
    return to.op("Gather", flat, places, axis=-1)


@form("set_diag")
def set_diag(to: Writer, node: Node, x: str, diagonal: str):
    return _on_diagonal(to, node.attrs["k"], x, diagonal)


@form("diag")
def diag(to: Writer, node: Node, diagonal: str):
    k = node.attrs["k"]
    sizes = to.op("Shape", diagonal)
    size = to.op("Add", to.op("Gather", sizes, to.ints(-1)), to.ints(abs(k)))
    batch = to.op("Slice", sizes, to.ints(0), to.ints(-1))
    zeros = to.op("Expand", to.like(0, node.output), to.op("Concat", batch, size, size, axis=0))
    return _on_diagonal(to, k, zeros, diagonal)


def _on_diagonal(to: Writer, k: int, x: str, diagonal: str) -> str:
    """Matrices whose diagonal `k` is replaced: each row has at most one of its elements."""
    row = to.op("Sub", _counted(to, x, -2, 1), to.const(np.int64(max(-k, 0))))
    last = to.op("Sub", to.op("Gather", to.op("Shape", diagonal), to.const(np.int64(-1))),
                 to.const(np.int64(1)))  # fmt: skip
    zero = to.const(np.int64(0))
    row = to.op("Max", to.op("Min", row, last), zero)
    by_row = to.op("Unsqueeze", to.op("Gather", diagonal, row, axis=-1), to.ints(-1))
    return to.op("Where", to.op("Equal", _above(to, x), to.const(np.int64(k))), by_row, x)
