"""Index maps: views of arrays as affine functions from the index of an element to that in memory.

Sizes and starts are integers where they are known while tracing, else scalars of the graph.
"""

from __future__ import annotations

from typing import NamedTuple

from .graph import Value
from .indexing import Slot

Scalar = int | Value


class Pick(NamedTuple):
    """One index of an axis, negative from the end; it may be out of range."""

    at: Scalar


class Along(NamedTuple):
    """The index `start + step * i`, for the index i along `axis` of the view. It fits."""

    axis: int
    start: Scalar
    step: int


class IndexMap(NamedTuple):
    """The view of `source` with these entries, one for each of its axes; the view has `shape`."""

    source: Value
    entries: tuple[Pick | Along, ...]
    shape: tuple

    @property
    def is_identity(self) -> bool:
        whole = tuple(Along(axis, 0, 1) for axis in range(len(self.shape)))
        return self.entries == whole and self.shape == self.source.shape

    def moved(self, axes: list[int | None], shape: tuple) -> IndexMap:
        """The view of this view whose axis number `axes[i]` is axis i of this one."""
        entries = [
            entry._replace(axis=axes[entry.axis])
            if type(entry) is Along and axes[entry.axis] is not None
            else Pick(entry.start) if type(entry) is Along else entry
            for entry in self.entries
        ]  # fmt: skip
        return IndexMap(self.source, tuple(entries), shape)

    def template(self) -> tuple[tuple, list[Value]]:
        """The attribute `index` of the operation `window`, and the scalars of its Slots."""
        scalars: list[Value] = []

        def slot(one: Scalar):
            if isinstance(one, int):
                return int(one)
            scalars.append(one)
            return Slot(len(scalars) - 1)

        index = tuple(
            slot(entry.at) if type(entry) is Pick else (entry.axis, slot(entry.start), entry.step)
            for entry in self.entries
        )
        return index, scalars


def whole(value: Value) -> IndexMap:
    """The view of all elements."""
    shape = value.shape or ()
    return IndexMap(value, tuple(Along(axis, 0, 1) for axis in range(len(shape))), shape)
