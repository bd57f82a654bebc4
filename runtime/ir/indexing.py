"""Index templates: the static form of `x[...]` in a graph."""

from __future__ import annotations

from typing import NamedTuple

from ..core.errors import ShapeError


class Slot(NamedTuple):
    """A place in an index template that a run-time scalar fills: input number `place`."""

    place: int


def expanded(index: tuple, rank: int) -> list:
    """The template with the Ellipsis written out, a row for every axis and every new axis."""
    used = sum(row is not None and row is not Ellipsis for row in index)
    if used > rank:
        raise ShapeError(f"{used} indices for a tensor of rank {rank}")
    full = [(None, None, None)] * (rank - used)
    place = next((place for place, row in enumerate(index) if row is Ellipsis), len(index))
    return [*index[:place], *full, *index[place + 1 :]]


def slice_length(row, size):
    if row[2] == 0:
        raise ShapeError("the step of a slice is 0")
    if row == (None, None, None):
        return size
    if size is None or any(type(part) is Slot for part in row):
        return None
    return len(range(*slice(*row).indices(size)))
