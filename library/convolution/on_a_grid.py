"""Convolution and pooling by the threads of a device: each computes some elements of the result.

Gradients are gathered: an element looks for the windows that hold it, so that no two threads write
one. The gradient of filters has few elements, and many terms of each: these are divided into parts
whose number the shape decides, so that a sum does not depend on the grid.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

import numpy as np

from ...extend.graphs import Node, dims, elements_of
from ...extend.kernels import (
    LARGER,
    Expression,
    GridWriter,
    Name,
    Operand,
    as_node,
    computed,
    decoded,
    named,
)
from ...extend.specs import lowest_of
from .window_geometry import Windows

SIDE = 4  # results of one thread, beside each other along the width, and apart along the channels
TILED_FROM = 1 << 18  # results, from which on threads compute several
MOST_PARTS = 64  # of the terms of a filter
FEW_FILTERS = 1 << 16  # elements, below which the terms of each are divided


class Geometry:
    """The windows of a node, as expressions of the indices of elements."""

    def __init__(self, writer: GridWriter, layout: Windows, space: Sequence[int]):
        self.writer, self.layout, self.space = writer, layout, tuple(space)
        self.name = writer.unused("w")
        self.axes = range(len(self.space))
        self.inner = [self.name.with_suffix(f"_in{axis}") for axis in self.axes]
        self.places = [self.name.with_suffix(f"_at{axis}") for axis in self.axes]

    def start(self, axis: int, window: Operand) -> Expression:
        """Where a window starts along an axis of the array; it may be in the margin."""
        return as_node(window) * self.layout.strides[axis] - self.layout.margins[axis][0]

    def place(self, axis: int, window: Operand) -> Expression:
        """Where the element `inner` of a window lies along an axis of the array."""
        return self.start(axis, window) + self.inner[axis] * self.layout.dilations[axis]

    @contextmanager
    def elements(self, windows: Sequence[Operand]) -> Iterator[None]:
        """A loop over the elements of a window that are in the array, at `places`."""
        writer, layout = self.writer, self.layout
        with ExitStack() as stack:
            for axis in self.axes:
                stack.enter_context(writer.loop(self.inner[axis], layout.sizes[axis]))
                writer.let(self.places[axis], self.place(axis, windows[axis]))
                if any(layout.margins[axis]):
                    is_inside = self.places[axis].is_index_of(self.space[axis])
                    stack.enter_context(writer.when(is_inside))
            yield

    @contextmanager
    def windows(self, places: Sequence[Operand]) -> Iterator[None]:
        """A loop over the windows that hold an element of the array: their numbers are `places`."""
        writer, layout = self.writer, self.layout
        with ExitStack() as stack:
            for axis in self.axes:
                stack.enter_context(writer.loop(self.inner[axis], layout.sizes[axis]))
                own, step = self.places[axis], layout.strides[axis]
                start = as_node(places[axis]) + layout.margins[axis][0]
                writer.let(own, start - self.inner[axis] * layout.dilations[axis])
                is_window = as_node(0) <= own
                if step > 1:
                    is_window = is_window.joined("and", (own % step).equals(0))
                stack.enter_context(writer.when(is_window))
                writer.let(own, own // step)
                stack.enter_context(writer.when(own < layout.counts[axis]))
            yield

    def count(self, windows: Sequence[Operand]) -> Expression:
        """How many elements of a window are in the array."""
        product = as_node(1)
        for axis in self.axes:
            start = self.start(axis, windows[axis])
            stop = named("min")(start + self.layout.sizes[axis], self.space[axis])
            product = product * (stop - named("max")(start, 0))
        return product


def _indices(writer: GridWriter, flat: str, shape: Sequence[int]) -> tuple[Name, ...]:
    """The indices of an element of an array."""
    return decoded(writer, flat, range(len(shape)), shape)


# ---- convolution -------------------------------------------------------------------------------


def convolution(writer: GridWriter, node: Node, layout: Windows) -> None:
    """Each thread computes some results, of neighbors of which the filters are read once."""
    (x, filters), output = node.inputs, node.output
    writer.buffer(output)
    shape, groups = dims(output), node.attrs["groups"]
    wide, channels = shape[-2:]
    is_many = elements_of(output) >= TILED_FROM
    across = SIDE if is_many and not wide % SIDE else 1
    apart = SIDE if is_many and groups == 1 and not channels % SIDE else 1
    tiles = (*shape[:-2], wide // across, channels // apart)
    dtype, geometry = named(f"np.{output.dtype.name}"), Geometry(writer, layout, dims(x)[1:-1])
    name, inner, step = writer.unused("s"), dims(filters)[-2], channels // apart
    sums = {(p, q): name.with_suffix(f"_{p}_{q}") for p in range(across) for q in range(apart)}
    left = [name.with_suffix(f"_x{p}") for p in range(across)]
    with writer.over_threads("k", math.prod(tiles)):
        image, *windows, channel = _indices(writer, "k", tiles)
        own = [windows[-1] * across + p if across > 1 else windows[-1] for p in range(across)]
        for total in sums.values():
            writer.let(total, dtype(0))
        first = channel // (channels // groups) * inner if groups > 1 else as_node(0)
        with ExitStack() as stack:
            tall = Geometry(writer, _without_last(layout), dims(x)[1:-2])
            stack.enter_context(tall.elements(windows[:-1]))
            last, axis = geometry.inner[-1], len(layout.sizes) - 1
            stack.enter_context(writer.loop(last, layout.sizes[-1]))
            stack.enter_context(writer.loop("t", inner))
            for item, window in zip(left, own, strict=True):
                place = item.with_suffix("_at")
                writer.let(place, geometry.place(axis, window))
                element = writer.read(x)[(image, *tall.places, place, first + "t")]
                if any(layout.margins[-1]):
                    writer.let(item, dtype(0))
                    with writer.when(place.is_index_of(dims(x)[-2])):
                        writer.let(item, element)
                else:
                    writer.let(item, element)
            for q in range(apart):
                weight = name.with_suffix(f"_f{q}")
                at = (*tall.inner, last, "t", channel + q * step if q else channel)
                writer.let(weight, writer.read(filters)[at])
                for p in range(across):
                    writer.let(sums[p, q], dtype(sums[p, q] + dtype(left[p] * weight)))
        for (p, q), total in sums.items():
            at = image, *windows[:-1], own[p], channel + q * step if q else channel
            writer.let(writer.read(output)[at], total)


def _without_last(layout: Windows) -> Windows:
    """The windows along all axes but the last one."""
    return Windows(*(field[:-1] for field in layout))


def convolution_input(writer: GridWriter, node: Node, layout: Windows) -> None:
    """The gradient of the array: each element adds up what the windows give that hold it."""
    (_, filters, dy), output = node.inputs, node.output
    writer.buffer(output)
    shape, inner = dims(output), dims(filters)[-2]
    own = dims(dy)[-1] // node.attrs["groups"]
    dtype, geometry = named(f"np.{output.dtype.name}"), Geometry(writer, layout, shape[1:-1])
    total = writer.unused("s")
    with writer.over_threads("k", elements_of(output)):
        image, *places, channel = _indices(writer, "k", shape)
        writer.let(total, dtype(0))
        with geometry.windows(places), writer.loop("t", own):
            result = channel // inner * own + "t"
            back = writer.read(dy)[(image, *geometry.places, result)]
            weight = writer.read(filters)[(*geometry.inner, channel % inner, result)]
            writer.let(total, dtype(total + dtype(back * weight)))
        writer.let(writer.read(output)[(image, *places, channel)], total)


def convolution_filters(writer: GridWriter, node: Node, layout: Windows) -> None:
    """The gradient of the filters: each element adds up products over all windows, in parts."""
    (x, _, dy), output = node.inputs, node.output
    target, size, lines = writer.buffer(output), elements_of(output), math.prod(dims(dy)[:2])
    parts = min(MOST_PARTS, lines) if size < FEW_FILTERS else 1
    writer.synchronize(writer.position(), writer.accesses(node.inputs, [output]))
    dtype, flat = named(f"np.{output.dtype.name}"), target.with_suffix("_flat")
    writer.let(flat, named("reshaped")(target, (size,)))
    sums = writer.scratch(output.dtype.numpy_dtype, size * parts) if parts > 1 else flat
    geometry, total = Geometry(writer, layout, dims(x)[1:-1]), writer.unused("s")
    *_, inner, channels = dims(output)
    own = channels // node.attrs["groups"]
    counts, line = dims(dy)[1:-1], total.with_suffix("_line")
    windows = [total.with_suffix(f"_{axis}") for axis in range(len(counts))]
    with writer.over_threads("k", size * parts):
        writer.let("j", Name("k") % size if parts > 1 else "k")
        *positions, within, channel = _indices(writer, "j", dims(output))
        writer.let(total, dtype(0))
        with ExitStack() as stack:
            start = Name("k") // size if parts > 1 else as_node(0)
            stack.enter_context(writer.loop(line, start, lines, parts))
            writer.let(windows[0], line % counts[0])
            for axis, (window, place) in enumerate(zip(windows, geometry.places, strict=True)):
                if axis:
                    stack.enter_context(writer.loop(window, counts[axis]))
                writer.let(geometry.inner[axis], positions[axis])
                writer.let(place, geometry.place(axis, window))
                if any(layout.margins[axis]):
                    stack.enter_context(writer.when(place.is_index_of(geometry.space[axis])))
            image, first = line // counts[0], channel // own * inner
            element = writer.read(x)[(image, *geometry.places, first + within)]
            back = writer.read(dy)[(image, *windows, channel)]
            writer.let(total, dtype(total + dtype(element * back)))
        writer.let(sums["k"], total)
    if parts > 1:
        writer.barrier()
        with writer.over_threads("k", size):
            writer.let(total, dtype(0))
            with writer.loop("t", parts):
                writer.let(total, dtype(total + sums[Name("t") * size + "k"]))
            writer.let(flat["k"], total)
        writer.pending |= writer.accesses((), (), reads=[sums])


# ---- pooling -----------------------------------------------------------------------------------


def max_pool(writer: GridWriter, node: Node, layout: Windows) -> None:
    (x,), output = node.inputs, node.output
    writer.buffer(output)
    geometry, best = Geometry(writer, layout, dims(x)[1:-1]), writer.unused("s")
    lowest = np.asarray(lowest_of(x.dtype.numpy_dtype), x.dtype.numpy_dtype)
    item = best.with_suffix("_item")
    with writer.over_threads("k", elements_of(output)):
        image, *windows, channel = _indices(writer, "k", dims(output))
        writer.let(best, writer.literal(lowest))
        with geometry.elements(windows):
            writer.let(item, writer.read(x)[(image, *geometry.places, channel)])
            writer.let(best, computed(writer, LARGER, {"old": best, "new": item}, x.dtype))
        writer.let(writer.read(output)[(image, *windows, channel)], best)


def avg_pool(writer: GridWriter, node: Node, layout: Windows) -> None:
    (x,), output = node.inputs, node.output
    writer.buffer(output)
    geometry, total = Geometry(writer, layout, dims(x)[1:-1]), writer.unused("s")
    dtype = named(f"np.{output.dtype.name}")
    with writer.over_threads("k", elements_of(output)):
        image, *windows, channel = _indices(writer, "k", dims(output))
        writer.let(total, dtype(0))
        with geometry.elements(windows):
            writer.let(total, total + writer.read(x)[(image, *geometry.places, channel)])
        mean = total / dtype(geometry.count(windows))
        writer.let(writer.read(output)[(image, *windows, channel)], mean)


def max_pool_gradient(writer: GridWriter, node: Node, layout: Windows) -> None:
    """Each element adds up the cotangents of the windows whose first largest one it is."""
    (x, y, dy), output = node.inputs, node.output
    writer.buffer(output)
    geometry, total = Geometry(writer, layout, dims(x)[1:-1]), writer.unused("s")
    others = Geometry(writer, layout, dims(x)[1:-1])
    largest, is_first = total.with_suffix("_largest"), total.with_suffix("_first")
    dtype = named(f"np.{output.dtype.name}")
    with writer.over_threads("k", elements_of(output)):
        image, *places, channel = _indices(writer, "k", dims(output))
        writer.let(total, dtype(0))
        with geometry.windows(places):
            at = (image, *geometry.places, channel)
            writer.let(largest, writer.read(y)[at])
            own = writer.read(x)[(image, *places, channel)]
            writer.let(is_first, own.equals(largest))
            with writer.when(is_first), others.elements(geometry.places):
                other = writer.read(x)[(image, *others.places, channel)]
                is_before = _is_before(others.inner, geometry.inner)
                with writer.when(is_before.joined("and", other.equals(largest))):
                    writer.let(is_first, as_node(False))
            with writer.when(is_first):
                writer.let(total, dtype(total + writer.read(dy)[at]))
        writer.let(writer.read(output)[(image, *places, channel)], total)


def _is_before(first: Sequence[Name], second: Sequence[Name]) -> Expression:
    """Whether a place comes before another one, row after row."""
    *outer, test = (one < other for one, other in zip(first, second, strict=True))
    for axis in reversed(range(len(outer))):
        rest = first[axis].equals(second[axis]).joined("and", test)
        test = outer[axis].joined("or", rest)
    return test


def avg_pool_gradient(writer: GridWriter, node: Node, layout: Windows) -> None:
    (_, dy), output = node.inputs, node.output
    writer.buffer(output)
    geometry, total = Geometry(writer, layout, dims(output)[1:-1]), writer.unused("s")
    dtype = named(f"np.{output.dtype.name}")
    with writer.over_threads("k", elements_of(output)):
        image, *places, channel = _indices(writer, "k", dims(output))
        writer.let(total, dtype(0))
        with geometry.windows(places):
            share = dtype(geometry.count(geometry.places))
            back = writer.read(dy)[(image, *geometry.places, channel)]
            writer.let(total, total + back / share)
        writer.let(writer.read(output)[(image, *places, channel)], total)


FORMS: dict[str, Callable[[GridWriter, Node, Windows], None]] = {
    form.__name__: form
    for form in (
        convolution, convolution_input, convolution_filters,
        max_pool, avg_pool, max_pool_gradient, avg_pool_gradient,
    )
}  # fmt: skip
