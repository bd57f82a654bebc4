"""Convolution and pooling in native code, with their gradients, are those of the NumPy kernels."""

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import allograph as ag
from allograph.runtime.core import thresholds

pytestmark = pytest.mark.slow


def check(function, *shapes, dtype=np.float32):
    """Results and gradients of native code are those of the operations run one by one."""
    rng = np.random.default_rng(0)
    arrays = [ag.constant(rng.standard_normal(shape).astype(dtype)) for shape in shapes]

    def with_gradients(*arrays):
        with ag.GradientTape() as tape:
            tape.watch(arrays)
            y = function(*arrays)
            loss = ag.reduce_sum(y * ag.cos(y))
        return (y, *tape.gradient(loss, arrays))

    native = ag.function(with_gradients, jit_compile=True)
    for found, expected in zip(native(*arrays), with_gradients(*arrays), strict=True):
        assert found.shape == expected.shape
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize(
    ("padding", "stride", "dilation"), [("SAME", 2, 1), ("VALID", 1, 2), ("SAME", 1, 1)]
)
def test_a_convolution_over_two_axes(padding, stride, dilation):
    options = {"strides": stride, "padding": padding, "dilations": dilation}
    check(lambda x, k: ag.nn.conv2d(x, k, **options), (2, 9, 8, 3), (3, 2, 3, 5))


def test_a_convolution_in_several_blocks(monkeypatch):

    monkeypatch.setattr(thresholds, "WINDOW_BLOCK", 3000)
    check(lambda x, k: ag.nn.conv2d(x, k, 1, "SAME"), (2, 9, 8, 3), (3, 2, 3, 5))


def test_a_convolution_with_filters_of_one_element_is_a_product():
    check(lambda x, k: ag.nn.conv2d(x, k, 1, "SAME"), (2, 9, 8, 6), (1, 1, 6, 4))


def test_a_convolution_in_groups():
    check(lambda x, k: ag.nn.conv2d(x, k, 1, "SAME"), (2, 9, 8, 6), (3, 2, 3, 4))


def test_a_convolution_over_one_axis_and_over_three():
    check(lambda x, k: ag.nn.conv1d(x, k, 1, "SAME"), (2, 9, 3), (3, 3, 5), dtype=np.float64)
    check(lambda x, k: ag.nn.conv3d(x, k, [1] * 5, "VALID"), (2, 4, 5, 6, 2), (3, 2, 2, 2, 3))


@pytest.mark.parametrize("more", [1, 2])
def test_a_depthwise_convolution(more):
    options = {"strides": [1, 2, 2, 1], "padding": "SAME"}
    check(lambda x, k: ag.nn.depthwise_conv2d(x, k, **options), (2, 9, 8, 3), (3, 2, 3, more))


@pytest.mark.parametrize("pool", [ag.nn.max_pool2d, ag.nn.avg_pool2d])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_a_pooling(pool, padding):
    check(lambda x: pool(x, 3, 2, padding), (2, 9, 8, 3))


def test_a_maximum_with_nan_is_nan():
    x = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
    x[0, 1, 1, 0] = np.nan
    pool = ag.function(lambda x: ag.nn.max_pool2d(x, 2, 2, "VALID"), jit_compile=True)
    found = pool(ag.constant(x)).numpy().ravel()
    np.testing.assert_array_equal(found, [np.nan, 7, 13, 15])


def test_the_largest_of_integers():
    x = np.arange(-16, 0, dtype=np.int32).reshape(1, 4, 4, 1)
    pool = ag.function(lambda x: ag.nn.max_pool2d(x, 3, 3, "SAME"), jit_compile=True)
    assert pool(ag.constant(x)).numpy().ravel().tolist() == [-11, -9, -3, -1]
