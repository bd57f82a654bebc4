"""`jit`: sets and dictionaries of integers, or of tuples of integers, that loops change."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from native_calls import is_native
from numpy_programs import assert_same_outcome
from test_jit import check, outcome

import allograph as ag

pytestmark = pytest.mark.slow
random = np.random.default_rng(0)
VALUES = random.integers(-5, 20, 300)
PAIRS = random.integers(0, 9, (200, 2))
GRID = random.random((15, 15)) < 0.3


def counts(values):
    found = {}
    for value in values:
        found[value] = found.get(value, 0) + 1
    return list(found.items())


def counts_by_branches(values):
    found = {}
    for value in values:
        value = int(value)
        if value in found:
            found[value] += 1
        else:
            found[value] = 1
    best, most = -1, 0
    for key, count in found.items():
        if count > most:
            best, most = key, count
    return best, most, sum(found.values()), max(found.values()), list(found), len(found)


def counts_by_default(pairs):
    found = defaultdict(int)
    for one, other in pairs:
        found[(one // 3, other // 3)] += 1
    total = 0
    for key, count in found.items():
        total = total * 3 % 1000003 + key[0] * count + key[1]
    return total, len(found)


def first_places(values):
    found = {}
    for i in range(len(values)):
        found.setdefault(values[i], i)
    return list(found.values())


def pair_with_sum(values, wanted):
    seen = {}
    for i in range(len(values)):
        if wanted - values[i] in seen:
            return seen[wanted - values[i]], i
        seen[values[i]] = i
    return -1, -1


def lengths(count):
    cache = {1: 1}
    for i in range(1, count):
        k, steps = i, 0
        while k not in cache:
            k = k // 2 if k % 2 == 0 else 3 * k + 1
            steps += 1
        cache[i] = steps + cache[k]
    return len(cache), cache[count - 1]


def begun_before_the_loop(count):
    memo = {}
    memo[0], memo[1] = 0, 1
    for i in range(2, count):
        memo[i] = memo[i - 1] + memo[i - 2]
    return memo[count - 1]


def in_order(values):
    seen, out = set(), []
    for value in values:
        if value not in seen:
            seen.add(value)
            out.append(value)
    return np.array(out)


def reached(walls):
    height, width = walls.shape
    seen, stack = set(), [(0, 0)]
    seen.add((0, 0))
    while stack:
        y, x = stack.pop()
        for dy, dx in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            ny, nx = y + dy, x + dx
            if 0 <= ny < height and 0 <= nx < width:
                if not walls[ny, nx] and (ny, nx) not in seen:
                    seen.add((ny, nx))
                    stack.append((ny, nx))
    return len(seen)


def common_of_rows(values):
    table = values.reshape(-1, 5)
    missing = common = 0
    for i in range(1, len(table)):
        both = set(table[i]).intersection(set(table[i - 1]))
        for value in table[i]:
            if value not in both:
                missing += 1
        common += len(both) * len(set(table[i]).difference(table[0]))
    return missing, common


def gaps(values):
    last, total = {}, 0
    for i in range(len(values)):
        before = last.get(values[i])
        if before is not None:
            total += i - before
        last[values[i]] = i
    return total, len(last)


def pairs_or_none(values):
    last, total = {}, 0.0
    for i in range(len(values)):
        before = last.get(values[i])
        total += -1.0 if before is None else before[0] * before[1]
        last[values[i]] = i, values[i] / 2
    return total


def missing_or_zero(values):
    counts, missing = {}, 0
    for value in values:
        if not counts.get(value):
            missing += 1
        counts[value] = counts.get(value, -1) + 1
    return missing


def used_though_missing(values):
    counts, total = {}, 0
    for value in values:
        total += counts.get(value)
        counts[value] = 1
    return total


def by_operators(values):
    first, last = set(values[:20]), set(values[-20:])
    for value in values:
        last.add(value)
    return len(first | last), len(first & last), len(last - first), len(first.union(values))


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (common_of_rows, (VALUES,)),
        (by_operators, (VALUES,)),
        (gaps, (VALUES,)),
        (pairs_or_none, (VALUES,)),
        (missing_or_zero, (VALUES,)),
        (counts, (VALUES,)),
        (counts_by_branches, (VALUES,)),
        (counts_by_default, (PAIRS,)),
        (first_places, (VALUES,)),
        (pair_with_sum, (VALUES, 17)),
        (pair_with_sum, (VALUES, 1000)),
        (lengths, (300,)),
        (begun_before_the_loop, (30,)),
        (in_order, (random.integers(0, 1000, 500),)),
        (reached, (GRID,)),
    ],
)
def test_sets_and_dictionaries_of_integers_are_native(function, args):
    check(function, *args)


def returned(values):
    found, counter = {}, Counter()
    for value in values:
        found[value] = value * 0.5
        counter[int(value)] += 1
    return found, counter


def test_dictionaries_are_returned():
    compiled, expected = ag.jit(returned), returned(VALUES)
    for _ in range(2):
        for made, given in zip(compiled(VALUES), expected, strict=True):
            assert type(made) is type(given)
            pairs = zip(made.items(), given.items(), strict=True)
            assert all(one == other and list(map(type, one)) == list(map(type, other))
                       for one, other in pairs)  # fmt: skip
    assert is_native(compiled)


def of_a_missing_key(values):
    found = {}
    for value in values:
        found[value] = 1
    return found[1000]


def that_grows_in_a_loop_over_it(values):
    found = {}
    for value in values:
        found[value] = 1
    for key in found:
        found[key + 1000] = 1
    return len(found)


def in_the_order_of_hashes(values):
    seen, total = set(), 0
    for value in values:
        seen.add(int(value))
    for value in seen:
        total = total * 3 + value
    return total


def of_two_names(values):
    found = {}
    other = found
    for value in values:
        found[value] = 1
    return len(other)


def of_floats(values):
    seen = set()
    for value in values:
        seen.add(value * 0.5)
    return len(seen)


@pytest.mark.parametrize(
    "function",
    [
        of_a_missing_key, that_grows_in_a_loop_over_it, in_the_order_of_hashes, of_two_names,
        of_floats,
    ],
)  # fmt: skip
def test_of_others_python_computes(function):
    assert outcome(ag.jit(function), (VALUES,))[0] == outcome(function, (VALUES,))[0]


def that_is_written_out(values):
    seen, pairs = {3, 5}, {(0, 0)}
    for i in range(len(values)):
        seen.add(values[i])
        pairs.add((i % 4, values[i] % 3))
    return len(seen), len(pairs), 5 in seen, 100 in seen


def of_two_names_that_is_written_out(values):
    seen = {3, 5}
    other = seen
    for value in values:
        seen.add(value)
    return len(other), other is seen


def test_a_set_that_is_written_out_is_native():
    check(that_is_written_out, VALUES)
    check(of_two_names_that_is_written_out, VALUES, native=False)


def test_an_item_that_is_missing_is_none_and_no_number():
    compiled = ag.jit(used_though_missing)
    for values in (VALUES, VALUES[:1], VALUES[:0]):
        assert_same_outcome(used_though_missing, compiled, (values,))
