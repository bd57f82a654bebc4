"""Python's builtins and `math`, on numbers and arrays of the graph."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...runtime.ir.op import TABLE as OPS
from ...runtime.numpy_protocol.ufuncs import implementation_of
from ...runtime.ops.array.masking import where
from .refusal import RefusedError
from .traced_scalar import TracedScalar, cast, joined, require, scalar_of


class TracedRange:
    """`range` with bounds that the graph computes."""

    def __init__(self, *bounds):
        first, *more = map(scalar_of, bounds)
        self.start, self.stop = (first, more[0]) if more else (scalar_of(0), first)
        self.step = bounds[2] if len(bounds) > 2 else 1
        if type(self.step) is TracedScalar:  # Python runs what goes backward
            require((self.step > 0).tensor)
        elif self.step == 0:
            raise ValueError("range() arg 3 must not be zero")
        if any(one.python not in (int, bool) and one.dtype.kind not in "iu"
               for one in (self.start, self.stop)):  # fmt: skip
            raise TypeError("a float as a bound of range()")


def _range(*bounds):
    return TracedRange(*bounds)


def _extreme(ufunc, test):
    def choose(*values, **options):
        if options or len(values) == 1:
            raise RefusedError("min() or max() of one argument, or with a key")
        result = values[0]
        for value in values[1:]:
            result = chosen(test(value, result), value, result)
        return result

    return choose


def chosen(condition, one, other) -> TracedScalar:
    """`one if condition else other` for numbers, one of which the graph computes."""
    if type(condition) is not TracedScalar:
        return one if condition else other
    first, second = scalar_of(one), scalar_of(other)
    dtype, python, is_mixed = joined(first, second)
    tensor = where(condition.tensor, cast(first.tensor, dtype), cast(second.tensor, dtype))
    return TracedScalar(tensor, python, max(first.bound, second.bound), None, is_mixed)


def _float(value=0.0):
    scalar = scalar_of(value)
    return TracedScalar(cast(scalar.tensor, np.dtype(np.float64)), float)


def _int(value=0):
    scalar = scalar_of(value)
    if scalar.dtype.kind not in "iub":
        raise RefusedError("int() of a float")
    if scalar.python in (int, bool):
        return TracedScalar(
            cast(scalar.tensor, np.dtype(np.int64)), int, scalar.bound, scalar.arguments
        )
    return TracedScalar(cast(scalar.tensor, np.dtype(np.int64)), int)


BUILTINS: dict[Any, Callable] = {
    range: _range,
    len: len,
    abs: abs,
    min: _extreme(np.minimum, lambda a, b: a < b),
    max: _extreme(np.maximum, lambda a, b: a > b),
    float: _float,
    int: _int,
    enumerate: lambda items, start=0: enumerate(list(items), start),
    zip: lambda *items: zip(*map(list, items)),  # noqa: B905 - as Python's
    list: lambda items: list(iter(items)),
    tuple: lambda items: tuple(iter(items)),
}


def _math(ufunc):
    """A function of `math` of one number of Python's; Python raises outside its domain."""

    def compute(value):
        operand = _float(value).tensor
        result = implementation_of(ufunc)(operand)
        require(OPS["is_finite"](result))
        return TracedScalar(result, float)

    return compute


MATHEMATICS = {
    math.sqrt: _math(np.sqrt), math.exp: _math(np.exp), math.log: _math(np.log),
    math.sin: _math(np.sin), math.cos: _math(np.cos), math.tanh: _math(np.tanh),
    math.fabs: _math(np.absolute),
}  # fmt: skip
PURE = {
    isinstance, type, len, abs, min, max, range, bool, str, repr, slice, hash, id, object, divmod,
    pow, round, tuple, list, dict, set, float, int, complex, callable, hasattr, getattr,
}  # fmt: skip
