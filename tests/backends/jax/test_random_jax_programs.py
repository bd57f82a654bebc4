"""Random programs on tracers of JAX compute what Python does, or are refused."""

import os

import pytest

pytest.importorskip("jax", reason="JAX is not installed")

import jax
import numpy as np
from interpreted_jaxprs import interpreted
from law_kit import INPUTS, forget_programs, load
from program_generator import program

import allograph as ag
from allograph.autograph.errors import NotStagedError

BLOCKS, IN_A_BLOCK = int(os.environ.get("FUZZ_PROGRAMS", 200)) // 10, 10


def outcome(seed: int) -> bool:
    """Whether a program is computed, alone and in a batch; False if it is refused."""
    plain = load(program(seed, lists=False))
    expected = [plain(*row) for row in INPUTS]
    converted = ag.jax.function(plain)
    try:
        run, columns = interpreted(converted, *INPUTS[0]), np.array(INPUTS).T
        results = [int(run(*row)) for row in INPUTS]
        batch = interpreted(jax.vmap(converted), *columns)(*columns)
    except (NotStagedError, UnboundLocalError):
        return False
    assert results == expected == batch.tolist(), program(seed, lists=False)
    return True


@pytest.mark.slow
@pytest.mark.parametrize("block", range(BLOCKS))
def test_random_programs_compute_what_python_does(block):
    seeds = range(IN_A_BLOCK * block, IN_A_BLOCK * (block + 1))
    computed = sum(map(outcome, seeds))
    forget_programs()
    assert computed >= 1
