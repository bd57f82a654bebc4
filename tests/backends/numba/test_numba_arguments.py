"""What functions of Numba take and return besides tensors: tuples, strings, None, numbers."""

import math
from collections import namedtuple

import numpy as np
import pytest
from execution_modes import NATIVE, PLAN
from numba import njit, stencil, typed, types, vectorize

import allograph as ag

Line = namedtuple("Line", "slope offset")


@njit
def polar(point):
    return math.hypot(point[0], point[1]), (None, math.atan2(point[1], point[0]))


@njit
def shifted(line, by):
    return Line(line.slope, line.offset + by)


@njit
def scaled(x, how, factor=None):
    if factor is None:
        return x * 0.5 if how == "half" else x
    return x * factor


@njit
def wrapped(x):
    return (x + 1,)


@njit
def added(x, n):
    return x + n


@njit
def first_of(values, x):
    return values[0] + x


@njit
def applied(function, x):
    return function(x) + x


@vectorize
def larger(x, y):
    return x if x > y else y


@stencil
def blurred(a):
    return 0.25 * (a[0, 1] + a[1, 0] + a[0, -1] + a[-1, 0])


pytestmark = pytest.mark.slow
MODES = pytest.mark.parametrize("options", [PLAN, NATIVE], ids=["plan", "native"])
X = ag.constant(3.0, ag.float64)


@MODES
def test_tuples_are_taken_apart_and_returned(options):
    radius, (nothing, angle) = ag.function(lambda x: polar((x, 4.0)), **options)(X)
    assert (float(radius), nothing, float(angle)) == (5.0, None, math.atan2(4, 3))
    (found,) = ag.function(lambda x: wrapped(x), **options)(X)
    assert float(found) == 4.0


@MODES
def test_named_tuples_keep_their_names(options):
    def run(x, n):
        line = Line(x, 0.0)
        while n > 0:
            line = shifted(line, x)
            n -= 1
        return line

    found = ag.function(run, **options)(X, ag.constant(3))
    assert (type(found), float(found.slope), float(found.offset)) == (Line, 3.0, 9.0)


@MODES
def test_strings_and_none_are_constants(options):
    def run(x):
        return scaled(x, "half"), scaled(x, "whole", None), scaled(how="half", x=x, factor=x)

    assert [float(one) for one in ag.function(run, **options)(X)] == [1.5, 3.0, 9.0]


def test_functions_of_jit_pass_tuples_and_strings_natively():
    run = ag.jit(lambda x: polar((x, scaled(4.0, "whole")))[0] + shifted(Line(x, x), 1.0).offset)
    assert run(3.0) == 9.0
    assert "native code" in run.inspect()


@MODES
def test_decorated_functions_are_constants(options):
    square, half = ag.jit(lambda x: x * x), ag.function(lambda x: x * 0.5)
    for function, wanted in (
        (square, 12.0),
        (half, 4.5),
        (half.as_cfunc("float64(float64)"), 4.5),
    ):
        run = ag.function(lambda x: applied(function, x), **options)  # noqa: B023
        assert float(run(X)) == wanted
        run = ag.jit(lambda x: applied(function, x))  # noqa: B023
        assert (run(3.0), "native code" in run.inspect()) == (wanted, True)


def test_a_stated_gradient_sees_the_items_of_tuples():
    slope = ag.numba_op(first_of, gradient=lambda dy, a, b, x: (dy, None, dy * 2))
    with ag.GradientTape() as tape:
        tape.watch(X)
        y = slope((X, 5.0), X)
    assert float(tape.gradient(y, X)) == 3.0


@MODES
def test_numbers_have_the_types_of_numba(options):
    f = ag.function(ag.numba_op(added, shape=lambda x, n: x), **options)
    for x in (np.float32([1]), np.uint8([200]), np.int32([7]), np.float64([1])):
        for number in (0.1, 100, True):
            found, wanted = f(ag.constant(x), number).numpy(), added(x, number)
            np.testing.assert_array_equal(found, wanted)
            assert found.dtype == wanted.dtype


def test_numbers_beside_element_wise_functions_have_the_types_of_numpy():
    f = ag.function(lambda x: larger(x, 0.1))
    assert f(ag.constant([0.0], ag.float64)).numpy().tolist() == [0.1]
    assert f(ag.constant([0.0], ag.float32)).numpy().tolist() == [np.float32(0.1)]
    assert f(ag.constant([0], ag.int32)).numpy().tolist() == [0.1]


@MODES
def test_types_of_results_do_not_depend_on_earlier_calls(options):
    rectified = vectorize(lambda x: x if x > 0 else x * 0)
    rectified(np.array([1.5]))  # Numba reuses this code for integers
    f = ag.function(lambda x: rectified(x), **options)
    assert f(ag.constant([-1, 2], ag.int32)).dtype == ag.int64
    assert ag.jit(lambda x: rectified(x))(np.array([-1, 2], np.int32)).dtype == np.int64


class TestRefused:
    """What is neither tensor nor constant is refused at the user's line."""

    def test_containers(self):
        numbers = typed.Dict.empty(types.int64, types.float64)
        numbers[0] = 2.0
        for values in ([1.0, X], {1.0}, {0: 1.0}, numbers, typed.List([1.0])):
            with pytest.raises(TypeError, match="is no tensor") as caught:
                ag.function(lambda x: first_of(values, x))(X)  # noqa: B023
            assert "test_numba_arguments" in str(caught.value)
        run = ag.jit(lambda x: first_of(numbers, x))
        assert run(1.0) == 3.0

    def test_functions_that_numba_does_not_know(self):
        with pytest.raises(TypeError, match=r"function that Numba does not know[\s\S]*numba\.njit"):
            ag.function(lambda x: applied(lambda y: y, x))(X)

    def test_tuples_of_element_wise_functions(self):
        with pytest.raises(TypeError, match="larger is an element-wise function"):
            ag.function(lambda x: larger((x, x), x))(X)

    def test_methods_of_element_wise_functions(self):
        with pytest.raises(TypeError, match=r"larger\.reduce cannot be traced"):
            ag.function(lambda x: larger.reduce(x))(ag.constant([1.0, 2.0]))


@MODES
def test_a_stencil_has_the_shape_of_its_first_argument(options):
    a = np.arange(20.0).reshape(4, 5) ** 1.5
    f = ag.function(lambda a: blurred(a) * 2, **options)
    np.testing.assert_array_equal(f(ag.constant(a)).numpy(), blurred(a) * 2)
    run = ag.jit(lambda a: blurred(a) * 2)
    np.testing.assert_array_equal(run(a), blurred(a) * 2)
