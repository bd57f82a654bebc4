"""Constant folding while a graph is built."""

from __future__ import annotations

import numpy as np

from ..core.dtypes import FROM_NUMPY
from ..core.shapes import Shape, size_of
from ..core.source_locations import SourceLocation
from .graph import Node, Value
from .op import PURE, TABLE, Op

CONSTANT_LIMIT = 64  # elements: larger constants are not folded while a graph is built


def constant_value(op: Op, values: tuple[Value, ...], attrs: dict, spec) -> np.ndarray | None:
    """The constant value of a result, or the constant part of it (see `Value.constant`)."""
    if op.partial is not None:
        known = op.partial(*values, **attrs)
        # None stands for what is unknown, which arrays of objects do not tell from their elements
        holds_objects = spec.dtype.numpy_dtype.kind == "O"
        return None if holds_objects and _has_unknown(known) else known
    for value in values:
        if value.constant is None or full_constant(value) is None:
            return None
    if op.effect is not PURE or op.kernel is None or not values:
        return None
    size = size_of(spec.shape)
    if size is None or size > CONSTANT_LIMIT:
        return None
    try:
        with np.errstate(all="ignore"):
            result = op.kernel(*(value.constant for value in values), **attrs)
    except (ValueError, TypeError, IndexError, ZeroDivisionError, NotImplementedError):
        return None
    if type(result) is tuple:  # a list of results that has one entry
        return None
    array = np.asarray(result)
    return array if FROM_NUMPY.get(array.dtype) is spec.dtype else None


def constant_node(
    array: np.ndarray, name: str = "const", where: SourceLocation | None = None
) -> Node:
    """The node of a constant; its output has that name."""
    output = Value(FROM_NUMPY[array.dtype], array.shape, name, array)
    return Node(TABLE["const"], (), {"value": array}, (output,), where, name)


def _has_unknown(known) -> bool:
    return known is not None and any(element is None for element in np.asarray(known, object).flat)


def full_constant(value: Value) -> np.ndarray | None:
    """The constant value; None where some or all of it is unknown."""
    constant = value.constant
    is_full = constant is not None and constant.dtype == value.dtype.numpy_dtype
    return constant if is_full else None


def constant_dimensions(value: Value) -> Shape:
    """The shape that an integer vector holds; unknown sizes are None."""
    if value.constant is not None:
        return tuple(
            None if size is None else int(size) for size in value.constant.reshape(-1).tolist()
        )
    if value.shape is not None and len(value.shape) == 1 and value.shape[0] is not None:
        return (None,) * value.shape[0]
    return None
