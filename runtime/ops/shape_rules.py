"""Result rules (shape and dtype) that many operations share."""

from __future__ import annotations

from ..core.dtypes import bool_
from ..core.shapes import normal_axes, normal_axis, show
from ..ir.op import Spec, broadcast_shapes


def same_as_input(x, **attrs) -> Spec:
    """The dtype and shape of the first input."""
    return Spec(x.dtype, x.shape)


def real_like_input(x, **attrs) -> Spec:
    """The shape of the first input and its dtype; for complex dtypes the component dtype."""
    return Spec(x.dtype.real_dtype, x.shape)


def broadcast_to_bool(*values, **attrs) -> Spec:
    """Bools of the broadcast shape of the inputs."""
    return Spec(bool_, broadcast_shapes(*values))


def bool_like_input(x, **attrs) -> Spec:
    """Bools in the shape of the first input."""
    return Spec(bool_, x.shape)


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
