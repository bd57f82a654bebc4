"""The stacks of native loops: rows that a loop pushes, in an array that grows."""

import re

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from kernel_compilation import compiled
from large_paths import set_to

import allograph as ag
from allograph.runtime.executors.kernel_calls import rows_of
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


RESULTS = """
def kernel(rows, pushed):
    start = rows
    for place in range(len(pushed)):
        rows = ensure_capacity(rows, place, 0)
        rows[place] = pushed[place]
    return (rows, start, rows, first_rows(rows, 3))
"""


@pytest.mark.parametrize("least", [1, 1 << 16])
def test_a_stack_gives_its_memory_to_one_result_and_others_are_copies(least):
    start, pushed = np.full(2, 7.0), np.arange(9.0)
    kind = ArrayType(start.dtype, (None,))
    with set_to({"HANDED_OVER_FROM": least}):
        kernel = compiled(RESULTS, [kind, pushed], [kind] * 4)
    results = [rows_of(content, np.float64) for content in kernel(start, pushed)]
    assert {type(content) for content in kernel(start, pushed)} == {
        tuple if least == 1 else bytearray
    }
    for rows in results:
        rows += 1.0  # others keep their elements
    for at, rows in zip((9, 2, 9, 3), results, strict=True):
        expected = pushed if at != 2 else start
        np.testing.assert_array_equal(rows[:at], expected[:at] + 1.0)
    assert start.tolist() == [7.0, 7.0]


def test_many_large_results_take_no_more_memory_than_one():
    resource = pytest.importorskip("resource")

    @ag.jit
    def places(x):
        out = np.empty(x.sum())
        out[:] = 1.0
        return out

    peaks = []
    for calls in (3, 100):
        for _ in range(calls):
            assert places(np.array([1_000_000])).sum() == 1_000_000
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)  # KiB on Linux
    assert peaks[1] - peaks[0] < 100_000


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
