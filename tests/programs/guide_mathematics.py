"""Programs about mathematics, random numbers and extension types, in the style of guides."""

import numpy as np
from programs.registry import grid, outputs_of, program

import allograph as tf

# ---- mathematics ---------------------------------------------------------------------------------


@program
def reductions():
    x = tf.constant(grid(2, 3))
    return [
        tf.reduce_sum(x, 0),
        tf.reduce_mean(x, 1, keepdims=True),
        tf.reduce_logsumexp(x),
        tf.math.reduce_std(x),
        tf.argmax(x, 1),
        tf.cumsum(x, 1, reverse=True),
        tf.math.top_k(x, 2).indices,
        tf.sort(x, direction="DESCENDING"),
        tf.norm(x),
    ]


@program
def segments_and_counts():
    x, ids = tf.constant([1.0, 2.0, 3.0, 4.0]), tf.constant([0, 0, 1, 3])
    return [
        tf.math.segment_sum(x, ids),
        tf.math.unsorted_segment_max(x, ids, 4),
        tf.math.bincount([1, 1, 3]),
        tf.math.bincount([[1, 1], [0, 3]], axis=-1, minlength=5),
        tf.math.bincount([1, 2], weights=[0.5, 1.5]),
        tf.math.confusion_matrix([0, 1, 2], [0, 2, 2]),
        tf.histogram_fixed_width([0.1, 0.9, 2.5, -1.0], [0.0, 2.0], 4),
        tf.unravel_index([5, 7], [3, 3]),
        tf.math.invert_permutation([2, 0, 1]),
        tf.dynamic_stitch([[0, 2], [1]], [[1, 3], [2]]),
        tf.math.is_non_decreasing([1, 2, 2]),
        tf.math.is_strictly_increasing([1, 2, 2]),
    ]


@program
def special_functions():
    x = tf.constant([0.25, 0.5, 2.0])
    s = tf.math.special
    return [
        tf.math.lgamma(x),
        tf.math.erf(x),
        tf.math.zeta(x + 1.5, x),
        tf.math.betainc(x, x, x / 4),
        tf.math.erfcinv(x),
        tf.math.bessel_i0(x),
        s.bessel_j1(x),
        s.bessel_k0e(x),
        s.bessel_y1(x),
        s.dawsn(x),
        s.expint(x),
        s.fresnel_sin(x),
        s.fresnel_cos(x),
        s.spence(x),
    ]


@program
def matrices():
    x = tf.constant(grid(3, 3) + 4 * np.eye(3, dtype=np.float32))
    square = tf.transpose(x) @ x
    factors, order = tf.linalg.lu(x)
    return [
        tf.linalg.solve(x, x[:, :1]),
        tf.linalg.det(x),
        tf.linalg.inv(x),
        tf.linalg.cholesky(square),
        factors,
        order,
        tf.linalg.lu_reconstruct(factors, order),
        tf.linalg.sqrtm(square),
        tf.linalg.expm(x / 4),
        abs(tf.linalg.logm(tf.cast(square, tf.complex64))),
        tf.sort(tf.math.real(tf.linalg.eigvals(square))),
        tf.linalg.eigvalsh(square),
        tf.linalg.band_part(x, 1, 0),
        tf.einsum("ij,kj->ik", x, x),
        tf.tensordot(x, x, 2),
    ]


@program
def banded_systems():
    bands = tf.constant([[1.0, 2.0, 3.0, 0.0], [8.0, 9.0, 8.0, 9.0], [0.0, 0.5, 0.6, 0.7]])
    right = tf.constant(grid(4, 2))
    return [
        tf.linalg.tridiagonal_solve(bands, right),
        tf.linalg.tridiagonal_matmul(bands, right),
        tf.linalg.banded_triangular_solve(bands[1:], right),
        tf.linalg.banded_triangular_solve(bands[:2], right, lower=False),
        tf.linalg.eigh_tridiagonal(bands[1], bands[2, 1:]),
    ]


@program
def spectra():
    signal = tf.constant(grid(2, 40))
    spectrum = tf.signal.stft(signal, 8, 4)
    window = tf.signal.inverse_stft_window_fn(4)
    return [
        tf.signal.rfft(signal),
        tf.signal.irfft(tf.signal.rfft(signal)),
        spectrum,
        tf.signal.inverse_stft(spectrum, 8, 4, window_fn=window),
        tf.signal.frame(signal, 8, 6, True),
        tf.signal.fft2d(tf.cast(signal, tf.complex64)),
        tf.signal.fftshift(signal, [1]),
        tf.signal.dct(signal),
        tf.signal.dct(signal, 3, norm="ortho"),
        tf.signal.mdct(signal, 8),
        tf.signal.hann_window(5),
        tf.signal.kaiser_window(6),
        tf.signal.linear_to_mel_weight_matrix(4, 9),
    ]


@program
def gradients_of_spectra():
    x = tf.constant(grid(2, 12))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(abs(tf.signal.stft(x, 4, 3)) ** 2) + tf.reduce_sum(tf.signal.dct(x) ** 3)
    return tape.gradient(y, x)


@program
def numpy_functions():
    np_ = tf.experimental.numpy
    x = tf.reshape(tf.range(6.0), [2, 3])
    return [
        np_.mean(x, axis=0),
        np_.where(x > 2, x, -x),
        np_.linspace(0.0, 1.0, 3),
        np_.sum(x),
        np_.einsum("ij,ij->i", x, x),
        np_.clip(x, 1.0, 4.0),
    ]


@program
def random_numbers_from_seeds():
    one = tf.random.stateless_uniform([2, 3], [1, 2])
    seeds = tf.random.split([1, 2], 3)
    folded = tf.random.fold_in([1, 2], 5)
    generator = tf.random.Generator.from_seed(1)
    drawn = generator.normal([4])
    generator.reset_from_seed(1)
    same = tf.reduce_all(drawn == generator.normal([4]))
    return [
        one.shape.as_list(),
        seeds.shape.as_list(),
        folded.shape.as_list(),
        same,
        tf.reduce_all(one == tf.random.stateless_uniform([2, 3], [1, 2])),
        tf.random.poisson([2], [0.0, 0.0]),
        tf.random.gamma([3], [1.0, 2.0]).shape.as_list(),
    ]


# ---- extension types -----------------------------------------------------------------------------


@program
def an_extension_type():
    class Masked(tf.experimental.ExtensionType):
        values: tf.Tensor
        mask: tf.Tensor
        scale: float = 1.0

        def total(self):
            return tf.reduce_sum(tf.where(self.mask, self.values, 0.0)) * self.scale

    @tf.experimental.dispatch_for_api(tf.math.add)
    def add(x: Masked, y: Masked, name=None):
        return Masked(x.values + y.values, x.mask & y.mask, x.scale)

    @tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
    def elementwise(function, x):
        return Masked(function(x.values), x.mask, x.scale)

    one = Masked([1.0, -2.0], [True, False])
    twice = tf.function(lambda m: Masked(m.values * 2, m.mask, 3.0))(one)
    return [twice.total(), tf.math.add(one, twice).values, tf.abs(one).values, one == one]


@program
def compositions_of_tensors():
    x = tf.constant([1, 2, 3, 4])
    return [
        tf.split(x, 2),
        tf.unstack(x),
        tf.roll(x, 1, 0),
        tf.tile(x, [2]),
        tf.repeat(x, 2),
        tf.reverse(x, [0]),
        tf.pad(x, [[1, 0]]),
        tf.one_hot(x, 5),
        tf.unique(x % 2).y,
        tf.searchsorted([1, 3, 5], x),
        tf.sequence_mask([1, 3]),
        tf.meshgrid(x, x)[0],
        tf.clip_by_value(x, 2, 3),
        tf.broadcast_to(x, [2, 4]),
        tf.linspace(0.0, 1.0, 3),
    ]


@program
def neural_network_functions():
    x, image = tf.constant(grid(2, 3)), tf.constant(grid(1, 5, 5, 2))
    return [
        tf.nn.softmax(x),
        tf.nn.gelu(x),
        tf.nn.selu(x),
        tf.nn.l2_normalize(x, 1),
        tf.nn.moments(x, 0),
        tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(x), x),
        tf.nn.leaky_relu(x),
        tf.nn.conv2d(image, grid(3, 3, 2, 4), 1, "SAME"),
        tf.nn.max_pool2d(image, 2, 2, "VALID"),
        tf.nn.sigmoid_cross_entropy_with_logits(tf.nn.sigmoid(x), x),
        tf.nn.log_softmax(x),
    ]


@program
def bits_and_casts():
    x = tf.constant([5, 3], tf.uint8)
    return [
        tf.bitwise.bitwise_and(x, 6),
        tf.bitwise.left_shift(x, 1),
        tf.bitcast(x, tf.int8),
        tf.cast([1.7, -1.7], tf.int32),
        tf.saturate_cast([300.0, -5.0], tf.uint8),
        tf.constant(2.5) // 1.0,
        tf.constant(-7) % 3,
        tf.constant(7) / 2,
    ]


@program
def errors_have_classes():
    found = []
    for wrong in (
        lambda: tf.reshape([1, 2, 3], [2, 2]),
        lambda: tf.debugging.assert_equal(1, 2),
        lambda: tf.constant([1, 2]) + tf.constant([1, 2, 3]),
        lambda: tf.data.Dataset.range(2).get_single_element(),
    ):
        try:
            wrong()
        except tf.errors.InvalidArgumentError as error:
            found.append(isinstance(error, tf.errors.OpError))
    return found


@program
def optimizer_options_and_devices():
    tf.config.optimizer.set_experimental_options({"constant_folding": True})
    options = tf.config.optimizer.get_experimental_options()
    with tf.device("/CPU:0"):
        x = tf.constant(1.0) + 1.0
    return [
        options["constant_folding"],
        len(tf.config.list_physical_devices("GPU")),
        x,
        len(tf.config.get_visible_devices("CPU")),
    ]


@program
def sequences_with_masks():
    x = tf.constant(grid(2, 4, 3))
    lengths = tf.constant([2, 4])
    mask = tf.sequence_mask(lengths, 4)
    pooled = tf.reduce_sum(tf.where(mask[..., tf.newaxis], x, 0.0), 1)
    return [
        pooled,
        tf.reverse_sequence(x, lengths, 1)[0],
        outputs_of(tf.keras.layers.LSTM(2), x, mask=mask),
    ]


@program
def beam_search():
    table = tf.nn.log_softmax(tf.constant(grid(4, 4)))

    @tf.function
    def search(steps):
        scores, last = tf.constant([0.0, -9.0]), tf.zeros([2], tf.int32)
        paths = tf.zeros([2, 0], tf.int32)
        for _ in tf.range(steps):
            tf.autograph.experimental.set_loop_options(
                shape_invariants=[(paths, tf.TensorShape([2, None]))]
            )
            every = scores[:, None] + tf.gather(table, last)
            scores, flat = tf.math.top_k(tf.reshape(every, [-1]), 2)
            last = flat % 4
            paths = tf.concat([tf.gather(paths, flat // 4), last[:, None]], 1)
        return paths, scores

    return search(tf.constant(3))
