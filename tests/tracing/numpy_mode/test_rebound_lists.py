"""Lists that a loop binds another name to: a change is seen by both names, as in Python."""

import pytest
from native_calls import is_native

import allograph as ag


def by_a_while(n):
    first, second = [1, 7], [n, 9]
    while n < 1:
        n += 1
        second = first
    second[0] = 10
    return first[0], second[0]


def by_a_for(n):
    first, second = [1, 7], [n, 9]
    for _ in range(n):
        second = first
    first[0] = 10
    return first[0], second[0]


def out_of_a_dictionary(n):
    rows, last = {"first": [1, 7]}, [n, 9]
    while n < 1:
        n += 1
        last = rows["first"]
    last.append(10)
    return len(rows["first"]), last[0]


@pytest.mark.parametrize("function", [by_a_while, by_a_for, out_of_a_dictionary])
@pytest.mark.parametrize("n", [0, 3])
def test_a_list_that_a_loop_gives_another_name_changes_for_both(function, n):
    compiled = ag.jit(function)
    for _ in range(2):
        assert compiled(n) == function(n)


def test_a_list_that_a_loop_gives_another_name_and_nobody_changes_is_native():
    @ag.jit
    def last(n):
        first, second = [1, 7], [n, 9]
        while n < 3:
            n += 1
            second = first
        return first[0] + second[1]

    assert [last(n) for n in (0, 3)] == [8, 10]
    assert is_native(last)


def longer(n):
    rows = [[n, 2], [n, 3]]
    before = rows
    for i in range(n):
        rows = rows + [[i, 1]]
    before[-1][0] = 12
    return before[1][0], rows[1][0], len(before), len(rows)


def longer_by_one(n):
    items = [n, 2]
    items.append(3)
    before = items
    for i in range(n):
        items = items + [i]
    before[0] = 12
    return before[0], items[0], len(before), len(items)


@pytest.mark.parametrize("function", [longer, longer_by_one])
@pytest.mark.parametrize("n", [0, 3])
def test_a_list_keeps_its_items_where_a_loop_gives_its_other_name_a_longer_one(function, n):
    compiled = ag.jit(function)
    for _ in range(2):
        assert compiled(n) == function(n)
