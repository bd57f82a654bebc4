"""Depthwise convolution in tiles: values and gradients, for all shapes, on one and two threads."""

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from test_convolution_direct import check, threads_of_the_machine  # noqa: F401

import allograph as ag
from allograph.runtime.kernels import convolution_depthwise

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("image", "window", "padding", "stride", "dilation"),
    [
        ((2, 9, 19, 5), (3, 3), "SAME", 1, 1),
        ((1, 7, 7, 33), (5, 5), "SAME", 1, 1),
        ((1, 12, 11, 16), (3, 3), "SAME", 2, 1),
        ((2, 9, 9, 2), (1, 4), "VALID", 1, 1),
        ((1, 10, 30, 24), (3, 2), "SAME", 1, 3),
        ((1, 6, 17, 17), (3, 3), [[0, 0], [3, 1], [0, 5], [0, 0]], 1, 1),
        ((1, 3, 1, 4), (3, 3), "SAME", 1, 1),
    ],
)
@pytest.mark.parametrize("vector", [16, 32, None])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_every_shape(monkeypatch, image, window, padding, stride, dilation, vector, dtype):
    if vector:
        monkeypatch.setattr(convolution_depthwise, "vector_registers", lambda: (vector, 16))
    options = {"strides": [1, stride, stride, 1], "padding": padding}
    options["dilations"] = [dilation, dilation]
    f = lambda x, k: ag.nn.depthwise_conv2d(x, k, **options)
    source = check(f, image, (*window, image[-1], 1), dtype=dtype)
    lines = source.count("depthwise_lines_")
    assert lines == (1 if stride > 1 else 2)
    assert "depthwise_filters_" in source


def test_one_and_three_axes_of_space():
    f = lambda x, k: ag.nn.convolution(x, k, padding="SAME")
    assert "depthwise_lines_" in check(f, (2, 19, 6), (3, 1, 6))
    assert "depthwise_lines_" in check(f, (1, 4, 5, 9, 3), (3, 2, 3, 1, 3))


def test_large_images_are_shared_by_threads():
    f = lambda x, k: ag.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], "SAME")
    source = check(f, (4, 64, 64, 64), (3, 3, 64, 1))
    calls = [line for line in source.splitlines() if "depthwise_" in line]
    assert sum("first, " in line for line in calls) == 3


def test_margins_are_zeros_also_beside_infinite_filters():
    k = np.zeros((3, 3, 4, 1), np.float32)
    k[0, 0] = np.inf
    arrays = ag.ones([1, 5, 9, 4]), ag.constant(k)
    f = lambda x, k: ag.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], "SAME")
    native = ag.function(f, jit_compile=True)(*arrays).numpy()
    np.testing.assert_array_equal(native, f(*arrays).numpy())
    assert np.isnan(native[0, 0]).all()
    assert np.isinf(native[0, 1:, 1:]).all()
