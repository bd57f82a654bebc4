"""`jit`: arrays of computed sizes are joined, sorted, and searched for their middle."""

import numpy as np
import pytest
from numpy_programs import assert_native

import allograph as ag

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


def test_a_size_is_an_integer_of_python_or_of_numpy():
    def counted(groups, size):
        if size < 0:
            size = groups.max() + 1
        counts, is_empty = np.full(size, 0, np.int64), np.ones(size, np.bool_)
        for group in groups:
            counts[group] += 1
            is_empty[group] = False
        return counts, is_empty

    assert_native(counted, (DIGITS, -1), (DIGITS, 9), (DIGITS % 2, -1))

    def truth(groups, size):
        return np.zeros(True if size > 5 else groups[0])

    compiled = ag.jit(truth)
    assert compiled(DIGITS, 1).shape == (DIGITS[0],)
    with pytest.raises(TypeError):
        compiled(DIGITS, 9)


@pytest.mark.parametrize("x", [np.array([2.0, 1.0, 4.0, 3.0, -1.0]), np.array([0.5])])
def test_arrays_are_made_like_the_results_of_windows(x):
    def drawdowns(x, width):
        out = np.empty(len(x))
        for i in range(len(x)):
            window = x[max(0, i - width) : i + 1] * 2.0
            highest, most = np.empty_like(window), window[0]
            for j in range(len(window)):
                most = max(most, window[j])
                highest[j] = most
            out[i] = np.min(window - highest) + np.ones_like(window, dtype=np.int64).sum()
        return out

    assert_native(drawdowns, (x, 3), (x, 0))


@pytest.mark.parametrize("value", [3, 2.5, np.int8(2), np.nan, np.array([[1, 4.5], [9, -1]])])
@pytest.mark.parametrize("sequence", [np.sort(DIGITS), np.array([1.0, 2.5, np.nan, np.nan])])
def test_places_are_searched_in_slices_of_computed_length(sequence, value):
    def places(x, value):
        total = 0
        for i in range(len(x)):
            total += np.searchsorted(x[:i], value) + np.searchsorted(x[i:], value, side="right")
        return total

    assert_native(places, (sequence, value))


def test_a_list_of_increasing_numbers_is_searched_in_the_part_that_is_filled():
    def increasing(a):
        tails, size = np.empty(len(a), a.dtype), 0
        for x in a:
            at = np.searchsorted(tails[:size], x)
            tails[at] = x
            size += at == size
        return size

    assert_native(increasing, (DIGITS,), (DIGITS * 0.5,))


def test_python_runs_a_loop_in_which_something_has_no_native_form():
    def sums(a, n):
        total = np.zeros(100)
        for k in range(n):
            if k % 2:
                for i in range(100):
                    total[i] += a[i] * k
            total[k] += np.sort(a[:k])[k // 2 :].sum()
        return total

    function = ag.jit(sums)
    np.testing.assert_allclose(function(np.ones(100), 90), sums(np.ones(100), 90))
    assert "NumPy: 'sort' of arrays" in function.inspect()
