"""Connectionist temporal classification: losses, gradients, decoders, label sequences."""

import itertools

import numpy as np
import pytest

import allograph as ag

LOGITS = (np.sin(np.arange(60) * 1.3).reshape(6, 2, 5) * 2).astype(np.float32)
LABELS = [[1, 2, 2], [3, 0, 0]]


def collapsed(path, blank: int) -> tuple:
    """The label sequence of a sequence of classes."""
    return tuple(one for one, _ in itertools.groupby(path) if one != blank)


def probability(logits, labels, blank: int) -> float:
    """The probability of a label sequence: the sum over all sequences of classes."""
    shares = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    paths = itertools.product(range(logits.shape[1]), repeat=len(logits))
    found = [path for path in paths if collapsed(path, blank) == tuple(labels)]
    return sum(np.prod([row[one] for row, one in zip(shares, path)]) for path in found)


@pytest.mark.parametrize(("labels", "blank"), [([1, 2], 0), ([2, 2], 0), ([], 0), ([0, 1], -1)])
def test_the_loss_is_that_of_all_sequences_of_classes(labels, blank):
    logits = LOGITS[:4, :1, :3]
    loss = ag.nn.ctc_loss([labels], logits, [len(labels)], [4], blank_index=blank)
    expected = -np.log(probability(logits[:, 0], labels, blank % 3))
    np.testing.assert_allclose(loss, [expected], rtol=1e-5)


def test_losses_of_batches_in_all_layouts():
    expected = [7.35338, 6.2048]
    options = {"label_length": [3, 1], "logit_length": [6, 5]}
    np.testing.assert_allclose(ag.nn.ctc_loss(LABELS, LOGITS, **options), expected, rtol=1e-5)
    traced = ag.function(lambda x: ag.nn.ctc_loss(LABELS, x, logits_time_major=False, **options))
    np.testing.assert_allclose(traced(LOGITS.transpose(1, 0, 2)), expected, rtol=1e-5)
    sparse = ag.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 2, 3], [2, 2])
    found = ag.nn.ctc_loss(sparse, LOGITS, None, [6, 5], blank_index=-1)
    np.testing.assert_allclose(found, [6.26073, 11.58644], rtol=1e-5)
    assert ag.nn.ctc_loss([[1, 1, 1]], LOGITS[:3, :1], [3], [3]).numpy() == np.inf


def test_the_gradient_is_the_finite_difference():
    x = ag.constant(LOGITS[:4], ag.float64)

    def loss(x):
        return ag.reduce_sum(ag.nn.ctc_loss(LABELS, x, [2, 1], [4, 3]) * [1.0, 3.0])

    with ag.GradientTape() as tape:
        tape.watch(x)
        y = loss(x)
    direction = np.cos(np.arange(40.0)).reshape(4, 2, 5)
    slope = (loss(x + 1e-6 * direction) - loss(x - 1e-6 * direction)) / 2e-6
    np.testing.assert_allclose(ag.reduce_sum(tape.gradient(y, x) * direction), slope, rtol=1e-6)


def test_the_greedy_decoder_takes_the_best_class_of_each_step():
    (merged,), sums = ag.nn.ctc_greedy_decoder(LOGITS * 3, [6, 5])
    assert merged.values.numpy().tolist() == [1, 0, 1, 0]
    assert merged.indices.numpy().tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    np.testing.assert_allclose(sums, [[-33.6742], [-28.42959]], rtol=1e-5)
    (repeated,), _ = ag.nn.ctc_greedy_decoder(LOGITS, [6, 5], merge_repeated=False)
    assert repeated.values.numpy().tolist() == [1, 1, 1, 0, 0, 1, 1, 0, 0, 0]


def test_the_beam_search_finds_the_most_probable_label_sequences():
    logits = LOGITS[:4, :1, :3]
    decoded, scores = ag.nn.ctc_beam_search_decoder(logits, [4], beam_width=50, top_paths=3)
    paths = itertools.product(range(3), repeat=4)
    all_labels = {collapsed(path, 2) for path in paths}
    best = sorted(all_labels, key=lambda one: -probability(logits[:, 0], one, 2))[:3]
    assert [tuple(one.values.numpy().tolist()) for one in decoded] == best
    expected = [np.log(probability(logits[:, 0], one, 2)) for one in best]
    np.testing.assert_allclose(scores[0], expected, rtol=1e-5)


def test_label_sequences_are_collapsed_and_numbered():
    labels, lengths = ag.nn.collapse_repeated([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0]], [5, 4])
    assert labels.numpy().tolist() == [[1, 2, 1], [3, 0, 0]]
    assert lengths.numpy().tolist() == [3, 2]
    distinct, places = ag.nn.ctc_unique_labels([[3, 4, 4, 3], [1, 1, 2, 0]])
    assert distinct.numpy().tolist() == [[3, 4, 0, 0], [1, 2, 0, 0]]
    assert places.numpy().tolist() == [[0, 1, 1, 0], [0, 0, 1, 2]]
