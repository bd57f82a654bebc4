"""Random loops over columns, and random programs of other kinds, of small arrays that are divided,
tiled, blocked and shared as large ones are.
"""

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from array_programs import assert_jit_is_numpy_of_arrays
from gradient_laws import assert_gradients_are_eager
from large_paths import large_paths
from numpy_programs import assert_jit_is_numpy, assert_same_outcome
from sweep_programs import assert_graph_of_sweeps_is_numpy, assert_jit_is_numpy_of_sweeps
from tensor_programs import assert_graph_of_tensors_is_eager

import allograph as ag

THREADS = (1, 2, 4)


@pytest.mark.parametrize("threads", THREADS)
def test_random_loops_over_columns_mean_the_same_with_all_thresholds_at_1(threads):
    for seed in (17, 25):
        with large_paths("1", threads):
            assert_jit_is_numpy_of_sweeps(seed)


def advected(out, speed, field, rate):
    """The vertical advection of a weather model: its coefficients lie between rows."""
    rows, columns, levels = out.shape
    ratios, data = np.zeros((rows, columns, levels)), np.zeros((rows, columns))
    for k in range(1, levels - 1):
        above = -0.125 * (speed[1:, :, k] + speed[:-1, :, k])
        below = 0.125 * (speed[1:, :, k + 1] + speed[:-1, :, k + 1])
        divided = 1.0 / (rate - above - below - ratios[:, :, k - 1] * above)
        ratios[:, :, k] = below * divided
        out[:, :, k] = (field[:, :, k] - out[:, :, k - 1] * above) * divided
    data[:] = out[:, :, levels - 1]
    for k in range(levels - 2, -1, -1):
        data[:] = out[:, :, k] - ratios[:, :, k] * data
        out[:, :, k] = rate * (data - field[:, :, k])


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("shape", [(6, 3, 5), (60, 60, 12)])
def test_a_solver_whose_coefficients_lie_between_rows_is_that_of_numpy(shape, threads):
    rng = np.random.default_rng(0)
    speed = rng.random((shape[0] + 1, *shape[1:]))
    arrays = rng.random(shape), speed, rng.random(shape), 3.0
    kind = "1" if shape[0] < 60 else "measured"
    with large_paths(kind, threads), np.errstate(all="ignore"):
        assert_same_outcome(advected, ag.jit(advected), arrays)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(42))
def test_random_loops_over_columns_mean_the_same(seed):
    with large_paths("mixed" if seed % 2 else "1", THREADS[seed % 3], seed):
        assert_jit_is_numpy_of_sweeps(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1021))
def test_random_loops_over_columns_of_tensors_mean_the_same(seed):
    with large_paths("mixed" if seed % 2 else "1", THREADS[seed % 3], seed):
        assert_graph_of_sweeps_is_numpy(seed)


LAWS = {
    "of NumPy": assert_jit_is_numpy,
    "of arrays of all types": assert_jit_is_numpy_of_arrays,
    "of tensors": lambda seed: assert_graph_of_tensors_is_eager(seed, native=True),
    "and their gradients": lambda seed: assert_gradients_are_eager(seed, native=True),
}


@pytest.mark.slow
@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("law", LAWS)
def test_random_programs_mean_the_same_with_all_thresholds_at_1(law, threads):
    for seed in range(5000 + threads, 5012, 4):
        with large_paths("1", threads):
            LAWS[law](seed)
