"""`jit`: threads share the iterations of loops, and the results are those of one thread."""

import math

import numpy as np
import pytest
from native_calls import is_native
from numpy_programs import assert_same_outcome

import allograph as ag

pytestmark = pytest.mark.slow

ROWS = np.random.default_rng(0).normal(size=(2000, 300))


def sums_of_rows(a, out):
    for i in ag.prange(a.shape[0]):
        total = 0.0
        for j in range(a.shape[1]):
            total += np.sin(a[i, j]) * j
        out[i, 0] = total


def elements(a, out):
    for i in ag.prange(a.shape[0]):
        for j in range(a.shape[1]):
            out[i, j] = a[i, j] * 2 + np.sqrt(abs(a[i, j]))


def sorted_rows(a, out):
    for i in range(a.shape[0]):
        out[i] = np.sort(a[i]) + i


def largest_row(a, out):
    best, at = -1.0, 0
    for i in range(a.shape[0]):
        size = np.sum(np.exp(a[i]))
        if size > best:
            best, at = size, i
    return best, at


def outside(a, out):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            out[i, j + (i > 1990)] = np.exp(a[i, j])


def columns(a, out):
    for i in range(a.shape[1]):
        for j in range(a.shape[1]):
            out[j, i] = a[i, j]


def from_row_before(a, out):
    for i in range(1, a.shape[0]):
        for j in range(a.shape[1]):
            out[i, j] = out[i - 1, j] + a[i, j]


def from_the_end(a, out):
    for i in range(-5, a.shape[0] - 5):
        for j in range(a.shape[1]):
            out[i, j] += a[i, j]


@pytest.fixture
def threads():
    before = ag.config.threading.get_intra_op_parallelism_threads()
    yield ag.config.threading.set_intra_op_parallelism_threads
    ag.config.threading.set_intra_op_parallelism_threads(before)


PARALLEL = [sums_of_rows, elements, largest_row, outside, columns]


@pytest.mark.parametrize("function", [*PARALLEL, sorted_rows, from_row_before, from_the_end])
def test_results_do_not_depend_on_the_number_of_threads(function, threads):
    compiled, found = ag.jit(function), []
    for count in (1, 2):
        threads(count)
        args = ROWS.copy(), np.zeros_like(ROWS)
        try:
            result = compiled(*args)
        except IndexError:
            result = "IndexError"
        found.append((result, args[1]))
    assert repr(found[0][0]) == repr(found[1][0])
    assert np.array_equal(found[0][1], found[1][1])
    assert_same_outcome(function, compiled, (ROWS, np.zeros_like(ROWS)))
    assert is_native(compiled)
    kernels = next(iter(compiled.jit_table.values())).traced.executable.kernels()
    if function is not sorted_rows:  # whose rows are short enough for one thread
        assert ("region" in kernels[0].source) is (function in PARALLEL)


def exponentials_of_roots(a, out):
    for i in ag.prange(a.shape[0]):
        total = 0.0
        for j in range(a.shape[1]):
            total += math.exp(math.sqrt(a[i, j]))
        out[i, 0] = total


@pytest.mark.parametrize("row, value, error", [
    (900, -1.0, "math domain error"), (900, 1e9, "math range error"), (0, 1.0, None),
])  # fmt: skip
def test_threads_share_a_loop_that_may_raise_and_the_first_error_is_raised(row, value, error):
    a = np.abs(ROWS)
    compiled = ag.jit(exponentials_of_roots)
    compiled(a, np.zeros_like(a))
    (entry,) = compiled.jit_table.values()
    assert "run_region" in entry.traced.executable.native.kernels[0].source
    a[row, 7], a[1500] = value, -1.0 if error else 1.0
    out = np.zeros_like(a)
    if error is None:
        compiled(a, out)
    else:
        with pytest.raises((ValueError, OverflowError), match=error):
            compiled(a, out)
        assert out[row - 1, 0] and not out[row:].any()
    assert_same_outcome(exponentials_of_roots, compiled, (a, np.zeros_like(a)))


def rises(a):
    count = 0
    for i in range(2, len(a) - 1):
        if a[i] < a[i + 1]:
            count += 1
    return count


def test_threads_that_share_a_loop_count_with_its_own_counter():
    """LLVM sees the bounds of the indices then: `a[i + 1]` needs no check."""
    values = np.random.default_rng(0).integers(0, 100, 300_001)
    compiled = ag.jit(rises)
    assert compiled(values) == rises(values)
    (entry,) = compiled.jit_table.values()
    source = entry.traced.executable.native.kernels[0].source
    assert "for iteration in range(first, min(first + " in source


def shifted_sum(a, b):
    total = 0
    for i in range(1, len(a)):
        total += a[i] - b[i - 1]
    return total


def picked_sum(a, b):
    total = 0
    for i in range(1, len(a)):
        total += a[b[i]]
    return total


@pytest.mark.parametrize("function, size, is_shared", [
    (shifted_sum, 100_000, False), (shifted_sum, 2_000_000, True), (picked_sum, 100_000, True)
])  # fmt: skip
def test_loops_that_become_vectors_are_shared_where_they_are_long(function, size, is_shared):
    a, b = np.random.default_rng(0).integers(0, size, (2, size))
    compiled = ag.jit(function)
    assert compiled(a, b) == function(a, b)
    (entry,) = compiled.jit_table.values()
    assert ("run_region" in entry.traced.executable.native.kernels[0].source) is is_shared


def roots_of(out, n):
    for i in range(n):
        out[i] = math.sqrt(i % 7)


@pytest.mark.parametrize("size, is_shared", [(1_000, False), (200_000, True)])
def test_a_loop_has_no_more_iterations_than_rows_that_it_writes(size, is_shared):
    compiled, out = ag.jit(roots_of), np.zeros(size)
    compiled(out, size)
    assert np.array_equal(out, np.sqrt(np.arange(size) % 7))
    (entry,) = compiled.jit_table.values()
    assert ("run_region" in entry.traced.executable.native.kernels[0].source) is is_shared
