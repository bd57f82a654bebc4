"""Conversions that keep bits, or that keep within the range of the other data type."""

from __future__ import annotations

import numpy as np

from ... import as_dtype, cast, convert_to_tensor
from ...extend.errors import ShapeError
from ...extend.operations import NUMBERS, Spec, hidden_op, ops
from ...extend.registration import public


@public("saturate_cast")
def saturate_cast(value, dtype, name=None):
    """`value` converted to another dtype, clipped to the range of that dtype.

    >>> ag.saturate_cast([-5, 300], "uint8").numpy()
    array([  0, 255], dtype=uint8)
    """
    dtype, value = as_dtype(dtype), convert_to_tensor(value)
    low, high = _common_limits(value.dtype, dtype)
    return cast(ops.minimum(ops.maximum(value, low), high), dtype)


def _common_limits(source, target) -> tuple:
    """The smallest and largest values of the dtype `source` that `target` can represent."""
    low = max(source.min, target.min, key=float)
    high = min(source.max, target.max, key=float)
    return _rounded_inwards(low, source, np.inf), _rounded_inwards(high, source, -np.inf)


def _rounded_inwards(limit, dtype, direction: float) -> np.ndarray:
    """A limit as a value of `dtype`, rounded towards `direction` where it is not exact."""
    if dtype.is_integer:
        return np.array(int(limit), dtype.numpy_dtype)
    nearest = np.array(limit, dtype.numpy_dtype)
    if np.isfinite(nearest) and abs(int(nearest)) <= abs(int(limit)):
        return nearest
    return np.nextafter(nearest, nearest.dtype.type(direction))


@hidden_op
class Bitcast:
    """The same bits interpreted as another dtype of the same size."""

    accepts = NUMBERS
    moves_only = True
    componentwise = False

    def kernel(x, *, dtype):
        return np.asarray(x).view(dtype.numpy_dtype)

    def result(x, *, dtype):
        return Spec(dtype, x.shape)


@public("bitcast")
def bitcast(input, type, name=None):
    """The same bits interpreted as another dtype of the same size. The shape is unchanged.

    >>> hex(int(ag.bitcast(1.0, ag.int32)))
    '0x3f800000'

    Raises ShapeError if the sizes of the dtypes differ.
    """
    dtype, x = as_dtype(type), convert_to_tensor(input)
    if dtype.size != x.dtype.size:
        raise ShapeError(
            f"bitcast: {x.dtype.name} has {x.dtype.size} bytes, {dtype.name} has {dtype.size}",
            "Use a dtype of the same size.",
        )
    return Bitcast(x, dtype=dtype, name=name)
