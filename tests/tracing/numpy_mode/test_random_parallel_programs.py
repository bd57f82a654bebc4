"""Random loops that threads share, or must not: each gives what one thread gives."""

import pytest
from large_paths import large_paths
from parallel_programs import assert_jit_shares_iterations

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("seed", range(0, 24, 4))
def test_threads_share_iterations_where_they_are_independent(seed):
    are_shared = []
    for each in range(seed, seed + 4):
        with large_paths("1", (2, 4)[each % 2], each):
            are_shared.append(assert_jit_shares_iterations(each))
    assert any(are_shared)
