"""Loops whose elements stay in vector registers have only operations of vectors."""

import warnings

import numpy as np
import pytest
from large_paths import large_paths

import allograph as ag
from allograph.runtime.kernels.math_functions import IN_STEPS as COMPUTED_IN_STEPS
from allograph.runtime.lowering.elementwise_loops import IN_STEPS


def test_the_functions_with_branches_are_those_of_the_kernels():
    assert set(COMPUTED_IN_STEPS) == IN_STEPS


def digammas(x):
    for _ in ag.range(9):
        x = ag.math.digamma(x + 9.0)
    return x


def powers(x):
    for _ in ag.range(9):
        x = x ** (x & 3)
    return x


def quotients(x):
    for _ in ag.range(9):
        x = x // ((x & 3) + 1) + x % 7
    return x


@pytest.mark.parametrize(
    "function, dtype",
    [(digammas, "float64"), (digammas, "float32"), (powers, "uint8"), (powers, "uint64"),
     (quotients, "int32"), (quotients, "uint8")],
)  # fmt: skip
@pytest.mark.parametrize("thresholds", ["1", "measured"])
def test_operations_with_branches_are_compiled(function, dtype, thresholds):
    x = ag.constant(np.arange(1, 33), dtype)
    with large_paths(thresholds, 1, 0), warnings.catch_warnings(action="error"):
        result = ag.function(function, jit_compile=True)(x)
    np.testing.assert_allclose(result.numpy(), function(x).numpy(), 1e-5)
