"""Random loops over elements: an index is checked unless it is never out of range."""

import pytest
from index_programs import assert_jit_checks_indices

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(0, 60, 5))
def test_random_indices_fail_where_those_of_numpy_do(seed):
    are_native = [assert_jit_checks_indices(each) for each in range(seed, seed + 5)]
    assert any(are_native)
