"""`jit`: names that hold numbers of one type at one time, and of others at other times."""

import numpy as np
import pytest
from numpy_programs import assert_native, assert_same_outcome

import allograph as ag

RANDOM = np.random.default_rng(3)
WHOLE = RANDOM.integers(-50, 50, 9)
NARROW = np.array([2**31 - 1, -(2**31), 5, 0], dtype=np.int32)
FLOATS = np.array([0.25, -0.0, np.nan, 3.5, np.inf, 0.75])


def least(x):
    best = float("inf")
    for v in x:
        if v < best:
            best = v
    return best, best + 1, best * 2.5, best > 3, -best


def largest_of_few_bits(x):
    best = np.int64(0)
    for v in x:
        if v > best:
            best = v
    return best + 1, best * best, -best, best // 7, best % 7, best / 3, best == 5, best**2, best & 3


def counted_by_halves(x):
    count = 0
    for v in x:
        if v > 0.5:
            count += 1
        else:
            count = count + 0.5
    return count, -count, count // 2, count % 3, count - 1, abs(count), count / 2


def product_without_a_sign(n):
    total = 0
    for i in range(n):
        total = total * -1
        if n > 3 and i == 5:
            total = 0.5
    return total, -total


def in_both_precisions(x):
    best = np.float32(0)
    for v in x:
        if v > best:
            best = v
        elif v < -best:
            best = np.float32(v)
    return best, best * np.float32(0.1), best + 1


def first_above(x):
    found = False
    for v in x:
        if v > 5:
            found = v
    return found


def sum_or_half_of_it(x):
    total = 0
    for v in x:
        total += v
    return total if total > 100 else total / 2


def index_or_element_or_nan(x):
    result = np.nan
    for i in range(len(x)):
        if x[i] > 3:
            result = i
        elif x[i] > 0.5:
            result = x[i] * 0.5
    return result, result + 1, -result, result // 2, result < 2, min(result, 1), [result]


def clipped_angle(x):
    least = min(np.sqrt(x[0] * x[1]), 1.0)
    return 2.0 * np.arcsin(least), least * least, -least, least**2, least - x[0], least < 1


def in_ufuncs(x):
    low, high = min(x[0], 1.0), max(x[1], 0.5)
    return np.hypot(low, high), np.maximum(low, high), np.sqrt(low) + high, np.isnan(low)


def in_new_arrays(x):
    count = 0
    for v in x:
        count = count + 0.5 if v > 0.5 else count + 1
    return np.array([count, x[0], 2.0]), np.array([count, 1.5]), np.asarray(count)


def stored_in_an_array(x):
    low, out = min(x[0], 1.0), np.zeros(2, x.dtype)
    out[0], out[1] = low, np.sin(low) * x[1]
    return out, low * x


def truths_that_are_added(x):
    both = first = 0
    for i in range(1, len(x)):
        left, right = x[i] != 0, x[i - 1] > 0.5
        both += left and right
        first += left and (not right)
    return both, first, both * first


SINGLE = np.array([0.25, 0.5, 0.75, 2.0], dtype=np.float32)
CALLS = {
    **dict.fromkeys(
        (clipped_angle, in_ufuncs, in_new_arrays, stored_in_an_array, truths_that_are_added),
        [SINGLE, SINGLE[::-1].copy(), SINGLE.astype(float), SINGLE[::-1].astype(float)],
    ),
    least: [WHOLE, WHOLE[:1], FLOATS],
    largest_of_few_bits: [NARROW, NARROW[1:2], WHOLE.astype(np.int8)],
    counted_by_halves: [FLOATS, FLOATS[3:4], FLOATS[:2]],
    product_without_a_sign: [0, 1, 2, 7],
    in_both_precisions: [FLOATS, FLOATS[1:3], -FLOATS[3:]],
    first_above: [WHOLE, WHOLE[:1], -abs(WHOLE)],
    sum_or_half_of_it: [abs(WHOLE), -abs(WHOLE)],
    index_or_element_or_nan: [FLOATS, FLOATS[:3], FLOATS[2:4], -abs(FLOATS)],
}


@pytest.mark.parametrize("function", CALLS)
def test_a_number_of_one_of_several_types_is_native(function):
    assert_native(function, *((x,) for x in CALLS[function]))


@pytest.mark.parametrize("function", CALLS)
def test_values_that_only_one_of_the_types_has_are_exact(function):
    large = np.array([2**60, 5, -3, 2**53 + 1, 2**53, -(2**62)])
    values = (large, large[3:4], large[:0]) if function is not product_without_a_sign else (100,)
    compiled = ag.jit(function)
    for x in values:
        assert_same_outcome(function, compiled, (x,))


@pytest.mark.parametrize(
    "made",
    [
        lambda r, k: np.full(2, r),
        lambda r, k: np.where(k > 0, r, 1),
        lambda r, k: np.where(k > 0, k, r),
        lambda r, k: np.clip(k, 0, r),
        lambda r, k: k.clip(r),
        lambda r, k: np.select([k > 0], [r], 1),
        lambda r, k: np.r_[k, r],
        lambda r, k: np.result_type(r, k),
        lambda r, k: np.full_like(k, r),
    ],
)
@pytest.mark.parametrize(
    ("first", "other"), [(1, 2.5), (True, 2), (np.int32(3), 4), (2.5, np.float64(3))]
)
def test_a_data_type_follows_the_type_that_a_number_has(made, first, other):
    def program(x, k):
        r = first
        for value in x:
            if value > 0.5:
                r = other
        return made(r, k)

    compiled = ag.jit(program, kernel_compiler="python")
    for numbers in ([0.1, 0.2], [0.6, 0.2], [0.1, 0.9]):
        args = np.array(numbers), np.array([1, 0, 2], np.int16)
        assert_same_outcome(program, compiled, args)


def test_where_chooses_a_number_of_two_types_natively_among_floats():
    def program(x):
        best = -1
        for value in x:
            if value > 0.5:
                best = value
        return np.where(x > 0.3, x, best)

    assert_native(program, (np.array([0.1, 0.7, 0.4]),), (np.array([0.1, np.nan, -0.0]),))
