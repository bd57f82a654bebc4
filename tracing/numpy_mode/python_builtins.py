"""Python's builtins and `math`, on numbers and arrays of the graph."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable
from functools import partial, reduce
from typing import Any

import numpy as np

from ...autograph.compared_sequences import SequenceOrder
from ...python_library.floats import rounded
from ...python_library.folds import best_item, reduced
from ...runtime.core.numpy_dtypes import (
    is_bool,
    is_complex,
    is_exact,
    is_floating,
    is_integer,
    is_narrow,
    is_unsigned,
)
from ...runtime.ir.op import TABLE as OPS
from ...runtime.numpy_protocol.ufuncs import implementation_of
from ...runtime.ops.array.masking import where
from ...runtime.tensors.apply import constant_of
from ...runtime.tensors.late_binding import late
from ..stager.numpy_functions import MATHEMATICS, operation_of
from .calls.library_calls import call_library
from .iteration import (
    Items,
    TracedRange,
    backward,
    enumerated,
    items_of,
    iterator,
    mapped,
    zipped,
)
from .joined_numbers import joined_numbers, number_type
from .lists.record_arrays import TracedRecords
from .lists.traced_list import TracedList
from .refusal import RefusedError, noun
from .statements.staged_loops import record_for
from .traced_array import TracedArray
from .traced_scalar import (
    DISPATCH,
    LARGE,
    PYTHON_DTYPES,
    TracedScalar,
    boolean,
    cast,
    is_mixed,
    is_python_number,
    number_in,
    operation,
    require,
    require_in_62_bits,
    scalar_of,
    unsigned,
)

MOST_PLACES = 8  # to which `round` rounds a float
IS_EXACT = sys.version_info >= (3, 12)  # whether `sum` makes up for rounding errors of floats
MOST_COMPARED = 64  # numbers that `in` compares one by one


def _is_vector(items) -> bool:
    """Whether a staged loop goes over items: of a list, an array of rank 1, an iterator."""
    is_array = type(items) is TracedArray and items.ndim == 1
    is_list = isinstance(items, TracedRange | TracedList) and not getattr(items, "is_tuple", False)
    is_filled = is_array and (bool(items.computed) or len(items) > 0)
    return is_list or is_filled or type(items) is Items


def _folded(step: Callable, items, start):
    """The last of `start`, `step(item, start)`, and so on."""
    if _is_vector(items):
        return record_for(items, lambda *pair: (step(*pair),), None, (start,), ("result",))[0]
    for item in items:
        start = step(item, start)
    return start


def _extreme(plain: Callable, /, *values, key=None, **default):
    def better(value, best):
        return chosen((value > best) if plain is max else (value < best), value, best)

    plain(*[(0,)] * len(values), **default)  # raises what Python raises of such arguments
    if key is not None or default:
        items = values if len(values) > 1 else BUILTINS[list](*values)
        keys = BUILTINS[list](mapped(key, items)) if key else items
        return call_library(best_item, plain is max, items, keys, *default.values())
    items = values if len(values) > 1 else values[0]
    items = BUILTINS[list](items) if type(items) is Items else items
    if _is_vector(items) and type(items) is not TracedRange:
        first = items.at(0) if isinstance(items, TracedList) else items[0]
        return _folded(better, items, first)
    if type(items) not in (list, tuple) or not items:
        raise RefusedError("min() or max() of computed items")
    return _folded(better, items[1:], items[0])


def _quantified(is_any: bool, items):
    """`any` or `all`."""

    def step(item, so_far):
        holds = TracedScalar(boolean(item), bool, 1)
        return so_far | holds if is_any else so_far & holds

    if not _is_vector(items) and type(items) not in (list, tuple):
        raise RefusedError("any() or all() of computed items")
    return _folded(step, items, scalar_of(not is_any))


def chosen(condition, then, orelse) -> TracedScalar:
    """`then if condition else orelse` for numbers, one of which the graph computes."""
    if type(condition) is not TracedScalar:
        return then if condition else orelse
    first, second = scalar_of(then), scalar_of(orelse)
    number = joined_numbers(*(number_type(each.certain()) for each in (first, second)))
    pairs = zip(number.flatten(first), number.flatten(second), strict=True)
    tensors = iter([where(condition.tensor, *pair) for pair in pairs])
    result = number.unflatten(tensors)
    result.bound = max(first.bound, second.bound)
    return result.computed_from(condition, first, second)


def either(ufunc, inputs, compute: Callable = operation):
    """The result of an operator, or a ufunc, for numbers of which one is of one of several types:
    that for the type that it has, as the graph says.
    """
    holds, pair = next(filter(is_mixed, inputs)).others[0].holds, []
    for is_other in (True, False):
        row = (
            _of_type(each, is_other) if is_mixed(each) and each.others[0].holds is holds
            else each for each in inputs
        )  # fmt: skip
        pair.append(compute(ufunc, *row))
    is_answered = not any(each is NotImplemented for each in pair)
    return chosen(TracedScalar(holds, bool, 1), *pair) if is_answered else NotImplemented


def _of_type(number: TracedScalar, is_other: bool) -> TracedScalar:
    """A number as of its first other type, or of the rest; where it is not of these, it is 1."""
    (holds, python), *rest = number.others
    pair = number.tensor, constant_of(number.numpy_dtype.type(1))
    tensor = where(holds, *(pair if is_other else reversed(pair)))
    if not is_other:
        return TracedScalar(tensor, number.python, number.bound, None, tuple(rest))
    dtype = PYTHON_DTYPES.get(python) or np.dtype(python)
    is_part = is_complex(number.numpy_dtype) and not is_complex(dtype)
    tensor = OPS["real"](tensor) if is_part else tensor
    return TracedScalar(cast(tensor, dtype), python if python in PYTHON_DTYPES else None)


DISPATCH.either, DISPATCH.of_type = either, _of_type


def _sum(items, start=0):
    def step(item, total):
        is_float = type(item) is float or (type(item) is TracedScalar and item.python is float)
        if is_float and IS_EXACT:
            raise RefusedError("sum() of floats of Python's, which it adds up more exactly")
        return total + item

    if isinstance(items, TracedList) and not items.is_tuple and items.has_arrays:
        require(boolean(scalar_of(items.length) > 0))  # the sum of no arrays is a number
        rest = Items(scalar_of(items.length) - 1, lambda index: items.at(index + 1))
        start = step(items.at(0), start)
        return record_for(rest, lambda *pair: (step(*pair),), None, (start,), ("result",))[0]
    return _folded(step, items, start)


def _float(value=0.0):
    scalar = scalar_of(number_in(value))
    if is_complex(scalar.numpy_dtype):
        raise RefusedError("float() of a complex number")
    tensor = scalar.as_uint64 if scalar.is_large else scalar.tensor
    number = TracedScalar(cast(tensor, np.dtype(np.float64)), float)
    return number.computed_from(scalar)


def _complex(real=0.0, *imag):
    if type(real) is not TracedScalar and TracedScalar not in map(type, imag):
        return complex(real, *imag)
    first, second = scalar_of(real), scalar_of(*imag or (0.0,))
    if not imag and is_complex(first.numpy_dtype):
        return _number(complex, first).computed_from(first)
    if is_complex(first.numpy_dtype) or is_complex(second.numpy_dtype):
        raise RefusedError("complex() of complex numbers")
    return TracedScalar(OPS["complex"](_float(first).tensor, _float(second).tensor), complex)


def _int(value=0, **options):
    if options:
        raise RefusedError("int() with a base")
    scalar = scalar_of(number_in(value))
    if is_complex(scalar.numpy_dtype):
        raise RefusedError("int() of a complex number")
    if is_floating(scalar.numpy_dtype):  # Python raises for what is not finite
        size = OPS["abs"](cast(scalar.tensor, np.dtype(np.float64)))
        require(OPS["less"](size, constant_of(np.float64(LARGE))))
    is_wide = is_integer(scalar.numpy_dtype) and scalar.numpy_dtype.itemsize == 8
    if scalar.is_large:
        return scalar
    if scalar.python is None and is_unsigned(scalar.numpy_dtype):
        limit = int(np.iinfo(scalar.numpy_dtype).max)
        return unsigned(scalar.tensor, limit).computed_from(scalar)
    if is_wide and scalar.python is None:
        require_in_62_bits(scalar.tensor)
    tensor = cast(scalar.tensor, np.dtype(np.int64))
    return TracedScalar(tensor, int, _bound_as_integer(scalar)).computed_from(scalar)


def _bound_as_integer(scalar: TracedScalar) -> int:
    """A limit of the absolute value of a number as one of Python's integers."""
    if is_narrow(scalar.numpy_dtype):
        return int(np.iinfo(scalar.numpy_dtype).max) + 1
    if is_bool(scalar.numpy_dtype):
        return 1
    return LARGE if scalar.python in (None, float) else scalar.bound


def _rounded(ufunc, /, value, *digits):
    """An integer of Python's near a number, as `ufunc` rounds."""
    scalar = scalar_of(value)
    if is_bool(scalar.numpy_dtype) and not is_python_number(scalar):
        raise TypeError("type numpy.bool doesn't define __round__ method")
    if is_complex(scalar.numpy_dtype):
        raise RefusedError("a complex number is rounded")
    if digits and digits != (None,):
        return _to_places(scalar, *digits)
    if not is_floating(scalar.numpy_dtype):
        return _int(scalar)
    rounded = TracedScalar(implementation_of(ufunc)(scalar.tensor))
    return _int(rounded.computed_from(scalar))


def _to_places(number: TracedScalar, places):
    """A number that `round(number, places)` gives."""
    if not is_python_number(number) and not is_mixed(number):
        return np.round(number, places)
    if number.python is not float or type(places) is not int or not 0 <= places <= MOST_PLACES:
        raise RefusedError("round() to so many digits, or of an integer")
    return call_library(rounded, number, places)


TracedScalar.__round__ = lambda value, *digits: _rounded(np.rint, value, *digits)


def _truncated(value):
    scalar = scalar_of(value)
    if is_mixed(scalar) or (scalar.python is None and scalar.numpy_dtype != np.float64):
        raise RefusedError("math.trunc() of a number without this method")
    return _int(scalar)


def _number(python: type, scalar: TracedScalar) -> TracedScalar:
    if python is int:
        return _int(scalar)
    return TracedScalar(cast(scalar.tensor, PYTHON_DTYPES[python]), python)


DISPATCH.number = _number


def is_contained(item, container) -> TracedScalar:
    """`item in container`, of an array, or of numbers one of which the graph computes."""

    def step(value, so_far):
        return so_far | SEQUENCES.same(value, item)

    if hasattr(type(container), "contains"):
        return container.contains(item)
    if isinstance(container, TracedList) and not container.is_tuple:
        return _folded(step, container, scalar_of(False))
    if isinstance(container, TracedArray):
        if isinstance(item, TracedArray):
            raise RefusedError("`in` with an array on both sides")
        return TracedScalar(boolean(np.any(container == item)), bool, 1)
    if not isinstance(container, (tuple, list, set, frozenset, dict, range)):
        raise RefusedError(f"`in` with computed values in {noun(container)}")
    if len(container) > MOST_COMPARED or any(
        isinstance(value, (TracedArray, np.ndarray)) for value in (item, *container)
    ):
        raise RefusedError("`in` with arrays, or many numbers, in a container")
    return _folded(step, container, scalar_of(False))


def _is_equal_item(left, right) -> bool | TracedScalar:
    if isinstance(left, (tuple, list)) or isinstance(right, (tuple, list)):
        return bool(left == right)  # numbers of NumPy compare with each item
    if any(isinstance(value, (TracedArray, np.ndarray)) for value in (left, right)):
        raise RefusedError("a comparison of tuples or lists with arrays in them")
    equal = left == right
    if type(equal) is not TracedScalar:
        return bool(equal)
    if all(map(_may_be_nan, (left, right))):  # which is equal to itself, where it is one object
        numbers = [scalar_of(each).or_zero().tensor for each in (left, right)]
        nans = [OPS["not_equal"](each, each) for each in numbers]
        require(OPS["logical_not"](OPS["logical_and"](*nans)))
    return TracedScalar(boolean(equal), bool, 1)


SEQUENCES = SequenceOrder(_is_equal_item, lambda compare, *pair: compare(*pair), chosen)


def _may_be_nan(number) -> bool:
    if type(number) is TracedScalar:
        return not is_exact(number.numpy_dtype)
    return number != number


def _length(items):
    if type(items) in (TracedArray, TracedRecords):
        return items.shape[0] if items.shape else len(np.empty(()))  # NumPy's own error
    if isinstance(items, TracedRange):
        return items_of(items).count
    return items.length if isinstance(items, TracedList) else len(items)


BUILTINS: dict[Any, Callable] = {
    range: TracedRange,
    len: _length,
    **{function: function for function in (abs, round)},  # of methods
    min: partial(_extreme, min),
    max: partial(_extreme, max),
    float: _float,
    int: _int,
    bool: lambda value=False: TracedScalar(boolean(value), bool, 1),
    sum: _sum,
    any: partial(_quantified, True),
    all: partial(_quantified, False),
    enumerate: enumerated,
    iter: iterator,
    zip: zipped,
    map: mapped,
    reversed: backward,
    tuple: lambda items: tuple(iter(items)),
}


# Functions of `math` that raise for no float.
_OF_ALL_FLOATS = {
    "erf", "erfc", np.arcsinh, np.arctan, np.arctan2, np.copysign, np.tanh,
}  # fmt: skip


def _math(form, /, *values):
    """A function of `math` of floats of Python's; Python raises outside its domain."""
    is_ufunc = isinstance(form, np.ufunc)
    if len(values) != (form.nin if is_ufunc else 1):
        raise RefusedError(f"a function of math with {len(values)} arguments")
    operands = list(map(_float, values))
    if form is np.power:  # `**` of the floats that they become
        return DISPATCH.python(form, operands)
    implementation = implementation_of(form) if is_ufunc else operation_of(form)
    result = implementation(*(operand.tensor for operand in operands))
    if not is_floating(result.dtype.numpy_dtype):
        return TracedScalar(result, bool, 1).computed_from(*operands)
    if form not in _OF_ALL_FLOATS:
        require(OPS["is_finite"](result))
    return TracedScalar(result, float).computed_from(*operands)


def _where_computed(function: Callable, form: Callable, /, *values):
    """`form` where an argument is computed; a number is one of Python's elsewhere."""
    computed = any(isinstance(value, (TracedScalar, TracedArray)) for value in values)
    return (form if computed else function)(*values)


def _iterated(function: Callable, /, *args, **kwargs):
    """The items of an iterator that gives indices, or goes over those of others in some order."""
    return late.iterator_of(function)(*args, **kwargs)


ITERATORS = (
    np.ndindex, np.ndenumerate, itertools.product, itertools.combinations, itertools.permutations,
)  # fmt: skip
_NUMBERS = {
    **{function: partial(_math, form) for function, form in MATHEMATICS.items()},
    complex: _complex, math.floor: partial(_rounded, np.floor),
    math.ceil: partial(_rounded, np.ceil), math.trunc: _truncated,
}  # fmt: skip
MODULES: dict[Any, Callable] = {
    **{function: partial(_where_computed, function, form) for function, form in _NUMBERS.items()},
    reduce: partial(call_library, reduced),
    **{function: partial(_iterated, function) for function in ITERATORS},
}
PURE = {
    isinstance, type, len, abs, min, max, range, bool, str, repr, slice, hash, object, divmod,
    pow, round, tuple, list, dict, set, float, int, complex, callable, hasattr, getattr, ord, chr,
    bytes, frozenset,
    np.iinfo, np.finfo, np.dtype, *ITERATORS,
    np.promote_types, np.can_cast, np.issubdtype, np.min_scalar_type,
}  # fmt: skip
