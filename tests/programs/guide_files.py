"""Programs about data, saving, strings and tables, in the style of guides."""

import tempfile

from programs.registry import grid, program

import allograph as tf

# ---- data ----------------------------------------------------------------------------------------


@program
def a_pipeline_of_data():
    data = tf.data.Dataset.range(10).filter(lambda x: x % 2 == 1).map(lambda x: x * x)
    return [list(data.batch(2)), data.reduce(0, lambda total, x: total + 1), data.cardinality()]


@program
def windows_and_flat_maps():
    data = tf.data.Dataset.range(6).window(3, shift=2, drop_remainder=True)
    return list(data.flat_map(lambda window: window.batch(3)))


@program
def datasets_together():
    one, two = tf.data.Dataset.range(3), tf.data.Dataset.from_tensor_slices(["a", "b", "c"])
    zipped = tf.data.Dataset.zip((one, two))
    mixed = tf.data.Dataset.sample_from_datasets([one, one.skip(3)], [1.0, 0.0])
    return [
        list(zipped),
        list(one.concatenate(one)),
        list(mixed),
        list(one.enumerate(5)),
        list(one.repeat(2).skip(1).take(3)),
    ]


@program
def batches_with_padding():
    data = tf.data.Dataset.range(1, 4).map(lambda n: tf.fill([n], n))
    buckets = data.bucket_by_sequence_length(tf.size, [2], [1, 2])
    return [list(data.padded_batch(3, padding_values=tf.constant(-1, tf.int64))), list(buckets)]


@program
def generators_as_data():
    spec = (tf.TensorSpec([], tf.int32), tf.TensorSpec([None], tf.float32))

    def rows():
        for n in range(3):
            yield n, [0.5] * n

    return list(tf.data.Dataset.from_generator(rows, output_signature=spec))


@program
def interleaved_and_scanned_data():
    data = tf.data.Dataset.range(3)
    inner = data.interleave(lambda n: tf.data.Dataset.from_tensors(n).repeat(3), 2, 2)
    sums = data.scan(tf.constant(0, tf.int64), lambda s, x: (s + x, s + x))
    return [
        list(inner),
        list(sums),
        list(data.take_while(lambda x: x < 2)),
        list(tf.data.Dataset.from_tensor_slices([1, 1, 2]).unique()),
    ]


@program
def records_of_examples():
    kinds = tf.train
    features = {
        "n": kinds.Feature(int64_list=kinds.Int64List(value=[3])),
        "x": kinds.Feature(float_list=kinds.FloatList(value=[0.5, 1.5])),
        "s": kinds.Feature(bytes_list=kinds.BytesList(value=[b"word"])),
    }
    path = tempfile.mkdtemp() + "/records"
    message = kinds.Example(features=kinds.Features(feature=features)).SerializeToString()
    with tf.io.TFRecordWriter(path) as writer:
        writer.write(message)
    wanted = {
        "n": tf.io.FixedLenFeature([], tf.int64),
        "x": tf.io.FixedLenFeature([2], tf.float32),
        "s": tf.io.FixedLenFeature([], tf.string),
        "y": tf.io.FixedLenFeature([1], tf.int64, [7]),
    }
    data = tf.data.TFRecordDataset(path).map(lambda one: tf.io.parse_single_example(one, wanted))
    return [len(message), next(iter(data))]


# ---- saving --------------------------------------------------------------------------------------


class Dense(tf.Module):
    def __init__(self, rows, columns):
        super().__init__()
        self.w = tf.Variable(grid(rows, columns), name="w")
        self.b = tf.Variable(tf.zeros([columns]), name="b")

    @tf.function
    def __call__(self, x):
        return tf.nn.relu(x @ self.w + self.b)


@program
def a_checkpoint():
    path = tempfile.mkdtemp()
    v, layer = tf.Variable([1.0, 2.0]), Dense(2, 2)
    saver = tf.train.Checkpoint(v=v, layer=layer)
    name = saver.save(path + "/ck")
    v.assign([9.0, 9.0])
    saver.restore(name).assert_consumed()
    names = [one.split("/.")[0] for one, _ in tf.train.list_variables(name) if "OBJECT" not in one]
    return [v, saver.save_counter, sorted(names)]


@program
def a_saved_module():
    class Scaler(tf.Module):
        def __init__(self):
            super().__init__()
            self.factor = tf.Variable(3.0)

        @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
        def scale(self, x):
            return {"y": x * self.factor}

    path, module = tempfile.mkdtemp(), Scaler()
    tf.saved_model.save(module, path, signatures=module.scale)
    loaded = tf.saved_model.load(path)
    served = loaded.signatures[tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY]
    return [loaded.scale(tf.constant([1.0, 2.0])), served(x=tf.constant([4.0]))]


@program
def a_model_in_a_file():
    path = tempfile.mkdtemp() + "/model.keras"
    inputs = tf.keras.Input([3])
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(2, "tanh")(inputs))
    model.set_weights([grid(3, 2), grid(2)])
    model.save(path)
    return tf.keras.models.load_model(path)(tf.constant(grid(2, 3)))


# ---- strings and tables --------------------------------------------------------------------------


@program
def strings():
    words = tf.constant(["Hello", " world ", ""])
    return [
        tf.strings.lower(words),
        tf.strings.strip(words),
        tf.strings.length(words),
        tf.strings.join([words, words], "-"),
        tf.strings.substr(words[:2], 1, 3),
        tf.strings.regex_replace(words, "o", "0"),
        tf.strings.split("a b c"),
        tf.strings.to_number(["1.5", "2"]),
        tf.strings.as_string([1.5, 2.25], precision=1),
        tf.strings.reduce_join([["a", "b"], ["c", "d"]], 1),
        tf.strings.format("x = {}", [tf.constant(3)]),
    ]


@program
def lookup_tables():
    content = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
    table = tf.lookup.StaticHashTable(content, -1)
    vocabulary = tf.lookup.StaticVocabularyTable(content, 1)
    changing = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    changing.insert(tf.constant(["k"]), tf.constant([8], tf.int64))
    found = tf.function(lambda x: table.lookup(x))(tf.constant([["b"], ["z"]]))
    return [
        found,
        table.size(),
        vocabulary.lookup(tf.constant(["b", "z"])),
        vocabulary.size(),
        changing.lookup(tf.constant(["k", "q"])),
        changing.size(),
    ]
