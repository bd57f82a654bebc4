"""Kernels as LLVM's assembly language, which threads of the CPU run: results and failures."""

import numpy as np
import pytest
from one_block import run_as_one_block
from test_grid_program import MATRIX, PROGRAMS, numbers, program_of

import allograph as ag
from allograph.runtime.gpu.grid_kernel import SUCCESS

SEED = np.array([1, 2], np.int32)
OF_DEVICES = [  # where a device has functions of its own
    (lambda x, y: x % y + ag.math.floormod(y, x), MATRIX, MATRIX + 1.0),
    (lambda x, y: x % y, np.array([1e300, 5.0, -7.5, 0.0]), np.array([1e-300, 0.1, 2.0, 3.0])),
    (lambda x: ag.tan(x) + ag.cos(x), 1000.0 * numbers(9)),
    (lambda x: ag.atan2(x, 0.5) + ag.pow(ag.abs(x), x) + ag.math.digamma(x), MATRIX),
    (lambda x: ag.math.cumulative_logsumexp(x), numbers(9)),
    (lambda seed: ag.random.stateless_uniform([3000], seed=seed), SEED),
    (lambda seed: ag.random.stateless_uniform([3000], seed, 2.0, 5.0, dtype=ag.float64), SEED),
    (lambda seed: ag.random.stateless_normal([300], seed=seed), SEED),
    (lambda seed: ag.random.stateless_uniform([99], seed, 0, 10, dtype=ag.int32), SEED),
]


def run(function, *arguments):
    tensors = [ag.constant(one) for one in arguments]
    program = program_of(function, *tensors)
    return run_as_one_block(program, [one.numpy() for one in tensors])


@pytest.mark.slow
@pytest.mark.parametrize("case", [*PROGRAMS, *OF_DEVICES])
def test_results_are_those_of_the_cpu(case):
    function, *arguments = case
    outputs, status = run(*case)
    assert status == SUCCESS
    expected = ag.function(function)(*map(ag.constant, arguments))
    for own, wanted in zip(outputs, ag.nest.flatten(expected), strict=True):
        np.testing.assert_allclose(own, np.asarray(wanted), rtol=3e-6, atol=3e-6)


def test_remainders_are_exact():
    x, y = np.array([1e300, 5.3, -7.5]), np.array([3e-300, 0.1, 0.7])
    assert run(lambda x, y: x % y, x, y)[0][0].tolist() == (x % y).tolist()


def test_the_first_failing_element_is_noted():
    x, i = numbers(5), np.array([0, 4, 5, 9], np.int32)
    _, status = run(lambda x, i: ag.gather(x, i) * 2.0, x, i)
    assert status != SUCCESS


@pytest.mark.parametrize("x", [1e30, np.full(3, 1e30)])
def test_a_sine_out_of_reach_fails(x):
    assert run(lambda x: ag.sin(x), x)[1] != SUCCESS
