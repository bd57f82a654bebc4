"""Gradients in native code: forward loops that push, backward loops that peek."""

import numpy as np
import pytest

import allograph as ag


def power(x, n):
    y = ag.ones_like(x)
    for _ in ag.range(n):
        y = y * x * 0.9
    return y


def mixed(x, n):
    a, b = x, x * 2.0
    while n > 0:
        if ag.reduce_sum(a) > 1.0:
            a = ag.tanh(a) * b
        else:
            b = b + ag.sin(a)
        n -= 1
    return a + b


def recurrent(x, n):
    weights = ag.constant(np.linspace(-0.5, 0.5, 9).reshape(3, 3))
    state = ag.reshape(x, [1, 3])
    for _ in ag.range(n):
        state = ag.tanh(state @ weights + x)
    return ag.reduce_sum(state)


@pytest.mark.slow
@pytest.mark.parametrize("f", [power, mixed, recurrent], ids=lambda f: f.__name__)
def test_a_backward_loop_runs_natively_and_agrees_with_the_plan(f):
    def slope(x, n):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = f(x, n)
        return tape.gradient(y, x, unconnected_gradients="zero")

    native, plan = ag.function(slope, jit_compile=True), ag.function(slope, kernel_compiler="none")
    x = ag.constant([0.3, 0.9, -0.2], ag.float64)
    for n in (0, 1, 3, 40):  # past the rows that a stack first has
        n = ag.constant(n)
        np.testing.assert_allclose(native(x, n).numpy(), plan(x, n).numpy(), rtol=1e-12)


def test_threads_share_a_loop_over_elements_beside_stacks():
    def slope(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = x
            while ag.reduce_sum(y * y) > 0.5:
                z = y
                for _ in ag.range(40):
                    z = 0.5 * z + x
                y = ag.tanh(y) * 0.5 + 0.001 * z
            total = ag.reduce_sum(y)
        return tape.gradient(total, x)

    x = ag.constant(np.linspace(0.0, 1.0, 30_000))
    native, plan = ag.function(slope, jit_compile=True), ag.function(slope, kernel_compiler="none")
    np.testing.assert_allclose(native(x).numpy(), plan(x).numpy(), rtol=1e-12)


@pytest.mark.slow
def test_a_function_under_a_tape_runs_natively():
    f = ag.function(recurrent, jit_compile=True)
    x = ag.constant([0.3, 0.9, -0.2], ag.float64)
    slopes = []
    for g in (f, recurrent):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = g(x, ag.constant(20))
        slopes.append(tape.gradient(y, x).numpy())
    np.testing.assert_allclose(slopes[0], slopes[1], rtol=1e-12)


def test_a_loop_saves_no_values_without_elements():
    """The shape of a scalar is one: the gradient of its sum takes it."""
    w = ag.Variable(0.7, dtype=ag.float64)

    def total(y):
        s = w * 1.0
        for row in ag.sin(y):
            s = s + ag.reduce_sum(row) * w
        return s

    def slopes(f):
        y = ag.constant([0.1, 0.5, -0.3], ag.float64)
        with ag.GradientTape() as tape:
            tape.watch(y)
            made = f(y) + y
        return tape.gradient(made, [y, w])

    for one, other in zip(slopes(ag.function(total, jit_compile=True)), slopes(total), strict=True):
        np.testing.assert_allclose(one, other)
