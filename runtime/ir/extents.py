"""Sizes of axes that are computed when the program runs, for native code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.shapes import Shape

if TYPE_CHECKING:
    from .graph import Value


class Extent(int):
    """The size of an axis: as an integer its capacity, which it never exceeds.

    An array with such an axis lies in memory as one of the capacities. Only the elements below
    `length`, a scalar of the graph, are there. More than `limit` of them are unlikely: who takes it
    for the capacity has to check that.
    """

    length: Value
    limit: int

    def __new__(cls, capacity: int, length: Value, limit: int | None = None):
        extent = super().__new__(cls, capacity)
        extent.length = length
        extent.limit = capacity if limit is None else min(capacity, limit)
        return extent

    def __eq__(self, other):
        """Whether both are the same in every call; never, beside a plain integer."""
        if not isinstance(other, Extent):
            return False
        return self.length is other.length and int(self) == int(other)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((int(self), id(self.length)))

    def __repr__(self):
        return f"<={int(self)}"

    __str__ = __repr__  # in generated source, an error


def length_of(size):
    """The number of elements along an axis: a scalar of the graph where it is computed."""
    return size.length if isinstance(size, Extent) else size


def capacities(shape: Shape) -> Shape:
    """The shape of the memory of an array of a shape."""
    return None if shape is None else tuple(None if size is None else int(size) for size in shape)


def has_extents(shape) -> bool:
    """Whether a shape has sizes that are computed."""
    return shape is not None and any(isinstance(size, Extent) for size in shape)
