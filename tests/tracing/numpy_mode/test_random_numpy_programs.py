"""Random functions of NumPy arrays: decorated they do what they do undecorated."""

import pytest
from numpy_programs import assert_jit_is_numpy

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(40))
def test_a_random_function_means_the_same(seed):
    assert_jit_is_numpy(seed)
