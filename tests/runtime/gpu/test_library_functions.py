"""What the C library, or the library of random numbers, computes on the CPU, on a device."""

import math

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.gpu.c_library import log_gamma
from allograph.runtime.jit.backends import OWN
from allograph.runtime.jit.kernel_types import ArrayType
from allograph.runtime.jit.routines import FAMILIES, Family
from allograph.runtime.kernel_ir.reader import kernel_ir

pytestmark = pytest.mark.usefixtures("hard")


def test_the_logarithm_of_the_gamma_function_is_that_of_the_c_library(monkeypatch):
    family = Family(0, lambda: lambda: {"trial_lgamma": log_gamma}, "allograph.runtime.gpu")
    monkeypatch.setitem(FAMILIES, "trial", family)
    source = "def kernel(x, out):\n    for i in range(500):\n        out[i] = trial_lgamma(x[i])\n"
    x = np.concatenate([np.linspace(-9.87, 9.87, 250), 10.0 ** np.linspace(-300, 300, 250)])
    out, type_ = np.empty_like(x), ArrayType(x.dtype, x.shape)
    OWN.compiled(kernel_ir(f"{source}    return ()\n"), (type_, type_), ()).function(x, out)
    np.testing.assert_allclose(out, list(map(math.lgamma, x)), 4e-15, 4e-15)


def test_numbers_of_distributions_are_those_of_the_cpu(gpu):
    def drawn(rate):
        return (
            ag.random.stateless_truncated_normal([9], [1, 2]),
            ag.random.stateless_gamma([5], [3, 4], rate, dtype=ag.float64),
            ag.random.stateless_poisson([5], [5, 6], rate * 30.0, ag.int32),
        )

    rates = np.linspace(0.3, 2.0, 5)
    on_device, on_cpu = (ag.function(drawn, device=name)(rates) for name in ("GPU:0", "CPU:0"))
    for own, other in zip(on_device, on_cpu, strict=True):
        np.testing.assert_allclose(own.numpy(), other.numpy(), rtol=1e-6)


def test_small_systems_and_cholesky_factors_are_for_one_thread(gpu):
    matrix = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]])

    def solved(a, b):
        return ag.linalg.solve(a, b), ag.linalg.cholesky(a), ag.linalg.triangular_solve(a, b)

    right = np.array([[1.0], [2.0], [3.0]])
    on_device, on_cpu = (
        ag.function(solved, device=name)(matrix, right) for name in ("GPU:0", "CPU:0")
    )
    for own, other in zip(on_device, on_cpu, strict=True):
        np.testing.assert_allclose(own.numpy(), other.numpy(), rtol=1e-12)


def test_a_matrix_without_cholesky_factor_is_an_error_of_the_cpu(gpu):
    factor = ag.function(ag.linalg.cholesky, device="GPU:0")
    with pytest.raises(ag.errors.InvalidArgumentError):
        factor(-np.eye(3))
