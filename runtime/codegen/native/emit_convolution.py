"""The native forms of convolution and pooling: calls of the loops in `window_loops.py`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ...core.numeric_limits import lowest_of
from ...core.shapes import Shape, size_of
from ...ir.graph import Node, Value
from ...ir.window_geometry import Windows, windows
from ...kernels.convolution_direct import packed_width
from ...kernels.matmul_microkernel import narrow_columns, tile_rows
from ...lowering import cost_model
from ...lowering.matmul_schedule import ProductSizes, is_tiled, tiling
from ...lowering.not_native import NotNativeError
from .emit_matmul import tiled
from .host_target import host_target

if TYPE_CHECKING:
    from .loop_nests import NestWriter

AXES = 3  # of space


def _found(node: Node, shape: Shape, sizes: Shape) -> Windows:
    """The windows of an operation over an array of this shape."""
    attrs = node.attrs
    if len(sizes) > AXES or 0 in shape or 0 in sizes:
        raise NotNativeError(f"'{node.op.name}' of this shape", node.where)
    found = windows(shape[1:-1], sizes, attrs["strides"], attrs["padding"], attrs.get("dilations"))
    if 0 in found.counts:
        raise NotNativeError(f"'{node.op.name}' without windows", node.where)
    return found


def _geometry(found: Windows) -> str:
    """The tuple of numbers that the loops take."""
    before = tuple(margin for margin, _ in found.margins)
    rows = (found.counts, found.sizes, found.strides, found.dilations, before)
    triples = [
        (fill,) * (AXES - len(row)) + tuple(row)
        for row, fill in zip(rows, (1, 1, 1, 1, 0), strict=True)
    ]
    return str(sum(triples, ()))


def _spacious(name: str, shape) -> str:
    """An array as one with three axes of space."""
    return f"{name}.reshape({(shape[0], *(1,) * (AXES + 2 - len(shape)), *shape[1:])})"


def _matrix(name: str, shape) -> str:
    """An array as the matrix with its last axis."""
    return f"{name}.reshape({(size_of(shape[:-1]), shape[-1])})"


def _is_padded(found: Windows) -> bool:
    return any(map(any, found.margins))


# ---- convolution -----------------------------------------------------------------------------


class _Convolution:
    """What the three operations share: the matrices, and memory for a block of windows."""

    def __init__(self, writer: NestWriter, node: Node, depth: int, x: Value, filters: Value):
        self.writer, self.node, self.depth = writer, node, depth
        self.x, self.filters, self.groups = x, filters, node.attrs["groups"]
        self.found = found = _found(node, x.shape, filters.shape[:-2])
        self.geometry = _geometry(found)
        self.inner = filters.shape[-2]
        self.is_depthwise = self.inner == 1 and self.groups > 1
        self.scratch: list[Value] = []

    def memory(self, shape, word: str) -> str:
        """An array that nothing after this operation reads."""
        return self.keep(Value(self.x.dtype, tuple(shape), word))

    def keep(self, value: Value) -> str:
        self.scratch.append(value)
        return self.writer.buffer(value, self.depth)

    def call(self, function: str, *arguments: str) -> None:
        text = ", ".join([*arguments, self.geometry])
        self.writer.line(self.depth, f"{function}({text})")

    def blocks(self) -> str:
        wide, lines = self.found.counts[-1], math.prod(self.found.counts[:-1]) * self.x.shape[0]
        width = math.prod(self.found.sizes) * self.inner
        block = cost_model.WINDOW_BLOCK // (wide * width * self.x.dtype.size)
        return self.memory((max(1, min(block, lines)) * wide, width), "rows")

    def padded(self, name: str, fill: bool) -> str:
        """The array with its margins, if it has any, with three axes of space."""
        return _spacious(self.padded_name(name, fill), self.found.padded_shape(self.x.shape))

    def padded_name(self, name: str, fill: bool) -> str:
        if not _is_padded(self.found):
            return name
        padded = Value(self.x.dtype, self.found.padded_shape(self.x.shape), "padded")
        made = self.keep(padded)
        if fill:
            self.pad(name, self.x, padded, self.found)
        return made

    def pad(self, name: str, x: Value, padded: Value, found: Windows) -> None:
        """Lines with margins, by threads."""
        made = self.writer.read(padded)
        arrays = f"{_spacious(name, x.shape)}, {_spacious(made, padded.shape)}"

        def write(at: int, first: str, count: str) -> None:
            self.writer.line(at, f"windows_pad({arrays}, {first}, {count}, {_geometry(found)})")

        cost = size_of(padded.shape) * x.dtype.size / cost_model.COPY_BYTES
        values = {name: x, made: padded}
        self.writer.spread(values, size_of(padded.shape[:-2]), cost, write, self.depth)

    def compute(self, function: str, *arrays: str) -> None:
        self.call(function, *arrays, self.blocks(), str(self.groups))

    def depthwise(self, function: str, arrays: dict[str, Value], kind: str) -> None:
        """One channel after another; `arrays` by name: images, filters, and a matrix of lines.

        By threads, pieces are of lines or of images; the gradient of filters adds all up.
        """
        names = list(arrays)
        filters = _matrix(names[1], self.filters.shape)

        def write(at: int, first: str, count: str) -> None:
            images, lines = (
                _spacious(names[0], arrays[names[0]].shape),
                _matrix(names[2], arrays[names[2]].shape),
            )
            more = f", {first}, {count}" if kind == "lines" else ""
            if kind == "images":
                length = math.prod(self.found.counts)
                images += f"[{first} : {first} + {count}]"
                lines += f"[{first} * {length} : ({first} + {count}) * {length}]"
            text = f"{function}({images}, {filters}, {lines}{more}, {self.geometry})"
            self.writer.line(at, text)

        lines = self.x.shape[0] * math.prod(self.found.counts[:-1])
        turns = {"lines": lines, "images": self.x.shape[0], "all": 1}[kind]
        cost = (
            size_of(arrays[names[2]].shape)
            * math.prod(self.found.sizes)
            * cost_model.WINDOW_ELEMENT
        )
        self.writer.spread(arrays, turns, cost, write, self.depth)

    def arrays(self, x: str, filters: str, lines: str) -> dict[str, Value]:
        """The three arrays of a convolution, by name; `x` has its margins."""
        shapes = (self.found.padded_shape(self.x.shape), self.filters.shape, self.lines_shape())
        rows = zip((x, filters, lines), shapes, strict=True)
        return {name: Value(self.x.dtype, tuple(shape), name) for name, shape in rows}

    def lines_shape(self) -> Shape:
        return (self.x.shape[0], *self.found.counts, self.filters.shape[-1])

    # ---- windows that are not copied ---------------------------------------------------------

    def is_direct(self, found: Windows, least: int = 1) -> bool:
        """Whether the windows are multiplied where they lie; tiles should not be mostly empty."""
        wide = found.counts[-1]
        computed = -(-wide // tile_rows()) * tile_rows()
        return not self.is_depthwise and computed <= cost_model.MOST_EMPTY * wide and wide >= least

    def direct(self, word: str, columns: int, *arguments: str) -> str:
        name = f"direct_{word}_{self.x.dtype.numpy_dtype.name}_{columns}"
        return f"{name}({', '.join(arguments)})"

    def cost(self) -> float:
        """About how many nanoseconds the products take."""
        depth = math.prod(self.found.sizes) * self.inner
        results = self.x.shape[0] * math.prod(self.found.counts) * self.filters.shape[-1]
        return results * depth * self.x.dtype.size / cost_model.PRODUCT_BYTES

    def lines(self, x: Value, found: Windows, weights: str, out: str, shape: Shape) -> None:
        """The windows of `x`, whose name is known, times the matrix `weights`."""
        writer, groups = self.writer, self.groups
        columns, depth = shape[-1] // groups, math.prod(found.sizes) * (x.shape[-1] // groups)
        width = packed_width(self.x.dtype.numpy_dtype.name, columns)
        packed = Value(self.x.dtype, (groups, depth * width), "packed")
        filters = self.keep(packed)
        writer.line(self.depth, self.direct("pack", columns, weights, filters))
        name = writer.read(x)
        if _is_padded(found):
            given = Value(self.x.dtype, found.padded_shape(x.shape), "padded")
            self.keep(given)
            self.pad(name, x, given, found)
            x, name = given, writer.read(given)
        arrays = (_spacious(name, x.shape), filters, _matrix(out, shape))

        def write(at: int, first: str, count: str) -> None:
            call = self.direct("lines", columns, *arrays, first, count, _geometry(found))
            writer.line(at, call)

        values = {name: x, filters: packed, out: Value(self.x.dtype, shape, out)}
        turns = math.prod(found.counts[:-1]) * x.shape[0]
        writer.spread(values, turns, self.cost(), write, self.depth)

    def lines_back(self, dy: Value, out: str) -> bool:
        """The gradient with respect to the input as a convolution of the result's with the
        filters turned round; False where that is none.
        """
        found, space = self.found, self.x.shape[1:-1]
        reach = [(size - 1) * one for size, one in zip(found.sizes, found.dilations, strict=True)]
        margins = tuple(
            (one - before, one - after)
            for one, (before, after) in zip(reach, found.margins, strict=True)
        )
        back = found._replace(counts=space, margins=margins)
        if {*found.strides} != {1} or not self.is_direct(back) or min(map(min, margins)) < 0:
            return False
        columns, places = self.filters.shape[-1] // self.groups, math.prod(found.sizes)
        shape = (places * columns, self.groups * self.inner)
        turned = self.memory(shape, "turned")
        weights = _matrix(self.writer.read(self.filters), self.filters.shape)
        text = self.direct("turned", columns, weights, turned, str(self.inner))
        self.writer.line(self.depth, text)
        self.lines(dy, back, turned, out, self.x.shape)
        return True

    def filter_tiles(self, x: str, dy: Value, out: str) -> None:
        """The gradient with respect to filters: tiles of it, by threads."""
        writer, found, groups = self.writer, self.found, self.groups
        kind, columns = self.x.dtype.numpy_dtype.name, dy.shape[-1] // groups
        depth, count = math.prod(found.sizes) * self.inner, size_of(dy.shape[:-1])
        given = Value(self.x.dtype, found.padded_shape(self.x.shape), "padded")
        writer.names[given] = x
        edges = Value(self.x.dtype, (count, groups, max(narrow_columns(kind, columns), 1)), "edges")
        packed = Value(self.x.dtype, (groups, depth, packed_width(kind, columns)), "packed")
        back, made = writer.read(dy), (self.keep(edges), self.keep(packed))
        matrix = _matrix(back, dy.shape)
        writer.line(self.depth, self.direct("edges", columns, matrix, made[0]))
        writer.line(self.depth, f"{made[1]}[:] = 0")
        arrays = (_spacious(x, given.shape), matrix, *made)

        def write(at: int, first: str, count: str) -> None:
            call = self.direct("filters", columns, *arrays, first, count, self.geometry)
            writer.line(at, call)

        whole = found.dilations[-1] == 1 and groups == 1
        run = self.inner * (found.sizes[-1] if whole else 1)
        turns = groups * depth // run * -(-run // tile_rows())
        values = {x: given, back: dy, made[0]: edges, made[1]: packed}
        writer.spread(values, turns, self.cost(), write, self.depth)
        writer.line(self.depth, self.direct("unpack", columns, made[1], out))

    def end(self) -> None:
        for value in self.scratch:
            self.writer.buffers.drop(value)


def _convolution(writer: NestWriter, node: Node, depth: int) -> None:
    x, filters = node.inputs
    one = _Convolution(writer, node, depth, x, filters)
    out = writer.buffer(node.output, depth)
    y, weights = (
        _matrix(name, value.shape)
        for name, value in ((out, node.output), (writer.read(filters), filters))
    )
    found = one.found
    if {*found.sizes, *found.strides, one.groups} == {1} and not _is_padded(found):
        names = _matrix(writer.read(x), x.shape), weights, y
        rows, columns = size_of(x.shape[:-1]), filters.shape[-1]
        sizes, target = ProductSizes(rows, columns, x.shape[-1], x.dtype), host_target()
        if is_tiled(sizes, target):
            arrays = (x, filters, node.output)
            tiled(writer, names, arrays, sizes, tiling(sizes, target), depth)
        else:
            writer.line(depth, f"product_of_matrices({', '.join(names)})")
        return
    if one.is_depthwise:
        arrays = one.arrays(one.padded_name(writer.read(x), True), writer.read(filters), out)
        one.depthwise("windows_depthwise", arrays, "lines")
    elif one.is_direct(found):
        one.lines(x, found, weights, out, node.output.shape)
    else:
        one.compute("windows_convolve", one.padded(writer.read(x), True), weights, y)
    one.end()


def _convolution_filters(writer: NestWriter, node: Node, depth: int) -> None:
    x, _, dy = node.inputs
    one = _Convolution(writer, node, depth, x, node.output)
    out = _matrix(writer.buffer(node.output, depth), node.output.shape)
    if one.is_depthwise:
        name = one.padded_name(writer.read(x), True)
        arrays = one.arrays(name, writer.name(node.output), writer.read(dy))
        one.depthwise("windows_depthwise_filters", arrays, "all")
    elif one.is_direct(one.found, cost_model.LONG_LINE):
        one.filter_tiles(one.padded_name(writer.read(x), True), dy, out)
    else:
        given = one.padded(writer.read(x), True)
        one.compute("windows_convolve_filters", given, out, _matrix(writer.read(dy), dy.shape))
    one.end()


def _convolution_input(writer: NestWriter, node: Node, depth: int) -> None:
    _, filters, dy = node.inputs
    one = _Convolution(writer, node, depth, node.output, filters)
    out = writer.buffer(node.output, depth)
    if one.is_depthwise or not one.lines_back(dy, out):
        name = one.padded_name(out, False)
        made = _spacious(name, one.found.padded_shape(one.x.shape))
        if one.is_depthwise:
            arrays = one.arrays(name, writer.read(filters), writer.read(dy))
            one.depthwise("windows_depthwise_input", arrays, "images")
        else:
            weights, back = _matrix(writer.read(filters), filters.shape), writer.read(dy)
            one.compute("windows_convolve_input", made, weights, _matrix(back, dy.shape))
        if _is_padded(one.found):
            one.call("windows_crop", made, _spacious(out, node.output.shape))
    one.end()


# ---- pooling ---------------------------------------------------------------------------------


def _pool(function: str, arrays: tuple[int, ...], over_result: bool = False):
    """A form that calls `function` with the `arrays` among the operands, and the result: for some
    lines, or some images where windows give back.
    """

    def form(writer: NestWriter, node: Node, depth: int) -> None:
        whole = node.output if over_result else node.inputs[0]
        found = _found(node, whole.shape, node.attrs["ksize"])
        values = {writer.read(node.inputs[i]): node.inputs[i] for i in arrays}
        values |= {writer.buffer(node.output, depth): node.output}
        lowest = np.asarray(lowest_of(whole.dtype.numpy_dtype), whole.dtype.numpy_dtype)
        more = f", {writer.literal(lowest)}" if function == "windows_max" else ""
        by_images = function.endswith("gradient")

        def write(at: int, first: str, count: str) -> None:
            part = f"[{first} : {first} + {count}]" if by_images else ""
            given = ", ".join(_spacious(name, one.shape) + part for name, one in values.items())
            places = "" if by_images else f", {first}, {count}"
            writer.line(at, f"{function}({given}{more}{places}, {_geometry(found)})")

        lines = whole.shape[0] * math.prod(found.counts[:-1])
        elements = whole.shape[0] * math.prod(found.counts) * whole.shape[-1]
        cost = elements * math.prod(found.sizes) * cost_model.WINDOW_ELEMENT
        writer.spread(values, whole.shape[0] if by_images else lines, cost, write, depth)

    return form


FORMS = {
    "convolution": _convolution,
    "convolution_filters": _convolution_filters,
    "convolution_input": _convolution_input,
    "max_pool": _pool("windows_max", (0,)),
    "avg_pool": _pool("windows_mean", (0,)),
    "max_pool_gradient": _pool("windows_max_gradient", (0, 1, 2)),
    "avg_pool_gradient": _pool("windows_mean_gradient", (1,), over_result=True),
}
