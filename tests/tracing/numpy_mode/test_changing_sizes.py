"""`jit`: names that hold arrays of another size after a statement than before."""

import numpy as np
import pytest
from numpy_programs import assert_native, assert_same_outcome
from test_jit import check

import allograph as ag

X = np.random.default_rng(0).random(20)


def test_a_loop_keeps_the_elements_that_a_mask_chooses():
    def kept(x, n):
        for i in range(n):
            if len(x) < 3:
                break
            x = x[x > x.mean()]
        return x, len(x), x.sum()

    assert_native(kept, (X, 1), (X, 2), (X, 9), (X[:2].copy(), 3))


def test_indices_of_what_is_still_computed_shrink():
    def iterations(c, n):
        z, count = np.zeros_like(c), np.zeros(c.size, np.int32)
        live = np.arange(c.size)
        while live.size and n:
            z[live] = z[live] * z[live] + c[live]
            live = live[np.abs(z[live]) <= 2.0]
            count[live] += 1
            n -= 1
        return count

    assert_native(iterations, (X * 4 - 2 + 0.5j, 30), (np.full(4, 9j), 30))


@pytest.mark.slow
def test_an_option_tree_gets_shorter_by_one():
    def american(price, strike, up, n):
        prices = price * up ** np.arange(-n, n + 1, 2)
        values = np.maximum(strike - prices, 0.0)
        for _ in range(n):
            prices = prices[1:] / up
            values = np.maximum(0.5 * (values[1:] + values[:-1]), strike - prices)
        return values[0], values

    assert_native(american, (100.0, 101.0, 1.02, 20))


def test_all_axes_may_shrink():
    def coarse(a):
        steps = 0
        while min(a.shape) > 1:
            a = (a[:-1:2, :-1:2] + a[1::2, 1::2]) / 2
            steps += 1
        return a, steps

    assert_native(coarse, (np.arange(64.0).reshape(8, 8),), (np.arange(24.0).reshape(4, 6),))


def test_parts_are_joined_to_a_name_as_long_as_before():
    def sorted_by_bits(keys, bits):
        for bit in range(bits):
            is_set = (keys >> bit) & 1 == 1
            keys = np.concatenate([keys[~is_set], keys[is_set]])
        return keys

    keys = (X * 1000).astype(np.uint32)
    assert_native(sorted_by_bits, (keys, 10))


def test_a_branch_makes_an_array_of_another_size():
    def chosen(x, limit):
        if limit > 0:
            x = x[x > limit]
        return x * 2, x.size

    assert_native(chosen, (X, 0.5), (X, 2.0), (X, -1.0))


def test_an_array_that_grows_beyond_its_memory_is_right():
    def grown(x, n):
        for i in range(n):
            x = np.append(x, x[-1] + i)
        return x

    for n in (0, 1, 4):
        assert_same_outcome(grown, ag.jit(grown), (X, n))


def test_a_part_of_an_argument_that_a_loop_leaves_changes_the_argument():
    def changed(x, n):
        for _ in range(n):
            x = x[1:]
        x[0] = 7.0
        return x.sum(), x

    for n in (0, 1, 4):
        assert_same_outcome(changed, ag.jit(changed), (X, n))


def exchanged(x, n):
    first, second = x[x > 3], x[x > 5]
    for _ in range(n):
        first, second = second, first
    return first


def test_arrays_of_computed_sizes_that_exchange_their_names_are_native():
    check(exchanged, np.arange(9.0), 5)
    check(exchanged, np.arange(9.0), 4)
    check(exchanged, np.array([np.nan, 4.0]), 3)
    check(exchanged, np.zeros(0), 1)
