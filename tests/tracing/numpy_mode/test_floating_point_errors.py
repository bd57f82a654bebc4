"""Floating-point errors in `jit`: where NumPy would raise, it does."""

import numpy as np
import pytest
from test_jit import check

import allograph as ag

A = np.arange(6.0)


def quotients(a):
    return a / (a - a)


def test_what_errstate_makes_an_exception_raises_and_else_the_values_are_those_of_numpy():
    with np.errstate(all="ignore"):
        compiled = check(quotients, A)
    for which in ("divide", "invalid"):
        with np.errstate(all="ignore", **{which: "raise"}):
            with pytest.raises(FloatingPointError, match=which):
                compiled(A)
    found = []
    with np.errstate(all="call", call=lambda *error: found.append(error[0])):
        compiled(A)
    assert found


@pytest.mark.slow
def test_errstate_that_ignores_is_native():
    def function(a):
        with np.errstate(divide="ignore", invalid="ignore"):
            for i in range(6):
                if a[i] > 3:
                    return a / 0.0
                a[i] /= a[0] - a[0]
        return a

    check(function, A)


def test_errstate_that_raises_is_left_to_numpy():
    def function(a):
        with np.errstate(all="raise"):
            return a / a

    compiled = ag.jit(function)
    with pytest.raises(FloatingPointError):
        compiled(A)
    assert "np.errstate" in compiled.inspect()


def test_a_handler_of_exceptions_is_left_to_numpy():
    def function(a):
        with np.errstate(all="ignore"):
            try:
                return a[9]
            except IndexError:
                return a[0] / 0

    check(function, A, native=False)


def discarded(a):
    a[1:] = a[:-1] * 1j
    return a.astype(np.complex64).astype(np.float32)


def means_of_nothing(a):
    return np.mean(a[9:]), a[9:].var()


@pytest.mark.parametrize("function", [discarded, means_of_nothing])
def test_warnings_that_are_not_about_floating_point_errors_are_given(function):
    with np.errstate(all="ignore"):
        with pytest.warns(Warning) as expected:
            function(A.copy())
        with pytest.warns(Warning) as given:
            ag.jit(function)(A.copy())
    assert [str(one.message) for one in given] == [str(one.message) for one in expected]
