"""Keyword-only parameters of `jit` functions."""

import numpy as np
import pytest
from native_calls import is_native

import allograph as ag

A = np.arange(12.0).reshape(3, 4)


def column(a, *, axis=0, scale):
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i, axis] * scale
    return total


def test_a_function_with_keyword_only_parameters_is_native():
    f = ag.jit(column)
    for axis in (0, 2, 1):
        assert f(A, axis=axis, scale=2.0) == column(A, axis=axis, scale=2.0)
    assert f(A, scale=0.5) == column(A, scale=0.5)
    assert "native code" in f.inspect()
    assert is_native(f)


def test_keyword_only_parameters_come_after_any_number_of_others():
    def f(a, *rest, weight=2.0):
        total = a.sum()
        for one in rest:
            total += one[0, 0] * weight
        return total

    compiled = ag.jit(f)
    for args, named in [((A,), {}), ((A, A + 1), {}), ((A, A, A + 3), {"weight": 5.0})]:
        assert compiled(*args, **named) == f(*args, **named)
    assert is_native(compiled)


def test_an_array_passed_by_keyword_changes_in_place():
    @ag.jit
    def f(a, *, out):
        out[:] = a * 2.0

    out = np.zeros_like(A)
    f(A, out=out)
    np.testing.assert_array_equal(out, A * 2)


@pytest.mark.parametrize(
    ("args", "named"), [((A, 1, 2.0), {}), ((A,), {}), ((A,), {"scale": 1.0, "other": 2})]
)
def test_wrong_arguments_are_pythons_errors(args, named):
    with pytest.raises(TypeError) as told:
        column(*args, **named)
    with pytest.raises(TypeError) as found:
        ag.jit(column)(*args, **named)
    assert str(told.value) == str(found.value)


def test_a_python_error_is_raised_with_the_keywords():
    @ag.jit
    def f(a, *, at):
        return a[at, 0]

    with pytest.raises(IndexError):
        f(A, at=7)


def test_keywords_of_any_name_run_in_numpy_and_are_listed():
    @ag.jit
    def f(a, **options):
        return a.sum() + options["b"]

    assert f(A, b=2) == A.sum() + 2
    assert f.inspect() == "(**keywords): NumPy: keywords of any name; 1 call"
