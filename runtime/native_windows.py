"""The native forms of convolution and pooling: calls of the loops in `window_loops.py`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from .graph import Node, Value
from .loop_nests import NotNativeError
from .ops.pooling import lowest_of
from .ops.window_geometry import Windows, windows
from .shapes import Shape, size_of

if TYPE_CHECKING:
    from .loop_nests import NestWriter

BLOCK = 12 << 20  # bytes of windows that are copied at once
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
        value = Value(self.x.dtype, tuple(shape), word)
        self.scratch.append(value)
        return self.writer.buffer(value, self.depth)

    def call(self, function: str, *arguments: str) -> None:
        text = ", ".join([*arguments, self.geometry])
        self.writer.line(self.depth, f"{function}({text})")

    def blocks(self) -> str:
        wide, lines = self.found.counts[-1], math.prod(self.found.counts[:-1]) * self.x.shape[0]
        width = math.prod(self.found.sizes) * self.inner
        block = BLOCK // (wide * width * self.x.dtype.size)
        return self.memory((max(1, min(block, lines)) * wide, width), "rows")

    def padded(self, name: str, fill: bool) -> str:
        """The array with its margins, if it has any."""
        if not _is_padded(self.found):
            return _spacious(name, self.x.shape)
        shape = self.found.padded_shape(self.x.shape)
        padded = _spacious(self.memory(shape, "padded"), shape)
        if fill:
            self.call("windows_pad", _spacious(name, self.x.shape), padded)
        return padded

    def compute(self, function: str, *arrays: str) -> None:
        if self.is_depthwise:
            self.call(function.replace("convolve", "depthwise"), *arrays)
        else:
            self.call(function, *arrays, self.blocks(), str(self.groups))

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
        writer.line(depth, f"np.dot({_matrix(writer.read(x), x.shape)}, {weights}, {y})")
        return
    one.compute("windows_convolve", one.padded(writer.read(x), True), weights, y)
    one.end()


def _convolution_filters(writer: NestWriter, node: Node, depth: int) -> None:
    x, _, dy = node.inputs
    one = _Convolution(writer, node, depth, x, node.output)
    out = _matrix(writer.buffer(node.output, depth), node.output.shape)
    given = one.padded(writer.read(x), True)
    one.compute("windows_convolve_filters", given, out, _matrix(writer.read(dy), dy.shape))
    one.end()


def _convolution_input(writer: NestWriter, node: Node, depth: int) -> None:
    _, filters, dy = node.inputs
    one = _Convolution(writer, node, depth, node.output, filters)
    out = writer.buffer(node.output, depth)
    made = one.padded(out, False)
    weights = _matrix(writer.read(filters), filters.shape)
    one.compute("windows_convolve_input", made, weights, _matrix(writer.read(dy), dy.shape))
    if _is_padded(one.found):
        one.call("windows_crop", made, _spacious(out, node.output.shape))
    one.end()


# ---- pooling ---------------------------------------------------------------------------------


def _pool(function: str, arrays: tuple[int, ...], over_result: bool = False):
    """A form that calls `function` with the `arrays` among the operands, and the result."""

    def form(writer: NestWriter, node: Node, depth: int) -> None:
        whole = node.output if over_result else node.inputs[0]
        found = _found(node, whole.shape, node.attrs["ksize"])
        out = _spacious(writer.buffer(node.output, depth), node.output.shape)
        given = [_spacious(writer.read(node.inputs[i]), node.inputs[i].shape) for i in arrays]
        if function == "windows_max":
            lowest = np.asarray(lowest_of(whole.dtype.numpy_dtype), whole.dtype.numpy_dtype)
            out += f", {writer.literal(lowest)}"
        writer.line(depth, f"{function}({', '.join([*given, out, _geometry(found)])})")

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
