"""`min` and `max` of tensors with `key` and `default`; lists of lists in comprehensions."""

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest
from language_kit import assert_staged_alike, plain, staged

import allograph as ag


def test_the_first_of_the_largest_by_key():
    def f(x):
        return max(x, key=lambda v: v % 10), min(x, key=lambda v: v % 10)

    assert staged(f, [19, 20, 29, 30]) == (19, 20)


def test_a_key_of_rows():
    def f(x):
        return max(x, key=lambda row: row[1])

    assert staged(f, [[1, 5], [2, 7], [3, 6]]) == [2, 7]


def test_a_key_of_several_arguments():
    def f(a, b):
        return max(a, b, key=abs), min(a, b, key=abs)

    assert staged(f, -5, 3) == (-5, 3)


def test_the_default_of_nothing():
    def f(n):
        return max([i * i for i in range(n)], default=-1)

    assert (staged(f, 4), staged(f, 0)) == (9, -1)


def test_a_default_is_for_one_argument():
    with pytest.raises(TypeError, match="default"):
        ag.function(lambda a: max(a, a, default=0))(ag.constant(1))


def test_lists_in_a_comprehension_are_rows():
    def f(n):
        return [[i + j for j in range(3)] for i in range(n)], [(i, i * i) for i in range(n)]

    assert staged(f, 2) == ([[0, 1, 2], [1, 2, 3]], [[0, 0], [1, 1]])


def tuples_of_numbers(a, b):
    return min((a, 1), (b, 3)), max((a, 1), (3, a), (3, b)), min([a, (b, 2)], [a, (1, b)])


def keys_that_are_tuples(a, b):
    by_both = lambda v: (v % 3, -v)
    return min(a, b, 4, key=by_both), max(a, b, 4, key=by_both), sorted([a, b, 4, 7], key=by_both)


def tuples_with_keys(a, b):
    rows = [(a, 5), (b, 6), (2, 7)]
    least, other = min(rows, key=lambda row: row[0])
    return least, other, sorted(rows, key=lambda row: -row[0]), sorted(rows), max(rows)


def items_of_a_dictionary(a, b):
    table = {"k": a, "m": b, "n": 2}
    name, value = max(table.items(), key=lambda item: item[1])
    return (
        value,
        min(table.values()),
        [value for _, value in sorted(table.items(), key=lambda i: i[1])],
    )


def equal_parts_that_have_no_order(a, b):
    return max((None, a), (None, b))[1], min(("x", a), ("x", b))[1], max(("x", a), ("y", b))[1]


@pytest.mark.parametrize(
    "function",
    [
        tuples_of_numbers,
        keys_that_are_tuples,
        tuples_with_keys,
        items_of_a_dictionary,
        equal_parts_that_have_no_order,
    ],
)
def test_tuples_are_compared_item_by_item(function):
    assert_staged_alike(function, (3, 1), (1, 3), (2, 2), (7, 1))


def rows_of_tuples(x):
    by_both = lambda v: (v % 3, -v)
    pairs = [(v % 3, v) for v in x]
    return (
        min(x, key=by_both), max(x, key=by_both), sorted(x, key=by_both, reverse=True),
        sorted(x, key=lambda v: [v % 2, [v % 3, v]]), min(zip(x % 3, x)), max(pairs), sorted(pairs),
        min(enumerate(x), key=lambda pair: pair[1]), max((v % 3, -v) for v in x),
    )  # fmt: skip


@pytest.mark.parametrize("size", [6, None])
def test_rows_of_tuples_are_compared_item_by_item(size):
    signature = [ag.TensorSpec([size], ag.int32)]
    numbers = [4, 2, 7, 5, 1, 8]
    found = ag.function(rows_of_tuples, input_signature=signature)(numbers)
    expected = rows_of_tuples(np.array(numbers))
    for one, other in zip(found, expected, strict=True):
        one, other = (np.concatenate([*map(np.ravel, ag.nest.flatten(x))]) for x in (one, other))
        np.testing.assert_array_equal(one, other)


def test_rows_of_several_types_stay_tuples():
    @ag.function(input_signature=[ag.TensorSpec([None], ag.float32)])
    def f(x):
        ordered = sorted(zip(ag.cast(x, ag.int32) % 3, x))
        return min((v, i) for i, v in enumerate(x)), ordered[0], ordered[-1]

    assert plain(f([4.0, 2.5, 7.0])) == ((2.5, 1), (1, 4.0), (2, 2.5))


@pytest.mark.parametrize("function", [min, max, sorted])
def test_rows_that_are_no_numbers_are_compared_by_a_key(function):
    x = ag.constant([[1, 5], [2, 7], [3, 6]])
    with pytest.raises(ag.errors.InvalidArgumentError, match="key=lambda row: row"):
        ag.function(lambda x: function(x))(x)
    with pytest.raises(ValueError, match="ambiguous"):
        function(x)
    assert ag.function(lambda x: function(x, key=lambda row: row[0]))(x).shape.rank in (1, 2)


class Row(NamedTuple):
    value: object
    index: int


@dataclasses.dataclass
class Score:
    value: object
    name: int


def test_structures_are_chosen_leaf_by_leaf():
    def f(a, b):
        pairs = [(a, 1), (b, 2)]
        row = max([Row(a, 1), Row(b, 2)], key=lambda one: one.value)
        score = min([Score(a, 1), Score(b, 2)], key=lambda one: one.value)
        return (
            max(pairs, key=lambda pair: pair[0]),
            min(enumerate([a, b, a + b]), key=lambda pair: pair[1])[0],
            max({"v": a, "k": 1}, {"v": b, "k": 2}, key=lambda d: d["v"])["k"],
            row.index,
            score.name,
        )

    made = ag.function(f)(ag.constant(1.5), ag.constant(2.5))
    assert plain(made) == ((2.5, 2), 0, 2, 2, 1)
    assert made[0][1].dtype is ag.int32  # and no float


def test_tuples_compare_item_by_item():
    def f(a, b):
        rows = [(a, 3), (b, 1), (a, 2)]
        return max(rows), min(rows), sorted(rows), sorted(rows, key=lambda r: (-r[0], r[1]))

    assert_staged_alike(f, (1, 1), (1, 2), (2, 1))


def test_pairs_of_staged_iterables():
    def f(x):
        order = [i for i, _ in sorted(enumerate(x), key=lambda pair: -pair[1])]
        smallest, first = min((v, i) for i, v in enumerate(x))
        return max(enumerate(x), key=lambda pair: (pair[1] % 10, -pair[0]))[0], order, first

    assert staged(f, [19, 5, 29, 7]) == (0, [2, 0, 3, 1], 1)


def test_views_of_dictionaries_with_a_key():
    def f(a, b):
        scores = {1: a, 2: b}
        best = max(scores, key=scores.get)
        return best, sorted(scores.items(), key=lambda item: item[1])[0][0], max(scores.values())

    assert_staged_alike(f, (1, 2), (2, 1))


def test_a_list_is_sorted_in_place():
    def f(a, b):
        rows, pairs = [a, b, a - b], [(a, 1), (b, 2)]
        rows.sort()
        pairs.sort(key=lambda pair: -pair[0])
        if a > b:
            rows.sort(reverse=True)
        return rows, [index for _, index in pairs]

    assert_staged_alike(f, (1, 2), (3, 1))


def test_items_are_found_and_counted_in_a_list():
    def f(a, b):
        rows = [a, b, a]
        return rows.index(max(rows)), rows.count(a), (1, 2, 3).index(b), [1, 1].count(b)

    assert_staged_alike(f, (5, 1), (2, 3))
    with pytest.raises(ValueError, match="not in the list"):
        ag.function(lambda a: [1, 2].index(a))(ag.constant(7))


def test_a_filter_of_a_list():
    def f(a, b):
        total = 0
        for row in filter(lambda one: one > 1, [a, b]):
            total += row
        return total, sum(filter(lambda one: one > a, (1, 2, b))), list(filter(None, [0, 1]))

    assert_staged_alike(f, (1, 2), (3, 1))


def test_objects_are_not_chosen():
    class Thing:
        def __init__(self, value):
            self.value = value

    @ag.function
    def f(a, b):
        return max([Thing(a), Thing(b)], key=lambda one: one.value).value

    with pytest.raises(ag.errors.UnimplementedError, match="an object of Thing is no tensor"):
        f(ag.constant(1), ag.constant(2))


def test_plain_parts_in_front_decide_before_tensors_are_compared():
    def f(x):
        table = {"b": x, "a": x[:2], "c": x[0]}
        ordered = [value for _, value in sorted(table.items())]
        return ordered, max(table.items())[1], min((1, x), (2, x[0]))[0]

    made = ag.function(f)(ag.constant([1, 2, 3]))
    assert plain(made) == ([[1, 2], [1, 2, 3], 1], 1, 1)
