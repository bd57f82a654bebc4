"""Index templates: the static form of `x[...]` in a graph."""

from __future__ import annotations

from typing import NamedTuple

from ..core.errors import ShapeError


class Slot(NamedTuple):
    """An entry of an index template that is a run-time scalar: input number `position`."""

    position: int


def expanded(index: tuple, rank: int) -> list:
    """The template with the Ellipsis expanded: an entry for every axis and every new axis."""
    if not all(map(_is_row, index)):
        raise ShapeError(f"{index} is not an index")
    used = sum(row is not None and row is not Ellipsis for row in index)
    if used > rank:
        raise ShapeError(f"{used} indices for a tensor of rank {rank}")
    full = [(None, None, None)] * (rank - used)
    position = next((position for position, row in enumerate(index) if row is Ellipsis), len(index))
    return [*index[:position], *full, *index[position + 1 :]]


def _is_row(row) -> bool:
    """Whether an entry of a template is one: generated code contains it as it stands."""
    if type(row) is tuple:
        return len(row) == 3 and all(part is None or type(part) in (int, Slot) for part in row)
    return row is None or row is Ellipsis or type(row) in (int, Slot)


def slice_length(row, size):
    if row[2] == 0:
        raise ShapeError("the step of a slice is 0")
    if row == (None, None, None):
        return size
    if size is None or any(type(part) is Slot for part in row):
        return None
    return len(range(*slice(*row).indices(size)))


def window_positions(ix, x, index: tuple, scalars) -> list[str]:
    """The indices in `x` of the element `ix` of a window, as source."""
    positions = []
    for axis, entry in enumerate(index):
        if type(entry) is not tuple:
            at = scalars[entry.position].at() if type(entry) is Slot else entry
            positions.append(x.index(axis, at))
            continue
        own, start, step = entry
        along = ix[own] if step == 1 else f"{ix[own]} * {step}"
        if type(start) is Slot:
            positions.append(f"({scalars[start.position].at()} + {along})")
        else:
            positions.append(f"({start} + {along})" if start or step != 1 else along)
    return positions
