"""A container that two names share in Python is either one in the graph too, or not changed."""

import contextlib
import dataclasses

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


# ---- what a loop carries, and what changes back --------------------------------------


@dataclasses.dataclass(frozen=True)
class Frozen:
    first: list
    second: object


def grown(rows, x):
    if x % 3 > 0:
        rows.append(x)
    return rows


def a_list_that_grows_under_a_second_name(x):
    rows, other = [x, 7], [x, 5]
    for i in range(x):
        other.append(i)
        rows = other
    other[0] = 9
    return rows[0]


def a_list_that_grows_after_one_iteration_named_it(x):
    rows, other = [x, 7], [x, 5]
    for i in range(x):
        other.append(i)
        if i == 0:
            rows = other
    return len(rows)


def a_list_that_changes_after_one_iteration_named_it(x):
    rows, other = [x, 7], [x, 5]
    for i in range(x):
        other[0] = i
        if i == 0:
            rows = other
    return rows[0]


def a_second_name_that_is_read_before_it_is_bound(x):
    rows, other, n = [x, 7], [x, 5], x - x
    for i in range(x):
        other.append(i)
        n += len(rows)
        rows = other
    return n


def a_growing_list_in_a_dictionary(x):
    info, other = {"rows": [x, 7]}, [x, 5]
    for i in range(x):
        other += [i]
        info["rows"] = other
    info["rows"].append(3)
    return len(other)


def a_list_of_a_copy_that_the_loop_carries(x):
    rows, other, third = [x, 7], [x, 5], [x, 9]
    inner = other
    for i in range(x):
        rows, other = other, third
    rows[0] = inner[1]
    return other[0]


def two_places_of_a_tuple(x):
    other, info = [x, 5], {"rows": [x, 7]}
    pair = ([x, 1], other)
    for i in range(x):
        pair = (other, info["rows"])
        if i > 1:
            pair = (info["rows"], pair[1])
    info["rows"] = grown(info["rows"], x)
    return pair[1][-1]


def an_append_that_is_taken_back(x):
    rows = [x, 2]
    other = rows
    if x > 2:
        other = [1, 2]
    rows.append(5)
    n = len(other)
    rows.pop()
    return n


def an_item_that_is_set_back(x):
    rows = [x, 2]
    other = rows
    if x > 2:
        other = [1, 2]
    rows[0] = 5
    n = other[0]
    rows[0] = x
    return n


def a_list_that_is_reversed_twice(x):
    other, rows = [x, 5], [x, 4]
    pair, n = ([x, 1], other), x - x
    for i in range(x):
        pair[1].reverse()
        n += rows[-1]
        pair[1].reverse()
        pair = (other, rows)
    return n


@pytest.mark.parametrize(
    "program",
    [
        a_list_that_is_reversed_twice, a_list_that_grows_under_a_second_name,
        a_list_that_grows_after_one_iteration_named_it,
        a_list_that_changes_after_one_iteration_named_it,
        a_second_name_that_is_read_before_it_is_bound, a_growing_list_in_a_dictionary,
        a_list_of_a_copy_that_the_loop_carries, two_places_of_a_tuple,
        an_append_that_is_taken_back,
        an_item_that_is_set_back,
    ],
)  # fmt: skip
def test_what_a_second_name_would_not_see_is_refused(program):
    with pytest.raises(SymbolicValueError, match="(is changed|would stay what it was)"):
        staged(program, 3)


def a_list_that_a_frozen_record_holds_too(x):
    rows = [x, 2]
    pair = Frozen(rows, 3)
    for i in range(x):
        grown(rows, 4)
    return len(rows) + pair.second


def a_second_name_of_each_iteration(x):
    rows, other = [x, 7], [x, 5]
    for i in range(x):
        other.append(i)
        rows = other
    return rows[-1] + len(rows) + len(other)


def a_second_name_that_the_test_reads(x):
    rows, other, i = [x, 7], [x, 5], x - x
    while rows[0] < 9:
        i += 1
        other[0] = i + x
        rows = other
    return i + rows[0]


def names_that_exchange_growing_lists(x):
    one, two = [x], [x + 1]
    for i in range(x):
        one, two = two, one
        one.append(i)
    return len(one) * 10 + len(two)


def one_list_of_two_names_in_the_next_iteration(x):
    rows, other, inner = [x, 2], [x, 3], [x, 4]
    for i in range(x):
        other[0] = i
        inner = rows
        rows = [i, 3]
        if i > 0:
            other = inner
        else:
            other = [1, 2]
    return other[0], inner[0]


@pytest.mark.parametrize(
    "program",
    [
        a_second_name_of_each_iteration, a_second_name_that_the_test_reads,
        names_that_exchange_growing_lists, one_list_of_two_names_in_the_next_iteration,
        a_list_that_a_frozen_record_holds_too,
    ],
)  # fmt: skip
def test_a_second_name_that_each_iteration_binds_first_is_right(program):
    assert_staged_alike(program, (0,), (1,), (2,), (5,))
