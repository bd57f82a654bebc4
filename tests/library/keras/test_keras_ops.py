"""`keras.ops`: values, data types, and the three places where they are called."""

import numpy as np
import pytest

import allograph as ag

ops, keras = ag.keras.ops, ag.keras
RNG = np.random.default_rng(5)
X = RNG.random((3, 4), np.float32) + 0.1
IMAGES = RNG.random((2, 6, 5, 3), np.float32)
FILTERS = RNG.random((3, 3, 3, 4), np.float32)
HEADS = RNG.random((2, 5, 2, 4), np.float32)
SQUARE = X[:, :3] @ X[:, :3].T + np.eye(3, dtype=np.float32)

CALLS = {  # calls on one tensor, by what they show
    "sum": (lambda x: ops.sum(x, axis=1), X),
    "mean": (lambda x: ops.mean(x, keepdims=True), X),
    "clip": (lambda x: ops.clip(x, 0.2, 0.5), X),
    "argmax": (lambda x: ops.argmax(x, axis=1), X),
    "where": (lambda x: ops.where(x > 0.5, x, 0.0), X),
    "concatenate": (lambda x: ops.concatenate([x, x * 2.0], axis=1), X),
    "einsum": (lambda x: ops.einsum("ij,kj->ik", x, X), X),
    "take": (lambda x: ops.take(x, [0, -1], axis=1), X),
    "pad": (lambda x: ops.pad(x, ((0, 0), (1, 2))), X),
    "top_k": (lambda x: ops.top_k(x, 2), X),
    "split": (lambda x: ops.split(x, 2, axis=1), X),
    "rearrange": (lambda x: ops.rearrange(x, "b h w c -> b (h w) c"), IMAGES),
    "conv": (lambda x: ops.conv(x, FILTERS, strides=2, padding="same"), IMAGES),
    "conv_transpose": (
        lambda x: ops.conv_transpose(x, FILTERS.swapaxes(2, 3), 2, "same"), IMAGES
    ),
    "adaptive_max_pool": (lambda x: ops.adaptive_max_pool(x, 4), IMAGES),
    "layer_normalization": (lambda x: ops.layer_normalization(x, X[0], X[1]), X),
    "dot_product_attention": (
        lambda x: ops.dot_product_attention(x, x, x, is_causal=True), HEADS
    ),
    "solve": (lambda x: ops.solve(x, X), SQUARE),
    "stft": (lambda x: ops.stft(x, 3, 2, 4), np.tile(X, (1, 8))),
    "resize": (lambda x: ops.image.resize(x, (3, 4)), IMAGES),
    "map_coordinates": (lambda x: ops.image.map_coordinates(x, X[:2] * 3, 1), X),
    "sparsemax": (ops.sparsemax, X),
    "slice_update": (lambda x: ops.slice_update(x, [1, 1], X[:2, :2] * 9), X),
    "associative_scan": (lambda x: ops.associative_scan(lambda a, b: a * b, x), X),
    "multi_hot": (lambda x: ops.multi_hot(ops.cast(x * 3, "int32"), 5), X),
}  # fmt: skip


def arrays(result) -> list:
    return [one.numpy() for one in (result if isinstance(result, (list, tuple)) else [result])]


def assert_same(found, expected) -> None:
    for one, other in zip(arrays(found), arrays(expected), strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("name", CALLS)
def test_a_function_computes_the_same_eagerly_traced_and_as_a_step_of_a_model(name):
    call, x = CALLS[name]
    expected = call(ag.constant(x))
    assert_same(ag.function(call)(ag.constant(x)), expected)
    if name not in ("associative_scan", "split"):  # these look at the number of rows, or give lists
        placeholder = keras.Input(batch_shape=x.shape)
        result = call(placeholder)
        if not isinstance(result, (list, tuple)):
            assert_same(keras.Model(placeholder, result)(ag.constant(x)), expected)


@pytest.mark.parametrize(
    "name",
    "exp sinh arctan log10 sqrt floor sign square mean std cumsum sort argsort ptp ravel tril diff "
    "isfinite any logical_not median trace flip transpose count_nonzero".split(),
)
@pytest.mark.parametrize("dtype", ["int32", "float32", "float64"])
def test_values_are_those_of_numpy(name, dtype):
    x = (X * 9).astype(dtype)
    found = getattr(ops, name)(x).numpy()
    np.testing.assert_allclose(found, getattr(np, name)(x), rtol=1e-5, atol=1e-6)
    assert found.dtype.kind in "ib" or found.dtype == (np.float32 if dtype[0] == "i" else dtype)


@pytest.mark.parametrize(
    "one, other, dtype",
    [
        ("int32", "float16", "float16"), ("int64", "float32", "float32"), ("bool", 1, "int32"),
        ("int64", 2.5, "float32"), ("float16", 2.5, "float16"), ("uint8", "int8", "int16"),
        ("float32", "float64", "float64"), (1, 2.5, "float32"),
        ("uint32", "int32", "int64"), ("float32", "complex64", "complex64"),
    ],
)  # fmt: skip
def test_types_meet_as_those_of_keras(one, other, dtype):
    def value(kind):
        return ag.ones([2], kind) if isinstance(kind, str) else kind

    assert ops.multiply(value(one), value(other)).dtype.name == dtype
    assert ops.multiply(value(other), value(one)).dtype.name == dtype


def test_a_model_with_functions_is_saved(tmp_path):
    x = keras.Input([4])
    y = ops.multiply(ops.sum(keras.layers.Dense(3)(x), axis=-1, keepdims=True), 2.0)
    model = keras.Model(x, y)
    model.save(tmp_path / "model.keras")
    loaded = keras.models.load_model(tmp_path / "model.keras")
    assert_same(loaded(X), model(X))


def test_gradients_pass_through():
    x = ag.Variable(X)
    with ag.GradientTape() as tape:
        y = ops.sum(ops.square(ops.softmax(ops.multiply(x, 2))))
    weights = ag.nn.softmax(X * 2.0)
    slope = 4 * weights * (weights - ag.reduce_sum(weights**2, -1, keepdims=True))
    np.testing.assert_allclose(tape.gradient(y, x), slope, atol=1e-6)


def test_loops():
    carry, rows = ops.scan(lambda c, x: (c + x, c * x), 0.0, ag.constant([1.0, 2.0, 3.0]))
    assert (float(carry), rows.numpy().tolist()) == (6.0, [0.0, 2.0, 9.0])
    back, rows = ops.scan(lambda c, x: (c + x, c), 0, ag.constant([1, 2, 3]), reverse=True)
    assert (int(back), rows.numpy().tolist()) == (6, [5, 3, 0])
    assert ops.map(lambda x: x * 2, ag.constant([1, 2])).numpy().tolist() == [2, 4]
    assert int(ops.fori_loop(0, 5, lambda i, x: x + i, 0)) == 10
    assert [int(one) for one in ops.while_loop(lambda i, j: i < 3, lambda i, j: (i + 1, j * 2),
                                               (0, 1))] == [3, 8]  # fmt: skip


def test_spectra_become_the_signal_again():
    signal = RNG.random((2, 64), np.float32)
    spectra = ops.stft(signal, 16, 4, 16)
    found = ops.istft(spectra, 16, 4, 16, length=64)
    np.testing.assert_allclose(found[:, 8:56], signal[:, 8:56], atol=1e-5)


def test_arguments_that_no_function_takes_are_told():
    with pytest.raises(ValueError, match="no reduction"):
        ops.scatter_update(ag.zeros([3]), [[1]], [1.0], reduction="mean")
    with pytest.raises(ValueError, match="order is 0 or 1"):
        ops.image.map_coordinates(X, X[:2], 3)


@pytest.mark.parametrize("name", ["abs", "absolute", "angle", "imag", "real", "std", "var"])
def test_what_is_real_of_complex_numbers_has_real_numbers(name):
    x = np.array([1 + 2j, 3j, -1])
    numpy = getattr(np, name)(x)
    ours = getattr(ag.keras.ops, name)(x).numpy()
    assert ours.dtype == numpy.dtype
    np.testing.assert_allclose(ours, numpy)


def test_gelu_is_approximated_by_default():
    x = np.float32([0.5, 2.0])
    exact, near = (ag.keras.ops.gelu(x, approximate=way).numpy() for way in (False, True))
    np.testing.assert_array_equal(ag.keras.ops.gelu(x).numpy(), near)
    assert (exact != near).any()


def test_functions_of_the_backend_have_the_arguments_of_keras():
    backend = ag.keras.backend
    assert backend.elu([-1.0], 2.0).numpy() == pytest.approx(2 * np.expm1(-1))
    assert backend.elu(x=[-1.0], alpha=2.0).numpy() == pytest.approx(2 * np.expm1(-1))
    x = ag.zeros([1, 2, 3])
    biased = backend.bias_add(x, [1.0, 2.0], "channels_first").numpy()
    np.testing.assert_array_equal(biased[0, :, 0], [1, 2])
    np.testing.assert_array_equal(backend.bias_add(x, [1.0, 2.0, 3.0]).numpy()[0, 0], [1, 2, 3])
    assert backend.eye(2, "float64").dtype == ag.float64 and backend.eye((2, 3)).shape == (2, 3)
    np.testing.assert_array_equal(backend.tile([[1, 2]], 2).numpy(), [[1, 2, 1, 2]] * 2)
    assert backend.in_top_k([[0.1, 0.9]], [1], k=1).numpy().tolist() == [True]
    assert backend.clip([5.0], min_value=0.0, max_value=1.0).numpy().tolist() == [1.0]
    assert backend.one_hot(indices=[1], num_classes=2).numpy().tolist() == [[0, 1]]
    assert backend.gather(reference=[3, 4], indices=[1]).numpy().tolist() == [4]
    assert backend.reverse([[1, 2]], axes=1).numpy().tolist() == [[2, 1]]
    assert backend.pow(x=[3.0], a=2.0).numpy().tolist() == [9]
    assert backend.map_fn(lambda one: one * 2, ag.constant([1, 2])).numpy().tolist() == [2, 4]
    channels = ag.reshape(ag.range(4.0), [1, 2, 2])
    moments = [0.0, 1.0], [1.0, 4.0], [0.0, 0.0], [1.0, 1.0]
    made = backend.batch_normalization(channels, *moments, axis=1, epsilon=0.0).numpy()
    np.testing.assert_allclose(made, [[[0, 1], [0.5, 1]]])


def test_metrics_of_functions_are_described_by_their_options():
    metric = ag.keras.metrics.BinaryAccuracy(threshold=0.9)
    described = ag.keras.metrics.serialize(metric)
    assert described["config"] == {"threshold": 0.9}
    again = ag.keras.metrics.deserialize(described)
    assert float(again([1.0, 1.0], [0.8, 0.95])) == 0.5


def test_labels_of_the_generalized_entropy_may_have_an_axis_of_their_own():
    loss = ag.keras.losses.categorical_generalized_cross_entropy
    predictions = ag.constant([[0.2, 0.8], [0.6, 0.4]])
    flat, column = (loss(labels, predictions).numpy() for labels in ([1, 0], [[1], [0]]))
    np.testing.assert_array_equal(flat, column)
    assert flat.shape == (2,)
