"""The functions of the array API standard: every keyword, and the special cases of its tables."""

import cmath
import itertools
import math
import types

import array_api_strict as strict
import numpy as np
import pytest
from array_api_calls import ARRAYS, CALLS

import allograph as ag

xp = ag.array_api
LOOK_AT_VALUES = {"unique_values", "unique_counts", "unique_inverse", "unique_all"}
NEWER = {"isin"}  # of a version that the strict implementation does not answer for by default
ELSEWHERE = {  # in test_array_api.py, or below
    "copysign", "equal", "greater", "greater_equal", "isfinite", "isinf", "isnan", "less",
    "less_equal", "logaddexp", "logical_and", "logical_or", "logical_xor", "minimum", "multiply",
    "negative", "not_equal", "positive", "subtract", "add", "atan2",
    "broadcast_shapes", "can_cast", "finfo", "from_dlpack", "iinfo", "isdtype", "result_type",
}  # fmt: skip


def agree(found, expected):
    found, expected = np.asarray(found), np.asarray(expected)
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=1e-6)


def arrays_of(namespace):
    return types.SimpleNamespace(**{name: namespace.asarray(x) for name, x in ARRAYS.items()})


@pytest.mark.slow
@pytest.mark.parametrize("name", CALLS)
def test_keywords_mean_what_they_mean_in_the_strict_implementation(name):
    call, function = CALLS[name], name.split("-")[0]
    found = call(xp, arrays_of(xp))
    if function not in NEWER:
        agree(found, call(strict, arrays_of(strict)))
    if function not in LOOK_AT_VALUES:

        def traced(*arrays):
            named = dict(zip(ARRAYS, arrays, strict=True))
            return call(xp, types.SimpleNamespace(**named))

        agree(ag.function(traced, autograph=False)(*map(xp.asarray, ARRAYS.values())), found)


def test_every_function_of_the_standard_is_called():
    called = {name.split("-")[0] for name in CALLS} | ELSEWHERE | set(UNARY) | set(BINARY)
    functions = [name for name in strict.__all__ if name in dir(xp) and name.islower()]
    names = [name for name in functions if isinstance(getattr(strict, name), types.FunctionType)]
    names += [f"linalg.{name}" for name in strict.linalg.__all__]
    names += [f"fft.{name}" for name in strict.fft.__all__]
    assert set(names) <= called | {"__array_namespace_info__"}


# ---- special cases ---------------------------------------------------------------------------
# The tables of the standard are those of C99, which Python's `math` and `cmath` follow, except
# where these raise an error: there the tables name the results.

INF, NAN = math.inf, math.nan
VALUES = [NAN, INF, -INF, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -2.0, 3.0, 1e300, -1e300, 5e-324]


def signed(function):
    """Rounding that keeps the sign of zeros, infinities and NaN."""
    return lambda x: math.copysign(float(function(x)), x) if math.isfinite(x) else x


def with_pole(function, pole: float):
    return lambda x: -INF if x == pole else function(x)


def divide(a, b):
    if b:
        return a / b
    return NAN if a == 0 or math.isnan(a) else math.copysign(INF, a) * math.copysign(1, b)


def floor_divide(a, b):
    if math.isnan(a) or math.isnan(b) or (math.isinf(a) and math.isinf(b)):
        return NAN
    if b == 0 or math.isinf(a) or a == 0:
        return divide(a, b)
    return a // b


def remainder(a, b):
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or b == 0:
        return NAN
    found = a % b
    return found or math.copysign(0.0, b)


def power(a, b):
    try:
        return math.pow(a, b)
    except ValueError:
        odd = math.isfinite(b) and b % 2 == 1
        return (math.copysign(INF, a) if odd else INF) if a == 0 else NAN


def larger(choose):
    return lambda a, b: NAN if math.isnan(a) or math.isnan(b) else choose(a, b)


UNARY = {
    **{name: getattr(math, name) for name in """acos acosh asin asinh atan cos cosh exp expm1 sin
    sinh sqrt tan tanh isnan isinf isfinite""".split()},
    **{name: with_pole(getattr(math, name), 0) for name in ("log", "log2", "log10")},
    "log1p": with_pole(math.log1p, -1),
    "atanh": lambda x: math.copysign(INF, x) if abs(x) == 1 else math.atanh(x),
    "ceil": signed(math.ceil), "floor": signed(math.floor), "trunc": signed(math.trunc),
    "round": signed(round), "abs": abs, "square": lambda x: x * x, "positive": lambda x: x,
    "negative": lambda x: -x, "reciprocal": lambda x: divide(1.0, x),
    "signbit": lambda x: math.copysign(1, x) < 0,
    "sign": lambda x: x if math.isnan(x) else (math.copysign(1, x) if x else 0.0),
}  # fmt: skip
BINARY = {
    "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
    "divide": divide, "floor_divide": floor_divide, "remainder": remainder, "pow": power,
    "atan2": math.atan2, "copysign": math.copysign, "hypot": math.hypot,
    "nextafter": math.nextafter, "maximum": larger(max), "minimum": larger(min),
}  # fmt: skip
COMPLEX = "acos acosh asin asinh atan atanh cos cosh exp log sin sinh sqrt tan tanh".split()


def is_same(found, expected) -> bool:
    if expected is None:
        return True
    if math.isnan(expected) or math.isnan(found):
        return math.isnan(expected) and math.isnan(found)
    if expected == 0:
        return found == 0 and math.copysign(1, found) == math.copysign(1, expected)
    return math.isclose(found, expected, rel_tol=1e-6)


def expected_of(function, *values):
    """What Python computes; NaN where it raises, None where a number is too large for it."""
    try:
        return function(*values)
    except ValueError:
        return NAN
    except OverflowError:
        return None


def both(name: str, *operands):
    """The results of a function, eagerly and traced."""
    function = getattr(xp, name)
    arrays = [xp.asarray(list(one)) for one in operands]
    traced = ag.function(lambda *args: function(*args), autograph=False)
    with np.errstate(all="ignore"):
        return [np.asarray(one(*arrays)).tolist() for one in (function, traced)]


@pytest.mark.slow
@pytest.mark.parametrize("name", UNARY)
def test_special_cases_of_one_operand(name):
    expected = [expected_of(UNARY[name], x) for x in VALUES]
    for found in both(name, VALUES):
        wrong = [case for case in zip(VALUES, found, expected) if not is_same(*case[1:])]
        assert not wrong


@pytest.mark.slow
@pytest.mark.parametrize("name", BINARY)
def test_special_cases_of_two_operands(name):
    pairs = list(itertools.product(VALUES, repeat=2))
    if name in ("maximum", "minimum"):  # which zero is larger is not specified
        pairs = [(a, b) for a, b in pairs if (a, b) != (0, 0)]
    expected = [expected_of(BINARY[name], *pair) for pair in pairs]
    for found in both(name, *zip(*pairs)):
        wrong = [case for case in zip(pairs, found, expected) if not is_same(*case[1:])]
        assert not wrong


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPLEX)
def test_special_cases_of_complex_numbers(name):
    parts = itertools.product([INF, -INF, 0.0, -0.0, 1.0, -2.0], repeat=2)
    values = [complex(a, b) for a, b in parts]
    expected = [expected_of(getattr(cmath, name), x) for x in values]
    for found in both(name, values):
        for x, one, other in zip(values, found, expected):
            if isinstance(other, complex):  # signs of zeros and of NaN parts are not specified
                pairs = (one.real, other.real), (one.imag, other.imag)
                assert all(a == b == 0 or is_same(a, b) for a, b in pairs), x


def test_special_cases_of_expm1_of_complex_numbers():
    table = {
        0j: 0j, complex(-INF, 0): -1 + 0j, complex(-INF, 1): -1 + 0j, complex(INF, 0): complex(INF),
        complex(1, INF): complex(NAN, NAN), complex(-INF, INF): -1 + 0j,
        complex(INF, 1): complex(INF * math.cos(1), INF * math.sin(1)),
        complex(NAN, 0): complex(NAN, 0), complex(1, NAN): complex(NAN, NAN),
    }  # fmt: skip
    for found in both("expm1", table):
        for x, one, other in zip(table, found, table.values()):
            pairs = (one.real, other.real), (one.imag, other.imag)
            assert all(a == b == 0 or is_same(a, b) for a, b in pairs), x


def test_questions_about_dtypes_and_shapes():
    assert xp.broadcast_shapes((2, 1), (3,)) == (2, 3)
    assert xp.can_cast(xp.int8, xp.int16) and not xp.can_cast(xp.float64, xp.float32)
    assert xp.finfo(xp.float32).bits == 32 and xp.iinfo(xp.asarray([1], dtype=xp.int8)).max == 127
    assert xp.isdtype(xp.int8, ("integral", "bool")) and not xp.isdtype(xp.float32, xp.float64)
    assert np.asarray(xp.from_dlpack(np.arange(3))).tolist() == [0, 1, 2]
    info = xp.__array_namespace_info__()
    assert info.default_device() == "cpu" and "float32" in info.dtypes(kind="real floating")
    assert xp.asarray([1.5]) * np.int64(2) == xp.asarray([3.0])


def test_sums_and_extremes_of_nothing():
    empty = xp.zeros((0,))
    assert float(xp.sum(empty)) == 0 and float(xp.prod(empty)) == 1
    assert bool(xp.all(empty)) and not bool(xp.any(empty))
    with pytest.raises(ValueError):
        xp.max(empty)
