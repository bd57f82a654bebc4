"""Convolution and pooling against their definitions, written as loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag
from allograph.runtime.ir.op import TABLE


def margins(size, window, step, spread, padding):
    """Before and after, as TensorFlow documents SAME and VALID."""
    if padding == "VALID":
        return 0, 0
    reach = (window - 1) * spread + 1
    total = max((-(-size // step) - 1) * step + reach - size, 0)
    return total // 2, total - total // 2


def by_loops(x, sizes, strides, dilations, padding, function, fill=0.0):
    """`function(window)` for each window of an image."""
    rows = list(zip(x.shape[1:3], sizes, strides, dilations))
    pads = [margins(*row, padding) for row in rows]
    padded = np.pad(x, ((0, 0), *pads, (0, 0)), constant_values=fill)
    counts = [
        (size - (window - 1) * spread - 1) // step + 1
        for size, (_, window, step, spread) in zip(padded.shape[1:3], rows)
    ]
    made = [
        [
            function(
                padded[
                    :,
                    i * strides[0] : i * strides[0] + (sizes[0] - 1) * dilations[0] + 1 : dilations[
                        0
                    ],
                    j * strides[1] : j * strides[1] + (sizes[1] - 1) * dilations[1] + 1 : dilations[
                        1
                    ],
                ]
            )
            for j in range(counts[1])
        ]
        for i in range(counts[0])
    ]
    return np.moveaxis(np.array(made), 2, 0)


geometry = st.fixed_dictionaries(
    {
        "sizes": st.tuples(st.integers(1, 3), st.integers(1, 3)),
        "strides": st.tuples(st.integers(1, 3), st.integers(1, 3)),
        "dilations": st.tuples(st.integers(1, 2), st.integers(1, 2)),
        "padding": st.sampled_from(["SAME", "VALID"]),
    }
)
IMAGES = np.random.default_rng(0).normal(size=(2, 6, 7, 3))


@pytest.mark.slow
@given(geometry)
def test_convolution_is_the_sum_of_products_of_each_window(how):
    filters = np.random.default_rng(1).normal(size=(*how["sizes"], 3, 2))
    found = ag.nn.conv2d(
        IMAGES, filters, how["strides"], how["padding"], dilations=how["dilations"]
    )
    expected = by_loops(
        IMAGES, **how, function=lambda window: np.einsum("nijc,ijco->no", window, filters)
    )
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.slow
@given(geometry)
def test_a_depthwise_convolution_treats_each_channel_alone(how):
    filters = np.random.default_rng(1).normal(size=(*how["sizes"], 3, 2))
    found = ag.nn.depthwise_conv2d(
        IMAGES, filters, how["strides"], how["padding"], dilations=how["dilations"]
    )
    expected = by_loops(
        IMAGES,
        **how,
        function=lambda window: np.einsum("nijc,ijcm->ncm", window, filters).reshape(2, 6),
    )
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.slow
@given(geometry)
def test_pooling_takes_the_extreme_and_the_mean_of_each_window_without_margins(how):
    how["dilations"] = (1, 1)
    arguments = how["sizes"], how["strides"], how["padding"]
    largest = by_loops(
        IMAGES, **how, fill=np.nan, function=lambda window: np.nanmax(window, axis=(1, 2))
    )
    means = by_loops(
        IMAGES, **how, fill=np.nan, function=lambda window: np.nanmean(window, axis=(1, 2))
    )
    np.testing.assert_allclose(ag.nn.max_pool2d(IMAGES, *arguments), largest)
    np.testing.assert_allclose(ag.nn.avg_pool2d(IMAGES, *arguments), means, atol=1e-12)


@pytest.mark.slow
@given(geometry, st.sampled_from([1, 3]))
def test_the_gradients_of_a_convolution_are_its_adjoints(how, groups):
    """<conv(x, w), g> = <x, input gradient> = <w, filter gradient>."""
    rng = np.random.default_rng(2)
    filters = rng.normal(size=(*how.pop("sizes"), 3 // groups, 6))
    attrs = {**how, "groups": groups}
    y = TABLE["convolution"](IMAGES, filters, **attrs)
    g = rng.normal(size=y.shape)
    dx = TABLE["convolution_input"](np.array(IMAGES.shape), filters, g, **attrs)
    dw = TABLE["convolution_filters"](IMAGES, np.array(filters.shape), g, **attrs)
    np.testing.assert_allclose((dx * IMAGES).numpy().sum(), (y * g).numpy().sum())
    np.testing.assert_allclose((dw * filters).numpy().sum(), (y * g).numpy().sum())


def test_channels_first_is_a_matter_of_layout():
    filters = np.random.default_rng(1).normal(size=(2, 2, 3, 4))
    last = ag.nn.conv2d(IMAGES, filters, [1, 2, 1, 1], "SAME")
    first = ag.nn.conv2d(
        IMAGES.transpose(0, 3, 1, 2), filters, [1, 1, 2, 1], "SAME", data_format="NCHW"
    )
    np.testing.assert_allclose(first.numpy().transpose(0, 2, 3, 1), last)


def test_a_transposed_convolution_undoes_the_shape_of_a_convolution():
    filters = np.random.default_rng(1).normal(size=(3, 3, 5, 3))
    found = ag.nn.conv2d_transpose(IMAGES, filters, [2, 12, 13, 5], 2)
    assert found.shape == [2, 12, 13, 5]
    pooled = ag.nn.conv2d(found, filters, 2, "SAME")
    assert pooled.shape == IMAGES.shape


def test_a_graph_with_unknown_sizes_knows_the_rest():
    filters = ag.ones([2, 2, 3, 5])

    @ag.function(input_signature=[ag.TensorSpec([None, None, 7, 3], ag.float64)])
    def f(x):
        y = ag.nn.conv2d(x, ag.cast(filters, x.dtype), 1, "VALID")
        assert y.shape.as_list() == [None, None, 6, 5]
        return ag.nn.max_pool2d(y, 2, 2, "SAME")

    assert f(IMAGES).shape == [2, 3, 3, 5]


@pytest.mark.parametrize(
    "filters, padding, message",
    [((2, 2, 2, 1), "VALID", "channels"), ((7, 2, 3, 1), "VALID", "(?i)valid|fit")],
)
def test_filters_that_do_not_fit_are_refused(filters, padding, message):
    with pytest.raises(ValueError, match=message):
        ag.nn.conv2d(IMAGES[:, :5, :5], np.ones(filters), 1, padding)


def test_the_place_of_the_largest_element_is_known():
    pooled, places = ag.nn.max_pool_with_argmax(IMAGES, 2, 2, "SAME", include_batch_in_index=True)
    np.testing.assert_array_equal(IMAGES.ravel()[places.numpy()], pooled)


def test_the_largest_elements_pass_on_gradients_of_gradients():
    x = ag.constant(IMAGES)
    with ag.GradientTape() as outer:
        outer.watch(x)
        with ag.GradientTape() as inner:
            inner.watch(x)
            y = ag.reduce_sum(ag.nn.max_pool2d(x, 2, 2, "SAME") ** 3)
        slope = inner.gradient(y, x)
        total = ag.reduce_sum(slope * slope)
    chosen = slope.numpy() != 0
    expected = np.where(chosen, 36 * IMAGES**3, 0)
    np.testing.assert_allclose(outer.gradient(total, x), expected)


def test_blocks_of_pixels_become_channels_and_back():
    x = IMAGES[:, :, :6]
    blocks = ag.nn.space_to_depth(x, 2)
    np.testing.assert_array_equal(blocks[:, 1, 2, 3:6], x[:, 2, 5])
    np.testing.assert_array_equal(ag.nn.depth_to_space(blocks, 2), x)
    first = ag.nn.space_to_depth(x.transpose(0, 3, 1, 2), 2, data_format="NCHW")
    np.testing.assert_array_equal(first.numpy().transpose(0, 2, 3, 1), blocks)
