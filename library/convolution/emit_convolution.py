"""The native forms of convolution and pooling: calls of the loops in this folder."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...extend.graphs import Node, Value, dims, elements_of
from ...extend.kernels import (
    KernelWriter,
    NotNativeError,
    ProductSizes,
    cost_model,
    host_target,
    narrow_columns,
    parallel_call,
    product,
    product_blocks,
    thresholds,
    tile_rows,
)
from ...extend.specs import lowest_of, size_of
from .convolution_depthwise import most_vectors
from .convolution_direct import packed_width
from .depthwise_tiles import Axis, Tile, tile_of_filters, tile_of_results
from .window_geometry import Windows, windows

AXES = 3  # of space
TILED = ("float32", "float64")  # the types of depthwise convolution in vector registers


def _layout(node: Node, shape: tuple[int, ...], sizes: tuple[int, ...]) -> Windows:
    """The windows of an operation over an array of this shape."""
    attrs = node.attrs
    if len(sizes) > AXES or 0 in shape or 0 in sizes:
        raise NotNativeError(f"'{node.op.name}' of this shape", node.where)
    layout = windows(shape[1:-1], sizes, attrs["strides"], attrs["padding"], attrs.get("dilations"))
    if 0 in layout.counts:
        raise NotNativeError(f"'{node.op.name}' without windows", node.where)
    return layout


def _geometry(layout: Windows) -> str:
    """The tuple of numbers that the loops take."""
    before = tuple(margin for margin, _ in layout.margins)
    rows = (layout.counts, layout.sizes, layout.strides, layout.dilations, before)
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


def _is_padded(layout: Windows) -> bool:
    return any(map(any, layout.margins))


# ---- convolution -----------------------------------------------------------------------------


class _Convolution:
    """What the three operations share: the matrices, and memory for a block of windows."""

    def __init__(self, writer: KernelWriter, node: Node, x: Value, filters: Value):
        self.writer, self.node = writer, node
        self.x, self.filters, self.groups = x, filters, node.attrs["groups"]
        self.layout = layout = _layout(node, dims(x), dims(filters)[:-2])
        self.geometry = _geometry(layout)
        self.inner = dims(filters)[-2]
        self.is_depthwise = self.inner == 1 and self.groups > 1
        self.scratch: list[Value] = []

    def memory(self, shape, word: str) -> str:
        """An array that nothing after this operation reads."""
        return self.keep(Value(self.x.dtype, tuple(shape), word))

    def keep(self, value: Value) -> str:
        self.scratch.append(value)
        return self.writer.work_array(value)

    def call(self, function: str, *arguments: str) -> None:
        call = ", ".join([*arguments, self.geometry])
        self.writer.line(f"{function}({call})")

    def blocks(self) -> str:
        *outer, wide = self.layout.counts
        lines = math.prod(outer) * dims(self.x)[0]
        width = math.prod(self.layout.sizes) * self.inner
        block = thresholds.WINDOW_BLOCK // (wide * width * self.x.dtype.size)
        return self.memory((max(1, min(block, lines)) * wide, width), "rows")

    def padded(self, name: str, fill: bool) -> str:
        """The array with its margins, if it has any, with three axes of space."""
        return _spacious(self.padded_name(name, fill), self.layout.padded_shape(self.x.shape))

    def padded_name(self, name: str, fill: bool) -> str:
        if not _is_padded(self.layout):
            return name
        padded = Value(self.x.dtype, self.layout.padded_shape(self.x.shape), "padded")
        array = self.keep(padded)
        if fill:
            self.pad(name, self.x, padded, self.layout)
        return array

    def pad(self, name: str, x: Value, padded: Value, layout: Windows) -> None:
        """Lines with margins, by threads."""
        array = self.writer.read(padded)
        arrays = f"{_spacious(name, x.shape)}, {_spacious(array, padded.shape)}"

        def write(first: str, count: str) -> None:
            self.writer.line(f"windows_pad({arrays}, {first}, {count}, {_geometry(layout)})")

        cost = elements_of(padded) * x.dtype.size / cost_model.COPY_BYTES
        values = {name: x, array: padded}
        parallel_call(self.writer, values, math.prod(dims(padded)[:-2]), cost, write)

    def compute(self, function: str, *arrays: str) -> None:
        self.call(function, *arrays, self.blocks(), str(self.groups))

    def depthwise(self, function: str, arrays: dict[str, Value], chunked: str) -> None:
        """One channel after another; `arrays` by name: images, filters, and a matrix of lines.

        Chunks are of lines or of images; the gradient of filters adds all up.
        """
        names = list(arrays)
        filters = _matrix(names[1], self.filters.shape)

        def write(first: str, count: str) -> None:
            images = _spacious(names[0], arrays[names[0]].shape)
            lines = _matrix(names[2], arrays[names[2]].shape)
            more = f", {first}, {count}" if chunked == "lines" else ""
            if chunked == "images":
                length = math.prod(self.layout.counts)
                images += f"[{first} : {first} + {count}]"
                lines += f"[{first} * {length} : ({first} + {count}) * {length}]"
            call = f"{function}({images}, {filters}, {lines}{more}, {self.geometry})"
            self.writer.line(call)

        lines = dims(self.x)[0] * math.prod(self.layout.counts[:-1])
        trip_count = {"lines": lines, "images": dims(self.x)[0], "all": 1}[chunked]
        elements = size_of(arrays[names[2]].shape) * math.prod(self.layout.sizes)
        cost = elements * cost_model.WINDOW_ELEMENT
        parallel_call(self.writer, arrays, trip_count, cost, write)

    def tile(
        self, layout: Windows, of: Callable[[str, Axis, Axis, int], Tile] = tile_of_results
    ) -> Tile | None:
        """A tile of a depthwise convolution; None where channels have several filters."""
        name, channels = self.x.dtype.numpy_dtype.name, dims(self.x)[-1]
        is_plain = self.is_depthwise and dims(self.filters)[-1] == channels
        if not is_plain or name not in TILED:
            return None
        axes = zip(layout.sizes, layout.strides, layout.dilations, layout.counts, strict=True)
        down, across = [Axis(1, 1, 1, 1), *(Axis(*axis) for axis in axes)][-2:]
        return of(name, down, across, channels)

    def tiles(
        self,
        function: str,
        layout: Windows,
        arrays: dict[str, Value],
        count: int,
        turned: bool | None = None,
    ) -> None:
        """`count` tiles of lines, whose filters may be turned, or vectors of channels; `arrays` are
        those of `depthwise`.
        """
        (x, image), *matrices = arrays.items()
        names = [_spacious(x, image.shape), *(_matrix(name, one.shape) for name, one in matrices)]

        def write(first: str, count: str) -> None:
            given = [*names, first, count, *([] if turned is None else [str(turned)])]
            self.writer.line(f"{function}({', '.join(given)}, {_geometry(layout)})")

        parallel_call(self.writer, arrays, count, self.cost(), write)

    def convolve_tiles(
        self, tile: Tile, layout: Windows, arrays: dict[str, Value], turned: bool
    ) -> None:
        images, *outer, _ = dims(self.x)[0], *layout.counts
        high = outer.pop() if outer else 1
        count = images * math.prod(outer) * -(-high // tile.down.results)
        self.tiles(tile.name("lines"), layout, arrays, count, turned)

    def arrays(self, x: str, filters: str, lines: str) -> dict[str, Value]:
        """The three arrays of a convolution, by name; `x` has its margins."""
        shapes = (self.layout.padded_shape(self.x.shape), dims(self.filters), self.lines_shape())
        rows = zip((x, filters, lines), shapes, strict=True)
        return {name: Value(self.x.dtype, tuple(shape), name) for name, shape in rows}

    def lines_shape(self) -> tuple[int, ...]:
        return (dims(self.x)[0], *self.layout.counts, dims(self.filters)[-1])

    # ---- windows that are not copied ---------------------------------------------------------

    def is_direct(self, layout: Windows, least: int = 1) -> bool:
        """Whether the windows are multiplied where they lie; tiles should not be mostly empty."""
        wide = layout.counts[-1]
        computed = -(-wide // tile_rows()) * tile_rows()
        is_full = computed <= thresholds.MOST_EMPTY * wide
        return not self.is_depthwise and is_full and wide >= least

    def direct(self, word: str, columns: int, *arguments: str) -> str:
        name = f"direct_{word}_{self.x.dtype.numpy_dtype.name}_{columns}"
        return f"{name}({', '.join(arguments)})"

    def cost(self) -> float:
        """About how many nanoseconds the products take."""
        depth = math.prod(self.layout.sizes) * self.inner
        results = dims(self.x)[0] * math.prod(self.layout.counts) * dims(self.filters)[-1]
        return results * depth * self.x.dtype.size / cost_model.PRODUCT_BYTES

    def lines(
        self, x: Value, layout: Windows, weights: str, out: str, shape: tuple[int, ...]
    ) -> None:
        """The windows of `x`, which has a name, times the matrix `weights`."""
        writer, groups = self.writer, self.groups
        columns, depth = shape[-1] // groups, math.prod(layout.sizes) * (dims(x)[-1] // groups)
        width = packed_width(self.x.dtype.numpy_dtype.name, columns)
        packed = Value(self.x.dtype, (groups, depth * width), "packed")
        filters = self.keep(packed)
        writer.line(self.direct("pack", columns, weights, filters))
        name = writer.read(x)
        if _is_padded(layout):
            padded_x = Value(self.x.dtype, layout.padded_shape(x.shape), "padded")
            self.keep(padded_x)
            self.pad(name, x, padded_x, layout)
            x, name = padded_x, writer.read(padded_x)
        arrays = (_spacious(name, x.shape), filters, _matrix(out, shape))

        def write(first: str, count: str) -> None:
            call = self.direct("lines", columns, *arrays, first, count, _geometry(layout))
            writer.line(call)

        values = {name: x, filters: packed, out: Value(self.x.dtype, shape, out)}
        trip_count = math.prod(layout.counts[:-1]) * dims(x)[0]
        parallel_call(writer, values, trip_count, self.cost(), write)

    def layout_back(self) -> Windows | None:
        """The windows of the gradient with respect to the input, where it is a convolution of the
        result's with the filters turned round; None where it is not.
        """
        layout, space = self.layout, dims(self.x)[1:-1]
        reach = [(size - 1) * one for size, one in zip(layout.sizes, layout.dilations, strict=True)]
        margins = tuple(
            (one - before, one - after)
            for one, (before, after) in zip(reach, layout.margins, strict=True)
        )
        back = layout._replace(counts=space, margins=margins)
        return back if {*layout.strides} == {1} else None

    def lines_back(self, dy: Value, out: str) -> bool:
        """That gradient by the direct kernels; False where they do not apply."""
        back = self.layout_back()
        if back is None or not self.is_direct(back) or min(map(min, back.margins)) < 0:
            return False
        columns, positions = dims(self.filters)[-1] // self.groups, math.prod(back.sizes)
        shape = (positions * columns, self.groups * self.inner)
        turned = self.memory(shape, "turned")
        weights = _matrix(self.writer.read(self.filters), self.filters.shape)
        call = self.direct("turned", columns, weights, turned, str(self.inner))
        self.writer.line(call)
        self.lines(dy, back, turned, out, dims(self.x))
        return True

    def filter_tiles(self, x: str, dy: Value, out: str) -> None:
        """The gradient with respect to filters: tiles of it, by threads."""
        writer, layout, groups = self.writer, self.layout, self.groups
        dtype_name, columns = self.x.dtype.numpy_dtype.name, dims(dy)[-1] // groups
        depth, count = math.prod(layout.sizes) * self.inner, math.prod(dims(dy)[:-1])
        padded_x = Value(self.x.dtype, layout.padded_shape(self.x.shape), "padded")
        writer.names[padded_x] = x
        edges = Value(
            self.x.dtype, (count, groups, max(narrow_columns(dtype_name, columns), 1)), "edges"
        )
        packed = Value(self.x.dtype, (groups, depth, packed_width(dtype_name, columns)), "packed")
        back, array = writer.read(dy), (self.keep(edges), self.keep(packed))
        matrix = _matrix(back, dy.shape)
        writer.line(self.direct("edges", columns, matrix, array[0]))
        writer.line(f"{array[1]}[:] = 0")
        arrays = (_spacious(x, padded_x.shape), matrix, *array)

        def write(first: str, count: str) -> None:
            call = self.direct("filters", columns, *arrays, first, count, self.geometry)
            writer.line(call)

        whole = layout.dilations[-1] == 1 and groups == 1
        run = self.inner * (layout.sizes[-1] if whole else 1)
        trip_count = groups * depth // run * -(-run // tile_rows())
        values = {x: padded_x, back: dy, array[0]: edges, array[1]: packed}
        parallel_call(writer, values, trip_count, self.cost(), write)
        writer.line(self.direct("unpack", columns, array[1], out))

    def end(self) -> None:
        for value in self.scratch:
            self.writer.release(value)


def _convolution(writer: KernelWriter, node: Node) -> None:
    x, filters = node.inputs
    one = _Convolution(writer, node, x, filters)
    out = writer.buffer(node.output)
    y, weights = (
        _matrix(name, value.shape)
        for name, value in ((out, node.output), (writer.read(filters), filters))
    )
    layout = one.layout
    if {*layout.sizes, *layout.strides, one.groups} == {1} and not _is_padded(layout):
        names = _matrix(writer.read(x), x.shape), weights, y
        rows, columns = math.prod(dims(x)[:-1]), dims(filters)[-1]
        sizes = ProductSizes(rows, columns, dims(x)[-1], x.dtype)
        blocks = product_blocks(sizes, host_target())
        product(writer, names, (x, filters, node.output), sizes, blocks)
        return
    if tile := one.tile(layout):
        arrays = {writer.read(x): x, writer.read(filters): filters, out: node.output}
        one.convolve_tiles(tile, layout, arrays, False)
    elif one.is_depthwise:
        arrays = one.arrays(one.padded_name(writer.read(x), True), writer.read(filters), out)
        one.depthwise("windows_depthwise", arrays, "lines")
    elif one.is_direct(layout):
        one.lines(x, layout, weights, out, dims(node.output))
    else:
        one.compute("windows_convolve", one.padded(writer.read(x), True), weights, y)
    one.end()


def _convolution_filters(writer: KernelWriter, node: Node) -> None:
    x, _, dy = node.inputs
    one = _Convolution(writer, node, x, node.output)
    out = _matrix(writer.buffer(node.output), node.output.shape)
    if tile := one.tile(one.layout, tile_of_filters):
        made = writer.name(node.output)
        arrays = {writer.read(x): x, made: node.output, writer.read(dy): dy}
        count = most_vectors(tile, dims(x)[-1])
        one.tiles(tile.name("filters"), one.layout, arrays, count)
    elif one.is_depthwise:
        name = one.padded_name(writer.read(x), True)
        arrays = one.arrays(name, writer.name(node.output), writer.read(dy))
        one.depthwise("windows_depthwise_filters", arrays, "all")
    elif one.is_direct(one.layout, thresholds.LONG_LINE):
        one.filter_tiles(one.padded_name(writer.read(x), True), dy, out)
    else:
        padded_x = one.padded(writer.read(x), True)
        one.compute("windows_convolve_filters", padded_x, out, _matrix(writer.read(dy), dy.shape))
    one.end()


def _convolution_input(writer: KernelWriter, node: Node) -> None:
    _, filters, dy = node.inputs
    one = _Convolution(writer, node, node.output, filters)
    out = writer.buffer(node.output)
    back = one.layout_back()
    if back and (tile := one.tile(back)):
        arrays = {writer.read(dy): dy, writer.read(filters): filters, out: node.output}
        one.convolve_tiles(tile, back, arrays, True)
    elif one.is_depthwise or not one.lines_back(dy, out):
        name = one.padded_name(out, False)
        array = _spacious(name, one.layout.padded_shape(one.x.shape))
        if one.is_depthwise:
            arrays = one.arrays(name, writer.read(filters), writer.read(dy))
            one.depthwise("windows_depthwise_input", arrays, "images")
        else:
            matrix = _matrix(writer.read(filters), filters.shape)
            one.compute("windows_convolve_input", array, matrix, _matrix(writer.read(dy), dy.shape))
        if _is_padded(one.layout):
            one.call("windows_crop", array, _spacious(out, node.output.shape))
    one.end()


# ---- pooling ---------------------------------------------------------------------------------


def _pool(function: str, arrays: tuple[int, ...], over_result: bool = False):
    """A form that calls `function` with the `arrays` among the operands, and the result: for some
    lines, or some images where windows give back.
    """

    def form(writer: KernelWriter, node: Node) -> None:
        whole = node.output if over_result else node.inputs[0]
        layout = _layout(node, dims(whole), node.attrs["ksize"])
        values = {writer.read(node.inputs[i]): node.inputs[i] for i in arrays}
        values |= {writer.buffer(node.output): node.output}
        lowest = np.asarray(lowest_of(whole.dtype.numpy_dtype), whole.dtype.numpy_dtype)
        more = f", {writer.literal(lowest)}" if function == "windows_max" else ""
        by_images = function.endswith("gradient")

        def write(first: str, count: str) -> None:
            chunk = f"[{first} : {first} + {count}]" if by_images else ""
            padded_x = ", ".join(
                _spacious(name, value.shape) + chunk for name, value in values.items()
            )
            positions = "" if by_images else f", {first}, {count}"
            writer.line(f"{function}({padded_x}{more}{positions}, {_geometry(layout)})")

        lines = dims(whole)[0] * math.prod(layout.counts[:-1])
        elements = dims(whole)[0] * math.prod(layout.counts) * dims(whole)[-1]
        cost = elements * math.prod(layout.sizes) * cost_model.WINDOW_ELEMENT
        parallel_call(writer, values, dims(whole)[0] if by_images else lines, cost, write)

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
