"""Random loops that threads share, or must not: each gives what one thread gives."""

import pytest
from large_paths import large_paths
from parallel_programs import assert_jit_shares_iterations

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("compiler", [None, "python"])  # which runs the last chunk first
@pytest.mark.parametrize("seed", range(0, 32, 8))  # LLVM compiles the first half of each eight
def test_threads_share_iterations_where_they_are_independent(seed, compiler):
    are_shared = []
    for each in range(seed, seed + (4 if compiler is None else 8)):
        with large_paths("1", (2, 4)[each % 2], each):
            are_shared.append(assert_jit_shares_iterations(each, compiler))
    assert any(are_shared)
