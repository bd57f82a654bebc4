"""Python's operators on numbers of the graph.

Where a result may differ from Python's, or Python raises, the graph requires that it does not:
otherwise Python computes the whole call.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from ...python_library.complex_numbers import power, quotient
from ...runtime.core.numpy_dtypes import is_floating, is_narrow
from ...runtime.ir.op import TABLE as OPS
from ...runtime.numpy_protocol.ufuncs import float_power
from ...runtime.tensors.apply import constant_of
from .calls.library_calls import call_library
from .refusal import RefusedError
from .traced_scalar import (
    DISPATCH,
    LARGE,
    PYTHON_DTYPES,
    SMALL,
    UNSIGNED,
    AlternativeType,
    TracedScalar,
    cast,
    is_mixed,
    python_of,
    require,
    require_in,
    require_within,
    scalar_of,
    unsigned,
)

EXACT = 2**53  # integers up to here are floats
MOST_SHIFTED = 62
REPEATED = 16  # the largest constant exponent that becomes multiplications


def python_operation(ufunc, inputs) -> TracedScalar:
    """The result of Python's operator for a ufunc, of numbers that are, or may be, Python's."""
    if ufunc is np.remainder and type(inputs[1]) is int and inputs[1] == UNSIGNED:
        ufunc, inputs = np.bitwise_and, (inputs[0], UNSIGNED - 1)
    form = _PYTHON.get(ufunc)
    if form is None:
        raise RefusedError(f"Python's form of np.{ufunc.__name__}")
    operands = [scalar_of(value).certain() for value in _in_64_bits(ufunc, *inputs)]
    if _is_twofold(ufunc, operands):
        return DISPATCH.either(ufunc, operands)
    plain = [_without_alternative(each, ufunc, operands) for each in operands]
    result = form(*plain).computed_from(*operands)
    holds = [each.others[0].holds for each in operands if is_mixed(each) and each.python is None]
    if holds:  # it is NumPy's unless all operands are Python's
        result = _in_few_bits(result, operands) if ufunc not in _COMPARISONS else result
        every = holds[0]
        for truth in holds[1:]:
            every = OPS["logical_and"](every, truth)
        result.others, result.python = (AlternativeType(every, result.python),), None
    return result


def _in_64_bits(ufunc, *inputs):
    """The operands, with 2.0**64 for 2**64 and the like as divisors."""
    last = inputs[-1]
    is_power = type(last) is int and last >= LARGE and not last & (last - 1)
    if ufunc is np.true_divide and is_power and last < 2**1000:
        return (inputs[0], float(last))
    return inputs


def _in_few_bits(result: TracedScalar, operands: list[TracedScalar]) -> TracedScalar:
    """An integer in the type of operands of less than 64 bits, which it fits, as they do."""
    mixed = {operand.numpy_dtype for operand in operands if is_mixed(operand)}
    narrow = set(filter(is_narrow, mixed))
    if not narrow or result.python is not int:
        return result
    (dtype,) = narrow
    for number in (result, *(operand for operand in operands if not is_mixed(operand))):
        require_in(number, dtype)
    return TracedScalar(cast(result.tensor, dtype), int).computed_from(result)


def _without_alternative(operand: TracedScalar, ufunc, operands: list) -> TracedScalar:
    """One of the operands as a number of Python's, for which NumPy's operators give the same."""
    if not is_mixed(operand):
        return operand
    if is_narrow(operand.numpy_dtype):
        return _widened(operand, ufunc, operands)
    return TracedScalar(operand.tensor, python_of(operand.numpy_dtype), operand.bound)


def _is_twofold(ufunc, operands: list[TracedScalar]) -> bool:
    """Whether a result is an int or a float, or of fewer bits than Python's, as an operand is."""
    mixed = [each for each in operands if is_mixed(each) and not is_narrow(each.numpy_dtype)]
    types = {(each.numpy_dtype, python_of(each.numpy_dtype)) for each in mixed}
    is_truth = ufunc not in _OF_TRUTHS and bool in {python for _, python in types}
    is_other = any(dtype != PYTHON_DTYPES[python] or python is complex for dtype, python in types)
    if is_truth or is_other:
        return True
    is_one = any(each.types[1] is not python_of(each.numpy_dtype) for each in mixed)
    floats = (all(issubclass(cls, (float, np.floating)) for cls in each.types) for each in operands)
    return is_one and not (any(floats) or ufunc in _FLOAT_ANYWAY)


def _widened(operand: TracedScalar, ufunc, operands: list[TracedScalar]) -> TracedScalar:
    """A number of less than 64 bits that is sometimes Python's as an integer of Python's."""
    others = (each for each in operands if is_mixed(each))
    dtype = operand.numpy_dtype
    if ufunc not in _COMPARISONS and any(each.numpy_dtype != dtype for each in others):
        raise RefusedError("arithmetic of numbers of several types that are sometimes Python's")
    if operand.types[1] is not int:
        raise RefusedError(f"arithmetic of a {operand.numpy_dtype} that is sometimes Python's")
    return operand.as_int64()


def _common(*operands: TracedScalar) -> type:
    types = {operand.python for operand in operands}
    return complex if complex in types else float if float in types else int


def _tensor_as(number: TracedScalar, python: type):
    if python is float and number.is_large:
        return cast(number.as_uint64, PYTHON_DTYPES[float])
    return cast(number.tensor, PYTHON_DTYPES[python])


def _unchecked(number: TracedScalar, python: type = int):
    """The tensor of an integer, without a check that it holds all of it."""
    return cast(number.unchecked, PYTHON_DTYPES[python])


def _arithmetic(name: str, bound_of, a: TracedScalar, b: TracedScalar) -> TracedScalar:
    python = _common(a, b)
    if python is not int:
        return TracedScalar(OPS[name](_tensor_as(a, python), _tensor_as(b, python)), python)
    tensor, conditions = OPS[name](_unchecked(a), _unchecked(b)), [*a.conditions, *b.conditions]
    bound = bound_of(a.bound, b.bound)
    are_unsigned = name != "subtract" and _are_unsigned(a, b)
    if are_unsigned and LARGE <= bound < UNSIGNED:
        return unsigned(tensor, bound)
    if bound >= LARGE and name == "multiply":
        conditions += _product_in_62_bits(a, b)
    elif bound >= LARGE and min(a.bound, b.bound) > SMALL:
        conditions.append(_is_below(tensor, LARGE))
    result = TracedScalar(tensor, int, min(bound, LARGE)).with_conditions(conditions)
    result.is_unsigned = are_unsigned and bound < LARGE
    return result


def _are_unsigned(*operands: TracedScalar) -> bool:
    return all(operand.is_unsigned or operand.python is bool for operand in operands)


def _require_unsigned(*operands: TracedScalar) -> None:
    for operand in operands:
        if not _are_unsigned(operand):
            require(OPS["less_equal"](constant_of(np.int64(0)), _tensor_as(operand, int)))


def _is_below(tensor, limit: int):
    """Whether an integer is in a limit. The sum of two that are in LARGE, if it wraps, is not."""
    low, high = constant_of(np.int64(-limit)), constant_of(np.int64(limit))
    return OPS["logical_and"](OPS["less_equal"](low, tensor), OPS["less"](tensor, high))


def _product_in_62_bits(a: TracedScalar, b: TracedScalar) -> list:
    """Conditions for a product, which may wrap, to be below LARGE."""
    for factor, constant in ((a, _constant(b)), (b, _constant(a))):
        if constant is not None:  # one comparison of the other factor
            size = abs(int(constant))
            return [_is_below(_unchecked(factor), LARGE // size)] if size > 1 else []
    near = OPS["multiply"](_unchecked(a, float), _unchecked(b, float))
    return [OPS["less"](OPS["abs"](near), constant_of(np.float64(LARGE)))]


def _require_exact(*operands: TracedScalar) -> None:
    """Leave the native code where an integer differs from the float that stands for it."""
    for operand in operands:
        if operand.python not in (float, complex):
            require_within(operand, EXACT)


def _true_divide(a, b):
    if complex in (a.python, b.python):
        return _of_complex(quotient, a, b)
    divisor = _tensor_as(b, float)
    require(OPS["not_equal"](divisor, constant_of(np.float64(0))))
    size = _constant(b) if b.python is int else None
    is_scaled = a.python is int and size is not None and size > 0 and not size & (size - 1)
    if a.python is not float and b.python is not float and not is_scaled:
        _require_exact(a, b)
    return TracedScalar(OPS["divide"](_tensor_as(a, float), divisor), float)


def _whole_division(name: str, a, b):
    python = _common(a, b)
    if python is complex:
        raise RefusedError("whole division of complex numbers")
    size = _constant(b) if python is int else None
    if name == "floor_mod" and size is not None and size > 0 and not size & (size - 1):
        mask = constant_of(np.int64(size - 1))
        return unsigned(OPS["bitwise_and"](_unchecked(a), mask), int(size))
    if python is int and (a.is_large or b.is_large) and _are_unsigned(a, b):
        require(OPS["not_equal"](b.as_uint64, constant_of(np.uint64(0))))
        least = max(int(size), 1) if size is not None else 1
        bound = b.bound if name == "floor_mod" else a.bound // least
        return unsigned(OPS[name](a.as_uint64, b.as_uint64), bound)
    divisor = _tensor_as(b, python)
    require(OPS["not_equal"](divisor, constant_of(PYTHON_DTYPES[python].type(0))))
    bound = a.bound if name == "floor_divide" else min(b.bound, LARGE)
    return TracedScalar(OPS[name](_tensor_as(a, python), divisor), python, bound)


def _power(a, b):
    if a.python is b.python is int and _constant(b) is None:
        if not b.arguments:
            return _power_of_integers(a, b)
        b.__index__()  # whether the result is an int depends on it
    exponent = _constant(b)
    if complex in (a.python, b.python):
        return _of_complex(power, a, b)
    if b.python is int and exponent is not None and 0 <= exponent <= REPEATED:
        result = _repeated(a, int(exponent))
    elif float in (a.python, b.python):
        result = TracedScalar(float_power(_tensor_as(a, float), _tensor_as(b, float)), float)
    else:
        raise RefusedError("a power of integers with a computed exponent")
    if result.python is float:  # Python raises where it overflows
        require(OPS["is_finite"](result.tensor))
    return result


def _operator_power(a, b, by_ufunc):
    """`a ** b` of numbers of NumPy's, by what `np.power` gives; of arrays, that."""
    if type(by_ufunc) is not TracedScalar or not is_floating(by_ufunc.numpy_dtype):
        return by_ufunc
    dtype = by_ufunc.numpy_dtype
    return TracedScalar(float_power(*(cast(scalar_of(each).tensor, dtype) for each in (a, b))))


def _of_complex(function, *operands: TracedScalar) -> TracedScalar:
    """The result of a function of the Python library for numbers, one of them complex."""
    known = map(_constant, operands)
    pairs = zip(operands, known, strict=True)
    return scalar_of(call_library(function, *(a if c is None else c.item() for a, c in pairs)))


def _power_of_integers(a, b) -> TracedScalar:
    """A power with a computed exponent, which must not be negative: Python makes a float then."""
    require(OPS["less_equal"](constant_of(np.int64(0)), b.tensor))
    near = OPS["pow"](_tensor_as(a, float), _tensor_as(b, float))
    require(OPS["less"](OPS["abs"](near), constant_of(np.float64(LARGE))))
    return TracedScalar(OPS["pow"](a.tensor, b.tensor), int, LARGE)


def _repeated(base: TracedScalar, exponent: int) -> TracedScalar:
    """A power by repeated squaring, with the checks of each product."""
    result = scalar_of(1.0 if base.python is float else 1)
    times = _PYTHON[np.multiply]
    while exponent:
        if exponent & 1:
            result = times(result, base)
        exponent >>= 1
        base = times(base, base) if exponent else base
    return result


def _constant(number: TracedScalar):
    tensor = number.unchecked
    return tensor.graph_value.constant if hasattr(tensor, "graph_value") else tensor.array


def _negative(a):
    if a.python in (float, complex):
        return TracedScalar(OPS["negative"](a.tensor), a.python)
    return TracedScalar(OPS["negative"](_tensor_as(a, int)), int, a.bound)


def _positive(a):
    return a if a.python is not bool else TracedScalar(_tensor_as(a, int), int, 1)


def _absolute(a):
    if a.python in (float, complex):
        return TracedScalar(OPS["abs"](a.tensor), float)
    return TracedScalar(OPS["abs"](_tensor_as(a, int)), int, a.bound)


def _inverted(a):
    if a.python in (float, complex):
        raise RefusedError("bits of a float")
    result = TracedScalar(OPS["invert"](_unchecked(a)), int, min(a.bound + 1, LARGE))
    return result.with_conditions(a.conditions)


def _comparison(name: str, a, b):
    python = _common(a, b)
    if python is complex and name not in ("equal", "not_equal"):
        raise RefusedError("an order of complex numbers")
    if python is int and (a.is_large or b.is_large):
        _require_unsigned(a, b)
        return TracedScalar(OPS[name](a.as_uint64, b.as_uint64), bool, 1)
    if a.python is not b.python and python is not int:
        _require_exact(a, b)
    return TracedScalar(OPS[name](_tensor_as(a, python), _tensor_as(b, python)), bool, 1)


def _bitwise(name: str, a, b):
    if {float, complex} & {a.python, b.python}:
        raise RefusedError("bits of a float")
    both = bool if a.python is b.python is bool else int
    bound = 1 if both is bool else min(2 * max(a.bound, b.bound, 1), LARGE)
    operation = {"bitwise_and": "logical_and", "bitwise_or": "logical_or",
                 "bitwise_xor": "logical_xor"}[name] if both is bool else name  # fmt: skip
    if both is int:
        return _bits_of_integers(name, a, b, bound)
    return TracedScalar(OPS[operation](_tensor_as(a, both), _tensor_as(b, both)), both, bound)


def _bits_of_integers(name: str, a, b, bound: int) -> TracedScalar:
    tensor = OPS[name](_unchecked(a), _unchecked(b))
    if name == "bitwise_and" and (masks := [mask for mask in (a, b) if _are_unsigned(mask)]):
        return unsigned(tensor, min(mask.bound for mask in masks))  # which only leaves low bits
    if a.is_large or b.is_large:  # of negative ones beside them, Python computes
        _require_unsigned(a, b)
    if _are_unsigned(a, b) or a.is_large or b.is_large:
        return unsigned(tensor, 2 ** max(a.bound, b.bound).bit_length() - 1)
    return TracedScalar(tensor, int, bound).with_conditions((*a.conditions, *b.conditions))


def _shift(name: str, a, b):
    if {float, complex} & {a.python, b.python}:
        raise RefusedError("bits of a float")
    left, count, known = name == "left_shift", _tensor_as(b, int), _constant(b)
    value = _unchecked(a) if left or a.is_large else _tensor_as(a, int)
    require(OPS["less_equal"](constant_of(np.int64(0)), count))
    most = constant_of(np.int64(MOST_SHIFTED if left else MOST_SHIFTED + 1 + a.is_large))
    if left:  # nothing but zero is shifted by more
        is_zero = OPS["equal"](value, constant_of(np.int64(0)))
        require(OPS["logical_or"](OPS["less_equal"](count, most), is_zero))
    count = OPS["minimum"](count, most)
    if a.is_large and not left:
        result = OPS[name](a.as_uint64, cast(count, np.dtype(np.uint64)))
        return unsigned(result, a.bound >> int(known or 0))
    result = OPS[name](value, count)
    if not left:
        shifted = TracedScalar(result, int, a.bound >> int(known or 0))
        shifted.is_unsigned = _are_unsigned(a)
        return shifted
    if _are_unsigned(a) and known is not None and a.bound << int(known) < UNSIGNED:
        return unsigned(result, a.bound << int(known))
    limit = OPS["right_shift"](constant_of(np.int64(LARGE)), count)
    is_above = OPS["less_equal"](OPS["negative"](limit), value)
    conditions = (*a.conditions, is_above, OPS["less"](value, limit))
    return TracedScalar(result, int, LARGE).with_conditions(conditions)


_PYTHON = {
    np.add: partial(_arithmetic, "add", lambda a, b: a + b),
    np.subtract: partial(_arithmetic, "subtract", lambda a, b: a + b),
    np.multiply: partial(_arithmetic, "multiply", lambda a, b: a * b),
    np.true_divide: _true_divide,
    np.floor_divide: partial(_whole_division, "floor_divide"),
    np.remainder: partial(_whole_division, "floor_mod"),
    np.power: _power,
    np.negative: _negative,
    np.positive: _positive,
    np.absolute: _absolute,
    np.invert: _inverted,
    np.less: partial(_comparison, "less"),
    np.less_equal: partial(_comparison, "less_equal"),
    np.greater: partial(_comparison, "greater"),
    np.greater_equal: partial(_comparison, "greater_equal"),
    np.equal: partial(_comparison, "equal"),
    np.not_equal: partial(_comparison, "not_equal"),
    np.bitwise_and: partial(_bitwise, "bitwise_and"),
    np.bitwise_or: partial(_bitwise, "bitwise_or"),
    np.bitwise_xor: partial(_bitwise, "bitwise_xor"),
    np.left_shift: partial(_shift, "left_shift"),
    np.right_shift: partial(_shift, "right_shift"),
}
_COMPARISONS = {np.less, np.less_equal, np.greater, np.greater_equal, np.equal, np.not_equal}
_OF_TRUTHS = {*_COMPARISONS, np.bitwise_and, np.bitwise_or, np.bitwise_xor}
_FLOAT_ANYWAY = {np.true_divide, *_COMPARISONS}  # an int gives what the float gives

DISPATCH.python = python_operation
DISPATCH.power = _operator_power
