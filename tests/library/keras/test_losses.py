"""Losses against their formulas in NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import allograph as ag

losses = ag.keras.losses
RNG = np.random.default_rng(9)
TRUE, FOUND = RNG.normal(size=(2, 4, 3))
SHARES = RNG.dirichlet(np.ones(3), 4)
ONE_HOT = np.eye(3)[[0, 2, 1, 1]]
LOGITS = np.log(SHARES) + 5


def close(found, expected):
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-5, atol=1e-7)


ERROR = FOUND - TRUE
POSITIVE = abs(FOUND), abs(TRUE)
FORMULAS = {
    "mean_squared_error": (TRUE, FOUND, (ERROR**2).mean(-1)),
    "mean_absolute_error": (TRUE, FOUND, abs(ERROR).mean(-1)),
    "mean_absolute_percentage_error": (TRUE, FOUND, (100 * abs(ERROR / TRUE)).mean(-1)),
    "mean_squared_logarithmic_error": (
        *POSITIVE, ((np.log1p(POSITIVE[0]) - np.log1p(POSITIVE[1])) ** 2).mean(-1)
    ),
    "huber": (
        TRUE, FOUND, np.where(abs(ERROR) < 1, ERROR**2 / 2, abs(ERROR) - 0.5).mean(-1)
    ),
    "log_cosh": (TRUE, FOUND, np.log(np.cosh(ERROR)).mean(-1)),
    "poisson": (*POSITIVE, (POSITIVE[1] - POSITIVE[0] * np.log(POSITIVE[1])).mean(-1)),
    "hinge": (ONE_HOT, FOUND, np.maximum(1 - (2 * ONE_HOT - 1) * FOUND, 0).mean(-1)),
    "squared_hinge": (ONE_HOT, FOUND, (np.maximum(1 - (2 * ONE_HOT - 1) * FOUND, 0) ** 2).mean(-1)),
    "binary_crossentropy": (
        ONE_HOT, SHARES, -np.where(ONE_HOT, np.log(SHARES), np.log(1 - SHARES)).mean(-1)
    ),
    "categorical_crossentropy": (ONE_HOT, SHARES, -np.log(SHARES[ONE_HOT == 1])),
    "sparse_categorical_crossentropy": (
        ONE_HOT.argmax(-1), SHARES, -np.log((SHARES * ONE_HOT).sum(-1))
    ),
    "kl_divergence": (SHARES, SHARES[::-1], (SHARES * np.log(SHARES / SHARES[::-1])).sum(-1)),
    "cosine_similarity": (
        TRUE, FOUND,
        -(TRUE * FOUND).sum(-1) / np.linalg.norm(TRUE, axis=-1) / np.linalg.norm(FOUND, axis=-1),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(FORMULAS))
def test_a_loss_is_its_formula(name):
    true, found, expected = FORMULAS[name]
    if name == "categorical_crossentropy":
        expected = -np.log((SHARES * ONE_HOT).sum(-1))
    function = getattr(losses, name)
    np.testing.assert_allclose(function(true, found), expected, rtol=2e-5, atol=1e-6)
    close(ag.function(function)(true, found), function(true, found))
    assert losses.get(name) is function


@pytest.mark.parametrize(
    "reduction, reduce", [("none", np.array), ("sum", np.sum), ("sum_over_batch_size", np.mean)]
)
def test_an_object_reduces_the_losses_of_a_batch(reduction, reduce):
    loss = losses.MeanSquaredError(reduction=reduction)
    close(loss(TRUE, FOUND), reduce((ERROR**2).mean(-1)))
    weights = np.array([1.0, 2.0, 0.0, 4.0])
    close(loss(TRUE, FOUND, sample_weight=weights), reduce((ERROR**2).mean(-1) * weights))
    close(loss(TRUE, FOUND, sample_weight=weights[:, None]), reduce((ERROR**2).mean(-1) * weights))


def test_logits_give_what_their_probabilities_give():
    labels = ONE_HOT.argmax(-1)
    for kind, true in (
        (losses.CategoricalCrossentropy, ONE_HOT),
        (losses.SparseCategoricalCrossentropy, labels),
        (losses.SparseCategoricalCrossentropy, labels[:, None]),
    ):
        close(kind(from_logits=True)(true, LOGITS), kind()(true, SHARES))
    logits = np.log(SHARES / (1 - SHARES))
    close(
        losses.BinaryCrossentropy(from_logits=True)(ONE_HOT, logits),
        losses.BinaryCrossentropy(from_logits=False)(ONE_HOT, SHARES),
    )


@pytest.mark.slow
@given(arrays.arrays(np.float64, (3, 2), elements=st.floats(-1e300, 1e300)))
def test_huge_logits_give_finite_losses(logits):
    labels = np.array([0, 1, 1])
    found = ag.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
    close(found, logits.max(-1) - logits[np.arange(3), labels] + np.log(
        np.exp(logits - logits.max(-1, keepdims=True)).sum(-1)))  # fmt: skip
    truth = labels[:, None] * np.ones((1, 2))
    found = ag.nn.sigmoid_cross_entropy_with_logits(truth, logits)
    close(found, np.logaddexp(0, logits) - logits * truth)


def test_gradients_of_cross_entropies_are_differences_of_probabilities():
    x = ag.constant(LOGITS)
    with ag.GradientTape(persistent=True) as tape:
        tape.watch(x)
        soft = ag.reduce_sum(ag.nn.softmax_cross_entropy_with_logits(ONE_HOT, x))
        single = ag.reduce_sum(ag.nn.sigmoid_cross_entropy_with_logits(ONE_HOT, x))
    close(tape.gradient(soft, x), SHARES - ONE_HOT)
    close(tape.gradient(single, x), 1 / (1 + np.exp(-LOGITS)) - ONE_HOT)


def test_smoothed_labels():
    smooth = ONE_HOT * 0.7 + 0.1
    close(
        losses.CategoricalCrossentropy(label_smoothing=0.3)(ONE_HOT, SHARES),
        -(smooth * np.log(SHARES)).sum(-1).mean(),
    )


def test_a_loss_of_ones_own():
    class Fourth(losses.Loss):
        def call(self, y_true, y_pred):
            if ag.reduce_any(y_pred > 100):
                y_pred = y_pred * 0
            return ag.reduce_mean((y_pred - y_true) ** 4, -1)

    found = ag.function(lambda a, b: Fourth()(a, b))(ag.constant(TRUE), ag.constant(FOUND))
    close(found, (ERROR**4).mean())


def test_a_label_without_its_axis_is_not_broadcast():
    close(losses.MeanSquaredError()([1.0, 2.0], [[1.0], [2.0]]), 0.0)


@pytest.mark.parametrize("name", sorted(FORMULAS.keys() - {"sparse_categorical_crossentropy"}))
def test_labels_with_an_axis_less_are_refused_also_where_they_would_broadcast(name):
    square = np.asarray(FORMULAS[name][1])[:3]  # [3, 3]: labels of shape [3] would broadcast
    with pytest.raises(ag.errors.InvalidArgumentError, match=r"\(3,\).*\(3, 3\)"):
        getattr(losses, name)(square[0], square)


@pytest.mark.parametrize("name", ["categorical_crossentropy", "categorical_hinge"])
def test_labels_of_classes_are_no_vectors_of_another_size(name):
    with pytest.raises(ag.errors.InvalidArgumentError, match="one shape"):
        getattr(losses, name)(np.ones((4, 1)), SHARES)


@pytest.mark.parametrize("label", [-1, 3])
@pytest.mark.parametrize("jit_compile", [None, True])
def test_a_label_of_no_class_is_refused(label, jit_compile):
    loss = ag.function(losses.sparse_categorical_crossentropy, jit_compile=jit_compile)
    shares = SHARES.astype("float32")
    with pytest.raises(ag.errors.InvalidArgumentError, match="are not all from 0 to 2"):
        loss(ag.constant([0, 1, 2, label]), ag.constant(shares))


def test_labels_of_an_ignored_class_do_not_count():
    labels = ONE_HOT.argmax(-1)
    every = -np.log(SHARES[np.arange(4), labels])
    kept = labels != 1
    loss = losses.SparseCategoricalCrossentropy(ignore_class=1)
    close(loss(labels, SHARES), every[kept].mean())
    close(loss.call(labels, SHARES), every * kept)


def test_the_ctc_loss_counts_labels_up_to_the_padding():
    logits = ag.constant(np.random.default_rng(1).normal(size=(2, 7, 4)), "float32")
    found = losses.ctc([[1, 2, 0], [2, 1, 1]], logits)
    expected = ag.nn.ctc_loss(
        ag.constant([[1, 2, 0], [2, 1, 1]]), logits, [2, 3], [7, 7], logits_time_major=False
    )
    close(found, expected)


def test_the_generalized_cross_entropy_lies_between_cross_entropy_and_error():
    labels = np.array([0, 2, 1, 1])
    p = SHARES[np.arange(4), labels]
    close(losses.CategoricalGeneralizedCrossEntropy(1.0)(labels, SHARES), (1 - p).mean())
    near = losses.CategoricalGeneralizedCrossEntropy(1e-3)(labels, ag.constant(SHARES))
    assert abs(float(near) + np.log(p).mean()) < 1e-2


def test_the_circle_loss_prefers_near_embeddings_of_one_class():
    labels = [0, 0, 1, 1]
    good = ag.constant([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    bad = ag.gather(good, [0, 2, 1, 3])
    circle = losses.Circle(gamma=8.0)
    assert float(circle(labels, good)) < float(circle(labels, bad))
