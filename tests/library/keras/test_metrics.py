"""Metrics against what NumPy computes from all batches at once."""

import numpy as np
import pytest

import allograph as ag

metrics = ag.keras.metrics
RNG = np.random.default_rng(17)
SCORES = RNG.random((3, 8, 4))
LABELS = RNG.integers(0, 4, (3, 8))
ONE_HOT = np.eye(4)[LABELS]
TRUTHS = RNG.integers(0, 2, (3, 8, 1))
CHANCES = RNG.random((3, 8, 1))


def rank_of_the_label(scores, labels):
    return (scores > scores[np.arange(len(labels)), labels][:, None]).sum(-1)


def accuracy(labels, scores):
    return (scores.argmax(-1) == labels).mean()


HIT = TRUTHS[CHANCES > 0.5]
CASES = {
    "SparseCategoricalAccuracy": (LABELS, SCORES, accuracy(LABELS, SCORES)),
    "CategoricalAccuracy": (ONE_HOT, SCORES, accuracy(LABELS, SCORES)),
    "SparseTopKCategoricalAccuracy": (
        LABELS, SCORES,
        np.mean([rank_of_the_label(s, y) < 2 for s, y in zip(SCORES, LABELS)]),
    ),
    "TopKCategoricalAccuracy": (
        ONE_HOT, SCORES,
        np.mean([rank_of_the_label(s, y) < 2 for s, y in zip(SCORES, LABELS)]),
    ),
    "BinaryAccuracy": (TRUTHS, CHANCES, ((CHANCES > 0.5) == TRUTHS).mean()),
    "Accuracy": (LABELS, LABELS[::-1], (LABELS == LABELS[::-1]).mean()),
    "MeanSquaredError": (SCORES, ONE_HOT, ((SCORES - ONE_HOT) ** 2).mean()),
    "MeanAbsoluteError": (SCORES, ONE_HOT, abs(SCORES - ONE_HOT).mean()),
    "RootMeanSquaredError": (SCORES, ONE_HOT, np.sqrt(((SCORES - ONE_HOT) ** 2).mean())),
    "Precision": (TRUTHS, CHANCES, HIT.mean()),
    "Recall": (TRUTHS, CHANCES, HIT.sum() / TRUTHS.sum()),
    "TruePositives": (TRUTHS, CHANCES, HIT.sum()),
    "FalsePositives": (TRUTHS, CHANCES, (1 - HIT).sum()),
    "FalseNegatives": (TRUTHS, CHANCES, TRUTHS.sum() - HIT.sum()),
    "TrueNegatives": (TRUTHS, CHANCES, (1 - TRUTHS[CHANCES <= 0.5]).sum()),
}  # fmt: skip


def make(name):
    return getattr(metrics, name)(**({"k": 2} if "TopK" in name else {}))


@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_batches_add_up_to_what_all_data_give(name, staged):
    true, found, expected = CASES[name]
    metric = make(name)
    update = ag.function(metric.update_state) if staged else metric.update_state
    for batch in zip(true, found):
        update(*map(ag.constant, batch))
    np.testing.assert_allclose(float(metric.result()), expected, rtol=1e-5)
    metric.reset_state()
    assert float(metric.result()) == 0.0
    assert float(metric(true[0], found[0])) == float(metric.result())


def test_means_and_sums_are_weighted():
    mean, total = metrics.Mean(), metrics.Sum()
    for metric in (mean, total):
        metric.update_state([1.0, 5.0], sample_weight=[3.0, 1.0])
        metric.update_state(4.0)
    np.testing.assert_allclose([mean.result(), total.result()], [2.4, 12.0], rtol=1e-6)


def test_the_area_under_the_curve_is_the_share_of_pairs_in_order():
    metric = metrics.AUC(num_thresholds=2000)
    for batch in zip(TRUTHS, CHANCES):
        metric.update_state(*batch)
    good, bad = CHANCES[TRUTHS == 1], CHANCES[TRUTHS == 0]
    expected = (good[:, None] > bad[None]).mean()
    np.testing.assert_allclose(float(metric.result()), expected, atol=0.01)


def test_a_metric_of_ones_own():
    class Largest(metrics.Metric):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.largest = self.add_weight(name="largest", initializer="zeros")

        def update_state(self, values, sample_weight=None):
            top = ag.reduce_max(values)
            if top > self.largest:
                self.largest.assign(top)

        def result(self):
            return self.largest * 1.0

    metric = Largest(name="top")
    metric(ag.constant([1.0, 3.0])), metric(ag.constant([2.0]))
    assert float(metric.result()) == 3.0
    staged = ag.function(lambda x: metric(x))
    assert float(staged(ag.constant([7.0, 5.0]))) == 7.0
    assert metric.name == "top"


def test_metrics_are_found_by_name():
    assert isinstance(metrics.get("AUC"), metrics.AUC)
    assert float(metrics.get("mse")([1.0, 2.0], [1.0, 4.0])) == 2.0
    assert metrics.get("sparse_categorical_accuracy") is not None


def test_a_models_metrics_are_none_of_its_weights():
    class Counting(ag.keras.Model):
        def __init__(self):
            super().__init__()
            self.out = ag.keras.layers.Dense(1)
            self.seen = metrics.Sum()

        def call(self, x):
            self.seen.update_state(1.0)
            return self.out(x)

    model = Counting()
    model(ag.ones([1, 2])), model(ag.ones([1, 2]))
    assert float(model.seen.result()) == 2.0
    assert len(model.weights) == 2
