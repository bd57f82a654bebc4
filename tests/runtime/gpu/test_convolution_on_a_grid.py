"""Convolution, pooling and their gradients by the threads of a device."""

import numpy as np
import pytest
from test_grid_program import assert_as_on_the_cpu

import allograph as ag
from allograph.library.convolution import on_a_grid

RANDOM = np.random.default_rng(2)
CONVOLUTIONS = {
    "same": (lambda x, w: ag.nn.conv2d(x, w, 1, "SAME"), (2, 5, 8, 3), (3, 2, 3, 4)),
    "valid": (lambda x, w: ag.nn.conv2d(x, w, 1, "VALID"), (1, 6, 6, 2), (3, 3, 2, 8)),
    "strides": (lambda x, w: ag.nn.conv2d(x, w, 2, "SAME"), (1, 7, 8, 2), (3, 3, 2, 4)),
    "dilations": (
        lambda x, w: ag.nn.conv2d(x, w, 1, "SAME", dilations=2), (1, 7, 8, 2), (3, 2, 2, 4),
    ),
    "depthwise": (
        lambda x, w: ag.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "SAME"), (1, 4, 4, 3), (3, 3, 3, 2),
    ),
    "one axis": (lambda x, w: ag.nn.conv1d(x, w, 1, "SAME"), (2, 9, 3), (3, 3, 4)),
    "three axes": (
        lambda x, w: ag.nn.conv3d(x, w, [1] * 5, "SAME"), (1, 3, 4, 4, 2), (2, 2, 2, 2, 4),
    ),
}  # fmt: skip


def whole_numbers(shape):
    """Small ones: sums of their products are exact in any order, and windows have equal maxima."""
    return RANDOM.integers(-3, 4, shape).astype(np.float32)


def with_gradients(function):
    def gradients(*arrays):
        with ag.GradientTape() as tape:
            tape.watch(arrays)
            y = function(*arrays)
            total = ag.reduce_sum(y * y)
        return y, tape.gradient(total, arrays)

    return gradients


@pytest.mark.parametrize("is_tiled", [False, True])
@pytest.mark.parametrize("case", CONVOLUTIONS.values(), ids=CONVOLUTIONS)
def test_convolutions_and_their_gradients_are_those_of_the_cpu(case, is_tiled, monkeypatch):
    monkeypatch.setattr(on_a_grid, "TILED_FROM", 1 if is_tiled else 1 << 18)
    function, *shapes = case
    assert_as_on_the_cpu(with_gradients(function), *map(whole_numbers, shapes))


@pytest.mark.parametrize("pool", [ag.nn.max_pool2d, ag.nn.avg_pool2d])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize(("size", "step"), [(2, 2), (3, 2), (3, 1)])
def test_pooling_and_its_gradient_are_those_of_the_cpu(pool, padding, size, step):
    x = whole_numbers((2, 5, 6, 3))
    assert_as_on_the_cpu(with_gradients(lambda x: pool(x, size, step, padding)), x)


def test_a_window_with_nan_has_it_as_its_largest():
    x = whole_numbers((1, 4, 4, 1))
    x[0, 1, 1, 0] = np.nan
    assert_as_on_the_cpu(lambda x: ag.nn.max_pool2d(x, 3, 1, "SAME"), x)


def test_filters_of_many_elements_are_not_divided_into_parts(monkeypatch):
    monkeypatch.setattr(on_a_grid, "FEW_FILTERS", 1)
    function, *shapes = CONVOLUTIONS["same"]
    assert_as_on_the_cpu(with_gradients(function), *map(whole_numbers, shapes))
