"""Axes of a tensor: negative ones made positive, and checked."""

from __future__ import annotations

from .errors import ShapeError


def normal_axis(axis: int, rank: int, what: str = "axis") -> int:
    """A non-negative axis; ShapeError where it does not exist."""
    if not -rank <= axis < rank:
        cure = f"Use one of {-rank} to {rank - 1}." if rank else "A scalar has no axes."
        raise ShapeError(f"{what} {axis} does not exist in a tensor of rank {rank}", cure)
    return axis + rank if axis < 0 else axis


def normal_axes(axis, rank: int) -> tuple[int, ...]:
    """All axes for None, else the given ones, each non-negative and named once."""
    if axis is None:
        return tuple(range(rank))
    listed = (axis,) if isinstance(axis, int) else axis
    axes = tuple(normal_axis(number, rank) for number in listed)
    if len(set(axes)) < len(axes):
        raise ShapeError(f"axis {axis} names an axis of a tensor of rank {rank} twice")
    return axes
