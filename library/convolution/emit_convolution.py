"""The native forms of convolution and pooling: calls of the loops in this folder."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ...extend.graphs import Node, Value, dims, elements_of
from ...extend.kernels import (
    Expression,
    KernelWriter,
    NotNativeError,
    Operand,
    ProductSizes,
    cost_model,
    host_target,
    parallel_call,
    product,
    product_blocks,
    reshape,
    thresholds,
    tile_rows,
)
from ...extend.specs import lowest_of, size_of
from .convolution_depthwise import most_vectors
from .convolution_direct import packed_width
from .depthwise_tiles import Axis, Tile, tile_of_filters, tile_of_results
from .window_geometry import Windows, windows
from .window_tiles import narrow_columns

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


def _geometry(layout: Windows) -> tuple[tuple[int, ...], ...]:
    """The numbers that the loops take, for each of three axes: see `convolution_im2col.py`."""
    before = tuple(margin for margin, _ in layout.margins)
    rows = (layout.counts, layout.sizes, layout.strides, layout.dilations, before)
    return tuple(
        (fill,) * (AXES - len(row)) + tuple(row)
        for row, fill in zip(rows, (1, 1, 1, 1, 0), strict=True)
    )


def _spacious(array: Expression, shape) -> Expression:
    """An array as one with three axes of space."""
    return reshape(array, (shape[0], *(1,) * (AXES + 2 - len(shape)), *shape[1:]))


def _matrix(array: Expression, shape) -> Expression:
    """An array as the matrix with its last axis."""
    return reshape(array, (size_of(shape[:-1]), shape[-1]))


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

    def memory(self, shape, word: str) -> Expression:
        """An array that nothing after this operation reads."""
        return self.keep(Value(self.x.dtype, tuple(shape), word))

    def keep(self, value: Value) -> Expression:
        self.scratch.append(value)
        return self.writer.work_array(value)

    def spacious(self, value: Value) -> Expression:
        return _spacious(self.writer.read(value), dims(value))

    def matrix(self, value: Value) -> Expression:
        return _matrix(self.writer.read(value), dims(value))

    def blocks(self) -> Expression:
        *outer, wide = self.layout.counts
        lines = math.prod(outer) * dims(self.x)[0]
        width = math.prod(self.layout.sizes) * self.inner
        block = thresholds.WINDOW_BLOCK // (wide * width * self.x.dtype.size)
        return self.memory((max(1, min(block, lines)) * wide, width), "rows")

    def padded(self, x: Value, fill: bool, layout: Windows | None = None) -> Value:
        """The array with its margins, if it has any, which are zero where it is to `fill`."""
        layout = layout or self.layout
        if not _is_padded(layout):
            return x
        padded = Value(self.x.dtype, layout.padded_shape(x.shape), "padded")
        self.keep(padded)
        if fill:
            self.pad(x, padded, layout)
        return padded

    def pad(self, x: Value, padded: Value, layout: Windows) -> None:
        """Lines with margins, by threads."""
        arrays = self.spacious(x), self.spacious(padded)

        def write(first: Expression, count: Expression) -> None:
            self.writer.call("windows_pad", *arrays, first, count, _geometry(layout))

        cost = elements_of(padded) * x.dtype.size / cost_model.COPY_BYTES
        parallel_call(self.writer, math.prod(dims(padded)[:-2]), cost, write)

    def compute(self, function: str, *arrays: Expression) -> None:
        self.writer.call(function, *arrays, self.blocks(), self.groups, self.geometry)

    def depthwise(
        self, function: str, images: Value, filters: Value, lines: Value, chunked: str
    ) -> None:
        """One channel after another. Chunks are of lines or of images; the gradient of filters adds
        all up.
        """
        weights = _matrix(self.writer.read(filters), self.filters.shape)

        def write(first: Expression, count: Expression) -> None:
            arrays = self.spacious(images), weights, self.matrix(lines)
            if chunked == "images":
                length, last = math.prod(self.layout.counts), first + count
                part = slice(first * length, last * length)
                arrays = arrays[0][first:last], weights, arrays[2][part]
            more = (first, count) if chunked == "lines" else ()
            self.writer.call(function, *arrays, *more, self.geometry)

        image_lines = dims(self.x)[0] * math.prod(self.layout.counts[:-1])
        trip_count = {"lines": image_lines, "images": dims(self.x)[0], "all": 1}[chunked]
        elements = size_of(dims(lines)) * math.prod(self.layout.sizes)
        cost = elements * cost_model.WINDOW_ELEMENT
        parallel_call(self.writer, trip_count, cost, write)

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
        arrays: list[Value],
        count: int,
        more: tuple[bool, ...] = (),
    ) -> None:
        """`count` tiles of lines, whose filters may be turned, or vectors of channels; `arrays` are
        images and two matrices.
        """
        images, *matrices = arrays
        operands = [self.spacious(images), *map(self.matrix, matrices)]

        def write(first: Expression, count: Expression) -> None:
            self.writer.call(function, *operands, first, count, *more, _geometry(layout))

        parallel_call(self.writer, count, self.cost(), write)

    def convolve_tiles(
        self, tile: Tile, layout: Windows, arrays: list[Value], turned: bool
    ) -> None:
        images, *outer, _ = dims(self.x)[0], *layout.counts
        high = outer.pop() if outer else 1
        count = images * math.prod(outer) * -(-high // tile.down.results)
        self.tiles(tile.name("lines"), layout, arrays, count, (turned,))

    # ---- windows that are not copied ---------------------------------------------------------

    def is_direct(self, layout: Windows, least: int = 1) -> bool:
        """Whether the windows are multiplied where they lie; tiles should not be mostly empty."""
        wide = layout.counts[-1]
        computed = -(-wide // tile_rows()) * tile_rows()
        is_full = computed <= thresholds.MOST_EMPTY * wide
        return not self.is_depthwise and is_full and wide >= least

    def direct(self, word: str, columns: int, *arguments: Operand) -> None:
        name = f"direct_{word}_{self.x.dtype.numpy_dtype.name}_{columns}"
        self.writer.call(name, *arguments)

    def cost(self) -> float:
        """About how many nanoseconds the products take."""
        depth = math.prod(self.layout.sizes) * self.inner
        results = dims(self.x)[0] * math.prod(self.layout.counts) * dims(self.filters)[-1]
        return results * depth * self.x.dtype.size / cost_model.PRODUCT_BYTES

    def lines(self, x: Value, layout: Windows, weights: Expression, out: Value) -> None:
        """The windows of `x`, which has a name, times the matrix `weights`."""
        writer, groups, shape = self.writer, self.groups, dims(out)
        columns, depth = shape[-1] // groups, math.prod(layout.sizes) * (dims(x)[-1] // groups)
        width = packed_width(self.x.dtype.numpy_dtype.name, columns)
        packed = Value(self.x.dtype, (groups, depth * width), "packed")
        filters = self.keep(packed)
        self.direct("pack", columns, weights, filters)
        x = self.padded(x, True, layout)
        arrays = (self.spacious(x), filters, self.matrix(out))

        def write(first: Expression, count: Expression) -> None:
            self.direct("lines", columns, *arrays, first, count, _geometry(layout))

        trip_count = math.prod(layout.counts[:-1]) * dims(x)[0]
        parallel_call(writer, trip_count, self.cost(), write)

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

    def lines_back(self, dy: Value, out: Value) -> bool:
        """That gradient by the direct kernels; False where they do not apply."""
        back = self.layout_back()
        if back is None or not self.is_direct(back) or min(map(min, back.margins)) < 0:
            return False
        columns, positions = dims(self.filters)[-1] // self.groups, math.prod(back.sizes)
        shape = (positions * columns, self.groups * self.inner)
        turned = self.memory(shape, "turned")
        self.direct("turned", columns, self.matrix(self.filters), turned, self.inner)
        self.lines(dy, back, turned, out)
        return True

    def filter_tiles(self, x: Value, dy: Value, out: Expression) -> None:
        """The gradient with respect to filters: tiles of it, by threads."""
        layout, groups = self.layout, self.groups
        dtype_name, columns = self.x.dtype.numpy_dtype.name, dims(dy)[-1] // groups
        depth, count = math.prod(layout.sizes) * self.inner, math.prod(dims(dy)[:-1])
        edges = Value(
            self.x.dtype, (count, groups, max(narrow_columns(dtype_name, columns), 1)), "edges"
        )
        packed = Value(self.x.dtype, (groups, depth, packed_width(dtype_name, columns)), "packed")
        array, matrix = (self.keep(edges), self.keep(packed)), self.matrix(dy)
        self.direct("edges", columns, matrix, array[0])
        self.writer.let(array[1][:], 0)
        arrays = (self.spacious(x), matrix, *array)

        def write(first: Expression, count: Expression) -> None:
            self.direct("filters", columns, *arrays, first, count, self.geometry)

        whole = layout.dilations[-1] == 1 and groups == 1
        run = self.inner * (layout.sizes[-1] if whole else 1)
        trip_count = groups * depth // run * -(-run // tile_rows())
        parallel_call(self.writer, trip_count, self.cost(), write)
        self.direct("unpack", columns, array[1], out)

    def end(self) -> None:
        for value in self.scratch:
            self.writer.release(value)


def _convolution(writer: KernelWriter, node: Node) -> None:
    (x, filters), output = node.inputs, node.output
    form = _Convolution(writer, node, x, filters)
    writer.buffer(output)
    y, weights, layout = form.matrix(output), form.matrix(filters), form.layout
    if {*layout.sizes, *layout.strides, form.groups} == {1} and not _is_padded(layout):
        rows, columns = math.prod(dims(x)[:-1]), dims(filters)[-1]
        sizes = ProductSizes(rows, columns, dims(x)[-1], x.dtype)
        blocks = product_blocks(sizes, host_target())
        product(writer, (form.matrix(x), weights, y), sizes, blocks)
        return
    if tile := form.tile(layout):
        form.convolve_tiles(tile, layout, [x, filters, output], False)
    elif form.is_depthwise:
        form.depthwise("windows_depthwise", form.padded(x, True), filters, output, "lines")
    elif form.is_direct(layout):
        form.lines(x, layout, weights, output)
    else:
        form.compute("windows_convolve", form.spacious(form.padded(x, True)), weights, y)
    form.end()


def _convolution_filters(writer: KernelWriter, node: Node) -> None:
    (x, _, dy), output = node.inputs, node.output
    form = _Convolution(writer, node, x, output)
    writer.buffer(output)
    out, layout = form.matrix(output), form.layout
    if tile := form.tile(layout, tile_of_filters):
        count = most_vectors(tile, dims(x)[-1])
        form.tiles(tile.name("filters"), layout, [x, output, dy], count)
    elif form.is_depthwise:
        form.depthwise("windows_depthwise_filters", form.padded(x, True), output, dy, "all")
    elif form.is_direct(layout, thresholds.LONG_LINE):
        form.filter_tiles(form.padded(x, True), dy, out)
    else:
        images = form.spacious(form.padded(x, True))
        form.compute("windows_convolve_filters", images, out, form.matrix(dy))
    form.end()


def _convolution_input(writer: KernelWriter, node: Node) -> None:
    (_, filters, dy), output = node.inputs, node.output
    form = _Convolution(writer, node, output, filters)
    writer.buffer(output)
    back = form.layout_back()
    if back and (tile := form.tile(back)):
        form.convolve_tiles(tile, back, [dy, filters, output], True)
    elif form.is_depthwise or not form.lines_back(dy, output):
        padded = form.padded(output, False)
        images = form.spacious(padded)
        if form.is_depthwise:
            form.depthwise("windows_depthwise_input", padded, filters, dy, "images")
        else:
            weights = form.matrix(filters)
            form.compute("windows_convolve_input", images, weights, form.matrix(dy))
        if _is_padded(form.layout):
            writer.call("windows_crop", images, form.spacious(output), form.geometry)
    form.end()


# ---- pooling ---------------------------------------------------------------------------------


def _pool(function: str, arrays: tuple[int, ...], over_result: bool = False):
    """A form that calls `function` with the `arrays` among the operands, and the result: for some
    lines, or some images where windows give back.
    """

    def write_form(writer: KernelWriter, node: Node) -> None:
        whole = node.output if over_result else node.inputs[0]
        layout = _layout(node, dims(whole), node.attrs["ksize"])
        writer.buffer(node.output)
        values = [*(node.inputs[i] for i in arrays), node.output]
        lowest = np.asarray(lowest_of(whole.dtype.numpy_dtype), whole.dtype.numpy_dtype)
        more = [writer.literal(lowest)] if function == "windows_max" else []
        by_images = function.endswith("gradient")

        def write(first: Expression, count: Expression) -> None:
            images = [_spacious(writer.read(value), dims(value)) for value in values]
            if by_images:
                last = first + count
                images = [array[first:last] for array in images]
            positions = () if by_images else (first, count)
            writer.call(function, *images, *more, *positions, _geometry(layout))

        lines = dims(whole)[0] * math.prod(layout.counts[:-1])
        elements = dims(whole)[0] * math.prod(layout.counts) * dims(whole)[-1]
        cost = elements * math.prod(layout.sizes) * cost_model.WINDOW_ELEMENT
        parallel_call(writer, dims(whole)[0] if by_images else lines, cost, write)

    return write_form


FORMS = {
    "convolution": _convolution,
    "convolution_filters": _convolution_filters,
    "convolution_input": _convolution_input,
    "max_pool": _pool("windows_max", (0,)),
    "avg_pool": _pool("windows_mean", (0,)),
    "max_pool_gradient": _pool("windows_max_gradient", (0, 1, 2)),
    "avg_pool_gradient": _pool("windows_mean_gradient", (1,), over_result=True),
}


def _on_a_grid(writer, node: Node) -> None:
    """The form for the threads of a device."""
    from .on_a_grid import FORMS as OF_A_GRID  # it loads what only devices need

    name, output = node.op.name, node.output
    if name.startswith("convolution"):
        images = output if name == "convolution_input" else node.inputs[0]
        filters = output if name == "convolution_filters" else node.inputs[1]
        layout = _layout(node, dims(images), dims(filters)[:-2])
    else:
        images = output if name == "avg_pool_gradient" else node.inputs[0]
        layout = _layout(node, dims(images), node.attrs["ksize"])
    OF_A_GRID[name](writer, node, layout)


FORMS |= {f"{name} on a grid": _on_a_grid for name in FORMS}
