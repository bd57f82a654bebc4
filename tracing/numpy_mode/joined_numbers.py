"""Numbers of which a name holds one or the other: in a branch, or before and after an iteration."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...runtime.core.classes import NamedTuple
from ...runtime.core.dtypes import FROM_NUMPY
from ...runtime.core.numpy_dtypes import is_exact, is_floating, is_integer, is_narrow
from ...runtime.ir.op import TABLE as OPS
from ...runtime.tensors.apply import constant_of
from .refusal import Fallback, RefusedError, numpy_trace
from .traced_scalar import (
    LARGE,
    PYTHON_DTYPES,
    AlternativeType,
    TracedScalar,
    cast,
    require,
    require_in,
    require_within,
    scalar_of,
    unsigned,
)

Leaf = tuple[np.dtype, tuple[int, ...]]  # the data type and the shape of a tensor
INDEX: Leaf = (np.dtype(np.int64), ())


class Number(NamedTuple):
    """A number is carried by these `leaves`.

    dtype        of its tensor
    python       its type, if it is one of Python's
    others       it is sometimes a number of one of these types: a truth of each says whether
    may_be_none  it is sometimes None: a truth says whether
    """

    dtype: np.dtype
    python: type | None
    others: tuple[type, ...] = ()
    may_be_none: bool = False
    shape = None
    levels = 0

    @property
    def is_integer(self) -> bool:
        """Whether it is always an integer of Python's, of less than 64 bits."""
        is_plain = not self.others and not self.may_be_none
        return self.python is int and self.dtype == np.int64 and is_plain

    @property
    def leaves(self) -> list[Leaf]:
        truths = len(self.others) + self.may_be_none
        return [(self.dtype, ())] + [(np.dtype(bool), ())] * truths

    def flatten(self, value, room=None) -> list:
        scalar = scalar_of(value)
        number = scalar.or_zero() if self.may_be_none else scalar
        tensors = [_as_joined(number, self.dtype)]
        tensors += [_is_of_type(number, other) for other in self.others]
        if self.may_be_none:
            tensors.append(constant_of(np.bool_(False)) if scalar.none is None else scalar.none)
        return tensors

    def unflatten(self, tensors: Iterator) -> TracedScalar:
        tensor = next(tensors)
        others = tuple(AlternativeType(next(tensors), other) for other in self.others)
        number = TracedScalar(tensor, self.python, LARGE, None, others)
        if self.python is int and self.dtype == np.uint64 and not others:
            number = unsigned(tensor)
        return number.or_none(next(tensors)) if self.may_be_none else number


NOTHING = Number(np.dtype(bool), type(None))  # of None


def number_type(value) -> Number | None:
    """How a number is carried; None of other values."""
    if type(value) is int and value >= LARGE:
        return Number(np.dtype(np.uint64), int)
    if type(value) in PYTHON_DTYPES:
        return Number(PYTHON_DTYPES[type(value)], type(value))
    if isinstance(value, np.generic) and value.dtype in FROM_NUMPY:
        return Number(value.dtype, None)
    if type(value) is TracedScalar:
        dtype = np.dtype(np.uint64) if value.is_large else value.numpy_dtype
        return Number(dtype, value.python, tuple(value.types[1:]), value.none is not None)
    return None


def joined_numbers(left: Number, right: Number) -> Number:
    """How a number is carried that is one of two, or None."""
    if NOTHING in (left, right):
        return (left if right == NOTHING else right)._replace(may_be_none=True)
    may_be_none = left.may_be_none or right.may_be_none
    types = {left.python or left.dtype.type, right.python or right.dtype.type}
    types.update(left.others, right.others)
    python = types & PYTHON_DTYPES.keys()
    if len(types) == 1:
        dtype = max(left.dtype, right.dtype, key=lambda dtype: dtype == np.uint64)
        return Number(dtype, left.python, (), may_be_none)
    if types == {int, float}:
        return Number(PYTHON_DTYPES[float], float, (int,), may_be_none)
    if len(python) == 1 and len(types) == 2:
        (weak,), (dtype,) = python, map(np.dtype, types - python)
        if np.result_type(PYTHON_DTYPES[weak].type(0).item(), dtype) == dtype and (
            weak is not int
            or is_floating(dtype)
            or dtype == np.int64
            or (is_narrow(dtype) and may_mix())
        ):
            return Number(dtype, None, (weak,), may_be_none)
    for own in sorted(types, key=lambda each: (each in python, str(each))):
        others = tuple(sorted(types - {own}, key=str))
        if all(_holds_all(np.dtype(own), np.dtype(other)) for other in others) and may_mix():
            return Number(np.dtype(own), own if own in python else None, others, may_be_none)
    named = sorted(each.__name__ for each in types)
    raise RefusedError(f"a number is of types {' or '.join(named)}")


def _holds_all(dtype: np.dtype, other: np.dtype) -> bool:
    """Whether numbers of a data type stand for those of another one, but for large integers."""
    return other != np.uint64 and np.can_cast(other, dtype)


def may_mix() -> bool:
    """Whether a name may hold numbers of two kinds, or None, where that is met."""
    return numpy_trace().uses(Fallback.MIXED_NUMBERS)


def _is_of_type(number: TracedScalar, python: type):
    """Whether a number is one of this type of Python's or of NumPy's, as a tensor."""
    is_own = constant_of(np.bool_(number.types[0] is python))
    for holds, other in number.others:
        if other is python:
            return holds
        if number.types[0] is python:
            is_own = OPS["logical_and"](is_own, OPS["logical_not"](holds))
    return is_own


def _as_joined(number: TracedScalar, dtype: np.dtype):
    """The tensor of a number that another type also stands for, as in `joined`."""
    source = number.numpy_dtype
    if number.python is int and dtype == np.uint64:
        if not number.is_unsigned:
            require(OPS["less_equal"](constant_of(np.int64(0)), number.tensor))
        return number.as_uint64
    if source == dtype:
        return number.tensor
    if is_integer(source) and not is_integer(dtype):
        require_within(number, 2 ** np.finfo(dtype).nmant)
    if is_integer(source) and is_narrow(dtype) and not np.can_cast(source, dtype):
        require_in(number, dtype)
    result = cast(number.tensor, dtype)
    if not is_exact(source) and not np.can_cast(source, dtype):  # Python's float, to float32
        is_nan = OPS["not_equal"](number.tensor, number.tensor)
        require(OPS["logical_or"](is_nan, OPS["equal"](cast(result, source), number.tensor)))
    return result
