"""Blocks of space, morphology, fractional pooling, sparse embeddings, monotone regression."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import allograph as ag

nn = ag.nn
X = np.sin(np.arange(2 * 6 * 8 * 3) * 1.7).reshape(2, 6, 8, 3).astype(np.float32)
IDS = ag.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 0]], [1, 3, 0, 2], [4, 2])
TABLE = np.arange(12.0).reshape(4, 3).astype(np.float32)


def test_blocks_of_space_move_to_the_batch_and_back():
    x = ag.reshape(ag.range(16), [1, 4, 4, 1])
    moved = ag.space_to_batch(x, [2, 2], [[0, 0], [0, 0]])
    assert moved.numpy()[0, :, :, 0].tolist() == [[0, 2], [8, 10]]
    assert moved.numpy()[3, :, :, 0].tolist() == [[5, 7], [13, 15]]
    assert np.array_equal(ag.batch_to_space(moved, [2, 2], [[0, 0], [0, 0]]), x)
    padded = ag.function(lambda x: ag.space_to_batch(x, [1, 2], [[0, 1], [2, 0]]))(x[:, :1])
    assert padded.shape == (2, 2, 3, 1) and padded.numpy()[0, 0, :, 0].tolist() == [0, 0, 2]
    paddings, crops = ag.required_space_to_batch_paddings([10, 3], [4, 2], [[1, 0], [0, 0]])
    assert paddings.numpy().tolist() == [[1, 1], [0, 1]]
    assert crops.numpy().tolist() == [[0, 1], [0, 1]]


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_gaps_in_windows_are_blocks_of_space(padding):
    filters = np.cos(np.arange(48)).reshape(2, 2, 3, 4).astype(np.float32)
    gaps = nn.atrous_conv2d(X, filters, 2, padding)
    blocks = nn.with_space_to_batch(
        X, [2, 2], padding, lambda x, num_spatial_dims, padding: nn.convolution(x, filters),
        filter_shape=[2, 2],
    )  # fmt: skip
    np.testing.assert_allclose(gaps, blocks, rtol=1e-4, atol=1e-5)
    back = nn.atrous_conv2d_transpose(gaps, filters, X.shape, 2, padding)
    assert back.shape == X.shape


@pytest.mark.slow  # the import of SciPy
def test_dilation_and_erosion_are_those_of_scipy():
    ndimage = pytest.importorskip("scipy.ndimage")
    filters = np.cos(np.arange(9) * 0.9).reshape(3, 3)
    image = X[0, :, :, 0].astype(np.float64)
    args = (filters[:, :, None], 1, "SAME", "NHWC", 1)
    grown = nn.dilation2d(image[None, :, :, None], *args)[0, ..., 0]
    shrunk = nn.erosion2d(image[None, :, :, None], *args)[0, ..., 0]
    structure = filters[::-1, ::-1]  # SciPy mirrors
    size = {"mode": "constant", "structure": structure, "size": (3, 3)}
    np.testing.assert_allclose(grown, ndimage.grey_dilation(image, cval=-np.inf, **size))
    np.testing.assert_allclose(shrunk, ndimage.grey_erosion(image, cval=np.inf, **size))
    assert nn.dilation2d(X, TABLE[:2, :, None] + np.zeros(3, "f"), [1, 2, 1, 1], "VALID", "NHWC",
                         [1, 2, 2, 1]).shape == (2, 2, 4, 3)  # fmt: skip


@pytest.mark.parametrize("options", [{}, {"pseudo_random": True}, {"overlapping": True}])
def test_fractional_pooling_takes_each_pixel(options):
    pooled, rows, columns = nn.fractional_max_pool(X, 1.5, **options)
    means = nn.fractional_avg_pool(X * 0 + 2, 1.5, **options)[0]
    assert pooled.shape == means.shape == (2, 4, 5, 3)
    assert (rows[0], rows[-1], columns[-1]) == (0, 6, 8)
    assert set(np.diff(rows.numpy())) | set(np.diff(columns.numpy())) <= {1, 2}
    assert float(ag.reduce_max(pooled)) == X.max() and (means == 2.0).numpy().all()


def test_gradients_of_depthwise_convolutions_are_those_of_the_tape():
    x, w = ag.constant(X), ag.constant(np.cos(np.arange(24)).reshape(2, 2, 3, 2).astype("f"))
    with ag.GradientTape() as tape:
        tape.watch((x, w))
        y = nn.depthwise_conv2d(x, w, 1, "SAME")
    dx, dw = tape.gradient(y, (x, w), output_gradients=y)
    of_input = nn.depthwise_conv2d_backprop_input(X.shape, w, y, [1, 1, 1, 1], "SAME")
    of_filter = nn.depthwise_conv2d_backprop_filter(x, [2, 2, 3, 2], y, [1, 1, 1, 1], "SAME")
    np.testing.assert_allclose(of_input, dx, rtol=1e-5)
    np.testing.assert_allclose(of_filter, dw, rtol=1e-5)


def test_embeddings_of_sparse_ids_are_combined():
    weights = IDS.with_values([2.0, 0.5, 1.0, 3.0])
    rows = {
        "mean": [[4.2, 5.2, 6.2], [0, 1, 2], [0, 0, 0], [6, 7, 8]],
        "sum": [[10.5, 13, 15.5], [0, 1, 2], [0, 0, 0], [18, 21, 24]],
        "sqrtn": [[5.09325, 6.30593, 7.51860], [0, 1, 2], [0, 0, 0], [6, 7, 8]],
    }
    for combiner, expected in rows.items():
        found = nn.embedding_lookup_sparse(TABLE, IDS, weights, combiner=combiner)
        np.testing.assert_allclose(found, expected, rtol=1e-5)
    ragged = ag.ragged.constant([[1, 3], [0], [], [2]])
    np.testing.assert_allclose(nn.embedding_lookup_sparse(TABLE, ragged, None)[0], [6, 7, 8])
    small = nn.embedding_lookup_sparse(TABLE, IDS, None, max_norm=2.0)
    np.testing.assert_allclose(small[0], [0.94216, 1.14112, 1.34009], rtol=1e-5)
    safe = nn.safe_embedding_lookup_sparse(TABLE, IDS.with_values([1, -3, 0, -2]), default_id=3)
    assert safe.numpy()[:, 0].tolist() == [3, 0, 9, 9]
    assert float(nn.compute_average_loss([1.0, 2.0, 3.0], sample_weight=[1.0, 1.0, 2.0])) == 3


@settings(max_examples=8, deadline=None)
@given(st.lists(st.floats(-9, 9, width=32), min_size=1, max_size=8))
def test_monotone_regression_falls_keeps_the_mean_and_changes_nothing_twice(row):
    values, segments = (one.numpy() for one in nn.isotonic_regression(np.array([row])))
    assert (np.diff(values) <= 1e-9).all() and (np.diff(segments) >= 0).all()
    np.testing.assert_allclose(values.mean(), np.mean(row), atol=1e-9)
    np.testing.assert_allclose(nn.isotonic_regression(values)[0], values, atol=1e-9)


def test_monotone_regression_along_an_axis_has_a_gradient():
    x = ag.constant([[3.0, 1.0, 2.0], [1.0, 2.0, 3.0]])
    assert nn.isotonic_regression(x, axis=0)[0].numpy().tolist() == [[3, 1.5, 2.5], [1, 1.5, 2.5]]
    assert nn.isotonic_regression(x, decreasing=False)[1].numpy()[1].tolist() == [0, 1, 2]
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = ag.reduce_sum(nn.isotonic_regression(x)[0] * [1.0, 2.0, 4.0])
    assert tape.gradient(y, x).numpy()[0].tolist() == [1, 3, 3]
