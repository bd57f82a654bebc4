"""Passes take a time that is linear in the operations of a graph, from a few hundred on.

Python's trace events are counted in place of seconds: one for each line, call and iteration.
"""

import sys
import warnings

import pytest

import allograph as ag
from allograph.runtime.codegen.native.kernel_writer import host_target
from allograph.runtime.passes.dead_code import drop_dead_loop_state
from allograph.runtime.passes.pipeline import BEFORE_NATIVE_CODE, OPTIMIZATIONS, optimize

FEW, MANY = 400, 1200
MOST_GROWTH = 1.6 * MANY / FEW  # three times as many operations: at most 4.8 times the events


def elementwise(x, steps):
    for _ in range(steps):
        x = ag.tanh(x) * x
    return x


def of_the_argument(x, steps):
    y = x
    for _ in range(steps):
        y = ag.tanh(y) * x
    return y


def slices(x, steps):
    for _ in range(steps):
        x = ag.concat([x[1:], x[:1] * 1.5], 0)
    return x


def slices_of_the_argument(x, steps):
    y = x[0]
    for step in range(steps):
        y = y + ag.reduce_sum(x[step:])
    return y


def items(x, steps):
    for step in range(steps):
        x = ag.tensor_scatter_nd_update(x, [[step % 5 + 1]], [x[step % 5] * 2.0])
    return x


def branches(x, steps):
    y = x[0]
    for step in range(steps):
        value = x[step % 5]
        y += ag.cond(y > 1.0, lambda: y * -0.5, lambda: y + value)  # noqa: B023 - called at once
    return y


def events_of(work):
    """How many trace events Python has while it runs `work`, and the result."""
    count = 0

    def trace(frame, event, arg):
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        result = work()
    finally:
        sys.settrace(before)
    return count, result


def events_by_pass(program, steps, rows):
    spec = ag.TensorSpec([rows], ag.float32)
    with warnings.catch_warnings(action="ignore", category=ag.errors.UnrolledLoopWarning):
        graph = ag.function(lambda x: program(x, steps)).get_concrete_function(spec).frozen
    events = {}
    for row in (*OPTIMIZATIONS, *BEFORE_NATIVE_CODE):
        events[row.name], graph = events_of(lambda row=row, graph=graph: row(graph, host_target()))
    return events


def test_state_that_only_dead_state_of_other_loops_reads_is_dropped_in_one_walk():
    def program(x, loops):
        y = z = dead = x
        for _ in range(loops):
            for _ in ag.range(ag.size(x)):
                y, z, dead = ag.tanh(y), z, ag.tanh(dead)
        return y, z

    def events(loops):
        spec = ag.TensorSpec([None], ag.float32)
        graph = ag.function(lambda x: program(x, loops)).get_concrete_function(spec).frozen
        count, smaller = events_of(lambda: drop_dead_loop_state(graph))
        assert smaller.outputs[1] is smaller.inputs[0]
        carried = [node.attrs["carried"] for node in smaller.nodes if node.op.name == "while"]
        assert carried == [2] * loops  # a counter, and `y`
        return count

    assert events(12) < 1.6 * 3 * events(4)


def test_levels_of_functions_that_are_called_twice_take_the_time_of_one_call_each():
    def program(x, levels):
        if levels == 0:
            return ag.tanh(x)

        @ag.function
        def level(y):
            dead = y
            for _ in ag.range(ag.size(x)):
                y, dead = program(y, levels - 1), ag.tanh(dead)
            return y

        return level(x) + level(x * 2.0)

    def events(levels):
        spec = ag.TensorSpec([None], ag.float32)
        graph = ag.function(lambda x: program(x, levels)).get_concrete_function(spec).frozen
        return events_of(lambda: optimize(graph))[0]

    assert events(4) < 1.6 * 2 * events(2)


@pytest.mark.slow
@pytest.mark.parametrize(
    "program, rows",
    [
        (elementwise, None), (of_the_argument, 7), (slices, 7), (slices_of_the_argument, None),
        (items, 7), (branches, 7),
    ],
)  # fmt: skip
def test_three_times_as_many_operations_take_each_pass_about_three_times_as_long(program, rows):
    few, many = (events_by_pass(program, steps, rows) for steps in (FEW, MANY))
    assert {
        name: (few[name], count)
        for name, count in many.items()
        if count > 30_000 and count > MOST_GROWTH * few[name]
    } == {}
