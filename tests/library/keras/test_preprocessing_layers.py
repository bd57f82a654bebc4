"""Layers that learn from data before training, and datasets of sequences."""

import numpy as np
import pytest

import allograph as ag

layers = ag.keras.layers
ROWS = np.array([[1.0, 10.0], [3.0, 30.0], [8.0, 20.0]], np.float32)


class TestNormalization:
    def test_the_moments_are_those_of_the_data(self):
        norm = layers.Normalization()
        norm.adapt(ROWS)
        expected = (ROWS - ROWS.mean(0)) / ROWS.std(0)
        np.testing.assert_allclose(norm(ROWS), expected, rtol=1e-5)
        np.testing.assert_allclose(ag.function(norm)(ROWS), expected, rtol=1e-5)

    def test_batches_of_a_dataset_count_as_one_array(self):
        norm, whole = layers.Normalization(), layers.Normalization()
        norm.adapt(ag.data.Dataset.from_tensor_slices(ROWS).batch(2))
        whole.adapt(ROWS)
        np.testing.assert_allclose(norm(ROWS), whole(ROWS), rtol=1e-5)

    def test_one_mean_for_all_axes_and_the_inverse(self):
        norm = layers.Normalization(axis=None, mean=2.0, variance=4.0)
        back = layers.Normalization(axis=None, mean=2.0, variance=4.0, invert=True)
        assert norm([[4.0]]).numpy().tolist() == [[1.0]]
        np.testing.assert_allclose(back(norm(ROWS)), ROWS, rtol=1e-6)

    def test_without_moments_it_is_an_error(self):
        with pytest.raises(RuntimeError, match=r"(?s)no moments yet.*adapt"):
            layers.Normalization()(ROWS)


class TestLookup:
    def test_strings_have_the_indices_of_the_vocabulary(self):
        lookup = layers.StringLookup(vocabulary=["a", "b"])
        words = ag.constant([["b", "z"], ["a", "b"]])
        assert lookup(words).numpy().tolist() == [[2, 0], [1, 2]]
        assert ag.function(lookup)(words).numpy().tolist() == [[2, 0], [1, 2]]
        assert list(ag.data.Dataset.from_tensors(words).map(lookup))[0].shape == (2, 2)

    def test_the_vocabulary_is_learned_by_frequency(self):
        lookup = layers.StringLookup(max_tokens=3)
        lookup.adapt(np.array(["c", "b", "b", "a", "a", "a"]))
        assert lookup.get_vocabulary() == ["[UNK]", "a", "b"]

    def test_the_inverse_gives_strings(self):
        lookup = layers.StringLookup(vocabulary=["a", "b"], invert=True)
        assert lookup([2, 0]).numpy().tolist() == [b"b", b"[UNK]"]

    def test_masks_have_index_zero(self):
        lookup = layers.StringLookup(vocabulary=["a"], mask_token="")
        assert lookup(["", "a", "z"]).numpy().tolist() == [0, 2, 1]

    def test_integers_and_counts(self):
        lookup = layers.IntegerLookup(vocabulary=[12, 36], output_mode="count")
        assert lookup([[12, 12, 5]]).numpy().tolist() == [[1.0, 2.0, 0.0]]

    def test_unknown_tokens_without_an_index_are_an_error(self):
        lookup = layers.StringLookup(vocabulary=["a"], num_oov_indices=0)
        assert lookup(["a"]).numpy().tolist() == [0]
        with pytest.raises(ValueError, match=r"token b'z' is not in the vocabulary"):
            lookup(["z"])

    def test_ragged_rows_stay_ragged_and_are_counted_in_rows(self):
        rows = ag.ragged.constant([["a", "b", "a"], [], ["z"]])
        lookup = layers.StringLookup(vocabulary=["a", "b"])
        counts = layers.StringLookup(vocabulary=["a", "b"], output_mode="count")
        assert lookup(rows).to_list() == [[1, 2, 1], [], [0]]
        assert counts(rows).numpy().tolist() == [[0, 2, 1], [0, 0, 0], [1, 0, 0]]
        counts.adapt(ag.data.Dataset.from_tensor_slices(rows).ragged_batch(2))
        assert counts.get_vocabulary() == ["[UNK]", "a", "z", "b"]

    def test_what_was_learned_is_part_of_the_configuration(self):
        lookup = layers.StringLookup()
        lookup.adapt(np.array(["b", "a", "b"]))
        again = layers.StringLookup.from_config(lookup.get_config())
        assert again.get_vocabulary() == ["[UNK]", "b", "a"]


@pytest.mark.parametrize(
    ("mode", "x", "expected"),
    [
        ("one_hot", [2, 0], [[0, 0, 1], [1, 0, 0]]), ("one_hot", [[1]], [[0, 1, 0]]),
        ("one_hot", 1, [[0, 1, 0]]), ("multi_hot", [[0, 2], [1, 1]], [[1, 0, 1], [0, 1, 0]]),
        ("multi_hot", [2, 2], [0, 0, 1]), ("count", [[0, 0], [1, 2]], [[2, 0, 0], [0, 1, 1]]),
    ],
)  # fmt: skip
def test_categories_as_rows_of_numbers(mode, x, expected):
    encoding = layers.CategoryEncoding(3, output_mode=mode)
    assert encoding(ag.constant(x)).numpy().tolist() == expected


def test_bins_have_the_boundaries_that_are_given_or_quantiles():
    x = np.array([[-1.5, 1.0], [3.4, 0.5]], np.float32)
    assert layers.Discretization([0.0, 1.0, 2.0])(x).numpy().tolist() == [[0, 2], [3, 1]]
    bins = layers.Discretization(num_bins=4)
    bins.adapt(np.array([[-1.5, 1.0, 3.4, 0.5], [0.0, 3.0, 1.3, 0.0]]))
    assert bins.bin_boundaries == [0.0, 0.5, 1.3]
    assert layers.Discretization.from_config(bins.get_config()).bin_boundaries == [0.0, 0.5, 1.3]


def test_buckets_are_those_of_the_published_hashes():
    words = ag.constant([["A"], ["B"], ["C"], ["D"], ["E"]])
    column = [[1], [0], [1], [1], [2]]
    assert layers.Hashing(3)(words).numpy().tolist() == column
    assert layers.Hashing(3, salt=133)(words).numpy().ravel().tolist() == [0, 0, 2, 1, 0]
    assert layers.Hashing(3)(ag.constant([1, 2, 3, 10])).numpy().tolist() == [0, 1, 0, 2]
    masked = layers.Hashing(3, mask_value="")(ag.constant(["A", "B", "", "C", "D"]))
    assert masked.numpy().tolist() == [1, 1, 0, 2, 2]
    crossing = layers.HashedCrossing(5, output_mode="one_hot")
    features = ag.constant(["A", "B", "A"]), ag.constant([101, 101, 102])
    assert crossing(features).numpy().argmax(axis=1).tolist() == [1, 4, 3]


class TestTextVectorization:
    DOCUMENTS = ("The cat sat, on the mat!", "the dog sat.", "A cat; a dog")
    WORDS = ("the", "sat", "dog", "cat", "a", "on", "mat")

    def vectorize(self, *texts, **options):
        layer = layers.TextVectorization(**options)
        layer.adapt(ag.data.Dataset.from_tensor_slices(list(self.DOCUMENTS)).batch(2))
        return layer, layer(ag.constant(list(texts or self.DOCUMENTS)))

    def test_rows_of_indices_are_padded(self):
        layer, found = self.vectorize()
        assert layer.get_vocabulary() == ["", "[UNK]", *self.WORDS]
        expected = [[2, 5, 3, 7, 2, 8], [2, 4, 3, 0, 0, 0], [6, 5, 6, 4, 0, 0]]
        assert found.numpy().tolist() == expected
        traced = ag.function(layer)(ag.constant(list(self.DOCUMENTS)))
        assert traced.numpy().tolist() == expected
        assert layers.TextVectorization.from_config(layer.get_config())(
            ag.constant(list(self.DOCUMENTS))
        ).numpy().tolist() == expected  # fmt: skip

    def test_rows_of_a_given_length_and_ragged_rows(self):
        assert self.vectorize("the cat", "zebra a a a a", output_sequence_length=3, max_tokens=6)[
            1
        ].numpy().tolist() == [[2, 5, 0], [1, 1, 1]]
        assert self.vectorize("the zebra", "", ragged=True)[1].to_list() == [[2, 1], []]

    def test_rows_of_numbers(self):
        layer, found = self.vectorize("a the a zebra", output_mode="count")
        assert layer.get_vocabulary() == ["[UNK]", *self.WORDS]
        assert found.numpy().tolist() == [[1, 1, 0, 0, 0, 2, 0, 0]]
        weighed = self.vectorize("cat a a", output_mode="tf_idf")[1]
        np.testing.assert_allclose(weighed[0, 4:6], [np.log(2), 2 * np.log(2.5)], rtol=1e-6)

    def test_runs_of_words_and_characters(self):
        pairs = layers.TextVectorization(vocabulary=["a", "a b"], ngrams=2)
        assert pairs(ag.constant(["a b", "b"])).numpy().tolist() == [[2, 1, 3], [1, 0, 0]]
        letters = layers.TextVectorization(vocabulary=["a", "é"], split="character")
        assert letters(ag.constant(["aé!", "b"])).numpy().tolist() == [[2, 3], [1, 0]]

    def test_functions_of_the_user(self):
        layer = layers.TextVectorization(
            vocabulary=["a-b", "c"], standardize=None, split=lambda x: ag.strings.split(x, ",")
        )
        assert layer(ag.constant(["c,a-b", "C"])).numpy().tolist() == [[3, 2], [1, 0]]

    def test_a_column_is_a_batch_of_texts_and_a_matrix_is_an_error(self):
        layer = layers.TextVectorization(vocabulary=["a"])
        assert layer(ag.constant([["a a"], ["b"]])).numpy().tolist() == [[2, 2], [1, 0]]
        with pytest.raises(ValueError, match="split=None"):
            layer(ag.constant([["a", "b"]]))


def test_sequences_of_an_array_with_targets():
    batches = ag.keras.utils.timeseries_dataset_from_array(
        np.arange(10), np.arange(10) * 10, 3, sequence_stride=2, sampling_rate=2, batch_size=2
    )
    found = [(x.numpy().tolist(), y.numpy().tolist()) for x, y in batches]
    assert found == [([[0, 2, 4], [2, 4, 6]], [0, 20]), ([[4, 6, 8]], [40])]


class TestPrograms:
    """What public programs do with layers."""

    def test_a_vector_is_a_column_of_features(self):
        x = np.arange(8.0)
        model = ag.keras.Sequential([layers.Dense(1)])
        model.compile("sgd", "mse")
        model.fit(x, 2 * x, verbose=0)
        assert model.predict(x[:3], verbose=0).shape == (3, 1)
        inputs = ag.keras.Input([1])
        assert ag.keras.Model(inputs, layers.Dense(2)(inputs))(x).shape == (8, 2)

    def test_merged_inputs_are_promoted(self):
        integers, floats = ag.constant([[1]], ag.int64), ag.constant([[1.5]])
        assert layers.Concatenate()([integers, floats]).numpy().tolist() == [[1.0, 1.5]]
        assert layers.Add()([integers, floats]).dtype == ag.float32

    def test_build_makes_variables_of_random_values_in_a_function(self):
        class Own(layers.Layer):
            def build(self, shape):
                self.w = ag.Variable(ag.random.normal([shape[-1], 2]))

            def call(self, x):
                return x @ self.w

        own = Own()
        assert ag.function(own)(ag.ones([1, 3])).shape == (1, 2)
        inputs = ag.keras.Input([3])
        assert ag.keras.Model(inputs, Own()(inputs))(ag.ones([1, 3])).shape == (1, 2)

    @pytest.mark.parametrize("name", ["max_norm", "non_neg", "unit_norm", "min_max_norm"])
    def test_constraints_hold_after_a_step(self, name):
        dense = layers.Dense(1, kernel_constraint=name, kernel_initializer="ones")
        model = ag.keras.Sequential([dense])
        model.compile(ag.keras.optimizers.SGD(5.0), "mse")
        model.fit(np.ones((4, 9), np.float32), -np.ones(4, np.float32), verbose=0)
        kernel = dense.kernel.numpy()
        norm = np.linalg.norm(kernel)
        holds = {
            "max_norm": norm <= 2.001, "non_neg": kernel.min() >= 0,
            "unit_norm": abs(norm - 1) < 1e-3, "min_max_norm": norm <= 1.001,
        }  # fmt: skip
        assert holds[name]


def test_sequences_are_padded_and_cut_at_either_end():
    pad = ag.keras.utils.pad_sequences
    rows = [[1], [2, 3], [4, 5, 6]]
    assert pad(rows).tolist() == [[0, 0, 1], [0, 2, 3], [4, 5, 6]]
    cut = pad(rows, maxlen=2, truncating="post", padding="post", value=9)
    assert cut.tolist() == [[1, 9], [2, 3], [4, 5]]
    assert pad([[[1, 2]], []]).tolist() == [[[1, 2]], [[0, 0]]]
