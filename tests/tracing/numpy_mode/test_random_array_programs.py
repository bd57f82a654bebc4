"""Random functions of arrays of all data types and layouts: decorated they mean the same."""

import pytest
from array_programs import assert_jit_is_numpy_of_arrays
from outer_programs import assert_jit_is_numpy_of_outer_arrays
from run_time_numbers import every_number_at_run_time

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(0, 140, 5))
def test_random_functions_of_arrays_mean_the_same(seed):
    for each in range(seed, seed + 5):
        assert_jit_is_numpy_of_arrays(each, "python")


@pytest.mark.parametrize("seed", range(1000, 1014))
def test_a_random_function_of_arrays_means_the_same_in_machine_code(seed):
    assert_jit_is_numpy_of_arrays(seed)


@pytest.mark.parametrize("seed", range(2000, 2014))
def test_a_random_function_of_arrays_means_the_same_with_every_number_at_run_time(seed):
    with every_number_at_run_time():
        assert_jit_is_numpy_of_arrays(seed)


@pytest.mark.parametrize("seed", range(3000, 3070, 5))
def test_random_functions_of_global_arrays_mean_the_same(seed):
    for each in range(seed, seed + 5):
        assert_jit_is_numpy_of_outer_arrays(each, "python")


@pytest.mark.parametrize("seed", range(4000, 4010))
def test_a_random_function_of_global_arrays_means_the_same_in_machine_code(seed):
    assert_jit_is_numpy_of_outer_arrays(seed)
