"""`range` with bounds that the graph computes."""

from __future__ import annotations

import numpy as np

from ....runtime.core.numpy_dtypes import is_integer, is_unsigned
from ..refusal import WithoutText
from ..traced_scalar import (
    LARGE,
    TracedScalar,
    cast,
    require,
    require_in_62_bits,
    require_within,
    scalar_of,
)

MOST_COUNTED = 2**40  # of NumPy's integers as bounds: sums and small multiples need no check then


class TracedRange(WithoutText):
    """`range` with bounds that the graph computes."""

    _noun = "range"

    def __init__(self, *bounds):
        first, *more = map(_bound, bounds)
        self.start, self.stop = (first, more[0]) if more else (scalar_of(0), first)
        self.step = 1 if len(bounds) < 3 else bounds[2]
        if type(self.step) is TracedScalar:
            self.step = more[1]
        if type(self.step) is TracedScalar:  # Python runs what goes backward
            require((self.step > 0).tensor)
        elif self.step == 0:
            raise ValueError("range() arg 3 must not be zero")
        if any(bound.python not in (int, bool) and not is_integer(bound.numpy_dtype)
               for bound in (self.start, self.stop)):  # fmt: skip
            raise TypeError("a float as a bound of range()")


def _bound(value) -> TracedScalar:
    """A bound of a range, of which Python makes one of its integers."""
    scalar = scalar_of(value)
    if scalar.python is not None or not is_integer(scalar.numpy_dtype):
        return scalar
    tensor = cast(scalar.tensor, np.dtype(np.int64))
    number = TracedScalar(tensor, int, scalar.bound, scalar.arguments)
    if scalar.numpy_dtype.itemsize < 8:
        number.bound = int(np.iinfo(scalar.numpy_dtype).max) + 1
    else:
        if is_unsigned(scalar.numpy_dtype):
            require_in_62_bits(scalar.tensor)
        number.bound = LARGE
        require_within(number, MOST_COUNTED)
        number.bound = MOST_COUNTED
    return number
