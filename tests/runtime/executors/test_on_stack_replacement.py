"""Loops that begin on the plan and end as native code, within one call."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.executors import on_stack_replacement
from allograph.runtime.executors.on_stack_replacement import ReplaceableLoop
from allograph.runtime.executors.tiering import LOOPS

pytest.importorskip("llvmlite")


@pytest.fixture
def finished(monkeypatch):
    """Loops are compiled after a few turns, while the plan waits; gives those that were handed
    over, and with which state.
    """
    seen = []
    rest = ReplaceableLoop.continuation

    def noted(self, *operands):
        seen.append((self, operands))
        return rest(self, *operands)

    def compiled_now(rest):
        try:
            rest.compile()
        except Exception as error:
            rest.why_not_native = str(error)

    monkeypatch.setattr(ReplaceableLoop, "continuation", noted)
    at_once = LOOPS._replace(
        hot_seconds=0.0, unknown_seconds=0.0, compile_seconds=0.0, compile_seconds_each=0.0
    )
    monkeypatch.setattr(on_stack_replacement, "LOOPS", at_once)
    monkeypatch.setattr(
        "allograph.runtime.executors.on_stack_replacement.compile_in_background", compiled_now
    )
    return seen


def results(f, *args):
    """What the first call gives, and what the plan alone gives."""
    plan = ag.function(f.python_function, kernel_compiler="none")
    return ag.nest.flatten(f(*args)), ag.nest.flatten(plan(*args))


def assert_same(f, *args):
    for made, wanted in zip(*results(f, *args), strict=True):
        assert made.dtype is wanted.dtype
        np.testing.assert_allclose(made, wanted, rtol=1e-6)


@pytest.mark.slow
def test_a_loop_is_handed_over_within_its_first_call(finished):
    @ag.function
    def f(n):
        total, i = 0, 0
        while i < n:
            total += i * i % 7
            i += 1
        return total, i

    assert_same(f, ag.constant(1000))
    ((_, operands),) = finished
    assert any(0 < int(value) < 1000 for value in operands if value.shape == ())


def test_a_loop_that_ends_before_it_is_compiled_stays_on_the_plan(finished, monkeypatch):
    slowly = on_stack_replacement.LOOPS._replace(compile_seconds=1000.0)
    monkeypatch.setattr(on_stack_replacement, "LOOPS", slowly)

    @ag.function
    def f(n):
        total = 0
        for i in ag.range(n):
            total += i * i % 7
        return total

    assert_same(f, ag.constant(1000))
    assert not finished


@pytest.mark.slow
def test_the_outer_loop_is_handed_over_first(finished):
    @ag.function
    def f(n):
        longest = ag.constant(0, ag.int64)
        for start in ag.range(1, n):
            x, steps = ag.cast(start, ag.int64), ag.constant(0, ag.int64)
            while x != 1:
                x = x // 2 if x % 2 == 0 else 3 * x + 1
                steps += 1
            longest = ag.maximum(longest, steps)
        return longest

    assert_same(f, ag.constant(300))
    loops = [loop for loop, _ in finished]
    assert loops[-1].outer is None


@pytest.mark.slow
def test_arrays_and_invariants_go_along(finished):
    @ag.function
    def f(w, x, n):
        history = ag.zeros([8])
        for i in ag.range(n):
            x = ag.tanh(ag.linalg.matvec(w, x))
            history = ag.tensor_scatter_nd_add(history, [[i % 8]], [x[0]])
        return x, history

    w = np.linspace(-1, 1, 16, dtype=np.float32).reshape(4, 4)
    assert_same(f, ag.constant(w), ag.ones([4]), ag.constant(200))
    assert finished


@pytest.mark.slow
def test_two_parts_of_the_state_may_begin_as_one_value(finished):
    @ag.function
    def f(x, n):
        a = b = x
        for i in ag.range(n):
            a, b = b + 1.0, a * 0.5
        return a, b

    assert_same(f, ag.constant([1.0, 2.0]), ag.constant(201))
    assert finished


def test_variables_are_assigned_once_for_each_turn(finished):
    v = ag.Variable(0)

    @ag.function
    def f(n):
        for i in ag.range(n):
            v.assign_add(i)
        return v + 0

    assert int(f(ag.constant(500))) == sum(range(500)) == int(v)
    assert finished


@pytest.mark.slow
def test_an_error_in_the_rest_is_that_of_the_plan(finished):
    @ag.function
    def f(x, n):
        total = 0.0
        for i in ag.range(n):
            total += x[i]
        return total

    with pytest.raises(ag.errors.InvalidArgumentError) as native:
        f(ag.ones([300]), ag.constant(400))
    assert finished
    plan = ag.function(f.python_function, kernel_compiler="none")
    with pytest.raises(ag.errors.InvalidArgumentError) as plain:
        plan(ag.ones([300]), ag.constant(400))
    assert str(native.value) == str(plain.value)


@pytest.mark.slow
def test_sizes_that_the_trace_left_open_are_those_of_the_call(finished):
    @ag.function(input_signature=[ag.TensorSpec([None]), ag.TensorSpec([], ag.int32)])
    def f(x, n):
        for _ in ag.range(n):
            x = x * 0.5 + 1.0
        return x

    for size in (3, 5, 3):
        assert_same(f, ag.ones([size]), ag.constant(200))
    shapes = {array.shape for _, operands in finished for array in operands}
    assert shapes == {(), (3,), (5,)}


def halved(x):
    """A loop whose number of iterations nothing tells."""
    count = 0
    while x > 1.0:
        x, count = x / 2, count + 1
    return x, count


def test_a_loop_of_unknown_length_is_compiled_later_than_others(finished, monkeypatch):
    later = on_stack_replacement.LOOPS._replace(unknown_seconds=1000.0)
    monkeypatch.setattr(on_stack_replacement, "LOOPS", later)
    assert_same(ag.function(halved), ag.constant(2.0**100))
    assert not finished

    @ag.function
    def counted(n):
        total = 0
        for i in ag.range(n):
            total += i * i % 7
        return total

    assert_same(counted, ag.constant(1000))
    assert finished


def test_a_loop_waits_for_its_native_code(finished, monkeypatch):
    patient = on_stack_replacement.LOOPS._replace(compile_seconds=1e-9, longest_wait=1e12)
    monkeypatch.setattr(on_stack_replacement, "LOOPS", patient)
    compiled_now = on_stack_replacement.compile_in_background

    def compiled_soon(rest):
        threading.Timer(0.01, compiled_now, [rest]).start()

    monkeypatch.setattr(on_stack_replacement, "compile_in_background", compiled_soon)
    assert_same(ag.function(halved), ag.constant(2.0**100))
    ((_, operands),) = finished
    assert int(operands[1]) == 1


class Clock:
    """Time in which nothing passes but waits, and what a test adds."""

    def __init__(self):
        self.now = self.cpu = 100.0

    def perf_counter(self):
        return self.now

    def process_time(self):
        return self.cpu

    def wait(self, seconds):
        self.now += seconds

    is_set = staticmethod(bool)


@pytest.fixture
def queued(finished, monkeypatch):
    """A loop that has been queued for compiling after a second on NumPy, and a clock."""
    assert_same(ag.function(halved), ag.constant(2.0**100))
    clock = Clock()
    monkeypatch.setattr(on_stack_replacement, "time", clock)
    continuation = on_stack_replacement._Continuation(finished[0][0], ())
    continuation.settled = clock
    continuation.entered, continuation.queued_at = clock.now - 1.0, clock.now
    continuation.cpu_before, continuation.done, continuation.trip_count = clock.cpu, 10, 30
    return continuation, clock


def test_time_of_other_processes_is_not_time_of_compiling(queued):
    continuation, clock = queued
    clock.now, clock.cpu = clock.now + 4.0, clock.cpu + 1.0
    assert continuation.compiling(clock.now) == 1.0
    clock.cpu += 100.0  # of other threads
    assert continuation.compiling(clock.now) == 4.0


def test_a_compiler_that_waits_is_not_waited_for_without_end(queued):
    continuation, clock = queued
    clock.now += 8000.0
    assert continuation.compiling(clock.now) == 1000.0


def test_waits_are_no_time_of_the_iterations(queued):
    continuation, clock = queued
    assert continuation.remaining(clock.now) == 2.0
    continuation.wait_for(continuation, 50.0)
    assert continuation.remaining(clock.now) == 2.0


def test_a_loop_without_native_form_stays_on_the_plan(finished):
    @ag.function
    def f(n):
        text = ag.constant("")
        for _ in ag.range(n):
            text = text + "a"
        return text

    assert f(ag.constant(300)).numpy() == b"a" * 300
    assert not finished


def test_a_break_leaves_the_loop_before_and_after_the_hand_over(finished):
    @ag.function
    def f(limit):
        i = 0
        while True:
            if i * i > limit:
                break
            i += 1
        return i

    assert [int(f(ag.constant(limit))) for limit in (4, 10**6, 9)] == [3, 1001, 4]
    assert finished


@pytest.mark.parametrize("size", [None, 3])
def test_gradients_of_long_loops_are_those_of_the_plan(finished, size):
    @ag.function(input_signature=[ag.TensorSpec([size]), ag.TensorSpec([], ag.int32)])
    def f(x, n):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in ag.range(n):
                y = ag.sin(y) * x
            total = ag.reduce_sum(y)
        return tape.gradient(total, x)

    assert_same(f, ag.constant([1.1, 1.2, 1.3]), ag.constant(150))


def test_a_state_that_grows_stays_right(finished):
    @ag.function
    def f(n):
        x = ag.zeros([0], ag.int32)
        for i in ag.range(n):
            ag.autograph.experimental.set_loop_options(
                shape_invariants=[(x, ag.TensorShape([None]))]
            )
            x = ag.concat([x, [i]], 0)
        return x

    assert_same(f, ag.constant(150))
