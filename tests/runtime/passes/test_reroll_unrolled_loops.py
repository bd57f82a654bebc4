"""Unrolled loops become loops again, with the same values to the last bit."""

import random

import numpy as np
import pytest
from example_counts import examples
from hypothesis import given
from hypothesis import strategies as st
from interpreter import assert_same, interpret

import allograph as ag
from allograph.runtime.ir.graph import check
from allograph.runtime.passes.loops.reroll_unrolled_loops import reroll_unrolled_loops
from allograph.runtime.passes.pipeline import optimize


def both(f, *shapes):
    """The optimised graph of a function of float32 tensors, and what rerolling makes of it."""
    specs = [ag.TensorSpec(shape, ag.float32) for shape in shapes]
    graph = optimize(ag.function(f, autograph=False).get_concrete_function(*specs).frozen)
    made = reroll_unrolled_loops(graph)
    check(made)
    numbers = np.random.default_rng(0)
    inputs = [numbers.standard_normal(shape).astype(np.float32) for shape in shapes]
    assert_same(interpret(made, inputs), interpret(graph, inputs))
    return graph, made


def names(graph) -> list[str]:
    return [node.op.name for node in graph.nodes if node.op.name != "const"]


def test_constants_that_differ_from_turn_to_turn_come_from_a_table():
    def f(x, y):
        for turn in range(50):
            x = ag.minimum(x * (0.9 + 0.001 * turn) + y, 3.0)
        return x

    assert names(both(f, (4,), (4,))[1]) == ["while", "multiply", "add", "minimum"]


def test_indices_that_differ_from_turn_to_turn_come_from_a_table():
    def f(x, w):
        state = x[0]
        for turn in range(1, 30):
            state = ag.tanh(x[turn] + state * w)
        return state

    assert "while" in names(both(f, (30, 4), (4,))[1])


INDICES = {
    "after all other axes": lambda x, turn: x[..., turn],
    "after a new axis": lambda x, turn: x[None, turn, :, 0][0],
    "from the end": lambda x, turn: x[-turn, :, 1],
    "of two axes": lambda x, turn: x[turn, ..., turn],
    "of a slice": lambda x, turn: x[turn, :, 1:][:, ..., turn // 2],
}


@pytest.mark.parametrize("read", INDICES.values(), ids=INDICES)
def test_indices_stand_for_their_axes(read):
    def f(x, w):
        state = read(x, 1)
        for turn in range(2, 30):
            state = ag.tanh(read(x, turn) + state * w)
        return state

    shape = read(np.ones((30, 4, 30)), 1).shape
    assert "while" in names(both(f, (30, 4, 30), shape)[1])


def test_two_values_may_pass_from_turn_to_turn():
    def f(x, y):
        for _ in range(40):
            x, y = y * 0.5, x + y
        return x, y

    assert "while" in names(both(f, (3,), (3,))[1])


@pytest.mark.parametrize(
    "returned, why",
    [
        (lambda values: tuple(values), "every turn's value is a result"),
        (lambda values: values[-1] + values[40], "a turn in the middle is read afterwards"),
    ],
)
def test_what_is_read_from_outside_stays_unrolled(returned, why):
    def f(x):
        values = []
        for _ in range(80):
            x = ag.tanh(x)
            values.append(x)
        return returned(values)

    graph, made = both(f, (3,))
    assert made is graph, why


def test_turns_that_read_further_back_than_one_stay_unrolled():
    def f(x):
        values = [x, x * 2.0, x * 3.0, x * 4.0]
        for turn in range(80):
            values.append(ag.tanh(values[-1] + values[-1 - turn % 4]))
        return values[-1]

    both(f, (3,))


STEPS = [
    lambda x, y, turn: x * (1.0 + turn / 100),
    lambda x, y, turn: x + y,
    lambda x, y, turn: ag.tanh(x),
    lambda x, y, turn: ag.maximum(x, -y),
    lambda x, y, turn: x + y[turn % 3],
    lambda x, y, turn: x * y[..., turn % 3],
    lambda x, y, turn: x - y[None, turn % 3, None],
    lambda x, y, turn: x - ag.reduce_max(x) * 0.25,
]


@examples(40)
@given(st.integers(0, 10**9))
@pytest.mark.slow
def test_whatever_a_turn_does_the_values_stay(seed):
    choose = random.Random(seed)
    chosen = [choose.choice(STEPS) for _ in range(choose.randint(1, 6))]
    uneven = choose.random() < 0.3

    def f(x, y):
        for turn in range(40):
            for step in chosen:
                x = step(x, y, turn)
            if uneven and turn % 7 == 3:
                x = ag.abs(x)
        return x

    both(f, (3,), (3,))


@pytest.mark.slow
def test_a_long_graph_is_one_kernel():
    pytest.importorskip("llvmlite")

    @ag.function(jit_compile=True, autograph=False)
    def f(x, y):
        for turn in range(500):
            x = ag.minimum(x * (0.9 + 0.0001 * turn) + y, 3.0)
        return x

    x = ag.constant([1.0, 2.0])
    native = f(x, x)
    assert len(f.get_concrete_function(x, x).kernels()) == 1
    plan = ag.function(f.python_function, kernel_compiler="none", autograph=False)
    assert np.array_equal(native, plan(x, x))
