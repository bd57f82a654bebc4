"""A container that has several names stays one container, or the program is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from language_kit import plain

import allograph as ag
from allograph.runtime.core.errors import SymbolicValueError

LISTS = ag.autograph.experimental.Feature.LISTS


class Holder:
    def __init__(self, rows):
        self.rows = rows

    def add(self, x):
        if x > 0:
            self.rows.append(x)


def another_variable(x):
    rows = [1.0]
    other = rows
    if x > 0:
        rows.append(x)
    return other[-1]


def an_item(x):
    rows = []
    info = {"rows": rows}
    if x > 0:
        rows.append(x)
    return len(info["rows"])


def an_attribute(x):
    rows = [1.0]
    holder = Holder(rows)
    if x > 0:
        rows.append(x)
    return holder.rows[-1]


def a_variable_beside_an_attribute(x):
    holder = Holder([])
    rows = holder.rows
    holder.add(x)
    return len(rows)


def add(rows, x):
    if x > 0:
        rows.append(x)
    return len(rows)


def a_variable_where_the_function_is_called(x):
    rows = [1.0]
    add(rows, x)
    return rows[-1]


def an_item_of_the_list_of_a_loop(x):
    table = [[1.0], [2.0]]
    for rows in table:
        if x > 0:
            rows.append(x)
    return table[0][-1]


def a_list_that_shrinks(x):
    rows = [1.0, 2.0]
    other = rows
    if x > 0:
        rows.pop()
    return other[-1]


def a_list_that_grows_in_a_loop(x):
    rows = [1.0]
    other = rows
    for _ in ag.range(2):
        rows.append(x)
    return other[-1]


def a_dict_that_one_side_binds_anew(x):
    info = {"a": 1.0}
    other = info
    if x > 0:
        info["a"] = x
    else:
        info = {"a": 7.0}
    return other["a"]


def a_dict_that_a_loop_changes_and_binds_anew(x):
    info = {"a": 1.0}
    other = info
    for _ in ag.range(2):
        info["a"] = x
        info = {"a": 9.0}
    return other["a"]


def an_item_that_one_side_binds_anew(x):
    info = {"a": {"b": 1.0}}
    inner = info["a"]
    if x > 0:
        info["a"] = {"b": x}
    else:
        info["a"]["b"] = 3.0
    return inner["b"]


def put(info, x):
    info["rows"] = [x]


def an_item_that_a_function_binds_anew(x):
    rows = [1.0]
    info = {"rows": rows}
    if x > 0:
        put(info, x)
    return rows[0]


def two_names_of_one_state(x):
    one = [1.0]
    other, total = one, 0.0
    for _ in ag.range(3):
        other[0] = other[0] + 1.0
        total = total + one[0]
        one = [x]
    return total


def a_name_that_stays_on_one_side(x):
    rows = [1.0, 2.0]
    other = rows
    if x > 0:
        rows = [3.0, 4.0]
    other[0] = 9.0
    return rows[0]


def a_list_that_grows_after_the_choice(x):
    rows, other = [1.0], [x]
    if x > 0:
        rows = other
    for _ in ag.range(1):
        other += [x]
    return len(rows)


def an_array(x):
    grid = np.zeros(3, np.float32)
    other = grid
    grid[0] = x
    return other[0]


def a_view(x):
    grid = np.zeros((2, 2), np.float32)
    row = grid[0]
    grid[0, 1] = x
    return row[1]


def an_array_in_a_branch(x):
    grid = np.zeros(3, np.float32)
    other = grid
    if x > 0:
        grid[1] = 4.0
    return other[1]


def an_array_in_a_loop(x):
    grid = np.zeros(3, np.float32)
    other = grid
    for i in ag.range(3):
        grid[i] = x
    return other[0]


def an_array_that_a_loop_updates(x):
    grid = np.zeros(3, np.float32)
    other = grid
    for _ in ag.range(2):
        grid += x
    return other[0]


def first(grid, x):
    grid[0] = x


def an_array_where_the_function_is_called(x):
    grid = np.zeros(3, np.float32)
    first(grid, x)
    return grid[0]


def an_array_that_a_tensor_chooses(x):
    grid, view = np.zeros(3, np.float32), np.ones(3, np.float32)
    if x > 0:
        view = grid[:2]
    grid[0] = 3.0
    return view[0]


def an_array_that_a_loop_reaches_in_its_second_iteration(x):
    grid, view = np.zeros(3, np.float32), np.ones(3, np.float32)
    for _ in ag.range(2):
        for _ in ag.range(1):
            view[0] = x
        view = grid
    return grid[0]


def row_of_a_grid(x):
    grid = np.zeros((3, 2), np.float32)
    for i in ag.range(3):
        row = grid[i]
        row[0] = x
    return grid[0, 0]


def row_of_a_loop(x):
    grid = np.ones((3, 2), np.float32)
    grid[1] = x
    for row in grid:
        row[0] = 5.0
    return grid[0, 0]


def an_array_of_a_list(x):
    rows = [np.zeros(2, np.float32), np.zeros(2, np.float32)]
    for row in rows:
        row[0] = x
    return rows[0][0]


def another_name_for_what_was_an_array(x):
    grid = np.zeros((3, 2), np.float32)
    grid[1] = x
    other = grid
    other[0] = 7.0
    return grid[0, 0]


def another_name_for_an_array_that_a_tensor_chose(x):
    grid = np.zeros(3, np.float32)
    if x > 0:
        grid = grid + 1
    other = grid
    other[0] = 7.0
    return grid[0]


def an_array_of_which_a_view_stays_behind(x):
    grid = np.zeros(3, np.float32)
    view = grid
    if x > 0:
        grid = grid + 1
    grid[0] = 5.0
    return view[0]


def the_best_so_far(x):
    best, now = np.zeros(3, np.float32), np.ones(3, np.float32)
    for _ in ag.range(3):
        now[0] = now[0] + x
        if now[0] < 3:
            best = now
    return best[0]


def swapped_rows(x):
    grid = np.zeros((3, 2), np.float32)
    for i in ag.range(2):
        grid[i], grid[i + 1] = grid[i + 1], grid[i]
    return grid[0, 0] + x


def what_a_loop_goes_through(x):
    rows, total = [1.0, 2.0, 3.0], 0.0
    for position, row in enumerate(rows):
        total = total + row
        if x > position:
            rows[-1] = x
            rows = [row, row]
    return total


def grown(rows, x):
    if x > 0:
        rows.append(x)
    return rows


def what_waits_for_the_other_argument(x):
    rows = [1.0]
    return [len(one) for one in (rows, grown(rows, x))]


def what_a_loop_reads_in_its_next_iteration(x):
    rows = [1.0]
    other, total = rows, 0.0
    for _ in ag.range(2):
        total = total + other[-1]
        rows = grown(rows, x)
    return total


def what_a_function_of_the_closure_reads(x):
    rows = [1.0]

    def last():
        return rows[-1]

    other = grown(rows, x)
    return last() + other[0]


def an_array_that_has_two_names_after_a_loop(x):
    grid, other = np.array([3.0, 4.0]), np.array([1.0, 2.0])
    while x > 1:
        x = x - 1
        grid = grid + 1
        other = grid
    grid[0] = 9.0
    return float(other[0])


def a_view_of_what_a_loop_computes(x):
    grid, other = np.array([3.0, 4.0]), np.array([1.0, 2.0])
    while x > 1:
        x = x - 1
        grid = grid + 1
        other = grid[:1]
    grid[0] = 9.0
    return float(other[0])


def filled_with(grid, number):
    if number > 2:
        grid[0] = number
    return grid


def what_is_computed_from_an_array(x):
    grid = np.array([3.0, 4.0])
    while x > 1:
        x = x - 1
        grid = grid + 1
        filled_with(grid, 5.0)
    return float(grid[0])


def an_array_that_an_inner_loop_changes(x):
    grid, other = np.array([3.0, 4.0]), np.array([1.0, 2.0])
    while x > 1:
        x = x - 1
        for _ in ag.range(2):
            other[0] = 6.0
            grid[1] = grid[0] + 1
        other = grid
    return float(other[0])


def a_list_that_gets_two_names_in_each_iteration(x):
    rows, other, total = [1.0, 2.0], [3.0, 4.0], 0.0
    while x > 1:
        x = x - 1
        rows[0] = x
        total = total + other[0]
        rows = [rows[0], rows[1] + 1.0]
        other = rows
    return total


def put_first(rows, x):
    rows[0] = x


def what_lies_in_a_dict_that_one_side_copies(x):
    info = {"n": x, "rows": [x, 7.0]}
    twin = info
    if x > 7:
        twin = dict(info)
    else:
        put_first(info["rows"], 9.0)
    return twin["n"] + info["rows"][0]


def what_lies_in_a_dict_that_a_loop_copies(x):
    info, total = {"n": x, "rows": [x, 7.0]}, 0.0
    twin = info
    for i in ag.range(2):
        total = total + info["rows"][0]
        if i > 1:
            twin = dict(info)
        else:
            put_first(info["rows"], 9.0)
    return total + twin["n"]


def a_copy_that_a_loop_with_an_exit_reads(x):
    rows = [x, 2.0]
    inner, total = rows, 0.0
    if x > 7:
        rows = [7.0, 8.0]
    for k in (0, 1):
        inner.reverse()
        total += rows[0]
        if k > 3:
            break
    return total


def a_copy_that_a_loop_with_a_test_reads(x):
    rows = [x, 2.0]
    inner, total, k = rows, 0.0, 0
    if x > 7:
        rows = [7.0, 8.0]
    while k < 2:
        inner.reverse()
        total += rows[0]
        k += 1
    return total


@pytest.mark.parametrize(
    "function",
    [
        a_copy_that_a_loop_with_an_exit_reads, a_copy_that_a_loop_with_a_test_reads,
        what_lies_in_a_dict_that_a_loop_copies, an_array_that_has_two_names_after_a_loop,
        a_view_of_what_a_loop_computes, what_is_computed_from_an_array,
        an_array_that_an_inner_loop_changes, a_list_that_gets_two_names_in_each_iteration,
        a_dict_that_a_loop_changes_and_binds_anew,
        two_names_of_one_state, a_name_that_stays_on_one_side, a_list_that_grows_after_the_choice,
        an_array, a_view, an_array_in_a_branch, an_array_in_a_loop, an_array_that_a_loop_updates,
        an_array_where_the_function_is_called, an_array_that_a_tensor_chooses,
        an_array_that_a_loop_reaches_in_its_second_iteration, row_of_a_grid, row_of_a_loop,
        an_array_of_a_list, another_name_for_what_was_an_array,
        another_name_for_an_array_that_a_tensor_chose, an_array_of_which_a_view_stays_behind,
        the_best_so_far, swapped_rows, what_a_loop_goes_through,
    ],
)  # fmt: skip
def test_what_another_holder_would_not_see_is_refused(function):
    decorated = ag.function(function, experimental_autograph_options=LISTS)
    with pytest.raises(SymbolicValueError, match="would stay what it was|the choice is a copy"):
        decorated(ag.constant(5.0))


def what_both_names_see(x):
    rows, info = [1.0, 2.0], {"a": [x]}
    other, inner = rows, info["a"]
    if x > 0:
        rows[0] = x
        inner[0] = 4.0
    for _ in ag.range(2):
        other.reverse()
        info["a"][0] += 1.0
    return rows[0], other[1], inner[0], info["a"][0]


def a_loop_that_binds_anew_what_it_read_by_another_name(x):
    rows = [1.0]
    first, total = rows, 0.0
    for _ in ag.range(3):
        total = total + first[0]
        rows = [x + rows[0]]
    return total, rows[0], first[0]


def an_item_that_a_loop_binds_anew(x):
    info = {"rows": [1.0]}
    first, total = info["rows"], 0.0
    for _ in ag.range(3):
        total = total + first[0]
        info["rows"] = [x + info["rows"][0]]
    return total, info["rows"][0]


def nested_loops_that_bind_anew(x):
    rows = [1.0, 2.0]
    first, total = rows, 0.0
    for _ in ag.range(2):
        for _ in ag.range(2):
            total = total + first[0] + rows[1]
            rows = [one + x for one in rows]
        rows = [one * 2 for one in rows]
    return rows[0], first[1], total


def steps(rows, x):
    for _ in ag.range(2):
        rows = [one + x for one in rows]
    return rows


def a_function_that_binds_its_argument_anew(x):
    start = [1.0, 2.0]
    return steps(start, x)[0] - start[0]


def a_closure_of_the_same_variable(x):
    rows = [1.0]

    def last():
        return rows[-1]

    if x > 0:
        rows.append(x)
    return last()


def an_array_that_a_loop_binds_anew(x):
    start = np.zeros(3, np.float32)
    grid = start
    for _ in ag.range(2):
        grid = grid + x
    return grid[0] - start[0]


def a_name_that_is_assigned_the_result(x):
    rows = [1.0]
    rows = grown(rows, x)
    return rows[-1], len(rows)


def an_attribute_that_is_assigned_the_result(x):
    holder = Holder([1.0])
    holder.rows = grown(holder.rows, x)
    return holder.rows[-1]


def an_item_that_is_assigned_the_result(x):
    info = {"rows": [1.0]}
    info["rows"] = grown(info["rows"], x)
    return info["rows"][-1]


def an_attribute_that_a_method_assigns(x):
    class Grows(Holder):
        def grow(self, x):
            self.rows = grown(self.rows, x)

    holder = Grows([1.0])
    if x > 1:
        holder.grow(x)
    return holder.rows[-1]


def a_name_that_is_not_read_again(x):
    rows = [1.0]
    info = {"rows": rows}
    info["rows"].append(x)
    if x > 0:
        info["rows"].append(x)
    return info["rows"][-1]


def filled(grid, x):
    grid[0] = x
    return grid


def an_array_that_a_function_returns(x):
    grid = np.zeros(3, np.float32)
    grid = filled(grid, x)
    return grid[0]


def an_array_in_a_dictionary(x):
    grid = np.zeros(3, np.float32)
    parts = {"grid": grid}
    parts["grid"][1] = x
    return parts["grid"][1]


def two_buffers(x):
    old, new = np.ones(4, np.float32), np.zeros(4, np.float32)
    for _ in ag.range(3):
        for i in ag.range(1, 3):
            new[i] = 0.5 * (old[i - 1] + old[i + 1]) * x
        old, new = new, old
    return old[1], new[2]


def a_row_that_is_only_read(x):
    grid, total = np.ones((4, 3), np.float32), x * 0.0
    for i in ag.range(4):
        row = grid[i]
        total = total + row[1] * x
        grid[i, 0] = total
    return grid[3, 0]


def a_method_that_grows_a_list(x):
    holder = Holder([x])
    if x > 1:
        holder.add(x)
    for _ in ag.range(3):
        holder.add(x)
    return holder.rows[-1], len(holder.rows)


def a_closure_that_grows_a_list(x):
    rows = [x]

    def add(value):
        rows.append(value)

    if x > 1:
        add(x)
    for _ in ag.range(3):
        add(x + 1)
    return rows[-1], len(rows)


def a_list_that_a_function_grows_in_a_loop(x):
    rows = [x]
    for _ in ag.range(3):
        rows = grown(rows, x)
    return rows[-1], len(rows)


def a_copy_of_a_list_that_grew(x):
    rows = grown([x, 2.0], x)
    other, third = list(rows), sorted(rows)
    other[0], third[0] = x + 7.0, x + 8.0
    return rows[0], other[0], third[0]


def a_dict_that_one_side_replaces_by_another_name(x):
    info = {"n": x, "rows": [x, 7.0]}
    twin = info
    if x > 0:
        twin = {"n": 4.0, "rows": [1.0, 2.0]}
    else:
        info["rows"][0] = 9.0
    return twin["n"], info["rows"][0]


def a_list_that_is_new_before_it_changes(x):
    rows, best = [1.0, 2.0], [0.0, 0.0]
    for i in ag.range(3):
        rows = [x + rows[0], rows[0]]
        rows[1] = rows[0] + 1.0
        best = rows
    return best[0] + rows[1]


@pytest.mark.parametrize(
    "function",
    [
        a_dict_that_one_side_replaces_by_another_name, a_list_that_is_new_before_it_changes,
        what_both_names_see, a_loop_that_binds_anew_what_it_read_by_another_name,
        an_item_that_a_loop_binds_anew, nested_loops_that_bind_anew,
        a_function_that_binds_its_argument_anew, a_closure_of_the_same_variable,
        an_array_that_a_loop_binds_anew, a_name_that_is_assigned_the_result,
        an_attribute_that_is_assigned_the_result, an_item_that_is_assigned_the_result,
        an_attribute_that_a_method_assigns, a_name_that_is_not_read_again,
        an_array_that_a_function_returns, an_array_in_a_dictionary, two_buffers,
        a_row_that_is_only_read, a_method_that_grows_a_list, a_closure_that_grows_a_list,
        a_list_that_a_function_grows_in_a_loop, a_copy_of_a_list_that_grew,
        what_lies_in_a_dict_that_one_side_copies, a_dict_that_one_side_binds_anew,
        an_item_that_one_side_binds_anew, an_item_that_a_function_binds_anew, another_variable,
        an_item, an_attribute, a_variable_where_the_function_is_called,
        an_item_of_the_list_of_a_loop, a_list_that_shrinks, a_list_that_grows_in_a_loop,
        what_waits_for_the_other_argument, what_a_loop_reads_in_its_next_iteration,
        what_a_function_of_the_closure_reads,
        a_variable_beside_an_attribute,
    ],
)  # fmt: skip
@given(x=st.integers(-4, 4))
def test_what_every_holder_sees_is_right(function, x):
    staged = ag.function(function, experimental_autograph_options=LISTS)
    assert plain(staged(ag.constant(float(x)))) == plain(function(float(x)))


def test_a_list_that_a_staged_loop_goes_through_is_not_changed_in_it():
    def append(x):
        rows = grown([x, 1.0], x)
        for row in rows:
            rows.append(row)
        return len(rows)

    def assign(x):
        rows = grown([x, 1.0], x)
        for row in rows:
            rows[1] = row + 1.0
        return len(rows)

    for function in (append, assign):
        decorated = ag.function(function, experimental_autograph_options=LISTS)
        with pytest.raises(SymbolicValueError, match=r"Go through a copy, list\(rows\)"):
            decorated(ag.constant(1.0))


@given(x=st.integers(-4, 4))
def test_a_copy_of_a_list_that_a_loop_goes_through_may_be_changed(x):
    def program(x):
        rows = grown([x, 1.0], x)
        for row in list(rows):
            rows.append(row + 1)
        for row in rows:
            rows = rows + [row]  # noqa: PLR6104, RUF005 - another list, which the loop does not see
        return rows[-1], len(rows)

    staged = ag.function(program, experimental_autograph_options=LISTS)
    assert plain(staged(ag.constant(float(x)))) == plain(program(float(x)))


def test_an_argument_or_default_that_grows_in_a_branch_is_refused():
    def grow(x, rows=[]):  # noqa: B006 - that is what is refused
        if x > 0:
            rows.append(x)
        return len(rows)

    for arguments in ((), ([],)):
        with pytest.raises(SymbolicValueError, match="'rows', where the function is called"):
            ag.function(grow)(ag.constant(1.0), *arguments)


def test_the_argument_itself_may_be_bound_anew_in_a_loop():
    found = ag.function(steps)([ag.constant(1.0), ag.constant(2.0)], ag.constant(3.0))
    assert plain(found) == [7.0, 8.0]
