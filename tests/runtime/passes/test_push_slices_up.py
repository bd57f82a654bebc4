"""Slices of elementwise results are computed from slices of their operands."""

import numpy as np
import pytest

import allograph as ag


@pytest.mark.parametrize("size", [0, 1, 3])
def test_slices_of_any_size_have_the_shape_of_eager_code(size):
    def f(x, y):
        return (x * 2)[:-1], (x < y)[1:], (x + y[:1])[:0], ((x - y)[:-1] * x[1:])[::-1], (x * y)[:1]

    x, y = np.arange(float(size)), np.ones(max(size, 1))[:size]
    found = ag.function(f, jit_compile=True)(ag.constant(x), ag.constant(y))
    for one, expected in zip(found, f(x, y), strict=True):
        np.testing.assert_array_equal(one, expected)
