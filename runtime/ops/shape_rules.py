"""Result rules (shape and dtype) that many operations share."""

from __future__ import annotations

from ..core.axes import normal_axes, normal_axis
from ..core.dtypes import bool_
from ..core.errors import ShapeError
from ..core.shapes import broadcast, show
from ..ir.op import Spec


def same_as_input(x, **attrs) -> Spec:
    """The dtype and shape of the first input."""
    return Spec(x.dtype, x.shape)


def real_like_input(x, **attrs) -> Spec:
    """The shape of the first input and its dtype; for complex dtypes the component dtype."""
    return Spec(x.dtype.real_dtype, x.shape)


def broadcast_together(*values, **attrs) -> Spec:
    """The dtype of the inputs and their broadcast shape."""
    return Spec(values[0].dtype, broadcast_shapes(*values))


def broadcast_to_bool(*values, **attrs) -> Spec:
    """Bools of the broadcast shape of the inputs."""
    return Spec(bool_, broadcast_shapes(*values))


def bool_like_input(x, **attrs) -> Spec:
    """Bools in the shape of the first input."""
    return Spec(bool_, x.shape)


def broadcast_shapes(*values):
    """The broadcast shape. Raises ShapeError with all shapes if they do not broadcast."""
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
        return tuple(1 if index in axes else size for index, size in enumerate(x.shape))
    return tuple(size for index, size in enumerate(x.shape) if index not in axes)


def along_axis(x, *, axis, **attrs) -> Spec:
    """The dtype and shape of the input, which has the axis `axis`."""
    if x.shape is not None:
        normal_axis(axis, len(x.shape))
    return Spec(x.dtype, x.shape)


def describe_shapes(*values) -> str:
    return " and ".join(show(value.shape) for value in values)
