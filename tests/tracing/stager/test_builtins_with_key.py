"""`min` and `max` of tensors with `key` and `default`; lists of lists in comprehensions."""

import pytest
from language_kit import staged

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
