"""Calls and exceptions that reach a trace of `jit` from outside of the traced function."""

import contextlib
import gc
import signal
import sys

import numpy as np
import pytest
from native_calls import is_native

import allograph as ag


def outer(a, n):
    total = 0.0
    for i in range(n):
        if a[i % 3] > 0.5:
            total += a[i % 3] * 2
        else:
            total -= 1
    return total, [i * 2.0 for i in range(n)]


def inner(a, x):
    total = 0.0
    for i in range(len(a)):
        if a[i] > 0:
            total += a[i] * x
    return total


ARGUMENT = np.array([0.2, 0.7, 3.0])


@contextlib.contextmanager
def collected_often(callback):
    threshold, is_enabled = gc.get_threshold(), gc.isenabled()
    gc.enable()
    gc.callbacks.append(callback)
    gc.set_threshold(200)
    try:
        yield
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(callback)
        if not is_enabled:
            gc.disable()


@contextlib.contextmanager
def profiled_by(callback, every=200):
    events = 0

    def profile(frame, event, argument):
        nonlocal events
        events += 1
        if events % every == 0:
            callback()

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(before)


class Caller:
    """Calls a `jit` function, unless a call is being made."""

    def __init__(self):
        self.function = ag.jit(inner)
        self.is_calling, self.results, self.errors = False, set(), []

    def __call__(self, *of_event):
        if self.is_calling:
            return
        self.is_calling = True
        try:
            self.results.add(self.function(np.arange(3.0), 2.0))
        except BaseException as error:  # which Python would only print
            self.errors.append(error)
        self.is_calling = False


@pytest.mark.parametrize("interrupted_by", [collected_often, profiled_by])
def test_a_call_of_a_callback_during_a_trace_is_no_part_of_it(interrupted_by):
    caller, compiled = Caller(), ag.jit(outer)
    with interrupted_by(caller):
        found = [compiled(ARGUMENT, n) for n in (4, 5, 6)]
    assert found == [outer(ARGUMENT, n) for n in (4, 5, 6)]
    assert (caller.results, caller.errors) == ({inner(np.arange(3.0), 2.0)}, [])
    assert is_native(compiled)


def test_a_call_during_a_trace_is_counted_and_native_where_a_trace_was_made_before():
    caller, compiled = Caller(), ag.jit(outer)
    with profiled_by(caller):
        compiled(ARGUMENT, 4)
    assert "during a trace" in caller.function.inspect()
    called = Caller()
    called()
    with profiled_by(called):
        ag.jit(outer)(ARGUMENT, 4)
    assert called.function.inspect().startswith("(float64[3], float): native code")
    assert "during a trace" not in called.function.inspect()


class Stop(Exception):
    pass


class Quit(BaseException):
    pass


def raising(error):
    def handler(number, frame):
        raise error("by a handler")

    return handler


@pytest.mark.parametrize("error", [Stop, Quit, KeyboardInterrupt])
@pytest.mark.parametrize("at", [50, 400, 1500])
def test_the_exception_of_a_signal_handler_ends_the_call_and_leaves_nothing_behind(error, at):
    compiled = ag.jit(outer)
    before = signal.signal(signal.SIGINT, raising(error))
    try:
        with pytest.raises(error), profiled_by(lambda: signal.raise_signal(signal.SIGINT), at):
            compiled(ARGUMENT, 4)
    finally:
        signal.signal(signal.SIGINT, before)
    assert compiled.inspect() == "not called yet"
    assert compiled(ARGUMENT, 4) == outer(ARGUMENT, 4)
    assert is_native(compiled)


class Shown(Exception):
    def __init__(self, value):
        super().__init__(value)
        self.value = value

    def __str__(self):
        return f"value {self.value:.1f}"


@pytest.mark.parametrize("error", [SystemExit, Quit, Shown, Stop, KeyboardInterrupt])
def test_an_exception_that_each_call_raises_is_that_of_the_function(error):
    def raises(a):
        a[0] += 1
        raise error(a[0])

    compiled = ag.jit(raises)
    for _ in range(2):
        a = np.zeros(2)
        with pytest.raises(error) as raised:
            compiled(a)
        assert raised.value.args == (1.0,) and type(raised.value.args[0]) is np.float64
        assert a.tolist() == [1.0, 0.0]


def native(a, x):
    return a * x


def of_text(a, x):
    return f"{a[0]} {x}"


def failing(a, x):
    return a[int(x)]


def of_known_size(a, n):
    return np.zeros(n) + a[0]


def any_keywords(a, x=1, **others):
    return a * x


def keyword(a, *, x):
    return a * x


def listed(a, x):
    return a[0] * x


def no_parameters():
    return sum([i for i in range(100)])


@pytest.mark.parametrize(
    ("function", "args", "kwargs"),
    [
        (native, (np.ones(3), 2.0), {}), (native, (np.ones(3),), {"x": 2}),
        (of_text, (np.ones(3), 2.0), {}), (failing, (np.ones(3), 7), {}),
        (of_known_size, (np.ones(3), 2), {}), (any_keywords, (np.ones(3),), {"y": 2}),
        (any_keywords, (np.ones(3),), {}), (keyword, (np.ones(3),), {"x": 2.0}),
        (listed, ([1.0, 2.0], 2.0), {}), (listed, ("text", 2), {}), (no_parameters, (), {}),
    ],
)  # fmt: skip
def test_inspect_counts_each_call(function, args, kwargs):
    compiled = ag.jit(function)
    for _ in range(10):
        with contextlib.suppress(IndexError):
            compiled(*args, **kwargs)
    assert "; 10 calls" in compiled.inspect()
