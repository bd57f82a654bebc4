"""Slices of computed bounds lie in memory for the most elements; threads share what is there."""

import numpy as np
import pytest
from program_suite import suite
from test_ptx import program_of_arrays

import allograph as ag
from allograph.runtime.gpu import emulator, ptx
from allograph.runtime.gpu.grid import grid_parts
from allograph.runtime.gpu.grid_kernel import SUCCESS
from allograph.runtime.lowering.not_native import NotNativeError

RANDOM = np.random.default_rng(5)
SQUARE = RANDOM.random((7, 7)) + 7 * np.eye(7)


lu, forward_substitution = (
    suite.PROGRAMS[name].function for name in ("lu", "forward_substitution")
)


def covariance(data):
    k = data.shape[1]
    out = np.zeros((k, k))
    for i in range(k):
        out[i:k, i] = data[:, i] @ data[:, i:k] / (data.shape[0] - 1.0)
        out[i, i:k] = out[i:k, i]
    return out


def scaled_by_the_largest(a, out):
    for i in range(1, len(a)):
        out[:i] += np.max(a[:i]) * a[:i]


def first_rows(a, n):
    b = a[:n] * 2.0
    return b.sum(), np.sum(b, axis=0), b.sum(axis=1).sum(), b.T @ b


def rows_of_a_triangle(a, out):
    for i in ag.prange(a.shape[0]):
        out[i] = np.sum(a[i, : i + 1])


CASES = [
    (lu, SQUARE), (forward_substitution, np.tril(SQUARE), RANDOM.random(7)),
    (covariance, RANDOM.random((9, 5))), (scaled_by_the_largest, RANDOM.random(12), np.zeros(12)),
    (first_rows, RANDOM.random((40, 3)), 17), (first_rows, RANDOM.random((40, 3)), 0),
    (first_rows, RANDOM.random((400, 3)), 390), (rows_of_a_triangle, SQUARE, np.zeros(7)),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_results_are_those_of_numpy_on_every_grid(case):
    function, *arguments = case
    copies = [np.copy(one) if np.ndim(one) else one for one in arguments]
    program = program_of_arrays(function, *copies)
    changed = [np.copy(one) if np.ndim(one) else one for one in arguments]
    results = function(*changed)
    results = results if isinstance(results, tuple) else (results,)
    expected = [np.asarray(one) for one in (*results, *changed) if one is not None]
    for grid in [(1, 1), (2, 4), (4, 2)]:
        outputs, status = emulator.run(program, [np.copy(one) for one in arguments], *grid)
        assert status == SUCCESS
        for own in outputs:
            assert any(own.shape == one.shape and np.allclose(own, one) for one in expected)
    for kernel in program.kernels:
        assert ptx.ptx(kernel)


def test_functions_on_a_device_have_arrays_of_computed_sizes(gpu):
    def prefix(x, n):
        return ag.reduce_sum(x[:n] * 2.0), ag.reduce_max(x[:n])

    def chosen(x):
        return x[: ag.cast(ag.reduce_max(x), ag.int32)] * 2.0

    f = ag.function(prefix, device="GPU:0")
    ag.config.set_soft_device_placement(False)
    try:
        total, largest = f(ag.range(9.0), ag.constant(4))
        assert (float(total), float(largest)) == (12.0, 3.0)
        with pytest.raises(ag.errors.InvalidArgumentError, match="depends on computed values"):
            ag.function(chosen, device="GPU:0")(ag.range(9.0))
    finally:
        ag.config.set_soft_device_placement(True)


def test_a_program_of_several_kernels_has_none(monkeypatch):
    monkeypatch.setattr(grid_parts, "LIBRARY_FROM", 0)
    monkeypatch.setattr(
        "test_ptx.grid_program", lambda program: grid_parts.program_in_parts(program)
    )

    def scaled(a, n):
        b = a @ a
        return b @ b, (b[:n] * 2.0).sum()

    with pytest.raises(NotNativeError, match="is computed"):
        program_of_arrays(scaled, SQUARE, 3)


def test_threads_share_what_is_set():
    def moved(a, b):
        a[2:5] = b[1:4]
        return a

    source = program_of_arrays(moved, np.zeros((9, 4)), np.ones((7, 4))).kernels[0].code.source
    assert "in range(thread_index(), 12, thread_count()):" in source
