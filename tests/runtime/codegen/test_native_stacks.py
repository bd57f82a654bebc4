"""The stacks of native loops: rows that a loop pushes, in an array that grows."""

import re

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from kernel_compilation import compiled

import allograph as ag
from allograph.runtime.jit.kernel_types import ArrayType

TEXT = """
def kernel(rows, pushed):
    for place in range(len(pushed)):
        rows = ensure_capacity(rows, place, EXPECTED)
        rows[place] = pushed[place]
    return (rows, )
"""


def pushed_to(rows, pushed, expected="0"):
    """The stack after some pushes, the first of which is its element number 0."""
    kind = ArrayType(rows.dtype, (None, *rows.shape[1:]))
    source = TEXT.replace("EXPECTED", expected)
    (found,) = compiled(source, [kind, pushed], [kind])(rows, pushed)
    return np.frombuffer(found, rows.dtype).reshape(-1, *rows.shape[1:])


@pytest.mark.parametrize("kind", ["bool", "int8", "int32", "int64", "float32", "float64"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3)], ids=str)
def test_a_stack_that_grows_keeps_its_rows(shape, kind):
    pushed = np.random.default_rng(0).integers(0, 100, (70, *shape)).astype(kind)
    rows = pushed_to(np.zeros((0, *shape), kind), pushed)
    np.testing.assert_array_equal(rows[:70], pushed)


def test_the_first_push_leaves_an_older_stack_alone():
    older = pushed_to(np.zeros((0, 2)), np.full((1, 2), 7.0))
    pushed_to(older, np.full((1, 2), 1.0))
    assert older[0].tolist() == [7.0, 7.0]


def test_a_stack_is_made_for_the_iterations_that_are_expected():
    pushed = np.arange(140.0).reshape(70, 2)
    for expected, capacity in (("0", 128), ("3", 128), ("len(pushed)", 70), ("1000", 1000)):
        rows = pushed_to(np.zeros((0, 2)), pushed, expected)
        assert len(rows) == capacity
        np.testing.assert_array_equal(rows[:70], pushed)


def test_a_loop_over_a_range_makes_its_stacks_once():
    @ag.function(jit_compile=True)
    def gradient(x, steps):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in ag.range(steps):
                y = ag.sin(y) * x
        return tape.gradient(y, x)

    x, steps = ag.constant([0.5, 0.75]), ag.constant(100)
    (kernel,) = gradient.get_concrete_function(x, steps).kernels()
    (name,) = set(re.findall(r"ensure_capacity\(\w+, \w+, (\w+)\)", kernel.source))
    assert f"range({name})" in kernel.source
    eager = gradient.python_function(x, steps)
    np.testing.assert_allclose(gradient(x, steps), eager, rtol=1e-5)
