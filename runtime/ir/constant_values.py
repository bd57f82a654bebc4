"""Constant folding while a graph is built: what is known of a value before it runs."""

from __future__ import annotations

import numpy as np

from ..core.dtypes import FROM_NUMPY
from ..core.shapes import Shape, is_static, size_of
from .graph import Value
from .op import PURE, Op

KNOWN_LIMIT = 64  # elements: larger constants are not followed while building


def known_value(op: Op, values: tuple[Value, ...], attrs: dict, spec) -> np.ndarray | None:
    """What can be told of a result without running the graph (see `Value.known`)."""
    if op.partial is not None:
        return op.partial(*values, **attrs)
    for value in values:
        if value.known is None or fully_known(value) is None:
            return None
    if op.effect is not PURE or op.kernel is None or not values:
        return None
    if not is_static(spec.shape) or size_of(spec.shape) > KNOWN_LIMIT:
        return None
    try:
        with np.errstate(all="ignore"):
            found = op.kernel(*(value.known for value in values), **attrs)
    except (ValueError, TypeError, IndexError, ZeroDivisionError, NotImplementedError):
        return None
    if type(found) is tuple:  # a list of results that has one entry
        return None
    found = np.asarray(found)
    return found if FROM_NUMPY.get(found.dtype) is spec.dtype else None


def fully_known(value: Value) -> np.ndarray | None:
    """The value as an array of its own type, unless some or all of it is unknown."""
    known = value.known
    return known if known is not None and known.dtype == value.dtype.numpy_dtype else None


def known_dimensions(value: Value) -> Shape:
    """The shape that an integer vector spells: unknown entries are None."""
    if value.known is not None:
        return tuple(
            None if size is None else int(size) for size in value.known.reshape(-1).tolist()
        )
    if value.shape is not None and len(value.shape) == 1 and value.shape[0] is not None:
        return (None,) * value.shape[0]
    return None
