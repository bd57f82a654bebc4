"""Functions of `math` in functions of `jit`, and on tensors."""

import math
import sys

import numpy as np
import pytest
from native_calls import is_native

import allograph as ag

OF_ONE = (math.erf, math.erfc, math.lgamma, math.cbrt, math.exp2)
OF_TWO = (math.fmod, math.hypot)
pytestmark = pytest.mark.slow


def summed(a, b):
    total = 0.0
    for i in range(len(a)):
        total += math.erf(a[i]) + math.erfc(b[i]) * math.cbrt(a[i])
        total += math.exp2(a[i]) + math.lgamma(a[i]) + math.fmod(b[i], a[i])
    return total + math.hypot(a[0], b[0])


def test_loops_that_call_them_are_native():
    a, b = np.linspace(0.5, 3, 9), np.linspace(-4, 4, 9)
    run = ag.jit(summed)
    np.testing.assert_allclose(run(a, b), summed(a, b), rtol=1e-13)
    assert "native code" in run.inspect()


@pytest.mark.parametrize("function", [*OF_ONE, *OF_TWO])
def test_numbers_are_arguments_and_not_constants(function):
    count = 2 if function in OF_TWO else 1
    run = ag.jit(lambda x, y: function(*(x, y)[:count]))
    for x, y in ((0.5, 2.0), (-1.5, 0.25), (3.0, math.inf), (-0.25, 1.0)):
        np.testing.assert_allclose(run(x, y), function(*(x, y)[:count]), rtol=1e-14)
    assert run.inspect().count("native code") == 1


def test_functions_of_all_floats_are_not_checked():
    functions = math.erf, math.erfc, math.tanh, math.atan, math.asinh

    def computed(x, out):
        for i in range(len(x)):
            for at, function in enumerate(functions):
                out[i, at] = function(x[i])
            out[i, 5] = math.atan2(x[i], x[-1 - i])
            out[i, 6] = math.copysign(x[i], x[-1 - i])

    x = np.array([-math.inf, -1e300, -0.5, -0.0, 0.0, math.nan, 0.3, 9.0, 1e-300, math.inf])
    run, out, wanted = ag.jit(computed), np.zeros((10, 7)), np.zeros((10, 7))
    run(x, out)
    computed(x, wanted)
    np.testing.assert_allclose(out, wanted, rtol=1e-14)
    np.testing.assert_array_equal(np.signbit(out[:, 6]), np.signbit(wanted[:, 6]))
    (entry,) = run.jit_table.values()
    (kernel,) = entry.traced.executable.kernels()
    assert "isfinite" not in kernel.source


@pytest.mark.parametrize(
    ("function", "args"),
    [(math.fmod, (1.0, 0.0)), (math.fmod, (math.inf, 1.0)), (math.lgamma, (-2.0,)),
     (math.exp2, (5000.0,)), (math.hypot, (1e308, 1.7e308))],
)  # fmt: skip
def test_errors_are_those_of_python(function, args):
    run = ag.jit(lambda *args: function(*args))
    try:
        wanted = function(*args)
    except (ValueError, OverflowError) as error:
        with pytest.raises(type(error)):
            run(*args)
    else:
        assert run(*args) == wanted


@pytest.mark.parametrize("number", [0.5, 2.0])
def test_they_are_operations_on_tensors(number):
    for function in OF_ONE:
        result = ag.function(lambda x: function(x))(ag.constant(number, ag.float64))  # noqa: B023
        np.testing.assert_allclose(result, function(number), rtol=1e-14)


@pytest.mark.parametrize(
    "function",
    [lambda a: sum(float(x) for x in a), lambda a: sum((float(x) for x in a), 1.5),
     lambda a: sum([0.1, float(a[0]), 3]), lambda a: sum([1, 2.5, True, float(a[-1])])],
)  # fmt: skip
@pytest.mark.parametrize("numbers", [[0.1] * 10, [1e100, 1.0, -1e100], [-0.0], [np.nan, 1.0]])
def test_floats_of_python_are_added_up_as_python_does(function, numbers):
    def with_a_loop(a):
        total = function(a)
        for i in range(len(a)):
            a[i] = total
        return total

    made = ag.jit(with_a_loop)
    assert repr(made(np.array(numbers))) == repr(with_a_loop(np.array(numbers)))
    if sys.version_info < (3, 12):  # later ones make up for rounding errors
        assert is_native(made)


def test_infinities_beside_nan_are_those_of_numpy():
    def program(x, y, z):
        return np.logaddexp(x, y), np.logaddexp2(x, y), np.exp2(z)

    ends = np.array([np.nan, np.inf, -np.inf, 1.0])
    x, y = map(np.ravel, np.meshgrid(ends, ends))
    with np.errstate(all="ignore"):
        expected = program(x, y, x + 1j * np.where(y == y, 0, y))
        results = ag.jit(program)(x, y, x + 1j * np.where(y == y, 0, y))
    for result, wanted in zip(results, expected, strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-14)
