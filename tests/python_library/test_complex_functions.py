"""The functions of `cmath` in plain Python, in `jit` and in graphs."""

import cmath
import math

import numpy as np
import pytest
from native_calls import is_native

import allograph as ag
from allograph.python_library import complex_functions

OF_ONE = (
    "exp", "log", "log10", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "tanh", "asin", "acos",
    "atan", "asinh", "acosh", "atanh", "phase", "polar", "isfinite", "isinf", "isnan",
)  # fmt: skip
PARTS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 1e-200, -1e-8, 30.0]
NUMBERS = [complex(real, imag) for real in PARTS for imag in PARTS]


def outcome(function, *args):
    """The result as text, which tells zeros apart; or that the call is one of the original."""
    try:
        return repr(function(*args))
    except AssertionError:
        return "left"


@pytest.mark.parametrize("name", OF_ONE)
def test_results_are_those_of_cmath(name):
    own, original = getattr(complex_functions, name), getattr(cmath, name)
    results = [(outcome(own, z), z) for z in NUMBERS]
    right = [result for result, z in results if result != "left"]
    assert right == [repr(original(z)) for result, z in results if result != "left"]
    assert len(right) > len(NUMBERS) / 2


def test_functions_with_several_arguments_are_those_of_cmath():
    assert complex_functions.rect(2.0, 0.5) == cmath.rect(2.0, 0.5)
    assert complex_functions.log(2 + 1j, 3) == cmath.log(2 + 1j, 3)
    assert complex_functions.isclose(1j, 1j + 1e-12) and not complex_functions.isclose(1j, 1.1j)


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_ONE)
def test_they_are_native(name):
    function = getattr(cmath, name)

    def of_each(numbers):
        results = []
        for z in numbers:
            result = function(z * 0.3)
            results.append(complex(result) if name != "polar" else result[0] + 1j * result[1])
        return np.array(results)

    numbers = np.random.default_rng(0).normal(size=(70, 2)) @ [1, 1j]
    compiled = ag.jit(of_each)
    np.testing.assert_allclose(compiled(numbers), of_each(numbers), 1e-13)
    assert is_native(compiled)


@pytest.mark.slow
def test_errors_and_numbers_that_are_not_finite_are_those_of_cmath():
    f = ag.jit(lambda z: (cmath.log(z), cmath.sqrt(z), cmath.exp(z)))
    assert f(1 + 2j) == pytest.approx((cmath.log(1 + 2j), cmath.sqrt(1 + 2j), cmath.exp(1 + 2j)))
    with pytest.raises(ValueError):
        f(0j)
    with pytest.raises(OverflowError):
        f(1e3 + 1j)
    assert f(complex(-math.inf, 2.0))[1] == complex(0.0, math.inf)


@pytest.mark.slow
def test_graphs_of_tensors_have_them():
    @ag.function(jit_compile=True)
    def wave(z):
        return cmath.exp(z) * cmath.rect(2.0, cmath.phase(z)), cmath.isfinite(z), complex(z)

    z = 0.5 - 1j
    first, finite, whole = wave(ag.constant(z))
    assert complex(first) == pytest.approx(cmath.exp(z) * cmath.rect(2.0, cmath.phase(z)))
    assert bool(finite) and complex(whole) == z
