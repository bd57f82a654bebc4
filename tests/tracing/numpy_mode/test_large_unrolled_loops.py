"""`jit`: loops over few numbers are unrolled, unless what they hold is large."""

import numpy as np
import pytest
from numpy_programs import assert_native

import allograph as ag

pytestmark = pytest.mark.slow


def nested(a, b):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(a.shape[2]):
                for n in range(3):
                    for m in range(3):
                        if n - m >= 0:
                            a[i, j, k] += b[n, m] @ b[m, i] * (n + 1)


ARGUMENTS = (np.zeros((3, 3, 3, 2, 2)), np.random.default_rng(0).random((3, 3, 2, 2)))


def test_nests_of_short_loops_are_loops_of_the_graph():
    assert_native(nested, ARGUMENTS)
    compiled = ag.jit(nested)
    compiled(*(one.copy() for one in ARGUMENTS))
    (entry,) = compiled.jit_table.values()
    assert sum(1 for _ in entry.traced.executable.graph.walk()) < 300


def test_a_nest_that_cannot_be_staged_is_unrolled():
    weights = {0: 1.0, 1: 0.5, 2: 0.25, 3: 0.125}

    def by_level(x):
        total = 0.0
        for level in range(4):
            part = x * weights[level]
            for _ in range(4):
                part = np.sqrt(part + level) * 2 - np.sin(part) + np.cos(part) * part
                part = part - part.mean() + np.abs(part) * 0.5 + part**2 / 3
            total += part.sum()
        return total

    assert_native(by_level, (np.linspace(0.1, 1, 30),))


def test_a_short_loop_over_constants_may_hold_a_large_body():
    def stages(x, steps):
        for _ in range(3):
            for axis in range(2):
                for _ in range(steps):
                    x[axis] = np.sin(x[axis] + axis) + np.cos(x[1 - axis]) * 0.5
                    x[axis] += np.sqrt(np.abs(x[axis])) - x[axis] ** 2 * 0.1
                    x[1 - axis] -= 0.25 * (x[axis] - x[1 - axis]) + np.exp(-np.abs(x[axis]))
        return x.sum()

    assert_native(stages, (np.linspace(0.1, 1, 20).reshape(2, 10), 6))


def test_nested_loops_over_arrays_of_several_axes_are_loops_of_the_graph():
    def pooled(x):
        y = np.empty((2, 4, 4, 3))
        for i in range(4):
            for j in range(4):
                y[:, i, j] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2], axis=(1, 2))
        return y

    x = np.random.default_rng(0).random((2, 8, 8, 3))
    assert_native(pooled, (x,))
    compiled = ag.jit(pooled)
    compiled(x)
    (entry,) = compiled.jit_table.values()
    assert sum(1 for _ in entry.traced.executable.graph.walk()) < 60


def test_a_while_over_known_numbers_with_a_large_body_is_a_loop_of_the_graph():
    def butterflies(real, imaginary):
        size = 2
        while size <= len(real):
            half = size // 2
            for start in range(0, len(real), size):
                for k in range(half):
                    c, s = np.cos(np.pi * k / half), -np.sin(np.pi * k / half)
                    a, b = start + k, start + k + half
                    x = real[b] * c - imaginary[b] * s
                    y = real[b] * s + imaginary[b] * c
                    real[b], imaginary[b] = real[a] - x, imaginary[a] - y
                    real[a] += x
                    imaginary[a] += y
            size *= 2

    arguments = np.random.default_rng(0).random((2, 256))
    assert_native(butterflies, tuple(arguments))
    compiled = ag.jit(butterflies)
    compiled(*arguments)
    (entry,) = compiled.jit_table.values()
    assert sum(1 for _ in entry.traced.executable.graph.walk()) < 300


def test_a_large_while_is_a_loop_of_the_graph_from_its_first_iteration():
    def settled(x):
        change, steps = 1, 0
        while change > 1e-3:
            before = x.copy()
            x[1:-1] = (x[2:] - x[:-2]) * 0.1 + np.tanh(x[1:-1]) * 0.2
            x[:, 1:-1] += (x[:, 2:] * x[:, :-2]) * 0.1 - np.sqrt(np.abs(x[:, 1:-1])) * 0.01
            x[2:] = np.cos(x[:-2]) * 0.05 - x[2:] / 3 + np.exp(-np.abs(x[2:]))
            x[:, 2:] = x[:, :-2] * 0.25 + x[:, 2:] * x[:, :-2] / (1 + x[:, 2:] ** 2)
            x[0], x[-1] = x[1] * 0.5, x[-2] * 0.25
            x[:, 0] = np.minimum(x[:, 1], x[:, 2]) * 0.5
            x[:, -1] = np.maximum(x[:, -2], x[:, -3]) * 0.25 - np.floor(x[:, 0])
            change = np.abs(x - before).max()
            steps += 1
        return steps, change

    arguments = (np.linspace(0, 1, 300).reshape(30, 10),)
    assert_native(settled, arguments)
    compiled = ag.jit(settled)
    compiled(arguments[0].copy())
    (entry,) = compiled.jit_table.values()
    assert [node.op.name for node in entry.traced.executable.graph.walk()].count("tanh") == 1


def test_a_large_loop_that_a_number_of_numpy_counts_is_one_of_the_graph():
    def countdown(x):
        left = np.int64(len(x))
        while left > 0:
            for axis in range(2):
                x[axis] = np.sin(x[axis] + axis) + np.cos(x[1 - axis]) * 0.5
                x[axis] += np.sqrt(np.abs(x[axis])) - x[axis] ** 2 * 0.1
                x[1 - axis] -= 0.25 * (x[axis] - x[1 - axis]) + np.exp(-np.abs(x[axis]))
                x[axis] = x[axis] * 0.5 + np.tanh(x[1 - axis]) * (x[axis] > 0.5) - x[0] / 7
            left -= 1
        return x.sum(), left

    x = np.linspace(0.1, 1, 50)
    assert_native(countdown, (x,))
    compiled = ag.jit(countdown)
    compiled(x.copy())
    (entry,) = compiled.jit_table.values()
    assert sum(1 for _ in entry.traced.executable.graph.walk()) < 1000


def test_a_large_while_that_cannot_be_staged_is_left_to_numpy():
    names = ["x" * (level + 1) for level in range(60)]

    def by_level(x):
        total, level = 0.0, 0
        while level < 60:
            part = x / len(names[level])
            for _ in range(4):
                part = np.sqrt(part + level) * 2 - np.sin(part) + np.cos(part) * part
                part = part - part.mean() + np.abs(part) * 0.5 + part**2 / 3
                part = np.where(part > 1, part - np.exp(-abs(part)), np.cos(part)) * 0.5
            total += part.sum()
            level += 1
        return total

    compiled = ag.jit(by_level)
    compiled(np.linspace(0.1, 1, 30))
    assert "operations in a `while`" in compiled.inspect()
