"""`jit`: `accumulate` and `reduceat` of ufuncs, and other functions that loops call."""

import itertools

import numpy as np
import pytest
from numpy_programs import assert_native, assert_same_outcome

import allograph as ag

RANDOM = np.random.default_rng(2)
X, ROWS = RANDOM.normal(size=12), RANDOM.normal(size=(5, 4))


def test_running_results_of_ufuncs():
    def running(x, rows):
        highest, sums = np.maximum.accumulate(x), np.add.accumulate(rows)
        return highest, sums, np.logical_or.accumulate(x > 1), np.multiply.accumulate(x[3:])

    assert_native(running, (X, ROWS), (X[:4], ROWS[:1]), (-X, -ROWS))


def test_segments_that_start_at_indices():
    def segments(x, starts):
        return np.add.reduceat(x, starts), np.minimum.reduceat(x, starts)

    assert_native(segments, (X, np.array([0, 5, 5, 3, 11, 2])), (X, np.array([7])))
    for starts in ([0, 12], [0, -1], [13, 2]):
        assert_same_outcome(segments, ag.jit(segments), (X, np.array(starts)))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 90])
def test_pairs_of_many_items(size):
    def closest(rows):
        best, places, total = np.inf, (-1, -1), 0
        for i, j in itertools.combinations(range(len(rows)), 2):
            distance = ((rows[i] - rows[j]) ** 2).sum()
            total = total * 3 % 1000 + i - j
            if distance < best:
                best, places = distance, (i, j)
        for a, b in itertools.combinations(rows[:, 0], 2):
            best = best + a * b
        return best, places, total

    assert_native(closest, (RANDOM.normal(size=(size, 3)),))


def test_the_data_type_of_several_operands():
    def total(x, y):
        wide = np.zeros(len(x), np.promote_types(x.dtype, y.dtype))
        for i in range(len(x)):
            wide[i] += x[i] * y[i]
        return wide, np.empty(2, np.result_type(x, y, 1)).dtype == wide.dtype

    single, whole = X.astype(np.float32), (10 * X).astype(np.int32)
    assert_native(total, (single, X), (single, single), (whole, single), (whole, whole))


def test_medians_and_products_without_nan():
    def medians(rows):
        out = np.empty(len(rows))
        for i in range(len(rows)):
            out[i] = np.nanmedian(rows[i]) + np.nanprod(rows[i])
        return out, np.nanmedian(rows), np.nanmedian(rows, axis=0), np.nanprod(rows, axis=0)

    rows = ROWS.copy()
    rows[0], rows[1, 2:], rows[2, 1], rows[3, 0] = np.nan, np.nan, np.inf, -0.0
    assert_native(medians, (rows,), (ROWS,), (rows[:1],))


def test_a_list_is_reversed():
    def backward(x):
        kept = []
        for v in x:
            if v > 0:
                kept.append((v, v * 0.5))
        kept.reverse()
        total = 0.0
        for a, b in kept:
            total = total * 0.5 + a * b
        return total, kept

    assert_native(backward, (X,), (X[:3],), (-abs(X),))
