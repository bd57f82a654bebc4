"""A range of a tensor is true if it has items, whatever they are."""

import pytest
from language_kit import assert_staged_alike

import allograph as ag


def branches(n):
    return 1 if range(n) else 2, not range(n), bool(range(n, 3)), bool(range(2, n, -1))


def loops(n):
    count = 0
    rest = range(n)
    while range(n - count):
        count += 1
        if not rest:
            break
    return count


@pytest.mark.parametrize("function", [branches, loops])
def test_a_range_is_true_if_it_has_items(function):
    assert_staged_alike(function, (0,), (1,), (2,), (3,))


def test_the_numbers_of_a_tensor_decide_as_in_eager_code():
    def f(n):
        return 1 if ag.range(n) else 2

    for n in (1, 2):
        expected = f"{f(ag.constant(n))}" if n == 1 else "error"
        try:
            found = str(int(ag.function(f)(ag.constant(n))))
        except ag.errors.InvalidArgumentError:
            found = "error"
        assert found == expected


def test_ranges_are_compared_as_lists():
    def f(n, make):
        return make(range(n)) == make(range(3))

    for n in (2, 3):
        found = ag.function(lambda n: f(n, list), experimental_autograph_options=LISTS)
        assert bool(found(ag.constant(n))) == f(n, list)
    with pytest.raises(TypeError, match=r"list\(range"):
        ag.function(lambda n: range(n) == range(3))(ag.constant(3))


LISTS = ag.autograph.experimental.Feature.LISTS


@pytest.mark.parametrize("make", [enumerate, reversed, lambda one: zip(one, one, strict=True)])
def test_iterators_are_true_whatever_they_give(make):
    @ag.function
    def f(n):
        items = make(range(n))
        if items and not (not items):
            return 1
        return 2

    assert [int(f(ag.constant(n))) for n in (0, 3)] == [1, 1]


def test_a_range_that_a_tensor_chose_or_a_loop_kept_is_true_if_it_has_items():
    def f(n):
        rows, zero = [n, 2], n - n
        both = rows and range(zero + 1)
        one = range(zero + 1) if n == 0 else range(zero)
        kept = range(zero + 1)
        for i in ag.range(2):
            if i > n:
                kept = range(zero)
        matched = 0
        match n % 4:
            case 0 if one:
                matched = 1
            case k if rows and range(zero + 1) and k > 0:
                matched = 2
        return [1 if x else 0 for x in (both, one, kept)], len(one), matched

    for n in (0, 1, 4):
        found = ag.function(f)(ag.constant(n))
        assert [int(x) for x in ag.nest.flatten(found)] == ag.nest.flatten(f(n)), n
