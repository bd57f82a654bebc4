"""Programs about ragged and sparse data, text, images, extension types and the NumPy API."""

import tempfile

import numpy as np
from programs.registry import grid, program

import allograph as tf

tnp = tf.experimental.numpy
layers = tf.keras.layers
SENTENCES = ["The cat sat on the mat.", "A dog!", "the cat, the dog; and ME"]

# ---- ragged and sparse -----------------------------------------------------------------------


@program
def ragged_rows_in_a_dataset():
    rows = tf.ragged.constant([[1, 2, 3], [4], [], [5, 6]])
    data = tf.data.Dataset.from_tensor_slices(rows)
    sums = [int(tf.reduce_sum(row)) for row in data]
    batches = [one.to_list() for one in data.ragged_batch(2)]
    doubled = [one.to_list() for one in data.map(lambda x: x * 2).ragged_batch(3)]
    return [sums, batches, doubled, str(data.element_spec)]


@program
def ragged_tensors_in_a_function():
    @tf.function
    def mean_length(rows):
        total = tf.constant(0.0)
        for row in rows:
            if tf.size(row) > 0:
                total += tf.reduce_mean(tf.cast(row, tf.float32))
        return total / tf.cast(rows.nrows(), tf.float32)

    return [
        mean_length(tf.ragged.constant([[1, 2], [], [6]])),
        mean_length.pretty_printed_concrete_signatures().count("mean_length"),
    ]


@program
def ragged_arithmetic_and_shapes():
    x = tf.ragged.constant([[3, 1, 4, 1], [], [5, 9, 2], [6], []])
    y = tf.ragged.constant([["So", "long"], ["thanks"]])
    return [
        tf.reduce_mean(tf.cast(x, tf.float32), axis=1),
        tf.concat([x, tf.ragged.constant([[5, 3], [1], [2], [], [8]])], axis=1).to_list(),
        tf.tile(y, [1, 2]).to_list(),
        tf.strings.substr(y, 0, 2).to_list(),
        tf.map_fn(tf.math.square, x).to_list(),
        (x + 3).to_list(),
        x[:, :2].to_list(),
        x[0, 1],
        x.to_tensor(-1),
        x.to_sparse().indices,
        x.bounding_shape(),
        str(x.shape),
    ]


@program
def ragged_sentences_are_embedded():
    words = tf.ragged.constant([["What", "makes", "you"], ["A", "B"]])
    buckets = tf.strings.to_hash_bucket_fast(words, 1024)
    table = tf.Variable(grid(1024, 2))
    found = tf.nn.embedding_lookup(table, buckets)
    pairs = tf.strings.join([words[:, :-1], words[:, 1:]], separator="+")
    return [found.to_list(), tf.reduce_mean(found, axis=1), pairs.to_list()]


@program
def gradients_of_ragged_values():
    rows = tf.ragged.constant([[1.0, 2.0], [3.0]])
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        values = rows.with_values(v * rows.values)
        loss = tf.reduce_sum(tf.reduce_sum(values, axis=1) ** 2)
    return [loss, tape.gradient(loss, v)]


@program
def ragged_arguments_with_a_signature():
    spec = tf.RaggedTensorSpec([None, None], tf.int32)

    @tf.function(input_signature=[spec])
    def longest(rows):
        return tf.reduce_max(rows.row_lengths())

    return [
        longest(tf.ragged.constant([[1], [2, 3]])),
        longest(tf.ragged.constant([[1, 2, 3]])),
        str(spec),
    ]


@program
def sparse_tensors_of_a_guide():
    st = tf.sparse.SparseTensor([[0, 3], [2, 4]], [10.0, 20.0], [3, 10])
    other = tf.sparse.from_dense([[0.0] * 9 + [1.0]] * 3)
    return [
        tf.sparse.to_dense(tf.sparse.add(st, other)),
        tf.sparse.reduce_sum(st, axis=1),
        tf.sparse.sparse_dense_matmul(st, tf.ones([10, 2])),
        tf.sparse.reorder(st).values,
        tf.sparse.concat(0, [st, other]).dense_shape,
        tf.sparse.transpose(st).indices,
        [tf.sparse.reduce_sum(one) for one in tf.data.Dataset.from_tensor_slices(st)],
        tf.sparse.softmax(st).values,
        tf.sparse.bincount([1, 1, 3]).values,
    ]


# ---- text --------------------------------------------------------------------------------------


@program
def text_becomes_indices():
    vectorize = layers.TextVectorization(max_tokens=8, output_sequence_length=5)
    vectorize.adapt(tf.data.Dataset.from_tensor_slices(SENTENCES).batch(2))
    model = tf.keras.Sequential([vectorize])
    return [
        vectorize.get_vocabulary()[:2],
        [str(one) for one in vectorize.get_vocabulary()],
        model(tf.constant(SENTENCES)),
    ]


@program
def text_becomes_counts_and_weights():
    results = []
    for mode in ("multi_hot", "count", "tf_idf"):
        vectorize = layers.TextVectorization(output_mode=mode, ngrams=2)
        vectorize.adapt(SENTENCES)
        results.append(vectorize(tf.constant(SENTENCES)))
    return results


@program
def text_in_a_pipeline():
    lookup = layers.StringLookup(vocabulary=["cat", "dog"], mask_token="")

    def prepare(text):
        words = tf.strings.split(tf.strings.regex_replace(tf.strings.lower(text), "[^a-z ]", ""))
        return lookup(words)

    data = tf.data.Dataset.from_tensor_slices(SENTENCES).map(prepare)
    return [list(data), list(data.padded_batch(3))]


@program
def categories_and_bins():
    ages = tf.constant([[12.0], [27.0], [64.0]])
    bins = layers.Discretization(bin_boundaries=[18.0, 35.0, 50.0])
    hot = layers.CategoryEncoding(num_tokens=4, output_mode="one_hot")
    crossing = layers.HashedCrossing(num_bins=7, output_mode="one_hot")
    words = tf.constant([["a"], ["b"], ["a"]])
    return [hot(bins(ages)), layers.Hashing(4)(words), crossing([words, tf.cast(ages, tf.int64)])]


@program
def unicode_text():
    text = tf.constant(["héllo", "日本"])
    return [
        tf.strings.length(text, "UTF8_CHAR"),
        tf.strings.unicode_decode(text, "UTF-8").to_list(),
        tf.strings.unicode_split(text, "UTF-8").to_list(),
        tf.strings.ngrams(tf.constant(["a", "b", "c"]), 2),
        tf.strings.reduce_join(["a", "b"], separator="-"),
    ]


# ---- images ------------------------------------------------------------------------------------


@program
def images_are_changed():
    image = tf.reshape(grid(96), [4, 8, 3])
    return [
        tf.image.resize(image, [2, 4]),
        tf.image.flip_left_right(image)[:, :2],
        tf.image.rot90(image)[0],
        tf.image.adjust_brightness(image, 0.1)[0, 0],
        tf.image.rgb_to_grayscale(image)[0],
        tf.image.central_crop(image, 0.5),
        tf.image.convert_image_dtype(tf.constant([[[0, 255, 128]]], tf.uint8), tf.float32),
        tf.image.per_image_standardization(image)[0, 0],
    ]


@program
def images_in_layers():
    images = tf.reshape(grid(96), [2, 4, 4, 3])
    return [
        layers.Resizing(2, 2)(images),
        layers.Rescaling(1 / 255)(images)[0, 0],
        layers.CenterCrop(2, 2)(images),
        layers.RandomZoom((0.5, 0.5))(images, training=True),
        layers.RandomRotation(0.2)(images, training=False),
        layers.RandomTranslation((0.3, 0.3), (0.2, 0.2), fill_mode="constant")(
            images, training=True
        ),
    ]


@program
def patches_of_images():
    image = tf.reshape(tf.range(64.0), [1, 8, 8, 1])
    found = tf.image.extract_patches(image, [1, 3, 3, 1], [1, 5, 5, 1], [1, 1, 1, 1], "VALID")
    return [
        found,
        tf.nn.space_to_depth(image, 4),
        tf.space_to_batch(image, [4, 4], [[0, 0], [0, 0]])[:2],
    ]


# ---- extension types -----------------------------------------------------------------------------


class MaskedTensor(tf.experimental.ExtensionType):
    """Values of which only some count."""

    values: tf.Tensor
    mask: tf.Tensor

    def __add__(self, other):
        return MaskedTensor(self.values + other.values, self.mask & other.mask)

    def total(self):
        return tf.reduce_sum(tf.where(self.mask, self.values, 0))


@program
def an_extension_type_through_a_function():
    @tf.function
    def add_and_sum(a, b):
        for _ in tf.range(2):
            a = a + b
        return a, a.total()

    x = MaskedTensor([1, 2, 3], [True, True, False])
    y = MaskedTensor([10, 20, 30], [True, False, True])
    result, total = add_and_sum(x, y)
    return [result.values, result.mask, total, type(result).__name__]


@program
def an_extension_type_in_a_dataset():
    class Point(tf.experimental.BatchableExtensionType):
        x: tf.Tensor
        y: tf.Tensor

    data = tf.data.Dataset.from_tensor_slices(Point(x=[1.0, 2.0, 3.0], y=[4.0, 5.0, 6.0]))
    return [[p.x * p.y for p in data], [p.x for p in data.batch(2)]]


# ---- NumPy API -----------------------------------------------------------------------------------


@program
def the_numpy_api():
    x, y = tnp.asarray(grid(2, 3)), tnp.ones([3, 2], dtype=tnp.float32)
    return [
        tnp.matmul(x, y),
        tnp.sum(x, axis=0),
        tnp.mean(x),
        tnp.concatenate([x, x], axis=1),
        tnp.where(x > 0, x, 0.0),
        tnp.linspace(0.0, 1.0, 5),
        tnp.einsum("ij,jk->ik", x, y),
        tnp.argmax(x, axis=1),
        tnp.cumsum(x, axis=1),
        tnp.transpose(x),
        tnp.expand_dims(x, 0).shape == (1, 2, 3),
        tnp.sort(x, axis=1),
        tnp.sqrt(tnp.abs(x)),
    ]


@program
def gradients_of_the_numpy_api():
    w = tf.Variable(grid(3, 2))
    with tf.GradientTape() as tape:
        hidden = tnp.maximum(tnp.matmul(tnp.asarray(grid(4, 3)), w), 0.0)
        loss = tnp.mean(tnp.square(hidden))
    return [loss, tape.gradient(loss, w)]


@program
def the_numpy_api_in_a_function():
    @tf.function
    def newton(x):
        while tnp.abs(x * x - 2.0) > 1e-5:
            x = x - (x * x - 2.0) / (2.0 * x)
        return x

    return newton(tf.constant(1.0))


# ---- loops, checkpoints, saved modules -----------------------------------------------------------


@program
def a_custom_training_loop_with_metrics():
    model = tf.keras.Sequential([tf.keras.Input([2]), layers.Dense(3, "relu"), layers.Dense(1)])
    model.set_weights([grid(*w.shape) for w in model.get_weights()])
    optimizer, mean = tf.keras.optimizers.Adam(0.05), tf.keras.metrics.Mean()
    data = tf.data.Dataset.from_tensor_slices((grid(8, 2), grid(8, 1))).batch(4)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
        grads = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables))
        mean.update_state(loss)

    history = []
    for _ in range(3):
        for x, y in data:
            step(x, y)
        history.append(float(mean.result()))
        mean.reset_state()
    return [history, model.get_weights()]


@program
def callbacks_of_a_training():
    model = tf.keras.Sequential([tf.keras.Input([2]), layers.Dense(1)])
    model.set_weights([grid(*w.shape) for w in model.get_weights()])
    model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    events = []

    class Notes(tf.keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            events.append(f"begin {epoch}")

        def on_test_end(self, logs=None):
            events.append(f"tested {sorted(logs)}")

    plateau = tf.keras.callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=1, min_delta=1.0)
    x, y = grid(4, 2), grid(4, 1)
    history = model.fit(
        x,
        y,
        epochs=3,
        verbose=0,
        shuffle=False,
        validation_data=(x, y),
        callbacks=[Notes(), plateau],
    )
    return [
        events,
        history.history["loss"],
        history.history["val_loss"],
        float(np.asarray(model.optimizer.learning_rate)),
    ]


@program
def a_checkpoint_of_a_training():
    folder = tempfile.mkdtemp()
    model = tf.keras.Sequential([tf.keras.Input([2]), layers.Dense(1, kernel_initializer="ones")])
    step, data = tf.Variable(1), iter(tf.data.Dataset.range(100))
    saver = tf.train.Checkpoint(step=step, model=model, data=data)
    manager = tf.train.CheckpointManager(saver, folder, max_to_keep=2)
    seen = []
    for _ in range(3):
        seen.append(int(next(data)))
        step.assign_add(1)
        manager.save()
    model.set_weights([w * 5 for w in model.get_weights()])
    next(data)
    saver.restore(manager.latest_checkpoint)
    return [seen, step, int(next(data)), model.get_weights()[0], len(manager.checkpoints)]


@program
def a_saved_module_with_ragged_and_several_signatures():
    class Words(tf.Module):
        def __init__(self):
            super().__init__()
            self.scale = tf.Variable(2)

        @tf.function(input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)])
        def totals(self, rows):
            return tf.reduce_sum(rows, axis=1) * self.scale

        @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
        def lengths(self, text):
            return tf.strings.length(text)

    path = tempfile.mkdtemp()
    tf.saved_model.save(Words(), path)
    loaded = tf.saved_model.load(path)
    loaded.scale.assign(3)
    return [loaded.totals(tf.ragged.constant([[1, 2], [], [4]])), loaded.lengths(["a", "bcd"])]


@program
def sequences_without_alignment():
    logits = tf.reshape(grid(60), [6, 2, 5])
    labels = tf.constant([[1, 2, 2], [3, 0, 0]])
    (decoded,), _ = tf.nn.ctc_greedy_decoder(logits, [6, 5])
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = tf.reduce_sum(tf.nn.ctc_loss(labels, logits, [3, 1], [6, 5], blank_index=0))
    return [loss, tape.gradient(loss, logits), decoded.values]
