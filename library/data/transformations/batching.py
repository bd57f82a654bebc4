"""Nodes that batch elements: batches, padded batches, windows; and unbatching."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from ....extend.errors import InvalidArgumentError
from ....extend.specs import CompositeSpec, show
from ..elements.element_structure import slice_of
from ..elements.nodes import INFINITE, UNKNOWN, Node, boxed, positive_int
from .sources import Slices


class Batch(Node):
    """Batches of `size` stacked elements; the last one may be smaller unless `drop`."""

    def __init__(self, source, size, *, drop, leaves=()):
        self.source = source
        self.size = positive_int(size, "batch_size")
        self.drop = drop
        self.leaves = leaves  # how those of the elements are stacked, where not all are tensors

    def elements(self):
        if self.leaves:
            return self._stacked_leaves()
        if isinstance(self.source, Slices):
            return self._slices(self.source)
        return self._stacked()

    def _slices(self, source):
        """Batches of the slices of arrays are slices of the arrays."""
        stop = source.count - source.count % self.size if self.drop else source.count
        for start in range(0, stop, self.size):
            yield tuple(array[start : min(start + self.size, stop)] for array in source.arrays)

    def _stacked(self):
        for batch in batches_of(self.source.elements(), self.size, self.drop):
            yield tuple(map(self.stack_components, zip(*batch, strict=True)))

    def _stacked_leaves(self):
        for batch in batches_of(self.source.elements(), self.size, self.drop):
            columns = list(zip(*batch, strict=True))
            result: list = []
            for leaf in self.leaves:
                parts = [columns.pop(0) for _ in range(leaf.components)]
                result += leaf.stack(list(zip(*parts, strict=True)))
            yield tuple(result)

    def stack_components(self, components):
        return stacked(components)

    def cardinality(self):
        count = self.source.cardinality()
        if count < 0:
            return count
        return count // self.size if self.drop else -(-count // self.size)


class Leaf(NamedTuple):
    """How a leaf of elements is stacked: one component, or those of a composite specification."""

    spec: CompositeSpec | None = None
    is_dense: bool = False  # whether the elements are arrays, which become rows of a ragged tensor

    @property
    def components(self) -> int:
        """The number of flat components."""
        return 1 if self.spec is None or self.is_dense else len(self.spec.component_specs)

    def stack(self, rows: list[tuple]) -> tuple:
        if self.spec is None:
            return (stacked([one for (one,) in rows]),)
        if self.is_dense:
            rows = [self.spec.components_of(np.asarray(one)) for (one,) in rows]  # type: ignore[attr-defined]
        return self.spec.stacked(rows)

    def slices(self, components: tuple) -> list[tuple]:
        """The flat components of each slice along the first axis."""
        if self.spec is not None:
            return self.spec.slices(components)
        (array,) = components
        return [(slice_of(array, index),) for index in range(len(array))]


def batches_of(elements, size: int, drop: bool):
    """Lists of `size` elements; the last one may be shorter unless `drop`."""
    while batch := list(itertools.islice(elements, size)):
        if len(batch) == size or not drop:
            yield batch


def stacked(components) -> np.ndarray:
    """Arrays of one shape stacked along a new first axis."""
    first = components[0].shape
    for component in components:
        if component.shape != first:
            raise InvalidArgumentError(
                "batch: the elements differ in shape: first "
                f"{show(first)}, then {show(component.shape)}",
                "Use padded_batch for elements of different shapes.",
            )
    if components[0].dtype != object:
        return np.array(components, components[0].dtype)
    result = np.empty((len(components), *first), object)
    for index, component in enumerate(components):
        result[index] = component[()] if not first else component
    return result


class PaddedBatch(Batch):
    """Batches of elements that are padded to one shape."""

    def __init__(self, source, size, *values, drop, shapes):
        super().__init__(source, size, drop=drop)
        self.values = values
        self.shapes = shapes

    def elements(self):
        for batch in batches_of(self.source.elements(), self.size, self.drop):
            columns = zip(*batch, strict=True)
            yield tuple(
                padded(components, shape, value)
                for components, shape, value in zip(columns, self.shapes, self.values, strict=True)
            )


def padded(components, shape, value) -> np.ndarray:
    """Arrays stacked, each padded at its end to `shape`; None: to the largest size."""
    if any(component.ndim != len(shape) for component in components):
        ranks = sorted({component.ndim for component in components})
        raise InvalidArgumentError(
            f"padded_batch: elements of rank {ranks} do not fit the padded shape {show(shape)}"
        )
    sizes = []
    for axis, size in enumerate(shape):
        largest = max(component.shape[axis] for component in components)
        if size is not None and largest > size:
            raise InvalidArgumentError(
                f"padded_batch: an element has {largest} entries along axis {axis}, more than "
                f"the padded size {size}"
            )
        sizes.append(largest if size is None else size)
    result = np.empty((len(components), *sizes), components[0].dtype)
    result[...] = np.asarray(value)
    for index, component in enumerate(components):
        result[(index, *map(slice, component.shape))] = component  # type: ignore[index]
    return result


class Unbatch(Node):
    """The slices of each element along the first axis."""

    def __init__(self, source, *, length, leaves=()):
        self.source = source
        self.length = length  # of each element, where that is known
        self.leaves = leaves  # how those of the elements are cut, where not all are tensors

    def elements(self):
        if self.leaves:
            yield from self._slices_of_leaves()
            return
        for arrays in self.source.elements():
            if any(array.ndim == 0 for array in arrays):
                raise InvalidArgumentError("unbatch: a scalar has no rows")
            if len({len(array) for array in arrays}) > 1:
                shapes = ", ".join(show(array.shape) for array in arrays)
                raise InvalidArgumentError(
                    f"unbatch: the first dimensions of an element differ: {shapes}"
                )
            for index in range(len(arrays[0])):
                yield tuple(slice_of(array, index) for array in arrays)

    def _slices_of_leaves(self):
        for arrays in self.source.elements():
            rest = list(arrays)
            columns = []
            for leaf in self.leaves:
                columns.append(leaf.slices(tuple(rest[: leaf.components])))
                del rest[: leaf.components]
            if len({len(column) for column in columns}) > 1:
                counts = ", ".join(str(len(column)) for column in columns)
                raise InvalidArgumentError(f"unbatch: the first dimensions differ: {counts}")
            for parts in zip(*columns, strict=True):
                yield tuple(array for part in parts for array in part)

    def cardinality(self):
        count = self.source.cardinality()
        if count in (0, INFINITE):
            return count
        return UNKNOWN if self.length is None or count < 0 else count * self.length


class Window(Node):
    """Datasets of `size` elements each, which begin `shift` apart and take each `stride`th."""

    def __init__(self, source, size, shift, stride, *, drop):
        self.source = source
        self.size = positive_int(size, "window: size")
        self.shift = positive_int(shift, "window: shift")
        self.stride = positive_int(stride, "window: stride")
        self.drop = drop

    def elements(self):
        elements = self.source.elements()
        extent = (self.size - 1) * self.stride + 1
        window: list = []
        while True:
            window += itertools.islice(elements, extent - len(window))
            if not window or (self.drop and len(window) < extent):
                return
            columns = zip(*window[:: self.stride], strict=True)
            yield tuple(
                boxed(Elements([(component,) for component in components]))
                for components in columns
            )
            if len(window) > self.shift:
                del window[: self.shift]
            else:
                gap = self.shift - len(window)
                window.clear()
                if len(list(itertools.islice(elements, gap))) < gap:
                    return

    def cardinality(self):
        count = self.source.cardinality()
        if count < 0:
            return count
        if not self.drop:
            return -(-count // self.shift)
        return max(0, (count - (self.size - 1) * self.stride - 1) // self.shift + 1)


class Elements(Node):
    """Elements held in a list."""

    def __init__(self, items: list):
        self.items = items

    def elements(self):
        return iter(self.items)

    def cardinality(self):
        return len(self.items)
