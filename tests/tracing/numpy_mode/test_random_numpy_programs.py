"""Random functions of NumPy arrays: decorated they do what they do undecorated."""

import pytest
from numpy_programs import assert_jit_is_numpy
from run_time_numbers import every_number_at_run_time

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(28))
def test_a_random_function_means_the_same(seed):
    assert_jit_is_numpy(seed)


@pytest.mark.parametrize("seed", range(2000, 2014))
def test_a_random_function_means_the_same_with_every_number_at_run_time(seed):
    with every_number_at_run_time():
        assert_jit_is_numpy(seed)
