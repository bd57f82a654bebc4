"""`jit`: arrays of computed sizes are joined, sorted, and searched for their middle."""

import numpy as np
import pytest
from numpy_programs import assert_native

pytestmark = pytest.mark.slow

DIGITS = np.random.default_rng(1).integers(0, 6, 20)
NOT_FINITE = np.array([2.0, np.nan, 5.0, np.inf, 3.0, -np.inf, np.nan, 4.0])


@pytest.mark.parametrize("dtype", [np.float64, np.int8, np.uint32, np.complex64])
def test_what_masks_choose_is_joined(dtype):
    def partitioned(x, limit):
        is_small = np.abs(x) < limit
        return np.concatenate((x[is_small], x[:2], x[~is_small])), np.append(x[is_small], x[0])

    x = DIGITS.astype(dtype)
    assert_native(partitioned, (x, 3), (x, 0), (x, 9))


def test_rows_that_masks_choose_are_joined():
    def rows(m):
        is_first = m[:, 0] > 2
        return np.concatenate((m[is_first], m[~is_first]), axis=0), np.vstack((m[is_first], m[:1]))

    assert_native(rows, (DIGITS.reshape(5, 4) * 1.0,))


def test_run_lengths_are_differences_of_computed_places():
    def runs(x):
        starts = np.concatenate(([0], np.flatnonzero(x[1:] != x[:-1]) + 1))
        return x[starts], np.diff(np.append(starts, len(x)))

    assert_native(runs, (np.repeat(DIGITS, 3),), (np.arange(60),), (np.zeros(60, int),))


@pytest.mark.parametrize("x", [DIGITS, DIGITS > 2, DIGITS.astype(np.float32), NOT_FINITE])
def test_slices_of_computed_length_are_sorted(x):
    def ordered(x):
        out = np.zeros_like(x)
        for i in range(1, len(x)):
            part = np.sort(x[:i])
            out[i] = part[i // 2]
        return out, np.sort(x[x > 1]), np.argsort(x[x < 4], kind="stable")

    assert_native(ordered, (x,))


@pytest.mark.parametrize("x", [DIGITS * 1.0, DIGITS, NOT_FINITE])
def test_medians_of_windows_that_end_at_the_edges(x):
    def medians(x, half):
        out = np.empty(len(x))
        for i in range(len(x)):
            out[i] = np.median(x[max(0, i - half) : min(len(x), i + half + 1)])
        return out

    assert_native(medians, (x, 2), (x, 3))
