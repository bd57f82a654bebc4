"""Convolution by tiles over the image itself: values, gradients, and any number of threads."""

import numpy as np
import pytest

pytest.importorskip("llvmlite")

import allograph as ag
from allograph.library.convolution import convolution_direct
from allograph.runtime.kernels.tile_sizes import tile_columns

pytestmark = pytest.mark.slow
set_threads = ag.config.threading.set_intra_op_parallelism_threads


@pytest.fixture(autouse=True)
def threads_of_the_machine():
    yield
    set_threads(0)


def gradients_of(function):
    def with_gradients(*arrays):
        with ag.GradientTape() as tape:
            tape.watch(arrays)
            y = function(*arrays)
            loss = ag.reduce_sum(y * ag.cos(y))
        return (y, *tape.gradient(loss, arrays))

    return with_gradients


def check(function, *shapes, dtype=np.float32):
    rng = np.random.default_rng(0)
    arrays = [ag.constant(rng.standard_normal(shape).astype(dtype)) for shape in shapes]
    f = gradients_of(function)
    native = ag.function(f, jit_compile=True)
    results = []
    for count in (1, 2):
        set_threads(count)
        results.append([found.numpy() for found in native(*arrays)])
    for one, two, wanted in zip(*results, f(*arrays), strict=True):
        assert np.array_equal(one, two)
        scale = np.abs(wanted.numpy()).max()
        close = 1e-5 if dtype == np.float32 else 1e-13
        np.testing.assert_allclose(one / scale, wanted.numpy() / scale, atol=close)
    return native.get_concrete_function(*arrays).kernels()[0].source


SLOW = pytest.mark.slow


@pytest.mark.parametrize("columns", [33, pytest.param(1, marks=SLOW), pytest.param(20, marks=SLOW)])
def test_filters_that_fill_tiles_and_those_that_do_not(columns):
    text = check(lambda x, k: ag.nn.conv2d(x, k, 1, "SAME"), (2, 6, 25, 3), (3, 3, 3, columns))
    for word in ("lines", "turned", "filters"):
        assert f"direct_{word}_float32_{columns}(" in text


@SLOW
@pytest.mark.parametrize(
    ("padding", "stride", "dilation", "groups", "dtype"),
    [
        ("SAME", 2, 1, 1, np.float32),
        ("VALID", 1, 2, 1, np.float32),
        ([[0, 0], [3, 1], [0, 5], [0, 0]], 1, 1, 2, np.float32),
        ("SAME", 1, 1, 3, np.float64),
    ],
)
def test_strides_dilations_margins_and_groups(padding, stride, dilation, groups, dtype):
    options = {"strides": stride, "padding": padding, "dilations": dilation}
    shapes = (2, 7, 30, 3 * groups), (2, 3, 3, 5 * groups)
    check(lambda x, k: ag.nn.conv2d(x, k, **options), *shapes, dtype=dtype)


@SLOW
@pytest.mark.parametrize(("width", "dtype"), [(25, np.float32), (38, np.float64)])
def test_filters_that_do_not_fit_into_a_cache(width, dtype):
    columns = 2 * tile_columns(dtype) + 3
    depth = convolution_direct.MANY_FILTERS // (9 * columns * np.dtype(dtype).itemsize) + 1
    f = lambda x, k: ag.nn.conv2d(x, k, 1, "SAME") / 64
    check(f, (2, 3, width, depth), (3, 3, depth, columns), dtype=dtype)


def test_large_images_are_shared_by_threads():
    text = check(lambda x, k: ag.nn.conv2d(x, k, 1, "VALID"), (2, 40, 40, 16), (3, 3, 16, 36))
    assert text.count("def region_") >= 3


@pytest.mark.parametrize("pool", [ag.nn.max_pool2d, ag.nn.avg_pool2d])
def test_large_pools_are_shared_by_threads(pool):
    text = check(lambda x: pool(x, 3, 2, "SAME"), (4, 64, 64, 32))
    assert text.count("windows_") == 2
    assert all("[first:first" in line or ", first, " in line
               for line in text.splitlines() if "windows_" in line)  # fmt: skip


def test_margins_of_large_images_are_made_by_threads():
    f = lambda x, k: ag.nn.conv2d(x, 0.05 * k, 1, "SAME")  # the loss multiplies rounding by y
    text = check(f, (2, 90, 100, 40), (3, 3, 40, 8))
    assert any("windows_pad(" in line and ", first, " in line for line in text.splitlines())


def test_large_depthwise_convolutions_are_shared_by_threads():
    f = lambda x, k: ag.nn.depthwise_conv2d(x, k, [1, 1, 1, 1], "SAME")
    text = check(f, (4, 64, 64, 16), (3, 3, 16, 2))
    assert [word in text for word in ("depthwise(", "depthwise_input(")] == [True, True]
