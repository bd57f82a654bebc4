"""The native forms of sorting and search: calls of the loops in `sort_loops.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .dtypes import uint32, uint64
from .graph import Node, Value
from .ops.rules import normal_axis
from .shapes import size_of
from .sort_loops import BUCKETS, CHUNKS

if TYPE_CHECKING:
    from .loop_nests import NestWriter

SHARED_FROM = 1 << 16  # elements in a row that threads sort together


def _scratch(writer: NestWriter, depth: int, size: int) -> list[str]:
    """Two arrays for keys and places, which nothing reads afterwards."""
    values = [Value(uint64, (size,), word) for word in ("first", "second")]
    names = [writer.buffer(value, depth) for value in values]
    for value in values:
        writer.buffers.drop(value)
    return names


def _call(writer: NestWriter, depth: int, name: str, x: Value, *arguments: object) -> None:
    kind = x.dtype.numpy_dtype.name
    writer.line(depth, f"sorted_{name}_{kind}({', '.join(map(str, arguments))})")


def _along_axis(name: str):
    """Rows along an axis, each in an order of its own."""

    def form(writer: NestWriter, node: Node, depth: int) -> None:
        (x,), made, attrs = node.inputs, node.output, node.attrs
        axis = normal_axis(attrs["axis"], len(x.shape))
        if (
            name == "places"
            and x.dtype.size == 4
            and SHARED_FROM <= x.shape[axis] == size_of(x.shape)
        ):
            _by_threads(writer, node, depth)
            return
        cubic = (size_of(x.shape[:axis]), x.shape[axis], size_of(x.shape[axis + 1 :]))
        arrays = (writer.read(x), writer.buffer(made, depth))
        given, out = (f"{array}.reshape({cubic})" for array in arrays)
        rooms = _scratch(writer, depth, x.shape[axis])
        _call(writer, depth, name, x, given, out, *rooms, attrs["descending"])

    return form


def _by_threads(writer: NestWriter, node: Node, depth: int) -> None:
    """One long row: see `sort_loops`."""
    (x,), made, down = node.inputs, node.output, node.attrs["descending"]
    size, out = size_of(x.shape), writer.buffer(made, depth)
    kind = x.dtype.numpy_dtype.name
    starts = Value(uint32, (CHUNKS, BUCKETS), "starts")
    items, other = (Value(uint64, (size,), word) for word in ("items", "other"))
    s, a, b = (writer.buffer(value, depth) for value in (starts, items, other))
    given, places = (f"{name}.reshape({size})" for name in (writer.read(x), out))

    def by_threads(values, count: int, text: str) -> None:
        def write(at: int) -> None:
            writer.line(at, f"sorted_{text}")

        writer.divided(1, count, write, lambda _: values, depth)

    by_threads({writer.read(x): x, s: starts}, CHUNKS,
               f"counts_{kind}({given}, {s}, first, 1, {down})")  # fmt: skip
    writer.line(depth, f"sorted_starts_{kind}({s})")
    by_threads({writer.read(x): x, s: starts, a: items}, CHUNKS,
               f"chunks_{kind}({given}, {s}, {a}, first, 1, {down})")  # fmt: skip
    by_threads({s: starts, a: items, b: other, out: made}, BUCKETS,
               f"buckets_{kind}({s}, {a}, {b}, {places}, first, 1)")  # fmt: skip
    for value in (starts, items, other):
        writer.buffers.drop(value)


def _rows(value: Value, name: str) -> str:
    return f"{name}.reshape({(size_of(value.shape[:-1]), value.shape[-1])})"


def _largest(writer: NestWriter, node: Node, depth: int) -> None:
    x, _ = node.inputs
    made = [_rows(value, writer.buffer(value, depth)) for value in node.outputs]
    rooms = _scratch(writer, depth, x.shape[-1])
    _call(writer, depth, "largest", x, _rows(x, writer.read(x)), *made, *rooms)


def _insertions(writer: NestWriter, node: Node, depth: int) -> None:
    (rows, values), made = node.inputs, node.output
    name = writer.read(values)
    if not made.shape:
        one = f"s{next(writer.count)}"
        writer.line(
            depth, f"{one}_x, {one}_y = np.full((1, 1), {name}), np.empty((1, 1), np.int32)"
        )
        given, out = f"{one}_x", f"{one}_y"
    elif len(rows.shape) == 1:
        flat = (1, size_of(values.shape))
        given, out = (f"{n}.reshape({flat})" for n in (name, writer.buffer(made, depth)))
    else:
        given, out = _rows(values, name), _rows(made, writer.buffer(made, depth))
    right = node.attrs["side"] == "right"
    _call(writer, depth, "insertions", rows, _rows(rows, writer.read(rows)), given, out, right)
    if not made.shape:
        writer.line(depth, f"{writer.name(made)} = {out}[0, 0]")


FORMS = {
    "sort": _along_axis("values"),
    "argsort": _along_axis("places"),
    "largest_k": _largest,
    "searchsorted": _insertions,
}
