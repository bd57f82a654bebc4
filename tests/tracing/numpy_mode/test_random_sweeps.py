"""Random loops over columns, and random programs of other kinds, of small arrays that are divided,
tiled, blocked and shared as large ones are.
"""

import pytest

pytest.importorskip("llvmlite")

from array_programs import assert_jit_is_numpy_of_arrays
from gradient_laws import assert_gradients_are_eager
from large_paths import large_paths
from numpy_programs import assert_jit_is_numpy
from sweep_programs import assert_graph_of_sweeps_is_numpy, assert_jit_is_numpy_of_sweeps
from tensor_programs import assert_graph_of_tensors_is_eager

THREADS = (1, 2, 4)


@pytest.mark.parametrize("threads", THREADS)
def test_random_loops_over_columns_mean_the_same_with_all_thresholds_at_1(threads):
    for seed in (26, 35):
        with large_paths("1", threads):
            assert_jit_is_numpy_of_sweeps(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_random_loops_over_columns_mean_the_same(seed):
    with large_paths("mixed" if seed % 2 else "1", THREADS[seed % 3], seed):
        assert_jit_is_numpy_of_sweeps(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1030))
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
