"""Operations that native code computes by a call or a loop of their own, as text.

Each form takes the writer, the node and the depth, and may raise NotNativeError; arrays are
C-contiguous and of known shape. Results go to the buffer that the writer gives.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ...core.axes import normal_axis
from ...core.numeric_limits import highest, lowest
from ...core.shapes import size_of
from ...ir.graph import Node, Value
from ...lowering.cost_model import SCAN_ELEMENT, SMALL_SYSTEM
from ...lowering.not_native import NotNativeError
from .data_movement import FORMS as MOVING_FORMS
from .data_movement import changeable
from .emit_convolution import FORMS as WINDOW_FORMS
from .emit_matmul import matmul
from .emit_sorting import FORMS as SORTING_FORMS
from .random_draws import draw

if TYPE_CHECKING:
    from .loop_nests import NestWriter

Form = Callable[["NestWriter", Node, int], None]


def form_of(node: Node) -> Form | None:
    """How native text of a node is written; None where it has no form here."""
    return _FORMS.get(node.op.name)


# ---- linear systems --------------------------------------------------------------------------


def _by_lapack(name: str) -> Form:
    """A function of matrices, of `linear_algebra.py`."""

    def form(writer: NestWriter, node: Node, depth: int) -> None:
        if any(len(value.shape) != 2 or 0 in value.shape for value in node.inputs):
            raise NotNativeError(f"'{node.op.name}' of batches or of nothing", node.where)
        given = ", ".join(map(writer.read, node.inputs))
        if node.output.shape:
            writer.line(depth, f"{name}({given}, {writer.buffer(node.output, depth)})")
        else:
            writer.line(depth, f"{writer.name(node.output)} = {name}({given})")

    return form


def _solve(writer: NestWriter, node: Node, depth: int) -> None:
    """Elimination with the largest pivot of each column, as LAPACK does it, for small systems."""
    matrix, right = node.inputs
    if len(matrix.shape) != 2 or len(right.shape) != 2 or matrix.shape[0] > SMALL_SYSTEM:
        _by_lapack("solved")(writer, node, depth)
        return
    work = Value(matrix.dtype, matrix.shape, "work")
    name, kind = f"s{next(writer.count)}", f"np.{matrix.dtype.numpy_dtype.name}"
    out = writer.buffer(node.output, depth)
    copy = writer.buffer(work, depth)
    writer.line(depth, f"copy_elements({copy}, {writer.read(matrix)})")
    writer.line(depth, f"copy_elements({out}, {writer.read(right)})")
    words = {"A": copy, "X": out, "s": name, "real": kind}
    words |= {"n": str(matrix.shape[0]), "r": str(right.shape[1])}
    for line in _ELIMINATION.strip("\n").splitlines():
        text = re.sub(r"\b(A|X|s|n|r|real)\b", lambda match: words[match[1]], line)
        writer.line(depth, text)
    writer.buffers.drop(work)


_ELIMINATION = """
for k in range(n):
    p = k
    for i in range(k + 1, n):
        if abs(A[i, k]) > abs(A[p, k]):
            p = i
    if A[p, k] == 0:
        raise ValueError
    if p != k:
        for j in range(k, n):
            A[k, j], A[p, j] = A[p, j], A[k, j]
        for j in range(r):
            X[k, j], X[p, j] = X[p, j], X[k, j]
    for i in range(k + 1, n):
        s = real(A[i, k] / A[k, k])
        for j in range(k + 1, n):
            A[i, j] -= s * A[k, j]
        for j in range(r):
            X[i, j] -= s * X[k, j]
for k in range(n - 1, -1, -1):
    for j in range(r):
        s = X[k, j]
        for i in range(k + 1, n):
            s = real(s - A[k, i] * X[i, j])
        X[k, j] = real(s / A[k, k])
"""


# ---- running sums ----------------------------------------------------------------------------


def _scan(combined: str, start: str) -> Form:
    """Loops along the axis that keep what they have so far, `combined` over `so_far` and `x`: in a
    number, or, where elements along the axis do not lie together, in a row of numbers.
    """

    def form(writer: NestWriter, node: Node, depth: int) -> None:
        (x,), made, attrs = node.inputs, node.output, node.attrs
        out, kind = writer.buffer(made, depth), f"np.{made.dtype.numpy_dtype.name}"
        axis = normal_axis(attrs["axis"], len(made.shape))
        before, size, after = made.shape[:axis], made.shape[axis], size_of(made.shape[axis + 1 :])
        name, cubic = f"s{next(writer.count)}", (size_of(before), size, after)
        turns = f"{size - 1}, -1, -1" if attrs["reverse"] else str(size)
        so_far, place = (name, "i, t, 0") if after == 1 else (f"{name}[j]", "i, t, j")
        add = f"{so_far} = {kind}({combined.format(so_far=so_far, x=f'{name}_x[{place}]')})"
        keep = f"{name}_y[{place}] = {so_far}"

        def write(at: int, first: str, count: str) -> None:
            writer.line(at, f"{name}_x = {writer.read(x)}.reshape({cubic})")
            writer.line(at, f"{name}_y = {out}.reshape({cubic})")
            writer.line(at, f"for i in range({first}, {first} + {count}):")
            begin = f"{kind}({start})" if after == 1 else f"np.full({after}, {kind}({start}))"
            writer.line(at + 1, f"{name} = {begin}")
            writer.line(at + 1, f"for t in range({turns}):")
            if after != 1:
                writer.line(at + 2, f"for j in range({after}):")
            for text in (keep, add) if attrs["exclusive"] else (add, keep):
                writer.line(at + 2 + (after != 1), text)

        values = {writer.read(x): x, out: made}
        writer.spread(values, cubic[0], size_of(made.shape) * SCAN_ELEMENT, write, depth)

    return form


# ---- positions -------------------------------------------------------------------------------


def _position(better: str) -> Form:
    """The first best element along an axis; NaN, which is not equal to itself, beats all."""

    def form(writer: NestWriter, node: Node, depth: int) -> None:
        (x,), made = node.inputs, node.output
        axis = normal_axis(node.attrs["axis"], len(x.shape))
        before, size, after = x.shape[:axis], x.shape[axis], x.shape[axis + 1 :]
        if not size:
            raise NotNativeError(f"'{node.op.name}' of nothing", node.where)
        kind, name = f"np.{made.dtype.numpy_dtype.name}", f"s{next(writer.count)}"
        cubic = f"({size_of(before)}, {size}, {size_of(after)})"
        writer.line(depth, f"{name}_x = {writer.read(x)}.reshape({cubic})")
        if made.shape:
            out = writer.buffer(made, depth)
            writer.line(depth, f"{name}_y = {out}.reshape({size_of(made.shape)})")
        writer.line(depth, f"for i in range({size_of(before)}):")
        writer.line(depth + 1, f"for j in range({size_of(after)}):")
        writer.line(depth + 2, f"{name}, {name}_best = 0, {name}_x[i, 0, j]")
        writer.line(depth + 2, f"for t in range(1, {size}):")
        writer.line(depth + 3, f"{name}_item = {name}_x[i, t, j]")
        test = f"{name}_item {better} {name}_best"
        if x.dtype.is_floating:
            test += f" or ({name}_item != {name}_item and {name}_best == {name}_best)"
        writer.line(depth + 3, f"if {test}:")
        writer.line(depth + 4, f"{name}, {name}_best = t, {name}_item")
        target = f"{name}_y[i * {size_of(after)} + j]" if made.shape else writer.name(made)
        writer.line(depth + 2, f"{target} = {kind}({name})")

    return form


# ---- scattering ------------------------------------------------------------------------------


def _scatter(combined: str) -> Form:
    """Slices at indices are replaced, or combined: `old` with `new`; in place where that is free
    to do.
    """

    def form(writer: NestWriter, node: Node, depth: int) -> None:
        tensor, indices, updates = node.inputs
        made, count, name = node.output, indices.shape[-1], f"s{next(writer.count)}"
        if not made.shape:
            raise NotNativeError(f"'{node.op.name}' of a scalar", node.where)
        changed = changeable(writer, made, tensor, depth)
        rows = size_of(indices.shape[:-1])
        slices = made.shape[count:]
        shape = ", ".join(map(str, (rows, *slices)))
        writer.line(depth, f"{name}_at = {writer.read(indices)}.reshape({rows}, {count})")
        writer.line(depth, f"{name}_new = {writer.read(updates)}.reshape({shape})")
        writer.line(depth, f"for t in range({rows}):")
        depth += 1
        places = [f"{name}_{axis}" for axis in range(count)]
        for axis, place in enumerate(places):
            size = made.shape[axis]
            writer.line(depth, f"{place} = checked_index({name}_at[t, {axis}], {size})")
        for axis, size in enumerate(slices):
            places.append(f"i{axis}")
            writer.line(depth, f"for i{axis} in range({size}):")
            depth += 1
        target = f"{changed}[{', '.join(places)}]"
        new = f"{name}_new[{', '.join(['t', *places[count:]])}]"
        text = combined.format(old=target, new=new)
        writer.line(depth, f"{target} = {writer.cast(text, made.dtype)}")

    return form


def _segments(combined: str, start: Callable) -> Form:
    """Slices are combined with those of their segment, in order; negative numbers are left out."""

    def form(writer: NestWriter, node: Node, depth: int) -> None:
        data, numbers, _ = node.inputs
        made, name = node.output, f"s{next(writer.count)}"
        if not numbers.shape:
            raise NotNativeError(f"'{node.op.name}' of one slice", node.where)
        kind, rows = made.dtype.numpy_dtype, size_of(numbers.shape)
        slices = data.shape[len(numbers.shape) :]
        out = writer.buffer(made, depth)
        writer.line(depth, f"{out}[:] = {writer.literal(np.asarray(start(kind), kind))}")
        writer.line(depth, f"{name}_at = {writer.read(numbers)}.reshape({rows})")
        writer.line(depth, f"{name}_x = {writer.read(data)}.reshape({(rows, *slices)})")
        writer.line(depth, f"for t in range({rows}):")
        writer.line(depth + 1, f"if {name}_at[t] < 0:")
        writer.line(depth + 2, "continue")
        writer.line(depth + 1, f"{name} = checked_index({name}_at[t], {made.shape[0]})")
        depth += 1
        places = [f"i{axis}" for axis in range(len(slices))]
        for place, size in zip(places, slices, strict=True):
            writer.line(depth, f"for {place} in range({size}):")
            depth += 1
        old = f"{out}[{', '.join([name, *places])}]"
        new = f"{name}_x[{', '.join(['t', *places])}]"
        writer.line(depth, f"{old} = {writer.cast(combined.format(old=old, new=new), made.dtype)}")

    return form


_FORMS: dict[str, Form] = {
    "matmul": matmul,
    "matrix_solve": _solve,
    "inv": _by_lapack("inverse_of"),
    "det": _by_lapack("determinant_of"),
    "cholesky": _by_lapack("cholesky_of"),
    "argmax": _position(">"),
    "argmin": _position("<"),
    "tensor_scatter_nd_update": _scatter("{new}"),
    "tensor_scatter_nd_add": _scatter("{old} + {new}"),
    "tensor_scatter_nd_sub": _scatter("{old} - {new}"),
    "unsorted_segment_sum": _segments("{old} + {new}", lambda kind: 0),
    "unsorted_segment_prod": _segments("{old} * {new}", lambda kind: 1),
    "unsorted_segment_max": _segments(
        "{old} if {old} >= {new} or {old} != {old} else {new}", lowest
    ),
    "unsorted_segment_min": _segments(
        "{old} if {old} <= {new} or {old} != {old} else {new}", highest
    ),
    "cumsum": _scan("{so_far} + {x}", "0"),
    "cumprod": _scan("{so_far} * {x}", "1"),
    "stateless_draw": draw,
    "counted_draw": draw,
    **MOVING_FORMS,
    **SORTING_FORMS,
    **WINDOW_FORMS,
}
