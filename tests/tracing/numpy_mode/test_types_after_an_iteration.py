"""`jit`: loops in which a name has another type after the first iteration than before."""

import numpy as np
import pytest
from native_calls import is_native
from numpy_programs import assert_native, assert_same_outcome

import allograph as ag

WHOLE = np.array([3, 8, 1, 5, 2, 7])
SINGLE = WHOLE.astype(np.float32)


def test_arrays_of_integers_become_floats():
    def halved(x, rounds):
        for _ in range(rounds):
            x = x * 0.5 + 1
        return x

    assert_native(halved, (WHOLE, 9), (WHOLE, 7), (SINGLE, 9))


def test_a_loop_without_iterations_gives_what_was_before():
    def halved(x, limit):
        count = 0
        while np.abs(x).max() > limit:
            x = x / 2.0
            count += 1
        return x, count

    assert_native(halved, (WHOLE, 0.1))
    assert_same_outcome(halved, ag.jit(halved), (WHOLE, 100.0))
    assert_same_outcome(halved, ag.jit(halved), (WHOLE, 5.0))


def test_numbers_take_the_type_of_a_wider_factor():
    def weighted(x, factor):
        total = x[0]
        for i in range(1, len(x)):
            total = total * factor + x[i]
        return total

    assert_native(weighted, (SINGLE, np.float64(0.5)), (SINGLE[:1], np.float64(0.5)))


def test_none_before_the_first_iteration():
    def steps(rows):
        previous, total, least = None, 0.0, None
        for i in range(len(rows)):
            if previous is not None:
                total += np.abs(rows[i] - previous).sum()
            if least is None or rows[i, 0] < least:
                least = rows[i, 0]
            previous = rows[i] * 2
        return total, least, previous

    assert_native(steps, (np.random.default_rng(0).random((7, 3)),))


def test_an_exit_in_the_first_iteration():
    def until(x, limit):
        for i in range(len(x)):
            x = x + 0.5 * i
            if x[0] > limit:
                break
            x = x * 2
        return x, i

    assert_native(until, (WHOLE, 30.0), (WHOLE, 1e9))
    assert_same_outcome(until, ag.jit(until), (WHOLE, 0.0))


def test_what_changes_in_place_changes_in_the_first_iteration_too():
    def smoothed(out, x):
        for i in range(len(x)):
            out[i] += x[i] + x.sum()
            x = x / 2
        return x

    assert_native(smoothed, (np.zeros(6), WHOLE))


NARROW = [np.int8, np.int16, np.int32, np.uint8, np.uint32]


@pytest.mark.parametrize("dtype", NARROW)
def test_a_number_of_pythons_is_at_times_an_element_of_a_narrow_array(dtype):
    def prefixes(text):
        k, lengths = 0, np.zeros(len(text), text.dtype)
        for i in range(1, len(text)):
            while k > 0 and text[k] != text[i]:
                k = lengths[k - 1]
            if text[k] == text[i]:
                k += 1
            lengths[i] = k
        return k, lengths

    def largest(text):
        best = 0
        for one in text:
            if one > best:
                best = one
        return best, best + 1, best * 2, best // 3, -best, best << 1, best / 2, best == 2

    word = np.array([1, 2, 1, 1, 2, 1, 2, 1, 1, 2, 1, 1], dtype)
    assert_native(prefixes, (word,), (word[:1],), (word[2:],))
    compiled = ag.jit(largest)
    for given in (word, np.zeros(3, dtype), np.array([3, np.iinfo(dtype).max], dtype)):
        assert_same_outcome(largest, compiled, (given,))
    assert is_native(compiled)


def test_calls_that_all_leave_native_code_are_left_to_numpy_with_a_reason():
    parents = np.arange(10)

    @ag.jit
    def root(a):
        place = a[0]
        while parents[place] != place:
            place = parents[place]
        return int(place)

    for _ in range(4):
        assert root(np.arange(3, dtype=np.int32)) == 0
    assert "a number changes its type in a loop that had no iteration" in root.inspect()
