"""Each pair of iterations of two loops is for one thread where they do not depend on each other."""

import numpy as np
import pytest
from test_ptx import program_of_arrays

import allograph as ag
from allograph.runtime.gpu import emulator
from allograph.runtime.gpu.grid_kernel import SUCCESS

A = np.random.default_rng(4).integers(-4, 5, (6, 7)).astype(np.float64)


def escape(out, a):
    for i in ag.prange(out.shape[0]):
        for j in ag.prange(out.shape[1]):
            x, n = a[i, j], 0
            while x * x < 99.0 and n < 5:
                x, n = x * x + a[i, 0], n + 1
            out[i, j] = n


def products(out, a):
    for i in range(out.shape[0]):
        scale = a[i, 0] * 2.0
        for j in range(out.shape[1]):
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * a[j - 1, k]
            out[i, j] = total * scale


def transposed(out, a):
    for j in range(out.shape[1]):
        for i in range(out.shape[0]):
            out[i, j] = a[i, j] * j + i


def stencil(out, a):
    for i in ag.prange(1, out.shape[0]):
        for j in range(1, out.shape[1]):
            out[i, j] = a[i - 1, j] + a[i, j - 1] - 2.0 * a[i, j]


def beside(out, a):
    for i in range(out.shape[0] - 1):
        for j in range(2, out.shape[1]):
            out[i + 1, j - 2] = a[i, j]


def running(out, a):
    for i in range(out.shape[0]):
        for j in range(1, out.shape[1]):
            out[i, j] = out[i, j - 1] + a[i, j]


def totals(out, a):
    for i in range(out.shape[0]):
        total = 0.0
        for j in range(out.shape[1]):
            total += a[i, j]
        out[i, 0] = total


def chosen(out, a):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            if a[i, j] > 2.0:
                break
            out[i, j] = a[i, j]


def looked_up(out, a):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = a[i, int(a[i, j])]


@pytest.mark.parametrize(
    ("function", "shares_pairs"),
    [
        (escape, True), (products, True), (transposed, True), (stencil, True),
        (beside, True), (running, False),
        (totals, False), (chosen, False), (looked_up, True),
    ],
)  # fmt: skip
def test_pairs_of_independent_iterations_are_shared(function, shares_pairs):
    out = np.zeros(A.shape)
    program = program_of_arrays(function, out, A)
    source = program.kernels[0].code.source
    assert ("for pair in range(thread_index(), " in source) == shares_pairs
    expected = out.copy()
    function(expected, A)
    for grid in [(1, 1), (2, 4), (4, 2)]:
        (result, *_), status = emulator.run(program, [out.copy(), A], *grid)
        assert status == SUCCESS
        np.testing.assert_array_equal(result, expected)


def test_a_failure_in_a_pair_is_noted():
    bad = A.copy()
    bad[3, 4] = 50.0
    program = program_of_arrays(looked_up, np.zeros(A.shape), A)
    _, status = emulator.run(program, [np.zeros(A.shape), bad])
    assert program.kernels[0].failure(status)[1] == 3 * 7 + 4


def test_a_computed_number_of_iterations_has_pairs_too(gpu):
    @ag.function(device="GPU:0")
    def f(n, x):
        rows = ag.zeros([4, 5])
        for i in ag.range(n):
            for j in ag.range(5):
                rows = ag.tensor_scatter_nd_update(rows, [[i, j]], [x[j] * ag.cast(i, ag.float32)])
        return rows

    x = ag.constant(np.arange(5, dtype=np.float32))
    for n in (0, 1, 4):
        expected = np.zeros((4, 5))
        expected[:n] = np.outer(np.arange(n), np.arange(5))
        np.testing.assert_array_equal(f(ag.constant(n), x).numpy(), expected)
