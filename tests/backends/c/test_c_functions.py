"""Decorated functions as functions of C, called by address: by ctypes, SciPy and Numba."""

import ctypes

import numpy as np
import pytest

import allograph as ag


@ag.function
def scaled(x, weights):
    return ag.reduce_sum(x * weights), x * 2.0


@ag.jit
def turned(a, factor):
    a[:] = a[::-1].copy() * factor


def pointer(array):
    return array.ctypes.data_as(ctypes.POINTER(np.ctypeslib.as_ctypes_type(array.dtype)))


def test_scalars_arrays_and_results_have_addresses():
    f = scaled.as_cfunc("int32(float64[3], float64[3], out float64, voidptr, out float64[3])")
    x, total, double = np.arange(3.0), np.zeros(1), np.zeros(3)
    assert f.ctypes(pointer(x), pointer(x), pointer(total), None, pointer(double)) == 1
    assert (total[0], double.tolist()) == (5.0, [0.0, 2.0, 4.0])


def test_functions_of_jit_write_into_their_arguments():
    a = np.arange(3, dtype=np.float32)
    turned.as_cfunc("void(float32[3], float32)").ctypes(pointer(a), 2.0)
    assert a.tolist() == [4.0, 2.0, 0.0]


def test_captured_tensors_are_constants():
    weights = ag.constant([1.0, 10.0], ag.float64)
    f = ag.function(lambda x: ag.reduce_sum(weights * x)).as_cfunc("float64(float64)")
    assert f.ctypes(2.0) == 22.0


def test_a_failure_is_a_status_or_nan():
    def root(x):
        assert x >= 0.0
        return ag.sqrt(x)

    assert np.isnan(ag.function(root).as_cfunc("float64(float64)").ctypes(-1.0))
    status = ag.function(root).as_cfunc("int32(float64, out float64)").ctypes
    assert [status(one, pointer(np.zeros(1))) for one in (-1.0, 1.0)] == [0, 1]


variable = ag.Variable(1.0)


@pytest.mark.parametrize(
    ("function", "signature", "reason"),
    [
        (lambda x: x, "float64", "is no signature"),
        (lambda x: x, "float64(float64", "is no signature"),
        (lambda x: x, "string(float64)", "no data type 'string'"),
        (lambda x: x, "float64(float64, out float64)", "returns a status"),
        (lambda x: (x, x), "float64(float64)", "has 2 results, and the signature 1"),
        (lambda x: x, "int32(float64[3], out float64[2])", r"has the shape \(3,\)"),
        (lambda x: 7 // x, "int32(int32)", "may fail"),
        (lambda x: x + variable, "float32(float32)", "reads or assigns variables"),
        (lambda x: ag.strings.as_string(x), "float32(float32)", "native code does not have"),
    ],
)
def test_what_has_no_form_in_c_is_refused(function, signature, reason):
    with pytest.raises(ag.errors.InvalidArgumentError, match=reason):
        ag.function(function).as_cfunc(signature)


@pytest.mark.parametrize(
    ("function", "signature", "reason"),
    [
        (lambda n: np.zeros(n).sum(), "float64(int64)", "n of .* decides a shape"),
        (lambda x: print(x), "void(float64)", "no native code: a call of print"),
        (lambda x: len(str(x)), "int64(float64)", "no native code: a computed value is formatted"),
    ],
)
def test_functions_of_jit_that_have_no_form_in_c_are_refused(function, signature, reason):
    decorated = ag.jit(function)
    for _ in range(2):
        with pytest.raises(ag.errors.InvalidArgumentError, match=reason):
            decorated.as_cfunc(signature)
        decorated(5)  # a number that is a constant of this trace is none of the next one


@pytest.mark.slow
@pytest.mark.parametrize("decorate", [ag.function, ag.jit])
def test_functions_of_c_hold_the_code_of_functions_of_numba(decorate):
    numba = pytest.importorskip("numba")
    halved = numba.njit(lambda x: x * 0.5 + 1.0)
    smaller = numba.vectorize(lambda x, y: x if x < y else y)

    @numba.njit
    def listed(x):  # called by its address
        if x > 5:
            raise ValueError
        return [x, x * 2][1]

    @decorate
    def f(x):
        return listed(halved(x)) + smaller(x, 3.0)

    c_function = f.as_cfunc("float64(float64)").ctypes
    assert (c_function(2.0), np.isnan(c_function(20.0))) == (6.0, True)

    @numba.njit
    def calls(x):
        return f(x) + 1.0

    assert calls(2.0) == 7.0
    with pytest.raises(ArithmeticError, match="f failed"):
        calls(20.0)


@pytest.mark.slow
def test_functions_of_numba_call_decorated_functions():
    numba = pytest.importorskip("numba")
    declared = ag.function(
        scaled.python_function, input_signature=[ag.TensorSpec([3], "float64")] * 2
    )
    in_place = turned.as_cfunc("void(float64[3], float64)")
    halves = ag.function(lambda n: 7 // n)

    @numba.njit
    def run(x, n):
        total, double = declared(x, x)
        in_place(double, 0.5)
        return total + halves(n), double

    total, double = run(np.arange(3.0), 2)
    assert (total, double.tolist()) == (8.0, [2.0, 1.0, 0.0])
    with pytest.raises(ValueError, match=r"takes an array of the shape \(3,\)"):
        run(np.arange(4.0), 2)
    with pytest.raises(ArithmeticError, match="failed"):
        run(np.arange(3.0), 0)

    @numba.njit
    def unknown(x):
        return scaled(x, x)

    with pytest.raises(numba.TypingError, match=r"shape of an array is not known[\s\S]*as_cfunc"):
        unknown(np.arange(3.0))
