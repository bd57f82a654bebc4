"""Index templates: the static form of `x[...]` in a graph. Index maps: views of arrays as affine
functions from the index of an element to that in memory.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ..core.classes import NamedTuple
from ..core.errors import ShapeError
from .graph import Value


class Slot(NamedTuple):
    """An entry of an index template that is a run-time scalar: input number `position`. `in_bounds`
    says that it is known to be between 0 and the size of the axis.
    """

    position: int
    in_bounds: bool = False


WHOLE = (None, None, None)  # an axis, in a template


def expanded(index: tuple, rank: int) -> list:
    """The template with the Ellipsis expanded: an entry for every axis and every new axis."""
    if not all(map(_is_row, index)):
        raise ShapeError(f"{index} is not an index")
    used = sum(row is not None and row is not Ellipsis for row in index)
    if used > rank:
        raise ShapeError(f"{used} indices for a tensor of rank {rank}")
    full = [WHOLE] * (rank - used)
    position = next((position for position, row in enumerate(index) if row is Ellipsis), len(index))
    return [*index[:position], *full, *index[position + 1 :]]


def _is_row(row) -> bool:
    """Whether an entry of a template is one: generated code contains it as it stands."""
    if type(row) is tuple:
        return len(row) == 3 and all(part is None or type(part) in (int, Slot) for part in row)
    return row is None or row is Ellipsis or type(row) in (int, Slot)


def picked_axis(axes: tuple[int, ...]) -> int:
    """Where NumPy puts the axes of index arrays: in front unless they are adjacent."""
    return axes[0] if axes == tuple(range(axes[0], axes[0] + len(axes))) else 0


def slice_length(row, size):
    if row[2] == 0:
        raise ShapeError("the step of a slice is 0")
    if row == WHOLE:
        return size
    if size is None or any(type(part) is Slot for part in row):
        return None
    return len(range(*slice(*row).indices(size)))


def is_everything(index: tuple, sizes: tuple) -> bool:
    """Whether a template is that of a whole array of this shape, in order."""
    return all(
        type(row) is tuple
        and not any(type(part) is Slot for part in row)
        and slice(*row).indices(size) == (0, size, 1)
        for row, size in itertools.zip_longest(expanded(index, len(sizes)), sizes)
    )


def row_slot(index: tuple, sizes: tuple) -> Slot | None:
    """The Slot of a template of one whole row along the first axis: `x[i]`; None for others."""
    rows = expanded(index, len(sizes))
    is_row = bool(rows) and type(rows[0]) is Slot and is_everything(tuple(rows[1:]), sizes[1:])
    return rows[0] if is_row else None


def sliced_axes(index: tuple, shape: tuple) -> dict[int, int]:
    """The axes of an array that a template takes whole, and where they are in the result."""
    axes, own, along = {}, 0, 0
    for row in expanded(index, len(shape)):
        if row is not None:
            if type(row) is tuple and is_everything((row,), shape[own : own + 1]):
                axes[own] = along
            own += 1
        along += row is None or type(row) is tuple
    return axes


def picked_axes(axes: tuple[int, ...], result: tuple, shape: tuple, *arrays: tuple) -> list[dict]:
    """For an array of which index arrays pick rows along `axes`, and for each of these: which of
    its axes are which axes of the result.
    """
    begin = picked_axis(axes)
    kept = [at for at in range(len(shape)) if at not in axes]
    count = len(result) - len(kept)
    own = {at: along if along < begin else along + count for along, at in enumerate(kept)}
    picked = result[begin : begin + count]
    return [own, *(_moved_by(begin, broadcast_axes(array, picked)) for array in arrays)]


def _moved_by(steps: int, axes: dict[int, int]) -> dict[int, int]:
    return {at: along + steps for at, along in axes.items()}


def broadcast_axes(shape: tuple, result: tuple) -> dict[int, int]:
    """The axes of an array that is broadcast to the shape of the result, but for repeated ones."""
    offset = len(result) - len(shape)
    return {at: at + offset for at, size in enumerate(shape) if result[at + offset] == size}


def broadcast_index(sizes: Sequence, index: Sequence) -> tuple:
    """The index in an operand of these sizes for an element of what it is broadcast or assigned to.
    Where it has more axes than that, the first are of size 1.
    """
    more = (*[0] * (len(sizes) - len(index)), *index)
    own = more[len(more) - len(sizes) :]
    return tuple(0 if size == 1 else at for size, at in zip(sizes, own, strict=True))


def window_positions(ix, x, index: tuple, scalars) -> list:
    """The indices in `x` of the element `ix` of a window, as expressions of a kernel."""
    positions = []
    for axis, entry in enumerate(index):
        if type(entry) is not tuple:
            positions.append(x.picked(axis, entry, scalars))
            continue
        own, start, step = entry
        by = scalars[step.position].at() if type(step) is Slot else step
        along = ix[own] if step == 1 else ix[own] * by
        if type(start) is Slot:
            positions.append(scalars[start.position].at() + along)
        else:
            positions.append(start + along if start or step != 1 else along)
    return positions


# ---- index maps ------------------------------------------------------------------------------

# An integer where it is known while tracing, else a scalar of the graph.
Scalar = int | Value


class Pick(NamedTuple):
    """One index of an axis, negative from the end; it may be out of range."""

    at: Scalar


class Along(NamedTuple):
    """The index `start + step * i`, for the index i along `axis` of the view. It fits."""

    axis: int
    start: Scalar
    step: Scalar


class IndexMap(NamedTuple):
    """The view of `source` with these entries, one for each of its axes; the view has `shape`."""

    source: Value
    entries: tuple[Pick | Along, ...]
    shape: tuple

    @property
    def is_identity(self) -> bool:
        whole = tuple(Along(axis, 0, 1) for axis in range(len(self.shape)))
        return self.entries == whole and self.shape == self.source.shape

    def moved(self, axes: Sequence[int | None], shape: tuple) -> IndexMap:
        """The view of this view whose axis number `axes[i]` is axis i of this one."""
        entries: list[Pick | Along] = []
        for entry in self.entries:
            axis = axes[entry.axis] if isinstance(entry, Along) else None
            if axis is not None and isinstance(entry, Along):
                entries.append(Along(axis, entry.start, entry.step))
            else:
                entries.append(Pick(entry.start) if isinstance(entry, Along) else entry)
        return IndexMap(self.source, tuple(entries), shape)

    def template(self) -> tuple[tuple, list[Value]]:
        """The attribute `index` of the operation `window`, and the scalars of its Slots."""
        scalars: list[Value] = []

        def slot(scalar: Scalar):
            if isinstance(scalar, int):
                return int(scalar)
            scalars.append(scalar)
            return Slot(len(scalars) - 1)

        index = tuple(
            slot(entry.at)
            if isinstance(entry, Pick)
            else (entry.axis, slot(entry.start), slot(entry.step))
            for entry in self.entries
        )
        return index, scalars


def whole(value: Value) -> IndexMap:
    """The view of all elements."""
    shape = value.shape or ()
    return IndexMap(value, tuple(Along(axis, 0, 1) for axis in range(len(shape))), shape)
