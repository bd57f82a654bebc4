"""Arguments of `jit` functions that are constants of a trace: data types, shapes, functions."""

import gc
import math
import weakref

import numpy as np
import pytest

import allograph as ag

A = np.linspace(-2.0, 2.0, 12).reshape(3, 4)


def filled(a, shape, dtype):
    out = np.zeros(shape, dtype)
    for i in range(shape[0]):
        out[i] = a[i, : shape[1]] * 3
    return out


@pytest.mark.parametrize(
    "dtype", [np.float32, np.int16, int, bool, complex, np.dtype("u1"), "float32"]
)
@pytest.mark.parametrize("shape", [(3, 4), (2, 3), (0, 1)])
def test_a_shape_and_a_data_type_decide_the_trace(shape, dtype):
    f, positive = ag.jit(filled), np.abs(A)  # NumPy leaves open what -1.0 is as an unsigned integer
    for _ in range(2):
        found, expected = f(positive, shape, dtype), filled(positive, shape, dtype)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(found, expected)


def test_each_data_type_has_a_trace_of_its_own():
    f = ag.jit(filled)
    for dtype in (np.float32, np.float64, np.float32):
        assert f(A, (2, 2), dtype).dtype == dtype
    assert f.inspect().count("native code") == 2


def root(f, low, high):
    while high - low > 1e-9:
        middle = (low + high) / 2
        if f(low) * f(middle) <= 0:
            high = middle
        else:
            low = middle
    return low


def cubic(x):
    return x * x * x - 2.0


@pytest.mark.parametrize(
    "function",
    [cubic, math.cos, np.cos, lambda x: x - 1.0],
    ids=["cubic", "cos", "ufunc", "lambda"],
)
def test_a_function_is_compiled_into_the_one_that_it_is_passed_to(function):
    f = ag.jit(root)
    assert f(function, 0.0, 2.0) == pytest.approx(root(function, 0.0, 2.0))
    assert f(function, 0.0, 1.9) == pytest.approx(root(function, 0.0, 1.9))
    assert "native code" in f.inspect()


def test_functions_made_by_one_line_share_a_trace():
    f = ag.jit(root)
    for high in (1.5, 1.75, 2.0):
        assert f(lambda x: x - 1.0, 0.0, high) == pytest.approx(1.0)
    assert f.inspect().count("\n") == 0


def test_functions_of_different_lines_do_not_share_one():
    f = ag.jit(root)
    assert f(lambda x: x - 1.0, 0.0, 2.0) == pytest.approx(1.0)
    assert f(lambda x: x - 0.5, 0.0, 2.0) == pytest.approx(0.5)


def minus(value):
    return lambda x: x - value


def test_a_function_that_holds_values_has_a_trace_of_its_own():
    f = ag.jit(root)
    for value in (1.0, 0.25, 1.5):
        assert f(minus(value), 0.0, 2.0) == pytest.approx(value)
    assert f.inspect().count("native code") == 3


def test_many_functions_that_hold_values_are_left_to_numpy():
    f = ag.jit(root)
    kept = [minus(0.125 * one) for one in range(10)]
    for one, function in enumerate(kept):
        assert f(function, 0.0, 2.0) == pytest.approx(0.125 * one)
    kept = [weakref.ref(function) for function in kept]
    del function
    gc.collect()
    assert [reference() is None for reference in kept] == [False] * 8 + [True] * 2
    assert "native for known functions, which had 8 values" in f.inspect()


def test_a_value_that_a_function_holds_may_change():
    def made(value):
        def assign(other):
            nonlocal value
            value = other

        return lambda x: x - value, assign

    f = ag.jit(root)
    function, assign = made(1.0)
    assert f(function, 0.0, 2.0) == pytest.approx(1.0)
    assign(0.5)
    assert f(function, 0.0, 2.0) == pytest.approx(0.5)


def test_the_defaults_of_a_function_may_change():
    def shifted(x, by=1.0):
        return x - by

    f = ag.jit(root)
    assert f(shifted, 0.0, 2.0) == pytest.approx(1.0)
    assert "native code" in f.inspect()
    shifted.__defaults__ = (0.5,)
    assert f(shifted, 0.0, 2.0) == pytest.approx(0.5)


def test_the_keyword_only_defaults_of_a_function_may_change():
    def shifted(x, *, by=1.0):
        return x - by

    f = ag.jit(root)
    assert f(shifted, 0.0, 2.0) == pytest.approx(1.0)
    assert "native code" in f.inspect()
    shifted.__kwdefaults__["by"] = 0.25
    assert f(shifted, 0.0, 2.0) == pytest.approx(0.25)
    shifted.__kwdefaults__ = {"by": 0.5}
    assert f(shifted, 0.0, 2.0) == pytest.approx(0.5)


def test_an_array_that_a_function_holds_is_read_in_each_call():
    shift = np.array([1.0])
    function, f = (lambda x: x - shift[0]), ag.jit(root)
    for value in (1.0, 0.5):
        shift[0] = value
        assert f(function, 0.0, 2.0) == pytest.approx(value)
    assert f.inspect().count("native code") == 1


def test_a_function_of_jit_is_compiled_into_the_one_that_it_is_passed_to():
    f = ag.jit(root)
    assert f(ag.jit(cubic), 0.0, 2.0) == pytest.approx(root(cubic, 0.0, 2.0))
    assert "native code" in f.inspect()


def test_a_method_of_an_array_is_not_a_constant():
    f = ag.jit(lambda a, method: a[0] + method())
    for value in (1.0, 2.0):
        a = np.full(3, value)
        assert f(a, a.sum) == a[0] + a.sum()


def steps_of_a_float(stop, step):
    x = np.zeros(int(math.ceil(stop / step)))
    for i in range(len(x)):
        x[i] = i * step
    return x


def levels_of_a_loop(n):
    levels = 0
    while n > 1:
        n //= 2
        levels += 1
    return np.ones(levels)


def half_of_an_even_number(n):
    return np.ones(n // 2 if n % 2 == 0 else n)


@pytest.mark.parametrize(
    "function, calls",
    [
        (steps_of_a_float, [(7.2, 0.3), (1.0, 0.25), (0.0, 0.5)]),
        (levels_of_a_loop, [(1,), (9,), (64,)]),
        (half_of_an_even_number, [(4,), (7,)]),
        (lambda n: np.ones(int(math.sqrt(n))), [(16,), (17,)]),
        (lambda n: np.ones(int(np.log2(n)) + 1), [(16,), (17,)]),
        (lambda x, n: np.ones(max(round(x), n)), [(2.5, 1), (3.5, 5)]),
    ],
)
def test_a_number_that_a_size_depends_on_in_any_way_is_a_constant(function, calls):
    f = ag.jit(function)
    for arguments in calls:
        np.testing.assert_array_equal(f(*arguments), function(*arguments))
    assert f.inspect().count("native code") == len(calls)


def test_a_size_that_an_element_gives_leaves_numbers_as_they_are():
    f = ag.jit(lambda a, n: np.ones(int(a[0])) * n)
    for n in (1, 2, 3):
        assert f(A[0] + 4, n).tolist() == [n, n]
    assert f.inspect() == "(float64[4], int): native code; 3 calls"


def test_a_float_of_many_values_that_decides_a_size_is_left_to_numpy():
    f = ag.jit(lambda x: np.ones(int(x * 8)))
    for x in np.linspace(0.0, 9.0, 70).tolist():
        assert len(f(x)) == int(x * 8)
    assert "a size depends on a float, which had 64 values" in f.inspect()


def test_a_string_of_an_argument_has_its_value():
    def f(a, n):
        scale = {"1": 10.0, "2": 20.0}.get(str(n), 1.0)
        return a * scale + round(a[0]) + len(f"{n}") + len(format(n, "03d")) + len(repr(n))

    a = np.array([1.6, 2.0])
    for n in (2, 1, 7):
        np.testing.assert_allclose(ag.jit(f)(a, n), f(a, n))
