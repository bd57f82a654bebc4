"""A list that grows in a staged loop keeps its items in tensors: what is put in and what is read
are copies, and it is refused that one changes where Python has one object.
"""

import dataclasses

import pytest
from language_kit import assert_staged_alike, staged

from allograph.runtime.core.errors import SymbolicValueError


@dataclasses.dataclass
class Record:
    value: object


def a_list_put_in_before_it_changes(x):
    rows, current = [], [x]
    for i in range(x):
        current[0] = i
        rows.append(current)
    return rows[0][0]


def a_dictionary_put_in_before_it_changes(x):
    rows, current, n = [], {"value": x}, x - x
    for i in range(x):
        current["value"] = i
        rows.append(current)
    for row in rows:
        n += row["value"]
    return n


def a_list_put_in_that_changes_after_the_loop(x):
    rows, current = [], [x]
    for _ in range(x):
        rows.append(current)
    current[0] = 9
    return rows[0][0]


def an_item_that_was_read(x):
    rows = [[x, 0]]
    for i in range(x):
        rows.append([i, x])
    first = rows[0]
    first[0] = 77
    return rows[0][0]


def the_top_of_a_stack(x):
    rows = [[x, 1]]
    for _ in range(x):
        top = rows[-1]
        top[0] += 1
        rows.append(top)
    return rows[0][0]


def an_item_at_a_staged_index(x):
    rows = [[x, 1], [x, 2]]
    for i in range(x):
        row = rows[i % 2]
        row[0] += 1
    return rows[0][0]


def an_update_at_two_staged_indices(x):
    grid = [[0, 0], [0, 0]]
    for i in range(x):
        grid[i % 2][0] += 1
    return grid[0][0]


def the_items_of_a_loop(x):
    rows = [{"value": x}]
    for i in range(x):
        rows.append({"value": i})
    for row in rows:
        row["value"] = 5
    return rows[0]["value"]


@pytest.mark.parametrize(
    "program",
    [
        a_list_put_in_before_it_changes, a_dictionary_put_in_before_it_changes,
        a_list_put_in_that_changes_after_the_loop, an_item_that_was_read, the_top_of_a_stack,
        an_item_at_a_staged_index, an_update_at_two_staged_indices, the_items_of_a_loop,
    ],
)  # fmt: skip
def test_a_copy_that_changes_is_refused(program):
    with pytest.raises(SymbolicValueError, match="(is changed|would stay what it was)"):
        staged(program, 3)


def a_record_that_one_iteration_gave_a_second_name(x):
    one, two = Record(x), Record(x + 1)
    for i in range(x):
        one.value = one.value + i
        if i == 0:
            two = one
    return two.value


def a_dictionary_that_one_iteration_gave_a_second_name(x):
    one, two = {"value": x}, {"value": x + 1}
    for i in range(x):
        one["value"] += i
        if i == 0:
            two = one
    return two["value"]


@pytest.mark.parametrize(
    "program",
    [
        a_record_that_one_iteration_gave_a_second_name,
        a_dictionary_that_one_iteration_gave_a_second_name,
    ],
)
def test_a_part_that_changes_under_a_second_name_is_refused(program):
    with pytest.raises(SymbolicValueError, match="would stay what it was"):
        staged(program, 3)


def a_new_list_of_each_iteration(x):
    rows, n = [], x - x
    for i in range(x):
        current = [i, x]
        current[1] = i + 2
        rows.append(current)
    for row in rows:
        n += row[0] * row[1]
    return n


def an_item_of_an_item(x):
    rows = [[x, 0]]
    for i in range(x):
        rows.append([i, x])
    rows[0][0] = 77
    return rows[0][0] + rows[-1][0]


def a_popped_item(x):
    rows = [[x, 1]]
    for i in range(x):
        rows.append([i, x])
    last = rows.pop()
    last[0] = 50
    return last[0] + len(rows)


def an_item_that_is_put_back(x):
    rows = [[x, 1]]
    for i in range(x):
        rows.append([i, x])
    rows[0] = [rows[0][0] + 5, 2]
    return rows[0][0] + rows[0][1]


def a_record_of_each_iteration(x):
    one, two = Record(x), Record(x + 1)
    for i in range(x):
        one.value = one.value + i
        two = one
    return two.value


@pytest.mark.parametrize(
    "program",
    [
        a_new_list_of_each_iteration, an_item_of_an_item, a_popped_item, an_item_that_is_put_back,
        a_record_of_each_iteration,
    ],
)  # fmt: skip
def test_what_is_one_object_in_both_is_right(program):
    assert_staged_alike(program, (1,), (2,), (5,))
