"""A container that two names share in Python is either one in the graph too, or not changed."""

import contextlib

import pytest
from language_kit import assert_staged_alike, staged

from allograph.runtime.core.errors import SymbolicValueError


class Box:
    def __init__(self, rows):
        self.rows = rows


@contextlib.contextmanager
def counting(rows):
    yield
    rows[0] = rows[0] + 1


def in_a_new_dictionary(x, rows):
    if x > 0:
        found = {"rows": rows}
    else:
        found = {"rows": [x]}
    rows[0] = 7
    return found


def on_both_sides(x, rows):
    if x > 0:
        found = (1, rows)
    else:
        found = (2, rows)
    rows[0] = 7
    return found


def as_an_item(x, rows):
    table = {"rows": [x]}
    if x > 0:
        table["rows"] = rows
    rows[0] = 7
    return table


def returned_before_a_manager_ends(x, rows):
    with counting(rows):
        if x > 0:
            return {"rows": rows}
    return {"rows": rows}


def returned_as_attributes(x, rows):
    box = Box(rows)
    try:
        if x > 0:
            return box.__dict__
    finally:
        box.rows[0] = 7
    return box.__dict__


def made_in_the_block(x, rows):
    if x > 0:
        rows = [x]
        found = rows
    else:
        rows = [1]
        found = rows
    rows[0] = 7
    return found


def by_names_that_part_in_one_branch(x, rows):
    found = rows
    if x > 0:
        found, rows = [x], [1, x]
    rows[0] = 7
    return found


def by_a_tuple_and_a_name_that_part_in_one_branch(x, rows):
    found = (1, rows)
    if x > 0:
        found = (2, [x])
        rows = [x]
    for _ in range(2):
        rows[0] = rows[0] + 1
    return found


def by_exchanged_names_of_which_one_is_chosen_before(x, rows):
    found, other, rows = [1, 2], [3, 4], [x, 5]
    for _ in range(x):
        found = other
        if x > 5:
            found = [x, 1]
        other = rows
        if x > 5:
            other, rows = [x, 2], [x, 3]
    found[0] = 7
    return rows


def in_a_conditional_expression(x, rows):
    found = {"rows": rows} if x > 0 else {"rows": [x]}
    rows[0] = 7
    return found


def changed_in_a_later_loop(x, rows):
    found = [0]
    for i in range(x):
        if i > 0:
            found = rows
    for i in range(x):
        rows[0] = i
    return found


SHARING = [value for name, value in list(globals().items()) if name.split("_")[0] in {
    "in", "on", "as", "returned", "made", "changed", "by"
}]  # fmt: skip


@pytest.mark.parametrize("function", SHARING, ids=lambda one: one.__name__)
def test_a_copy_in_a_graph_is_refused_where_python_shares_and_changes(function):
    with pytest.raises(SymbolicValueError, match="one of the two is changed afterwards"):
        staged(lambda x: function(x, [x]), 3)


def test_sharing_without_a_later_change_is_right():
    def f(x):
        rows = [x]
        for i in range(x):
            rows[0] = i
            found = {"rows": rows, "last": i}
        if x > 2:
            found = {"rows": rows, "last": 0}
        return found

    assert_staged_alike(f, (2,), (5,))


def test_one_container_of_a_loop_may_be_changed_in_every_iteration():
    def f(x):
        pair = [x, 0]
        for i in range(x):
            before = pair
            before[1] = i
            pair[0] = before[1] + x
        return pair

    assert_staged_alike(f, (1,), (4,))


def test_names_that_part_may_be_changed_where_the_other_is_not_read_again():
    def f(x):
        rows = found = [x, 1]
        if x > 2:
            rows, found = [x, 2], [x, 3]
            first = found[1]
        else:
            first = found[0]
        rows[0] = 7
        return rows, first

    assert_staged_alike(f, (2,), (5,))


def test_names_that_part_on_different_sides_are_right():
    def f(x):
        rows = found = [x, 1]
        if x > 2:
            rows = [x, 2]
        else:
            found = [x, 3]
        rows[0] = 7
        return rows, found

    assert_staged_alike(f, (2,), (5,))
