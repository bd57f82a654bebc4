"""Result rules that many operations share, and the axes of reductions."""

from __future__ import annotations

from ..core.axes import normal_axes, normal_axis
from ..core.dtypes import bool_
from ..core.errors import ShapeError
from ..core.shapes import broadcast, show
from ..ir.op import Spec


def same_as_input(x, **attrs) -> Spec:
    """The type and shape of the first input."""
    return Spec(x.dtype, x.shape)


def real_like_input(x, **attrs) -> Spec:
    """The shape of the first input, and its type or, of complex numbers, that of their parts."""
    return Spec(x.dtype.real_dtype, x.shape)


def broadcast_together(*values, **attrs) -> Spec:
    """The inputs' type, their shapes broadcast as NumPy does."""
    return Spec(values[0].dtype, broadcast_shapes(*values))


def broadcast_to_bool(*values, **attrs) -> Spec:
    """Truth values, the inputs' shapes broadcast as NumPy does."""
    return Spec(bool_, broadcast_shapes(*values))


def bool_like_input(x, **attrs) -> Spec:
    """Truth values in the shape of the first input."""
    return Spec(bool_, x.shape)


def broadcast_shapes(*values):
    """The common shape; ShapeError with all shapes where there is none."""
    try:
        return broadcast(*(value.shape for value in values))
    except ValueError as error:
        raise ShapeError(str(error), "Each dimension has to be equal, or 1.") from None


def reduced_shape(x, axis, keepdims):
    """The shape after a reduction over `axis` (None: over all axes)."""
    if x.shape is None:
        return () if axis is None and not keepdims else None
    axes = set(normal_axes(axis, len(x.shape)))
    if keepdims:
        return tuple(1 if place in axes else size for place, size in enumerate(x.shape))
    return tuple(size for place, size in enumerate(x.shape) if place not in axes)


def along_axis(x, *, axis, **attrs) -> Spec:
    """The type and shape of the input, of which `axis` is an axis."""
    if x.shape is not None:
        normal_axis(axis, len(x.shape))
    return Spec(x.dtype, x.shape)


def describe_shapes(*values) -> str:
    return " and ".join(show(value.shape) for value in values)
