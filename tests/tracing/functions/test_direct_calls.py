"""Calls of functions of tensors that one function of C serves: what it takes, what it leaves."""

import gc
import sys
import types
import weakref

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.executors import bound_calls

VECTOR = np.arange(4, dtype=np.float32)
X, Y = ag.constant(VECTOR), ag.constant(VECTOR + 10)


def direct(function, *args, **kwargs):
    """The function as native code, called until a function of C serves such calls."""
    decorated = ag.function(function, jit_compile=True)
    for _ in range(5):
        decorated(*args, **kwargs)
    assert bound_calls.IS_COMPILED.wait(60)  # a thread compiles it where no other process has
    assert served(decorated, *args, **kwargs)
    return decorated


def served(decorated, *args, **kwargs) -> bool:
    """Whether a function of C serves a call."""
    before = decorated.number_served()
    decorated(*args, **kwargs)
    return decorated.number_served() > before


def scaled(x, factor=2, *, shift=1.0):
    return x * factor + shift


def test_keywords_and_defaults_are_those_of_python():
    function = direct(scaled, X)
    for args, kwargs in (
        ((X,), {}),
        ((X, 2), {}),
        ((), {"x": X}),
        ((X,), {"shift": 1.0, "factor": 2}),
    ):
        assert served(function, *args, **kwargs)
        np.testing.assert_array_equal(function(*args, **kwargs), scaled(VECTOR))
    assert not served(function, X, 3)
    np.testing.assert_array_equal(function(X, 3), scaled(VECTOR, 3))


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [((), {}), ((X, 2, 1.0), {}), ((X,), {"other": 1}), ((X,), {"x": X}), ((), {"factor": 2})],
)
def test_arguments_that_do_not_fit_are_binding_errors(args, kwargs):
    function = direct(scaled, X)
    with pytest.raises(ag.errors.BindingError, match=r"scaled\(x, factor=2, \*, shift=1.0\)"):
        function(*args, **kwargs)


def test_numbers_of_other_types_have_other_traces():
    function = direct(lambda x, n: x if n is True else x * n, X, 2)
    for other in (True, 2.0, ag.constant(2.0)):
        assert not served(function, X, other)
    assert [function(X, n).numpy()[1] for n in (2, True, 3)] == [2, 1, 3]


def test_items_of_containers_are_compared():
    def total(pair, table):
        return pair[0] + table["a"] * pair[1] + table["n"]

    function = direct(total, (X, 2), {"a": Y, "n": 3})
    expected = VECTOR + (VECTOR + 10) * 2 + 3
    np.testing.assert_array_equal(function((X, 2), {"n": 3, "a": Y}), expected)
    for pair, table in (
        ((X, 4), {"a": Y, "n": 3}),
        ([X, 2], {"a": Y, "n": 3}),
        ((X, 2), {"a": Y, "n": 5}),
    ):
        assert not served(function, pair, table)
        found = function(pair, table)
        np.testing.assert_array_equal(found, VECTOR + (VECTOR + 10) * pair[1] + table["n"])


def test_what_observes_a_call_sees_it():
    function = direct(lambda x: x * x, X)
    with ag.GradientTape() as tape:
        tape.watch(X)
        result = function(X)
    np.testing.assert_array_equal(tape.gradient(result, X), 2 * VECTOR)
    outer = ag.function(lambda x: function(x) + 1.0)
    np.testing.assert_array_equal(outer(X), VECTOR**2 + 1)
    ag.config.run_functions_eagerly(True)
    try:
        assert not served(function, X)
    finally:
        ag.config.run_functions_eagerly(False)
    assert served(function, X)


def test_several_traces_are_tried_in_turn():
    function = direct(lambda x, n: x * n, X, 2)
    for n in (2, 3, 2, 3, 2, 3):
        function(X, n)
    for _ in range(4):
        function(X, 3), function(X, 2)
    assert served(function, X, 2) and served(function, X, 3)
    np.testing.assert_array_equal(function(X, 3), VECTOR * 3)


def test_the_most_specific_trace_counts():
    function = ag.function(lambda x: x * (1.0 if x.shape[0] is None else 2.0), jit_compile=True)
    function.get_concrete_function(ag.TensorSpec([4], ag.float32))
    function.get_concrete_function(ag.TensorSpec([None], ag.float32))
    longer = ag.constant(np.ones(5, np.float32))
    for _ in range(9):
        assert function(X).numpy()[1] == 2 and function(longer).numpy()[1] == 1


LEVEL = 3.0


def test_guards_are_compared(monkeypatch):
    function = ag.function(lambda x: x * LEVEL, guard_globals=True, jit_compile=True)
    for _ in range(9):
        function(X)
    monkeypatch.setitem(globals(), "LEVEL", 4.0)
    np.testing.assert_array_equal(function(X), VECTOR * 4)


def test_objects_are_told_apart_and_not_kept():
    class Model:
        factor = 2.0

    function = ag.function(lambda model, x: x * model.factor, jit_compile=True)
    first, second = Model(), Model()
    second.factor = 5.0
    for _ in range(5):
        function(first, X)
    assert served(function, first, X)
    np.testing.assert_array_equal(function(second, X), VECTOR * 5)
    alive = weakref.ref(first)
    del first
    gc.collect()
    assert alive() is None


def test_a_cleared_function_traces_again():
    function = direct(lambda x: x + 1, X)
    function.clear()
    assert type(function.__call__) is not types.BuiltinFunctionType
    np.testing.assert_array_equal(function(X), VECTOR + 1)
    assert function.experimental_get_tracing_count() == 1


def test_a_variable_is_read_at_each_call():
    variable = ag.Variable(VECTOR)
    function = direct(lambda x: x * variable, X)
    variable.assign(VECTOR + 1)
    np.testing.assert_array_equal(function(X), VECTOR * (VECTOR + 1))


def test_calls_keep_no_references():
    function = direct(scaled, X)
    pair, array = (X, 2), VECTOR.copy()
    held = [X, X.array, pair, array, np.dtype(np.float32), "factor"]
    before = [sys.getrefcount(one) for one in held]
    for _ in range(1000):
        function(X), function(x=X), function(array), function(X, factor=2), function(X[:2])
    after = [sys.getrefcount(one) for one in held]
    assert np.abs(np.subtract(after, before)).max() < 100
