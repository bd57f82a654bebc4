"""Random programs on tracers of JAX compute what Python does, or are refused."""

import os

import pytest

pytest.importorskip("jax", reason="JAX is not installed")

import jax
import numpy as np
from interpreted_jaxprs import interpreted
from jax.experimental import checkify
from law_kit import INPUTS, forget_programs, load, outcome
from program_generator import program

import allograph as ag
from allograph.autograph.errors import NotStagedError

COUNT = int(os.environ.get("FUZZ_PROGRAMS", 100))
pytestmark = pytest.mark.slow


def are_computed(seed: int) -> bool:
    """Whether a program is computed, alone and in a batch; False if it is refused."""
    source = program(seed, lists=False)
    plain = load(source)
    converted, columns = ag.jax.function(plain), np.array(INPUTS).T
    try:
        run = interpreted(converted, *INPUTS[0])
        in_a_batch = interpreted(jax.vmap(converted), *columns)
    except (NotStagedError, UnboundLocalError):
        return False
    expected = [plain(*row) for row in INPUTS]
    assert [int(run(*row)) for row in INPUTS] == in_a_batch(*columns).tolist() == expected, source
    return True


def raise_alike(seed: int) -> bool:
    """Whether a program raises, by way of `checkify`, what it does in Python."""
    source = program(seed, lists=False, raises=True, catches=False)
    plain = load(source)
    try:
        run = interpreted(checkify.checkify(ag.jax.function(plain)), *map(np.array, INPUTS[0]))
    except (NotStagedError, UnboundLocalError):
        return False
    except Exception:  # of a program that always raises
        assert all(outcome(plain, *row)[0] == "raises" for row in INPUTS), source
        return True
    for row in INPUTS:
        kind, *expected = outcome(plain, *row)
        error, value = run(*row)
        if kind == "returns":
            assert (error.get(), int(value)) == (None, *expected), source
        else:
            assert error.get().startswith(expected[0].__name__), source
    return True


@pytest.mark.parametrize("check", [are_computed, raise_alike])
@pytest.mark.parametrize("start", range(0, COUNT, 10))
def test_random_programs_do_what_python_does(check, start):
    computed = [check(seed) for seed in range(start, start + 10)]
    forget_programs()
    assert any(computed)
