"""Why a function was traced again, told when asked; a warning when that has become the rule."""

import gc
import threading
import time
import warnings
import weakref
from collections import namedtuple

import numpy as np
import pytest

import allograph as ag
from allograph.tracing.functions import trace_cache

INT, FLOAT, TEXT = ag.constant(1), ag.constant(1.0), ag.constant("1")
Pair = namedtuple("Pair", "left right")


def changes(first, second):
    """The changes that a second call with other arguments is explained by."""
    f = ag.function(lambda x, y=None, *rest, **more: INT)
    f(*first)
    f(*second)
    (retrace,) = f.retraces
    return {change.place: (change.before, change.after, change.cure) for change in retrace.changes}


@pytest.mark.parametrize(
    ("first", "second", "place", "words"),
    [
        ((INT,), (FLOAT,), "x", ("int32 with shape ()", "float32", "ag.cast(x, ag.int32)")),
        ((INT,), (ag.constant([1]),), "x", ("shape ()", "shape (1,)", "reduce_retracing")),
        ((INT, 1), (INT, 2), "y", ("value 1", "value 2", "ag.constant(2)")),
        ((INT, "a"), (INT, "b"), "y", ("'a'", "'b'", "few")),
        ((INT, 1), (INT, INT), "y", ("value 1", "int32", "Pass a tensor every time")),
        ((INT, [INT]), (INT, [INT, INT]), "y", ("List", "List", "structure")),
        ((INT, [INT, 1]), (INT, [INT, 2]), "y[1]", ("value 1", "value 2", "ag.constant(2)")),
        ((INT, {"k": INT}), (INT, {"k": FLOAT}), "y['k']", ("int32", "float32", "ag.cast")),
        ((INT, Pair(1, 2)), (INT, Pair(1, 3)), "y.right", ("value 2", "value 3", "constant")),
        ((INT, 0, INT), (INT, 0, FLOAT), "rest[0]", ("int32", "float32", "ag.cast")),
        ((INT, TEXT), (INT, INT), "y", ("string", "int32", "ag.as_string(y)")),
        ((INT, INT), (INT, TEXT), "y", ("int32", "string", "ag.strings.to_number(y, ag.int32)")),
        ((INT, object()), (INT, object()), "y", ("object", "object", "__eq__")),
    ],
)
def test_the_argument_that_changed_is_named(first, second, place, words):
    found = changes(first, second)
    assert list(found) == [place]
    assert all(word in text for word, text in zip(words, found[place]))


def test_another_variable_is_a_change_where_the_function_knows_the_first_one_too():
    known, other = ag.Variable(1), ag.Variable(2)
    f = ag.function(lambda y: y + known)
    f(known), f(other)
    (retrace,) = f.retraces
    assert "as arguments alone" in retrace.changes[0].cure


def test_the_most_similar_earlier_trace_is_compared_with():
    f = ag.function(lambda x, y: INT)
    for args in ((INT, 1), (FLOAT, 2), (FLOAT, 1)):
        f(*args)
    assert [len(retrace.changes) for retrace in f.retraces] == [2, 1]


def test_the_text_names_the_call():
    f = ag.function(lambda x: x)
    assert f.explain_retraces() == "<lambda>: no trace yet, no retraces."
    f(INT)
    assert f.explain_retraces() == "<lambda>: one trace, no retraces."
    f(FLOAT)
    assert "test_retrace_history.py:" in f.explain_retraces()


def test_a_failed_trace_is_not_counted():
    def picky(x):
        if x.dtype == ag.float32:
            raise KeyError
        return x

    f = ag.function(picky)
    f(INT)
    with pytest.raises(KeyError):
        f(FLOAT)
    assert f.retraces == []


def test_a_widened_trace_is_explained_by_what_was_asked_for():
    f = ag.function(lambda x: x, reduce_retracing=True)
    f(ag.constant([1, 2]))
    f(ag.constant([1, 2, 3]))
    assert "x: was int32 with shape (2,), is int32 with shape (3,)" in f.explain_retraces()


def test_long_values_are_cut():
    f = ag.function(lambda x, text: x)
    for letter in "ab":
        f(INT, letter * 100_000)
    assert len(f.explain_retraces()) < 1000


def test_a_method_explains_too():
    class Model:
        @ag.function
        def call(self, x):
            return x

    model = Model()
    model.call(INT)
    model.call(FLOAT)
    assert "x: was int32" in model.call.explain_retraces()


def test_a_function_traced_in_nearly_every_call_warns_once_at_the_users_line():
    f = ag.function(lambda x, n: x)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for n in range(12):
            f(INT, n)
    (one,) = caught
    assert issubclass(one.category, ag.errors.RetracingWarning)
    assert one.filename == __file__
    assert "n: was the Python value 3, is the Python value 4" in str(one.message)


def test_retraces_among_many_other_calls_do_not_warn():
    f = ag.function(lambda x, n: x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n in range(20):
            for _ in range(5):
                f(INT, 0)
            f(INT, n)


def test_traces_made_while_another_is_made_do_not_warn():
    @ag.function
    def down(n):
        return down(n - 1) if n > 0 else 1

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert int(down(10)) == 1


def test_an_array_of_another_shape_is_told_like_a_tensor():
    found = changes((np.zeros(2, np.float32),), (np.zeros(3, np.float32),))
    assert found["x"][:2] == ("float32 with shape (2,)", "float32 with shape (3,)")


def test_threads_that_meet_a_new_function_are_no_retraces():
    started = threading.Barrier(8)

    @ag.function
    def slow(x):
        time.sleep(0.05)
        return x + 1

    def call():
        started.wait()
        slow(ag.constant(1))

    threads = [threading.Thread(target=call) for _ in range(8)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        slow(ag.constant(1))
    assert slow.experimental_get_tracing_count() == 1


def test_functions_made_anew_in_a_loop_are_warned_of_once_with_their_line():
    with pytest.warns(ag.errors.RetracingWarning) as caught:
        for _ in range(20):
            ag.function(lambda x: x + 1)(ag.constant(1))
    first, *rest = [str(one.message) for one in caught]
    assert f"{__file__}:" in first and "Decorate it once" in first
    assert len(rest) <= 1


@pytest.mark.slow
def test_functions_that_differ_by_what_they_close_over_are_not_warned_of():
    def scaled_by(factor):
        return ag.function(lambda x: x * factor)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kept = [scaled_by(factor) for factor in range(20)]
        assert [int(one(ag.constant(1))) for one in kept] == list(range(20))


def test_the_oldest_trace_is_dropped_when_there_are_too_many(monkeypatch):
    monkeypatch.setattr(trace_cache, "MOST_TRACES", 3)
    seen = []

    @ag.function
    def f(x, k):
        seen.append(k)
        return x + k

    for k in (0, 1, 2, 3, 2, 0):
        assert int(f(ag.constant(1), k)) == 1 + k
    assert seen == [0, 1, 2, 3, 0] and f.experimental_get_tracing_count() == 3


@pytest.mark.slow
def test_a_cleared_function_traces_again_and_frees_its_graphs():
    seen = []

    @ag.function
    def f(x):
        seen.append(x)
        return x + 1

    f(ag.constant(1))
    gone = weakref.ref(f.get_concrete_function(ag.constant(1)))
    f.clear()
    seen.clear()
    gc.collect()
    assert gone() is None
    assert int(f(ag.constant(1))) == 2 and len(seen) == 1


def test_a_print_of_a_tensor_while_tracing_says_so_once(capsys):
    @ag.function
    def f(x):
        print("x is", x)
        return x

    with pytest.warns(UserWarning, match="Use ag.print to print in every call"):
        f(ag.constant(1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(ag.constant(1.5))
    assert capsys.readouterr().out.count("x is Tensor") == 2


def test_a_print_without_a_tensor_is_pythons():
    @ag.function
    def f(x):
        print("traced")
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f(ag.constant(1))
