"""Nodes that put elements together: batches, padded batches, windows, and the way back."""

from __future__ import annotations

import itertools

import numpy as np

from ....runtime.core.errors import InvalidArgumentError
from ....runtime.core.shapes import show
from ..elements.element_structure import row
from ..elements.nodes import INFINITE, UNKNOWN, Node, boxed, positive
from .sources import Slices


class Batch(Node):
    """As many elements as `size`, stacked; the last batch may be smaller unless `drop`."""

    def __init__(self, source, size, *, drop):
        self.source = source
        self.size = positive(size, "batch_size")
        self.drop = drop

    def elements(self):
        if isinstance(self.source, Slices):
            return self._slices(self.source)
        return self._stacked()

    def _slices(self, source):
        """Batches of rows are slices already."""
        stop = source.count - source.count % self.size if self.drop else source.count
        for start in range(0, stop, self.size):
            yield tuple(array[start : min(start + self.size, stop)] for array in source.arrays)

    def _stacked(self):
        for rows in groups(self.source.elements(), self.size, self.drop):
            yield tuple(map(self.together, zip(*rows, strict=True)))

    def together(self, parts):
        return stacked(parts)

    def cardinality(self):
        inner = self.source.cardinality()
        if inner < 0:
            return inner
        return inner // self.size if self.drop else -(-inner // self.size)


def groups(elements, size: int, drop: bool):
    """Lists of `size` elements; the last one may be shorter unless `drop`."""
    while rows := list(itertools.islice(elements, size)):
        if len(rows) == size or not drop:
            yield rows


def stacked(parts) -> np.ndarray:
    """Equally shaped arrays along a new first axis."""
    first = parts[0].shape
    for part in parts:
        if part.shape != first:
            raise InvalidArgumentError(
                "batch: the elements differ in shape: first "
                f"{show(first)}, then {show(part.shape)}",
                "Use padded_batch for elements of different shapes.",
            )
    if parts[0].dtype != object:
        return np.array(parts, parts[0].dtype)
    made = np.empty((len(parts), *first), object)
    for index, part in enumerate(parts):
        made[index] = part[()] if not first else part
    return made


class PaddedBatch(Batch):
    """Batches of elements that are filled up to one shape."""

    def __init__(self, source, size, *values, drop, shapes):
        super().__init__(source, size, drop=drop)
        self.values = values
        self.shapes = shapes

    def elements(self):
        for rows in groups(self.source.elements(), self.size, self.drop):
            columns = zip(*rows, strict=True)
            yield tuple(
                padded(parts, shape, value)
                for parts, shape, value in zip(columns, self.shapes, self.values, strict=True)
            )


def padded(parts, shape, value) -> np.ndarray:
    """Arrays stacked, each filled up at its end; None in `shape`: up to the largest."""
    if any(part.ndim != len(shape) for part in parts):
        ranks = sorted({part.ndim for part in parts})
        raise InvalidArgumentError(
            f"padded_batch: elements of rank {ranks} do not fit the padded shape {show(shape)}"
        )
    sizes = []
    for axis, size in enumerate(shape):
        largest = max(part.shape[axis] for part in parts)
        if size is not None and largest > size:
            raise InvalidArgumentError(
                f"padded_batch: an element has {largest} entries along axis {axis}, more than "
                f"the padded size {size}"
            )
        sizes.append(largest if size is None else size)
    made = np.empty((len(parts), *sizes), parts[0].dtype)
    made[...] = np.asarray(value)
    for index, part in enumerate(parts):
        made[(index, *map(slice, part.shape))] = part
    return made


class Unbatch(Node):
    """The rows of each element."""

    def __init__(self, source, *, rows):
        self.source = source
        self.rows = rows  # of each element, where that is known

    def elements(self):
        for arrays in self.source.elements():
            if any(array.ndim == 0 for array in arrays):
                raise InvalidArgumentError("unbatch: a scalar has no rows")
            if len({len(array) for array in arrays}) > 1:
                shapes = ", ".join(show(array.shape) for array in arrays)
                raise InvalidArgumentError(
                    f"unbatch: the first dimensions of an element differ: {shapes}"
                )
            for index in range(len(arrays[0])):
                yield tuple(row(array, index) for array in arrays)

    def cardinality(self):
        inner = self.source.cardinality()
        if inner in (0, INFINITE):
            return inner
        return UNKNOWN if self.rows is None or inner < 0 else inner * self.rows


class Window(Node):
    """Datasets of `size` elements each, which begin `shift` apart and take each `stride`th."""

    def __init__(self, source, size, shift, stride, *, drop):
        self.source = source
        self.size = positive(size, "window: size")
        self.shift = positive(shift, "window: shift")
        self.stride = positive(stride, "window: stride")
        self.drop = drop

    def elements(self):
        elements = self.source.elements()
        span = (self.size - 1) * self.stride + 1
        held: list = []
        while True:
            held += itertools.islice(elements, span - len(held))
            if not held or (self.drop and len(held) < span):
                return
            columns = zip(*held[:: self.stride], strict=True)
            yield tuple(boxed(Elements([(part,) for part in parts])) for parts in columns)
            if len(held) > self.shift:
                del held[: self.shift]
            else:
                gap = self.shift - len(held)
                held.clear()
                if len(list(itertools.islice(elements, gap))) < gap:
                    return

    def cardinality(self):
        inner = self.source.cardinality()
        if inner < 0:
            return inner
        if not self.drop:
            return -(-inner // self.shift)
        return max(0, (inner - (self.size - 1) * self.stride - 1) // self.shift + 1)


class Elements(Node):
    """Elements held in a list."""

    def __init__(self, rows: list):
        self.rows = rows

    def elements(self):
        return iter(self.rows)

    def cardinality(self):
        return len(self.rows)
