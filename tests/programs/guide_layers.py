"""Programs about layers, functions of layers, masks, filters and classic learning."""

import numpy as np
from programs.registry import grid, program

import allograph as tf

keras = tf.keras
layers, ops = keras.layers, keras.ops


@program
def a_kalman_filter():
    transition = tf.constant([[1.0, 1.0], [0.0, 1.0]])
    observed = tf.constant([[1.0, 0.0]])

    @tf.function
    def run(measured, q, r):
        x, p = tf.zeros([2]), tf.eye(2)
        path = tf.TensorArray(tf.float32, size=tf.shape(measured)[0])
        for i in tf.range(tf.shape(measured)[0]):
            x = tf.linalg.matvec(transition, x)
            p = transition @ p @ tf.transpose(transition) + q * tf.eye(2)
            spread = observed @ p @ tf.transpose(observed) + r
            gain = p @ tf.transpose(observed) @ tf.linalg.inv(spread)
            x += tf.linalg.matvec(gain, measured[i : i + 1] - tf.linalg.matvec(observed, x))
            p = (tf.eye(2) - gain @ observed) @ p
            path = path.write(i, x)
        return path.stack(), p

    return run(tf.constant(grid(12)), 0.1, 0.5)


@program
def clusters_until_nothing_moves():
    @tf.function
    def clusters(x, count):
        centers, moved, steps = x[:count], tf.constant(True), 0
        while moved and steps < 20:
            distances = tf.reduce_sum((x[:, None] - centers[None]) ** 2, -1)
            nearest = tf.argmin(distances, 1, output_type=tf.int32)
            new = tf.math.unsorted_segment_mean(x, nearest, count)
            moved = tf.reduce_any(tf.abs(new - centers) > 1e-6)
            centers = new
            steps += 1
        return centers, nearest, steps

    return clusters(tf.constant(grid(20, 2)), 3)


@program
def functions_of_layers():
    x, y = grid(3, 4), grid(3, 4) > 0
    return [
        ops.add(x, 1), ops.mean(y), ops.sum(y, axis=0), ops.divide([1, 2], 4), ops.arange(3),
        ops.where(y, x, 0), ops.top_k(x, 2)[1], ops.layer_normalization(x), ops.one_hot([1, 0], 3),
        ops.take(x, [0, -1], axis=1), ops.argmax(x, axis=-1), ops.norm(x, axis=1),
        ops.segment_sum(x, np.array([0, 0, 1])), ops.clip(x, -1, 1), ops.softmax(x),
        ops.image.resize(grid(1, 4, 4, 2), (3, 2)), ops.logsumexp(x, axis=0),
    ]  # fmt: skip


@program
def a_model_of_functions():
    a, b = keras.Input((4,)), keras.Input((4,))
    x = ops.concatenate([a, ops.relu(b) * 2.0], axis=-1)
    x = ops.mean(ops.reshape(x, (-1, 2, 4)), axis=1) - ops.max(b, axis=-1, keepdims=True)
    model = keras.Model([a, b], x)
    return [model([grid(3, 4), grid(3, 4)]), tuple(model.output_shape)]


@program
def masks_through_a_model_of_ones_own():
    start = keras.initializers.Constant(0.3)

    class Tagger(keras.Model):
        def __init__(self):
            super().__init__()
            self.embedding = layers.Embedding(6, 3, mask_zero=True, embeddings_initializer="ones")
            self.lstm = layers.LSTM(
                2, return_sequences=True, kernel_initializer=start, recurrent_initializer=start
            )
            self.out = layers.Dense(2, kernel_initializer=start, bias_initializer=start)

        def call(self, ids):
            return self.out(self.lstm(self.embedding(ids)) * 1.0)

    ids, tags = np.array([[1, 2, 3, 0], [4, 0, 0, 0]]), np.array([[1, 0, 1, 0], [0, 1, 0, 0]])
    model = Tagger()
    model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    history = model.fit(ids, tags, epochs=2, verbose=0).history["loss"]
    last = layers.LSTM(2, kernel_initializer=start, recurrent_initializer=start)
    return [history, model(ids), last(model.embedding(ids))]


@program
def a_training_step_of_ones_own():
    class Own(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = layers.Dense(1, kernel_initializer="ones")
            self.mean = keras.metrics.Mean(name="loss")

        def call(self, x):
            return self.dense(x)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((self(x, training=True) - y) ** 2)
            gradients = tape.gradient(loss, self.trainable_variables)
            self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
            self.mean.update_state(loss)
            return {"loss": self.mean.result()}

        @property
        def metrics(self):
            return [self.mean]

    model = Own()
    model.compile(keras.optimizers.Adam(0.1))
    fitted = model.fit(grid(8, 3), grid(8, 1), epochs=3, batch_size=4, shuffle=False, verbose=0)
    return fitted.history["loss"]


@program
def images_over_time():
    layer = layers.ConvLSTM2D(2, 2, kernel_initializer="ones", recurrent_initializer="ones")
    normalized = layers.SpectralNormalization(layers.Dense(2, kernel_initializer="ones"))
    return [layer(grid(2, 3, 5, 4, 2)), tuple(normalized(grid(2, 3)).shape)]


@program
def sequences_edited():
    truth = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ["a", "b", "c"], [2, 2])
    found = tf.SparseTensor([[0, 0], [1, 0]], ["a", "c"], [2, 1])
    return [tf.edit_distance(found, truth), tf.edit_distance(found, truth, normalize=False)]
