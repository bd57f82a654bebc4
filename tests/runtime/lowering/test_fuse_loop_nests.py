"""Which nodes share a loop nest, and in which order the steps are."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import allograph as ag


def test_a_filled_array_comes_after_the_sizes_that_it_has():
    @ag.function(input_signature=[ag.TensorSpec([None, None], ag.int32)])
    def with_a_row_of_zeros(x):
        sizes = ag.concat([[1], ag.shape(x)[1:]], 0)  # the first is a constant, the second not
        return ag.concat([x, ag.broadcast_to(ag.constant(0), sizes)], 0)

    assert with_a_row_of_zeros(ag.constant([[1, 2]])).numpy().tolist() == [[1, 2], [0, 0]]


def scaled(x, n, y):
    z = (x + 1.0) * (1.0 / n)  # which checks that n is not 0
    return z / (2.0 * n) + y / (2.0 * n)


def test_checks_of_scalars_end_no_loop_over_elements():
    program = ag.jit(scaled)
    x = np.arange(40.0)
    assert_array_equal(program(x, 4.0, x), scaled(x, 4.0, x))
    (entry,) = program.jit_table.values()
    (kernel,) = entry.traced.executable.kernels()
    assert kernel.source.count("for ") == 1


def test_a_check_of_scalars_that_fails_before_its_place_leaves_what_comes_first():
    @ag.jit
    def shifted(x, n):
        x[0] = 5.0
        x += 1.0
        return x * (1.0 / n)

    x = np.zeros(40)
    with pytest.raises(ZeroDivisionError):
        shifted(x, 0.0)
    assert_array_equal(x, [6.0] + [1.0] * 39)
