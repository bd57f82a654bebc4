"""Functions of `math` on floats, in plain Python and in `jit`."""

import math
import random

import numpy as np
import pytest
from numpy_programs import assert_native, assert_same_outcome

import allograph as ag
from allograph.python_library import floats

DRAWN = random.Random(4)
NUMBERS = [
    0.0,
    -0.0,
    1.0,
    -1.5,
    0.1,
    5e-324,
    -2.5e-310,
    1e308,
    2.0**52 + 0.5,
    7.25,
    1e-20,
    123456.789,
]
NUMBERS += [DRAWN.uniform(-1, 1) * 10.0 ** DRAWN.randint(-300, 300) for _ in range(60)]
NUMBERS += [DRAWN.uniform(-30, 30) for _ in range(60)]
ODD = [math.inf, -math.inf, math.nan]


def is_same(own, expected) -> bool:
    return type(own) is type(expected) and repr(own) == repr(expected)


@pytest.mark.parametrize("name", ["ulp", "frexp", "modf"])
def test_functions_of_one_number_are_those_of_math(name):
    for x in NUMBERS + (ODD if name != "modf" else []):
        assert is_same(getattr(floats, name)(x), getattr(math, name)(x)), x


@pytest.mark.parametrize("name", ["nextafter", "remainder", "isclose"])
def test_functions_of_two_numbers_are_those_of_math(name):
    pairs = list(zip(NUMBERS, reversed(NUMBERS), strict=True)) + [
        (x, x * (1 + 1e-10)) for x in NUMBERS
    ]
    pairs += [(5.0, 2.0), (7.0, 2.0), (-5.0, 2.0), (2.5, 1.0), (3.5, -1.0), (0.1, 0.3)]
    pairs += [] if name == "remainder" else [(x, y) for x in ODD for y in (1.0, *ODD)]
    for x, y in pairs:
        if name != "remainder" or y != 0:
            assert is_same(getattr(floats, name)(x, y), getattr(math, name)(x, y)), (x, y)


def test_distances_are_those_of_math_to_rounding():
    points = [tuple(NUMBERS[at : at + 3]) for at in range(0, 120, 3)]
    points += [(0.0, 0.0, 0.0), (-0.0, 5e-324, 0.0), (1e300, -1e300, 1e300)]
    for p, q in zip(points, points[1:], strict=False):
        assert floats.dist(p, q) == pytest.approx(math.dist(p, q), rel=1e-14, abs=5e-324)
    assert floats.dist((1, 2), (4, 6)) == 5.0


def test_tolerances_of_isclose():
    for given in ({"rel_tol": 0.1}, {"abs_tol": 0.5}, {"rel_tol": 0.0, "abs_tol": 1e-30}):
        for x, y in [(1.0, 1.05), (0.0, 0.4), (1e-31, 0.0), (3.0, 5.0)]:
            assert floats.isclose(x, y, **given) is math.isclose(x, y, **given)


def test_ldexp_rounds_once():
    for x in [*NUMBERS, *ODD]:
        for i in (0, 1, -1, 40, -1000, -1040, -1060, -1074, -2200):
            try:
                expected = math.ldexp(x, i)
            except OverflowError:
                continue
            assert is_same(floats.ldexp(x, i), expected), (x, i)


def test_ldexp_takes_an_integer_also_where_it_moves_nothing():
    for x in (0.0, 1.0, float("inf")):
        with pytest.raises(TypeError):
            floats.ldexp(x, 2.0)


def test_gamma_is_that_of_math_to_rounding():
    for x in [
        1.0,
        2.0,
        23.0,
        24.0,
        170.0,
        0.5,
        -0.5,
        -1.5,
        -20.3,
        1e-10,
        -1e-10,
        171.25,
        3.7,
        19.99,
    ]:
        assert math.isclose(floats.gamma(x), math.gamma(x), rel_tol=8e-15), x
    assert floats.gamma(20.0) == math.factorial(19)


def test_numbers_are_rounded_to_places_as_python_rounds():
    drawn = [2.675, 0.5, 1.5, 2.5, -0.0, 1e300, 0.05, math.inf, math.nan]
    drawn += [DRAWN.uniform(-10, 10) for _ in range(200)]
    drawn += [DRAWN.randint(-4000, 4000) / 8 for _ in range(200)]
    drawn += [DRAWN.randint(-(10**6), 10**6) / 1000 for _ in range(300)]
    for x in drawn:
        for places in range(6):
            assert is_same(floats.rounded(x, places), round(x, places)), (x, places)


def of_one(x):
    total = 0.0
    for v in x:
        part, exponent = math.frexp(v)
        rest, whole = math.modf(v)
        total += part + exponent + rest * whole + math.ulp(v) + math.gamma(abs(v) + 0.5)
        total += round(float(v), 3) + round(v, 2) + math.ldexp(v, exponent)
    return total


def of_two(x, y):
    total = 0.0
    for i in range(len(x)):
        total += math.nextafter(x[i], y[i]) + math.remainder(x[i], y[i])
        if math.isclose(x[i], y[i], rel_tol=0.3, abs_tol=1e-3):
            total += 1
    return total


@pytest.mark.slow
def test_they_are_native_in_loops():
    x = np.array([0.3, -2.5, 7.25, 1e-3])
    assert_native(of_one, (x,))
    assert_native(of_two, (x, x[::-1].copy()), (x, x * 1.0001))


def test_what_math_raises_is_raised():
    compiled = ag.jit(of_two)
    assert_same_outcome(of_two, compiled, (np.ones(2), np.array([1.0, 0.0])))
    gammas = ag.jit(lambda x: math.gamma(x[0]))
    for x in (-1.0, 0.0, 180.0, math.inf, -math.inf, math.nan):
        assert_same_outcome(lambda x: math.gamma(x[0]), gammas, (np.array([x]),))


def test_arguments_that_math_refuses_are_refused():
    for call in (
        lambda x: math.ldexp(x, 2.0),
        lambda x: math.isclose(x, "1"),
        lambda x: math.ulp(x * 1j),
    ):
        assert_same_outcome(call, ag.jit(call), (2.5,))
