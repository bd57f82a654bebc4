"""Functions of NumPy with valid, odd and invalid arguments: decorated, they do what NumPy does."""

import platform

import numpy as np
import pytest
from argument_programs import (
    assert_graph_is_numpy_of_arguments,
    assert_jit_is_numpy_of_arguments,
    is_alike,
    outcome,
)
from numpy_programs import assert_native

import allograph as ag

ZEROS = np.array([-0.0, 0.0, -0.0])
MATRIX = np.arange(12.0).reshape(3, 4)


def assert_same(function, *args):
    compiled = ag.jit(function, kernel_compiler="python")
    with np.errstate(all="ignore"):
        expected = outcome(function, args)
        for _ in range(2):
            assert is_alike(expected, outcome(compiled, args)), compiled.inspect()


@pytest.mark.parametrize("seed", range(0, 200, 20))
def test_calls_with_random_arguments_are_those_of_numpy(seed):
    for each in range(seed, seed + 20):
        assert_jit_is_numpy_of_arguments(each, "python")


@pytest.mark.parametrize("seed", range(0, 160, 20))
def test_calls_with_random_arguments_on_tensors_are_those_of_numpy_or_refused(seed):
    for each in range(seed, seed + 20):
        assert_graph_is_numpy_of_arguments(each)


@pytest.mark.parametrize(
    "function, args",
    [
        (lambda x, w: np.average(x, weights=w), (np.ones(3), np.array([1.0, -1.0, 0.0]))),
        (lambda x, w: np.average(x, axis=1, weights=w), (MATRIX, np.zeros(4))),
        (lambda x, low, high: np.histogram(x, 4, (low, high)), (ZEROS, 2.0, 1.0)),
        (lambda x, low, high: np.histogram(x, 4, (low, high)), (ZEROS, 0.0, np.nan)),
        (lambda x, edges: np.histogram(x, edges), (ZEROS, np.array([0.0, 2.0, 1.0]))),
        (lambda x, at: np.take_along_axis(x, at, 1), (MATRIX, np.array([[0], [1], [9]]))),
        (lambda x, counts: np.repeat(x, counts), (ZEROS, np.array([1, -1, 0]))),
        (lambda x, bins: np.digitize(x, bins), (ZEROS, np.array([1.0, 3.0, 2.0]))),
        (lambda x: np.linalg.inv(x), (np.ones((2, 2)),)),
    ],
)
def test_what_numpy_raises_for_elements_is_raised(function, args):
    assert outcome(function, args)[0] == "raised"
    assert_same(function, *args)


@pytest.mark.parametrize(
    "function, args",
    [
        (lambda x, n: np.diff(x, n), (ZEROS, -1)),
        (lambda t, x, y: np.interp(t, x, y), (0.5, np.arange(3.0), np.ones(2))),
        (lambda x, y: np.convolve(x, y, "bad"), (ZEROS, ZEROS)),
        (lambda x: np.sort(x, order="C"), (ZEROS,)),
        (lambda x: np.max(x, where=None), (ZEROS,)),
        (lambda x: np.diff(x, prepend=None), (ZEROS,)),
        (lambda a, b, n: np.linspace(a, b, n), (0.0, 1.0, -1)),
        (lambda x: np.take_along_axis(x, np.array([[0]]), None), (MATRIX,)),
        (lambda x: np.fabs(x, out=x, where=x > 0, order="bad"), (ZEROS,)),
        (lambda x: x.copy("bad"), (ZEROS,)),
        (lambda x: x.fill(x[:1]), (ZEROS,)),
        (lambda n: np.zeros(n), (True,)),
        (lambda x: np.asarray(x, order="bad"), (MATRIX,)),
        (lambda x: x.reshape(True, -1), (MATRIX,)),
        (lambda x: x.any(None, None, True), (MATRIX,)),
        (lambda x: x.all(0, None, 1), (MATRIX,)),
        (lambda x, n: x.reshape(n > 2, -1), (MATRIX, 3)),
        (lambda x: x.transpose(True, False), (MATRIX,)),
        (lambda x: np.ndarray((2,), float, "C"), (MATRIX,)),
        (lambda x: np.average(x[x > 0], weights=3), (MATRIX,)),
        (lambda x, n: np.average(x, weights=3 if n else 4.0), (ZEROS, 1)),
        (lambda x, n: np.zeros(2, x if n else None), (ZEROS, 1)),
        (lambda x, n: np.array([1, 2], x if n else None), (ZEROS, 1)),
        (lambda x, n: x.astype(x if n else None), (ZEROS, 1)),
    ],
)
def test_what_numpy_raises_for_parameters_is_raised(function, args):
    assert outcome(function, args)[0] == "raised"
    assert_same(function, *args)


@pytest.mark.parametrize(
    "function, args",
    [
        (lambda x: np.concatenate((x, x), axis=None), (MATRIX,)),
        (lambda x: np.array(x, ndmin=3), (ZEROS,)),
        (lambda x, n: np.array(x, ndmin=n), (ZEROS, 3)),
        (lambda x: (np.cov(x), np.corrcoef(x)), (MATRIX[:1],)),
        (lambda x: np.diff(x, 0), (ZEROS,)),
        (lambda x: np.nan_to_num(x), (np.array([complex(np.nan, -np.inf)]),)),
        (lambda x: np.nan_to_num(x, copy=False), (np.array([1.0, np.nan]),)),
        (lambda x: np.median(x, overwrite_input=True), (np.array([3.0, 1.0, 2.0]),)),
        (lambda x: np.nansum(x, where=None), (ZEROS,)),
        (lambda x: np.stack([x, x], axis=-1), (MATRIX,)),
    ],
)
def test_odd_values_of_parameters_mean_what_they_mean_in_numpy(function, args):
    assert outcome(function, args)[0] == "gave"
    assert_same(function, *args)


def test_signs_of_zeros_are_those_of_numpy():
    def signs(x, y):
        return np.mean(x), np.sum(x), np.sort(x, kind="stable"), np.cumsum(y)

    assert_same(signs, ZEROS, -ZEROS)
    assert_native(signs, (ZEROS, -ZEROS))


@pytest.mark.skipif(
    platform.machine() not in ("x86_64", "AMD64"),
    reason="which zero NumPy takes depends on the processor; native code takes that of x86",
)
def test_the_larger_of_two_zeros_is_the_one_that_numpy_takes():
    def extremes(x, y):
        return np.maximum(x, y), np.minimum(x, y), np.maximum(x, 0.0)

    assert_same(extremes, ZEROS, -ZEROS)
    assert_native(extremes, (ZEROS, -ZEROS))


def test_einsum_that_only_orders_axes_gives_a_view():
    def turned(x):
        y = np.einsum("ij->ji", x)
        y[0, 1] = 100
        return x

    assert_same(turned, MATRIX.copy())


def test_a_parameter_that_depends_on_a_loop_is_refused_as_in_numpy():
    def differences(x):
        total = 0.0
        for n in range(2, -2, -1):
            total += np.diff(x, n).sum()
        return total

    assert_same(differences, np.arange(5.0))


def test_long_axes_are_checked_as_short_ones_are():
    for size in (3, 40, 5000):
        x = np.arange(float(size))
        assert_same(lambda x: np.split(x[:-1], 2 if len(x) % 2 else 5), x)
        assert_same(lambda x: np.interp(0.5, x, x[1:]), x)
        assert_same(lambda x: np.concatenate((x, x))[::9], x)
        assert_native(lambda x: np.concatenate((x, x)).reshape(2, -1).sum(axis=0), (x,))


def test_options_by_position_are_those_of_numpy():
    assert_same(lambda x: np.unique(x, True), MATRIX)
    assert_same(lambda x: np.unique(x, False, True), MATRIX)
    assert_same(lambda x: np.unique(x, False, False, True), MATRIX)
    assert_same(lambda x: np.linspace(0, x, 5, True, False, np.float32), 2.0)


@pytest.mark.parametrize("x", [2.5, np.array([1.0, 2.0]), MATRIX])
@pytest.mark.parametrize("n", [0, 1])
def test_an_option_that_may_be_none_is_what_it_is_in_python(x, n):
    assert_same(lambda x, n: np.sum(x, axis=0 if n else None), x, n)
    assert_same(lambda x, n: np.sum(x, initial=x if n else None), x, n)
    assert_same(lambda x, n: np.average(x, weights=x if n else None), x, n)
    assert_same(lambda x, n: np.result_type(n if n else None, 1), x, n)
    assert_same(lambda x, n: np.full(2, n if n else None), x, n)
