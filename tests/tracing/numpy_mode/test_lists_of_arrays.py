"""Lists of arrays, and lists of lists, that loops and comprehensions of `jit` functions make."""

import numpy as np
import pytest
from test_jit import assert_same, check, outcome

import allograph as ag

pytestmark = pytest.mark.slow

A = np.linspace(-2.0, 2.0, 60).reshape(12, 5)
X = np.linspace(0.5, 1.5, 5)


def states_of_a_loop(a, x, n):
    states = [x]
    for i in range(n):
        x = x + 0.01 * (a[:5].T @ x) + i
        states.append(x.copy())
    return np.array(states), states[-1]


def states_without_copies(a, x, n):
    states = [x.copy()]
    for i in range(n):
        x = x + a[i]
        states.append(x)
    return np.array(states)


def chosen_states(a, x, n):
    states = []
    for i in range(n):
        y = a[i] - x
        if y.sum() > -6:
            states.append(y)
    return len(states), np.vstack(states), states


def pairs_with_arrays(a, x, n):
    pairs = []
    for i in range(n):
        pairs.append((i * 0.5, a[i] * x))
    total = 0.0
    for time, y in pairs:
        total += time * y.sum()
    return total, pairs


def the_latest_items(a, x, n):
    states = [x * 0]
    for i in range(n):
        states.append(states[-1] * 0.9 + a[i])
        if len(states) > 3 and states[-1].sum() < states[-2].sum():
            states[-1] = states[-1] * 2
    return np.array(states)


def a_row_of_each_iteration(a, x, n):
    rows = []
    for i in range(n):
        row = np.zeros(6)
        for j in range(6):
            row[j] = i * j
        rows.append(row)
    return rows


def matrices_joined(a, x, n):
    parts = [np.outer(a[i], x) for i in range(n)]
    return (
        np.stack(parts, axis=1), np.stack(parts, -1), np.concatenate(parts),
        np.concatenate(parts, axis=1), np.vstack(parts), np.hstack(parts),
        np.column_stack(parts), np.sum(parts, axis=0), np.max(parts),
    )  # fmt: skip


def rows_joined(a, x, n):
    parts = [a[i] * x for i in range(n)]
    stacked = np.stack(parts, axis=1), np.concatenate(parts), np.vstack(parts)
    return *stacked, np.hstack(parts), np.column_stack(parts), sum(parts)


def matrices(a, x, n):
    parts = []
    for i in range(n):
        if a[i, 0] > -1:
            parts.append(np.outer(a[i], x))
    return parts


@pytest.mark.parametrize("join", [np.concatenate, np.hstack])
def test_joining_matrices_of_a_computed_number(join):
    def function(a, x, n):
        return join(matrices(a, x, n))

    assert_same(outcome(ag.jit(function), (A, X, 10)), outcome(function, (A, X, 10)))


def nested_comprehensions(a, x, n):
    table = [[i * j + x[0] for j in range(n)] for i in range(4)]
    cube = [[[i * j * k for k in range(5)] for j in range(3)] for i in range(n)]
    total = 0
    for plane in cube:
        for row in plane:
            for one in row:
                total += one
    return table, np.array(table), np.array(cube), total


def distances(a, x, n):
    return np.array([[np.sum((one - other) ** 2) for one in a] for other in a[:n]])


def comprehensions_of_rows(a, x, n):
    chosen = np.array([row * 2 for row in a if row.sum() > 0])
    pairs = np.array([one * other for one, other in zip(a, a[::-1])])
    return chosen, pairs, np.array([[row.sum(), row.max()] for row in a])


def slices(a, x, n):
    rows, numbers = [row * 2 for row in a], [row[0] * 2 for row in a]
    return rows[1:3], numbers[2:5], numbers[::-1]


NATIVE = [
    states_of_a_loop,
    states_without_copies,
    chosen_states,
    pairs_with_arrays,
    the_latest_items,
    a_row_of_each_iteration,
    matrices,
    matrices_joined,
    rows_joined,
    nested_comprehensions,
    distances,
    comprehensions_of_rows,
    slices,
]


@pytest.mark.parametrize("function", NATIVE)
def test_a_list_of_arrays_is_native(function):
    check(function, A, X, 10)


# ---- arrays that change, or have other names -------------------------------------------------


def one_array_in_all_items(a, x, n):
    states, x = [], x.copy()
    for i in range(n):
        x += a[i]
        states.append(x)
    return np.array(states)


def changed_after_it_is_appended(a, x, n):
    states = []
    for i in range(n):
        y = a[i] * 2
        states.append(y)
        y[0] = i
    return np.array(states)


def changed_in_the_next_iteration(a, x, n):
    states, y = [], x * 1
    for i in range(n):
        y[1] = i
        y = y + a[i]
        states.append(y)
    return np.array(states)


def changed_after_the_loop(a, x, n):
    states, y = [], x * 1
    for i in range(n):
        y = y + a[i]
        states.append(y)
    y[:] = 0
    return np.array(states)


def an_item_that_changes(a, x, n):
    rows = [row * 2 for row in a]
    before = np.array(rows)
    before[0] = 5
    rows[3][0] = 100
    first = rows[0]
    first += 1
    return before, np.stack(rows)


def views_of_an_argument(a, x, n):
    rows = [row for row in a]
    a[0] = 7
    return np.array(rows)


def views_of_a_new_array(a, x, n):
    b = a * 2
    rows = [b[i] for i in range(n)]
    b[0] = 9
    return np.array(rows)


def exchanged_arrays(a, x, n):
    b, c, states = a * 2, a.copy(), []
    for _ in range(n):
        b[1:-1] = c[1:-1] + 0.1 * (c[2:] - c[:-2])
        b, c = c, b
        states.append(c)
    return np.array(states)


def one_row_of_several_iterations(a, x, n):
    rows, row = [], np.zeros(6)
    for i in range(n):
        for j in range(6):
            row[j] = i * j
        rows.append(row)
    return np.array(rows)


def returned_beside_its_list(a, x, n):
    rows = []
    for i in range(n):
        y = a[i] * 2
        rows.append(y)
    return rows, y


def returned_with_an_argument(a, x, n):
    rows = [x]
    for i in range(n):
        rows.append(a[i] + 0)
    return rows


def several_times_the_same(a, x, n):
    rows, y = [], x * 2
    for _ in range(n):
        rows.append(y)
    return rows


def rows_of_several_lengths(a, x, n):
    rows = []
    for i in range(n):
        rows.append(a[i, : i % 3 + 1])
    return rows


def a_list_with_a_name_as_an_item(a, x, n):
    pair = [n, 2]
    table = [pair for _ in range(9)]
    pair[0] = 7
    return table


OTHERS = [
    an_item_that_changes,
    views_of_an_argument,
    returned_beside_its_list,
    returned_with_an_argument,
    several_times_the_same,
    a_list_with_a_name_as_an_item,
]


UNROLLED = [
    views_of_a_new_array,
    rows_of_several_lengths,
    one_array_in_all_items,
    changed_after_it_is_appended,
    changed_in_the_next_iteration,
    changed_after_the_loop,
    exchanged_arrays,
    one_row_of_several_iterations,
]


@pytest.mark.parametrize("function", UNROLLED)
def test_a_loop_of_few_iterations_that_cannot_be_staged_is_native(function):
    check(function, A.copy(), X.copy(), 10)


@pytest.mark.parametrize("function", OTHERS)
def test_where_an_array_may_be_seen_under_another_name_numpy_runs_the_function(function):
    check(function, A.copy(), X.copy(), 10, native=False)


@pytest.mark.parametrize("n", [0, 1])
@pytest.mark.parametrize("function", [chosen_states, rows_joined, distances])
def test_lists_of_few_arrays_mean_the_same(function, n):
    assert_same(outcome(ag.jit(function), (A, X, n)), outcome(function, (A, X, n)))


def test_the_arrays_of_a_returned_list_share_no_memory():
    rows = check(a_row_of_each_iteration, A, X, 4)(A, X, 4)
    assert all(row.flags.owndata and row.flags.c_contiguous for row in rows)
