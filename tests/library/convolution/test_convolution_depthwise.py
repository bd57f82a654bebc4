"""Depthwise convolution in tiles: values and gradients, for all shapes, on one and two threads."""

import numpy as np
import pytest

pytest.importorskip("llvmlite")

from test_convolution_direct import check, threads_of_the_machine  # noqa: F401

import allograph as ag
from allograph.library.convolution import depthwise_tiles

pytestmark = pytest.mark.slow


SHAPES = [
    ((2, 9, 19, 5), (3, 3), "SAME", 1, 1),
    ((1, 7, 7, 33), (5, 5), "SAME", 1, 1),
    ((1, 12, 11, 16), (3, 3), "SAME", 2, 1),
    ((2, 9, 9, 2), (1, 4), "VALID", 1, 1),
    ((1, 10, 30, 24), (3, 2), "SAME", 1, 3),
    ((1, 6, 17, 17), (3, 3), [[0, 0], [3, 1], [0, 5], [0, 0]], 1, 1),
    ((1, 3, 1, 4), (3, 3), "SAME", 1, 1),
]
# Each shape with two of the sizes of registers, for numbers of two sizes; the random ones below
# combine all of them.
REGISTERS = [(16, np.float32), (32, np.float64), (None, np.float32)]
REGISTERS += [(16, np.float64), (32, np.float32), (None, np.float64)]


@pytest.mark.parametrize(
    ("image", "window", "padding", "stride", "dilation", "vector", "dtype"),
    [
        (*shape, *REGISTERS[(2 * at + more) % 6])
        for at, shape in enumerate(SHAPES)
        for more in range(2)
    ],
)
def test_every_shape(monkeypatch, image, window, padding, stride, dilation, vector, dtype):
    if vector:
        monkeypatch.setattr(depthwise_tiles, "vector_registers", lambda: (vector, 16))
    options = {"strides": [1, stride, stride, 1], "padding": padding}
    options["dilations"] = [dilation, dilation]
    f = lambda x, k: ag.nn.depthwise_conv2d(x, k, **options)
    source = check(f, image, (*window, image[-1], 1), dtype=dtype)
    lines = source.count("depthwise_lines_")
    assert lines == (1 if stride > 1 else 2)
    assert "depthwise_filters_" in source


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("image", "window", "dilation"),
    [((1, 9, 13, 512), (3, 3), 1), ((2, 5, 4, 1024), (5, 2), 1), ((1, 7, 8, 512), (2, 3), 2)],
)
def test_pixels_that_share_sets_of_a_cache(image, window, dilation, dtype):
    options = {"padding": "SAME", "dilations": [dilation, dilation]}
    f = lambda x, k: ag.nn.depthwise_conv2d(x, k, strides=[1, 1, 1, 1], **options)
    source = check(f, image, (*window, image[-1], 1), dtype=dtype)
    vector = depthwise_tiles.vector_registers()[0] // np.dtype(dtype).itemsize
    assert source.count(f"depthwise_lines_{np.dtype(dtype).name}_{vector}x1x") == 2


def random_convolution(random):
    """The shapes of an image and of filters, and options: any stride, dilation, padding."""
    axes = random.choice([1, 2, 2, 3])
    longest = 6 if axes == 3 else 18
    space, sizes = random.integers(1, longest, axes), random.integers(1, 6, axes)
    if axes == 3:
        sizes = np.minimum(sizes, 3)
    strides, dilations = np.ones(axes, int), np.ones(axes, int)
    kind = random.integers(3)
    if kind:
        (strides, dilations)[kind - 1][:] = random.integers(1, 4, axes)
    needed = np.maximum((sizes - 1) * dilations + 1 - space, 0)
    extra = random.integers(0, 4, axes)
    margins = [[int(more), int(one)] for more, one in zip(needed, extra, strict=True)]
    padding = random.choice(["SAME", "margins"])
    channels = int(random.choice([random.integers(2, 140), 512]))
    more = 1 + int(random.random() < 0.15)
    options = {
        "strides": strides.tolist(),
        "dilations": dilations.tolist(),
        "padding": "SAME" if padding == "SAME" else [[0, 0], *margins, [0, 0]],
    }
    image = (int(random.integers(1, 4)), *map(int, space), channels)
    return image, (*map(int, sizes), 1, channels * more), options


@pytest.mark.parametrize("seed", range(24))
def test_random_convolutions(monkeypatch, seed):
    random = np.random.default_rng(seed)
    registers = [depthwise_tiles.vector_registers(), (32, 16), (16, 16)][seed % 3]
    monkeypatch.setattr(depthwise_tiles, "vector_registers", lambda: registers)
    image, filters, options = random_convolution(random)
    dtype = random.choice([np.float32, np.float64])
    check(lambda x, k: ag.nn.convolution(x, k, **options), image, filters, dtype=dtype)


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
