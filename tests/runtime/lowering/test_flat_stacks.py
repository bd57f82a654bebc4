"""Gradients of loops in loops: what the inner ones save lies in one array for all iterations."""

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import allograph as ag

pytestmark = pytest.mark.slow


def while_in_for(x, n):
    total = ag.constant(0.0, ag.float64)
    for i in ag.range(n):
        y = x * ag.cast(i + 1, ag.float64)
        while ag.reduce_sum(y * y) > 1.0:  # which some iterations skip
            y = ag.sin(y) * 0.9
        total = total + ag.reduce_sum(y)
    return total


def for_in_while(x, n):
    state, i = x, 0
    while i < n:
        scale = ag.reduce_max(ag.abs(state))
        for j in ag.range(i):
            state = ag.tanh(state * scale + ag.cast(j, ag.float64))
        state = state * state[0] + ag.cos(x)
        i += 1
    return ag.reduce_prod(state)


def two_inner_loops(x, n):
    total = ag.constant(1.0, ag.float64)
    for i in ag.range(n):
        y = x[i % 3]
        for _ in ag.range(i % 4):
            y = ag.sin(y * total)
        z = y
        while z < 2.0:
            z = z * z + 0.5
        total = total * 0.5 + y * z
    return total


def loops_of_three_levels(x, n):
    total = x[0]
    for i in ag.range(n):
        for j in ag.range(i):
            for _ in ag.range(j % 3):
                total = ag.sin(total * x[1]) + x[2]
    return total


def an_inner_loop_under_a_condition(x, n):
    total = x[0]
    for i in ag.range(n):
        if i % 2 == 1:
            for _ in ag.range(i):
                total = ag.sin(total * x[1]) + x[2]
    return total


LOSSES = [
    while_in_for,
    for_in_while,
    two_inner_loops,
    loops_of_three_levels,
    an_inner_loop_under_a_condition,
]


def gradient_of(loss):
    def gradient(x, n):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = loss(x, n)
        return tape.gradient(y, x)

    return gradient


@pytest.mark.parametrize("compiler", ["allograph", "numba", "python"])
@pytest.mark.parametrize("loss", LOSSES)
def test_gradients_of_nested_loops_are_those_of_the_numpy_program(loss, compiler):
    if compiler == "numba":
        pytest.importorskip("numba")
    native = ag.function(gradient_of(loss), kernel_compiler=compiler)
    plain = ag.function(gradient_of(loss), kernel_compiler="none")
    x = ag.constant([1.0, 2.0, 0.3], ag.float64)
    for n in (0, 2, 7):
        given = x, ag.constant(n)
        native.get_concrete_function(*given).executable.precompile()
        np.testing.assert_allclose(native(*given), plain(*given), rtol=1e-9, atol=1e-300)


@pytest.mark.parametrize("loss", LOSSES[:3])
def test_gradients_of_loops_in_loops_are_one_kernel(loss):
    given = ag.constant([1.0, 2.0, 0.3], ag.float64), ag.constant(3)
    native = ag.function(gradient_of(loss), jit_compile=True).get_concrete_function(*given)
    assert len(native.executable.kernels()) == 1
