"""Programs about modules, layers and training, in the style of guides."""

import numpy as np
from programs.registry import grid, outputs_of, program

import allograph as tf

# ---- modules and training ------------------------------------------------------------------------


class Dense(tf.Module):
    def __init__(self, rows, columns):
        super().__init__()
        self.w = tf.Variable(grid(rows, columns), name="w")
        self.b = tf.Variable(tf.zeros([columns]), name="b")

    @tf.function
    def __call__(self, x):
        return tf.nn.relu(x @ self.w + self.b)


@program
def a_module_of_modules():
    class Two(tf.Module):
        def __init__(self):
            super().__init__()
            self.layers = [Dense(3, 4), Dense(4, 2)]

        def __call__(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    model = Two()
    return [
        model(tf.constant(grid(2, 3))),
        [list(v.shape) for v in model.trainable_variables],
        len(model.submodules),
    ]


@program
def a_linear_regression():
    x = tf.constant(np.linspace(-2, 2, 20), tf.float32)
    y = 3.0 * x + 2.0
    w, b = tf.Variable(5.0), tf.Variable(0.0)

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((w * x + b - y) ** 2)
        dw, db = tape.gradient(loss, [w, b])
        w.assign_sub(0.1 * dw)
        b.assign_sub(0.1 * db)
        return loss

    return [[step() for _ in range(5)], w, b]


@program
def a_custom_training_loop():
    layers = tf.keras.layers
    inputs = tf.keras.Input([4])
    outputs = layers.Dense(3)(layers.Dense(5, activation="relu")(inputs))
    model = tf.keras.Model(inputs, outputs)
    model.set_weights([grid(*w.shape) for w in model.get_weights()])
    loss_of = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf.keras.optimizers.Adam(0.05)
    x, y = tf.constant(grid(6, 4)), tf.constant([0, 1, 2, 0, 1, 2])
    losses = []
    for _ in range(3):
        with tf.GradientTape() as tape:
            loss = loss_of(y, model(x, training=True))
        gradients = tape.gradient(loss, model.trainable_weights)
        optimizer.apply_gradients(zip(gradients, model.trainable_weights))
        losses.append(loss)
    return [losses, model(x)]


def fitted(optimizer):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    model.build([None, 3])
    model.set_weights([grid(3, 1), np.zeros(1, np.float32)])
    model.compile(optimizer, "mse", metrics=["mae"])
    x = grid(8, 3)
    history = model.fit(x, x.sum(1, keepdims=True), 4, 2, 0, shuffle=False)
    return [
        history.history["loss"],
        model.predict(x, verbose=0),
        model.evaluate(x, x[:, :1], verbose=0),
    ]


@program
def a_fitted_model():
    return fitted(tf.keras.optimizers.SGD(0.1, momentum=0.5))


@program
def optimizers_of_sparse_models_and_momentum():
    kinds = tf.keras.optimizers
    rates = kinds.Nadam(0.1), kinds.Ftrl(0.1, l1_regularization_strength=0.01), kinds.RMSprop(0.1)
    found = []
    for optimizer in rates:
        v = tf.Variable([1.0, -2.0])
        for _ in range(3):
            optimizer.apply_gradients([(v * 2.0, v)])
        found.append(v)
    return found


@program
def a_learning_rate_schedule():
    schedules = tf.keras.optimizers.schedules
    return [
        [schedule(tf.constant(step)) for step in (0, 5, 12)]
        for schedule in (
            schedules.ExponentialDecay(0.1, 10, 0.5),
            schedules.PolynomialDecay(0.1, 10, 0.01),
            schedules.PiecewiseConstantDecay([4, 8], [1.0, 0.5, 0.1]),
            schedules.CosineDecay(0.1, 10),
        )
    ]


# ---- layers, losses and metrics ------------------------------------------------------------------


@program
def attention_layers():
    layers, x = tf.keras.layers, tf.constant(grid(2, 4, 6))
    return [
        outputs_of(layers.Attention(use_scale=True), [x, x[:, :3]]),
        outputs_of(layers.AdditiveAttention(), [x, x[:, :3]]),
        outputs_of(layers.MultiHeadAttention(2, 3, value_dim=5), x, x[:, :3]),
        outputs_of(layers.MultiHeadAttention(2, 3), x, x, use_causal_mask=True),
    ]


@program
def convolution_layers():
    layers, x = tf.keras.layers, tf.constant(grid(1, 6, 7, 2))
    return [
        outputs_of(layers.Conv2D(3, 3, 2, "same", activation="relu"), x),
        outputs_of(layers.DepthwiseConv2D(3, depth_multiplier=2), x),
        outputs_of(layers.SeparableConv2D(4, 3, padding="same"), x),
        outputs_of(layers.SeparableConv1D(4, 3), x[0]),
        outputs_of(layers.Conv2DTranspose(2, 3, 2), x),
        layers.MaxPooling2D(2)(x),
        layers.GlobalAveragePooling2D()(x),
        layers.ZeroPadding1D(1)(x[0]),
        layers.Cropping2D(1)(x),
        layers.UpSampling1D(2)(x[0]),
    ]


@program
def layers_that_scale_and_combine():
    layers, x = tf.keras.layers, tf.constant(grid(2, 3, 4))
    return [
        layers.Rescaling(0.5, 1.0)(x),
        outputs_of(layers.PReLU(), x),
        layers.UnitNormalization()(x),
        layers.Dot((2, 2))([x, x]),
        outputs_of(layers.EinsumDense("abc,cd->abd", [None, 5], bias_axes="d"), x),
        outputs_of(layers.LayerNormalization(), x),
        layers.Masking()(x * tf.nn.relu(x[..., :1])),
        outputs_of(layers.Embedding(5, 2), tf.constant([[1, 4]])),
    ]


@program
def recurrent_layers():
    layers, x = tf.keras.layers, tf.constant(grid(2, 3, 4))
    return [
        outputs_of(layers.LSTM(2, return_sequences=True), x),
        outputs_of(layers.GRU(2), x),
        outputs_of(layers.SimpleRNN(3), x),
        outputs_of(layers.Bidirectional(layers.LSTM(2)), x),
    ]


@program
def losses_of_predictions():
    losses = tf.keras.losses
    true = tf.constant(np.eye(3, dtype=np.float32)[[0, 2, 1]])
    predicted = tf.nn.softmax(tf.constant(grid(3, 3)))
    names = """MeanSquaredError MeanAbsoluteError Huber LogCosh Poisson Hinge KLDivergence
        CategoricalCrossentropy BinaryCrossentropy BinaryFocalCrossentropy
        CategoricalFocalCrossentropy CategoricalHinge Dice Tversky CosineSimilarity"""
    return {name: getattr(losses, name)()(true, predicted) for name in names.split()}


@program
def metrics_of_classes():
    metrics = tf.keras.metrics
    labels, predicted = [0, 1, 2, 2, 1], [0, 1, 1, 2, 2]
    truth, scores = np.array([0, 1, 1, 0, 1.0]), np.array([0.1, 0.4, 0.8, 0.35, 0.9])
    rows = np.eye(3)
    cases = [
        (metrics.MeanIoU(3), labels, predicted),
        (metrics.BinaryIoU(threshold=0.3), truth, scores),
        (metrics.OneHotIoU(3, [0, 1]), rows[labels], rows[predicted]),
        (metrics.R2Score(), truth[:, None], scores[:, None]),
        (metrics.F1Score(), rows[labels], rows[predicted]),
        (metrics.PrecisionAtRecall(0.6), truth, scores),
        (metrics.AUC(), truth, scores),
        (metrics.SpecificityAtSensitivity(0.6), truth, scores),
        (metrics.Recall(), truth, scores),
    ]
    for metric, *values in cases:
        metric.update_state(*values)
    return [metric.result() for metric, *_ in cases]


@program
def tables_of_words_in_layers():
    lookup = tf.keras.layers.StringLookup(vocabulary=["a", "b"])
    back = tf.keras.layers.StringLookup(vocabulary=["a", "b"], invert=True)
    normal = tf.keras.layers.Normalization(axis=None)
    normal.adapt(np.array([1.0, 2.0, 3.0], np.float32))
    return [lookup([["b", "z"]]), back([[1, 2]]), normal(tf.constant([[2.0, 4.0]]))]
