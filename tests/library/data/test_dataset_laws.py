"""Laws that datasets keep for all elements and sizes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import allograph as ag

Dataset = ag.data.Dataset
NUMBERS = st.lists(st.integers(-1000, 1000), max_size=12)
SIZES = st.integers(1, 6)


def of(numbers):
    return Dataset.from_tensor_slices(np.array(numbers, np.int64))


def values(dataset):
    return [x.tolist() for x in dataset.as_numpy_iterator()]


@given(NUMBERS, SIZES)
def test_unbatch_undoes_batch(numbers, size):
    assert values(of(numbers).batch(size).unbatch()) == numbers


@given(NUMBERS, SIZES)
def test_batches_are_lists_of_pythons_slices(numbers, size):
    slices = [numbers[k : k + size] for k in range(0, len(numbers), size)]
    assert values(of(numbers).batch(size)) == slices
    stacked = of(numbers).map(lambda x: x).batch(size)
    assert values(stacked) == slices
    assert values(stacked.rebatch(2)) == [numbers[k : k + 2] for k in range(0, len(numbers), 2)]


@given(NUMBERS, SIZES)
def test_dropping_the_remainder_leaves_the_whole_batches(numbers, size):
    whole = [numbers[k : k + size] for k in range(0, len(numbers) - size + 1, size)]
    assert values(of(numbers).batch(size, drop_remainder=True)) == whole


@given(NUMBERS, st.integers(0, 15))
def test_take_and_skip_are_the_whole(numbers, count):
    ds = of(numbers)
    assert values(ds.take(count).concatenate(ds.skip(count))) == numbers


@given(NUMBERS, NUMBERS)
def test_zip_is_pythons(one, other):
    pairs = [(int(a), int(b)) for a, b in Dataset.zip(of(one), of(other))]
    assert pairs == list(zip(one, other))


@given(NUMBERS, SIZES, st.integers(0, 2**31 - 1))
def test_shuffle_is_a_permutation(numbers, size, seed):
    ds = of(numbers).shuffle(size, seed)
    assert sorted(values(ds)) == sorted(numbers)
    assert values(of(numbers).shuffle(1, seed)) == numbers


@given(NUMBERS, SIZES)
def test_shards_together_are_the_whole(numbers, count):
    parts = [values(of(numbers).shard(count, index)) for index in range(count)]
    assert sorted(sum(parts, [])) == sorted(numbers)


@given(NUMBERS, st.integers(0, 3))
def test_repeat_is_multiplication(numbers, count):
    assert values(of(numbers).repeat(count)) == numbers * count


@given(NUMBERS, SIZES, SIZES, SIZES, st.booleans())
def test_windows_are_slices_of_the_elements(numbers, size, shift, stride, drop):
    windows = of(numbers).window(size, shift, stride, drop)
    found = [values(window) for window in windows]
    expected = []
    for start in range(0, len(numbers), shift):
        part = numbers[start : start + (size - 1) * stride + 1 : stride]
        whole = start + (size - 1) * stride < len(numbers)
        if whole or not drop:
            expected.append(part)
    assert found == expected
    assert len(windows) == len(expected)


@given(NUMBERS)
def test_stages_that_hold_elements_do_not_change_them(numbers):
    ds = of(numbers)
    cached = ds.cache()
    assert values(ds.prefetch(2)) == values(cached) == values(cached) == numbers


@given(NUMBERS, SIZES, SIZES)
def test_interleave_gives_every_element_of_every_dataset(numbers, cycle, block):
    ds = of(numbers).interleave(lambda x: Dataset.from_tensors(x).repeat(x % 4), cycle, block)
    assert sorted(values(ds)) == sorted(x for x in numbers for _ in range(x % 4))


@given(NUMBERS)
def test_map_filter_and_reduce_are_pythons(numbers):
    ds = of(numbers).map(lambda x: 3 * x + 1).filter(lambda x: x % 2 == 0)
    expected = [y for x in numbers if (y := 3 * x + 1) % 2 == 0]
    assert values(ds) == expected
    assert int(ds.reduce(np.int64(0), lambda s, x: s + x)) == sum(expected)


@ag.function
def digits(ds):
    s = ag.constant(0, ag.int64)
    for x in ds:
        if x < 0:
            continue
        s = (7 * s + x) % 10007
    return s


@given(NUMBERS)
def test_a_staged_loop_is_pythons_loop(numbers):
    expected = 0
    for x in numbers:
        if x >= 0:
            expected = (7 * expected + x) % 10007
    assert int(digits(of(numbers))) == expected


@given(NUMBERS, st.data())
def test_an_iterator_gives_each_element_once(numbers, data):
    iterator, taken = iter(of(numbers)), []
    rest = ag.function(lambda it: it.get_next())
    while len(taken) < len(numbers):
        take = data.draw(st.sampled_from([next, rest, lambda it: it.get_next()]))
        taken.append(int(take(iterator)))
    assert taken == numbers
    with pytest.raises(ag.errors.OutOfRangeError):
        rest(iterator)
