"""`jit`: numbers that are complex at one time, and real at another."""

import cmath

import numpy as np
import pytest
from native_calls import is_native
from test_jit import check

import allograph as ag

pytestmark = pytest.mark.slow


def root(x):
    if x < 0:
        return complex(0, (-x) ** 0.5)
    return x**0.5


def computed_with(x):
    r = complex(0, -x) if x < 0 else x
    return r * 2, r + 1, r - 0.5, 1j * r, -r, abs(r), r == 2.0, r != r, r * r, 2 / (r + 3)


def of_integers(x):
    r = complex(1, x) if x < 0 else int(x)
    return r, r + 1, r * 2.5, bool(r)


def passed_on(x):
    r = root(x)
    return cmath.sqrt(r), complex(r), r, (r, 1), [r]


def stored(x):
    r = root(x)
    out = np.zeros(3, complex)
    out[1:] = r
    return out


def of_an_array(x):
    values = np.array([1.0, x, 3.0])
    r = values[1]
    for value in values:
        if value > 2:
            r = value * 1j
            if x < 0:
                r = value
    return r


FUNCTIONS = [root, computed_with, of_integers, passed_on, stored, of_an_array]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("x", [4.0, -4.0, 0.0, 2.0])
def test_a_number_that_is_complex_or_real_is_native(function, x):
    check(function, x)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_each_result_has_the_type_that_it_has_in_python(function):
    compiled = ag.jit(function)
    for x in (4.0, -4.0, 0.0, 1e300):
        assert repr(compiled(x)) == repr(function(x))


def test_an_array_of_a_number_is_native_where_it_is_real():
    function = ag.jit(lambda x: (np.array([root(x), 1.0]), np.asarray(root(x))))
    for x in (4.0, -4.0):
        for found, expected in zip(function(x), function.python_function(x), strict=True):
            assert found.dtype == expected.dtype and (found == expected).all()
    assert "native code" in function.inspect()


def ordered(x):
    return root(x) > 1


def part(x):
    return root(x).conjugate(), root(x).real, root(x).imag


def as_float(x):
    return float(root(x))


@pytest.mark.parametrize("function", [ordered, part, as_float])
def test_questions_about_its_parts_are_left_to_python(function):
    check(function, 4.0, native=False)
    check(function, -4.0, native=False)


def test_lists_hold_both():
    @ag.jit
    def roots(values):
        out = []
        for value in values:
            out.append(root(float(value)))
        return out

    values = np.array([4.0, -4.0, 0.0])
    for _ in range(2):
        assert repr(roots(values)) == repr([2.0, 2j, 0.0])
    assert is_native(roots)


def test_the_imaginary_part_of_a_number_of_two_complex_types_is_kept():
    def alternating(first, even, odd, n):
        y = first
        for i in range(n):
            y = odd if i % 2 else even
        return y, y * 2

    compiled = ag.jit(alternating)
    for n in (0, 1, 2):
        for args in ((2, 1 + 2j, np.complex128(3 - 1j), n), (2.5, 0.1j, np.complex64(0.1j), n)):
            assert repr(compiled(*args)) == repr(alternating(*args))


def test_a_float_of_python_or_of_numpy_beside_a_complex_number():
    """`1j + y` is a number of Python's for both, `y + 1j` one of the class of `y`."""

    def computed(x, n):
        y = x
        if n > 1:
            y = np.float64(n)
        return 1j + y, y + 1j, 1j / y, y * 1j

    compiled = ag.jit(computed)
    for n in (1, 2):
        assert repr(compiled(2.5, n)) == repr(computed(2.5, n))
    assert is_native(compiled)


def test_a_number_that_is_complex_or_real_beside_a_float_of_numpy():
    check(lambda x: (root(x) * np.float64(2), np.float64(2) - root(x)), 2.0)
    check(lambda x: (root(x) * np.float64(2), np.float64(2) - root(x)), -2.0)
