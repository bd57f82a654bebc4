"""Numbers of which a name holds one or the other: in a branch, or before and after an iteration."""

from __future__ import annotations

from contextvars import ContextVar

import numpy as np

from ...runtime.core.numpy_dtypes import is_floating, is_integer
from ...runtime.ir.op import TABLE as OPS
from ...runtime.tensors.apply import constant_of
from .refusal import RefusedError
from .traced_scalar import (
    PYTHON_DTYPES,
    TracedScalar,
    cast,
    is_narrow,
    require,
    require_in,
    require_within,
)


def holds_alternative(number: TracedScalar, python: type):
    """Whether a number is one of Python's of this type, as a tensor."""
    if number.python is python:
        return constant_of(np.bool_(True))
    if number.alternative is not None and number.alternative.python is python:
        return number.alternative.holds
    return constant_of(np.bool_(False))


def joined(one, other) -> tuple[np.dtype, type | None, type | None]:
    """The dtype of either of two numbers, its type of Python's, and the alternative type.

    `one` and `other` are TracedScalars, or have their attributes `numpy_dtype`, `python` and
    `alternative`, which may be the type alone.
    """
    types = {*_types_of(one), *_types_of(other)}
    python = {each for each in types if isinstance(each, type)}
    numpys = types - python
    if len(types) == 1:
        dtypes = [_dtype_of(one), _dtype_of(other)]
        return max(dtypes, key=lambda dtype: dtype == np.uint64), one.python, None
    if python == {int, float} and not numpys:
        return PYTHON_DTYPES[float], float, int
    if len(python) == len(numpys) == 1:
        (weak,), (dtype,) = python, numpys
        if np.result_type(PYTHON_DTYPES[weak].type(0).item(), dtype) == dtype and (
            weak is not int or is_floating(dtype) or dtype == np.int64 or _may_be_narrow(dtype)
        ):
            return dtype, None, weak
    named = sorted(getattr(each, "__name__", str(each)) for each in types)
    raise RefusedError(f"a number is of types {' or '.join(named)}")


def _dtype_of(one) -> np.dtype:
    """That of a number; uint64 of one of Python's that may need 64 bits."""
    is_large = isinstance(one, TracedScalar) and one.is_large
    return np.dtype(np.uint64) if is_large else one.numpy_dtype


class Mixtures:
    """Whether a name may hold a number at one time and None at another, or one of Python's integers
    and one of NumPy's of less than 64 bits. Where that is not allowed, `are_met` tells that it
    would have helped.
    """

    def __init__(self):
        self.are_allowed = self.are_met = False


MIXTURES: ContextVar[Mixtures] = ContextVar("allograph_mixtures")


def may_mix() -> bool:
    """Whether mixtures are allowed, where one is met."""
    MIXTURES.get().are_met = True
    return MIXTURES.get().are_allowed


def _may_be_narrow(dtype: np.dtype) -> bool:
    return is_narrow(dtype) and may_mix()


def _types_of(one) -> list:
    types = [one.python or one.numpy_dtype]
    if one.alternative is not None:
        types.append(getattr(one.alternative, "python", one.alternative))
    return types


def as_joined(number: TracedScalar, dtype: np.dtype):
    """The tensor of a number that another type also stands for, as in `joined`."""
    given = number.numpy_dtype
    if number.python is int and dtype == np.uint64:
        if not number.is_unsigned:
            require(OPS["less_equal"](constant_of(np.int64(0)), number.tensor))
        return number.word
    if given == dtype:
        return number.tensor
    if is_integer(given) and is_floating(dtype):
        require_within(number, 2 ** np.finfo(dtype).nmant)
    if is_integer(given) and is_narrow(dtype):
        require_in(number, dtype)
    result = cast(number.tensor, dtype)
    if is_floating(given):  # from Python's float to float32
        require(OPS["equal"](cast(result, given), number.tensor))
    return result
