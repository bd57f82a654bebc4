"""What `min`, `max` and `next` give is the list that it is in Python, and no new one."""

import pytest

import allograph as ag
from allograph.runtime.core.errors import InvalidArgumentError


def smallest_item(a, b):
    one, two = [5, 2], [3, b]
    row = min([one, two])
    if a > 1:
        row[1] += 3
    return one[1], two[1], row[1]


def largest_argument(a, b):
    one, two = [5, 2], [3, b]
    row = max(one, two)
    for _ in range(a):
        row[1] += 3
    return one[1], two[1], row[1]


def next_item(a, b):
    one, two = [5, 2], [3, b]
    row = next(iter([one, two]))
    if a > 1:
        row[0] = b
    return one[0], two[0], row[0]


def start_of_a_sum(a, b):
    one = [5, b]
    row = sum([], one)
    if a > 1:
        row[0] = b
    return one[0], row[0]


def items_held_again(a, b):
    rows = [[5, 2], [3, b]]
    others = [max(rows), min(rows)]
    if a > 1:
        others[-1][1] += 3
    return rows[0][1], rows[1][1], others[0][1], others[1][1]


@pytest.mark.parametrize(
    "function", [smallest_item, largest_argument, next_item, start_of_a_sum, items_held_again]
)
@pytest.mark.parametrize("numbers", [(0, 4), (3, 8)])
def test_a_list_that_a_builtin_gives_changes_where_it_is_held(function, numbers):
    compiled = ag.jit(function, kernel_compiler="python")
    assert compiled(*numbers) == compiled(*numbers) == function(*numbers)


def test_a_list_of_an_argument_that_min_gives_may_not_change_in_a_graph():
    @ag.function
    def changed(x, rows):
        min(rows)[0] = 7
        return rows[1][0] + x

    with pytest.raises(InvalidArgumentError, match="should not modify"):
        changed(ag.constant(1), [[5, 2], [3, 8]])
