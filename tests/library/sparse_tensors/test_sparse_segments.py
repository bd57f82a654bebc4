"""Sparse tensors that count, cross, mask and normalize; and sums of selected rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import allograph as ag

WORDS = ag.SparseTensor([[0, 0], [1, 0], [1, 1]], ["a", "b", "c"], [2, 2])
LETTERS = [["x", "y"], ["z", "w"]]
RAGGED = ag.ragged.constant([["a"], ["b", "c"], []])
OTHERS = ag.ragged.constant([["d"], ["e", "f"], ["g"]])


def parts(sp):
    return [
        sp.indices.numpy().tolist(),
        sp.values.numpy().tolist(),
        sp.dense_shape.numpy().tolist(),
    ]


def test_integers_are_counted_in_all_or_in_each_row():
    x = ag.constant([[5, 1, 1], [3, 5, 5]])
    count = ag.sparse.bincount
    assert parts(count(x)) == [[[1], [3], [5]], [2, 1, 3], [6]]
    assert parts(count(x, axis=-1))[1:] == [[2, 1, 1, 2], [2, 6]]
    assert parts(count(x, axis=-1, maxlength=4)) == [[[0, 1], [1, 3]], [2, 1], [2, 4]]
    assert parts(count(x, minlength=8, binary_output=True))[1:] == [[1, 1, 1], [8]]
    weights = ag.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    traced = ag.function(lambda x, w: count(x, w, axis=-1))(x, weights)
    assert parts(traced)[1] == [5.0, 1.0, 4.0, 11.0]
    assert parts(count(ag.ragged.constant([[1, 1], [], [2]]), axis=-1))[1:] == [[2, 1], [3, 3]]


@settings(max_examples=8, deadline=None)
@given(st.lists(st.integers(0, 9), max_size=8))
def test_counts_are_those_of_numpy(numbers):
    found = ag.sparse.to_dense(ag.sparse.bincount(ag.constant(numbers, ag.int64), minlength=12))
    assert found.numpy().tolist() == np.bincount(np.array(numbers, int), minlength=12).tolist()


def test_stored_elements_of_a_row_have_the_softmax_of_each_other():
    sp = ag.SparseTensor([[0, 0, 1], [0, 0, 2], [1, 1, 0]], [1.0, 2.0, 3.0], [2, 2, 3])
    expected = [0.268941, 0.731059, 1.0]
    np.testing.assert_allclose(ag.sparse.softmax(sp).values, expected, rtol=1e-5)
    with ag.GradientTape() as tape:
        tape.watch(sp.values)
        y = ag.reduce_sum(ag.sparse.softmax(sp).values * [1.0, 2.0, 3.0])
    slope = expected[0] * expected[1]
    np.testing.assert_allclose(tape.gradient(y, sp.values), [-slope, slope, 0.0], atol=1e-6)


def test_sums_of_selected_rows():
    rows, at, segments = (
        ag.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
        [0, 2, 1, 1],
        [0, 0, 2, 2],
    )
    assert ag.sparse.segment_sum(rows, at, segments).numpy().tolist() == [[6, 8], [0, 0], [6, 8]]
    assert ag.sparse.segment_mean(rows, at, segments)[0].numpy().tolist() == [3, 4]
    root = ag.sparse.segment_sqrt_n(rows, at, segments, num_segments=4)
    np.testing.assert_allclose(root[:, 0], [6 / 2**0.5, 0, 6 / 2**0.5, 0], rtol=1e-6)


def test_features_are_crossed_as_texts():
    crossed = ag.sparse.cross([WORDS, LETTERS], separator="-")
    texts = [b"a-x", b"a-y", b"b-z", b"b-w", b"c-z", b"c-w"]
    assert parts(crossed)[1:] == [texts, [2, 4]]
    ragged = ag.function(lambda a, b: ag.ragged.cross([a, b]))(RAGGED, OTHERS)
    assert ragged.to_list() == [[b"a_X_d"], [b"b_X_e", b"b_X_f", b"c_X_e", b"c_X_f"], []]
    with pytest.raises(ag.errors.InvalidArgumentError, match="2, 3 rows"):
        ag.ragged.cross([WORDS, RAGGED])


def test_features_are_crossed_as_buckets_of_the_published_hash():
    buckets = ag.sparse.cross_hashed([WORDS, LETTERS], num_buckets=100)
    assert buckets.values.numpy().tolist() == [92, 47, 60, 90, 80, 35]
    keyed = ag.sparse.cross_hashed([WORDS, LETTERS], num_buckets=1000, hash_key=123)
    assert keyed.values.numpy().tolist() == [161, 714, 89, 70, 868, 450]
    ragged = ag.ragged.cross_hashed([RAGGED, OTHERS], num_buckets=100)
    assert ragged.to_list() == [[82], [61, 89, 41, 68], []]
    whole = ag.sparse.cross_hashed([WORDS, ag.constant([[7], [8]])])
    assert int(whole.values[0]) == 3509787333349122856


def test_slices_are_masked_by_their_indices():
    slices = ag.IndexedSlices(ag.constant([[1.0], [2.0], [3.0]]), ag.constant([12, 26, 37]))
    masked = ag.sparse.mask(slices, [12, 45])
    assert masked.indices.numpy().tolist() == [26, 37]
    assert masked.values.numpy().tolist() == [[2.0], [3.0]]
