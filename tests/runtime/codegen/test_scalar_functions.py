"""Which functions of mathematics compute single numbers: formulas, or those of the C library."""

import numpy as np
import pytest

import allograph as ag

pytest.importorskip("llvmlite")

X = np.linspace(0.1, 2.0, 50)


def source_of(function, *args) -> str:
    """The kernel of a function of arrays, whose results are NumPy's."""
    compiled = ag.jit(function)
    copies = [arg.copy() for arg in args]
    expected, found = function(*args), compiled(*copies)
    for pair in zip([found or 0.0, *copies], [expected or 0.0, *args], strict=True):
        np.testing.assert_allclose(*pair, rtol=1e-14)
    (entry,) = compiled.jit_table.values()
    (kernel,) = entry.traced.executable.kernels()
    return kernel.source


def sum_of_powers(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] ** 1.3
    return total


def powers(x, y):
    for i in range(len(x)):
        y[i] = x[i] ** 1.3


def spirals(x):
    total = 0.0
    for i in range(len(x)):
        total += np.exp(x[i]) * np.sin(x[i])
    return total


def sum_of_exponentials(x):
    total = 0.0
    for i in range(len(x)):
        total += np.exp(x[i])
    return total


def test_a_long_formula_is_left_to_the_library_where_floats_are_added_up_in_order():
    assert "power_l64(" in source_of(sum_of_powers, X)


def test_a_long_formula_computes_iterations_that_may_run_at_once():
    assert "power_f64(" in source_of(powers, X, np.zeros(50))


def test_a_short_formula_computes_single_numbers():
    assert "exp_f64(" in source_of(sum_of_exponentials, X)


def test_functions_beside_a_sine_are_the_librarys():
    source = source_of(spirals, X)
    assert "exp_l64(" in source
    assert "sin_l64(" in source
