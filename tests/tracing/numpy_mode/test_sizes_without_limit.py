"""`jit`: new arrays whose sizes are computed and have no limit that is known before a call."""

import numpy as np
import pytest
from numpy_programs import assert_native, assert_same_outcome

import allograph as ag

COUNTS = (np.array([3, 1, 2, 5]), np.array([0, 0, 0]), np.array([70000, 1, 2]))


def places_of_nonzero_items(x):
    count = 0
    for v in x:
        if v != 0:
            count += 1
    places, at = np.empty(count, dtype=np.int64), 0
    for i in range(len(x)):
        if x[i] != 0:
            places[at] = i
            at += 1
    return places


def rows_of_a_sparse_matrix(x):
    ends = np.cumsum(x)
    rows = np.full(ends[-1], -1, dtype=np.int32)
    for i in range(len(x)):
        for j in range(ends[i] - x[i], ends[i]):
            rows[j] = i
    return rows, ends


def counted_values(x):
    counts = np.zeros(x.max() + 1, dtype=np.int64)
    for v in x:
        counts[v] += 1
    return counts, len(counts), counts.shape[0], counts.max(), np.argmax(counts)


def sums_of_temporaries(x):
    total = 0.0
    for v in x:
        row = np.ones(v, dtype=np.float32)
        for j in range(1, v):
            row[j] += 0.5 * row[j - 1]
        total += float(row.sum())
    return total


def parts_that_are_filled(x):
    out, at = np.zeros(x.sum()), 0
    for v in x:
        out[at : at + v] = v
        at += v
    return out, out[:at].copy(), np.cumsum(out)


def columns(x):
    table = np.zeros((x.sum(), 3))
    for i in range(len(table)):
        table[i, 0], table[i, 2] = i, i * i
        table[i, 1] = table[i, 0] + table[i - 1, 2]
    return table


def filled(out, first):
    for i in range(len(out)):
        out[i] = first + i
    return out


def arrays_of_a_called_function(x):
    a, b = filled(np.empty(x.sum()), 2.0), filled(np.ones(x.sum()), 3.0)
    a, b = b, a
    return a + b, a, b


def ranges(x):
    n = x.sum()
    numbers, odd = np.arange(n), np.arange(1, n, 2)
    return numbers, odd, np.arange(n, 0, -1), np.arange(n, dtype=np.float64), len(odd)


def arrays_like_another(x):
    out = np.zeros(x.sum())
    copy = np.ones_like(out, dtype=np.int32)
    for i in range(len(out)):
        out[i] = copy[i] + i
    return out, copy, np.full_like(out, 2.5)


NATIVE = (
    places_of_nonzero_items, rows_of_a_sparse_matrix, counted_values, sums_of_temporaries,
    parts_that_are_filled, columns, arrays_of_a_called_function,
    ranges, arrays_like_another,
)  # fmt: skip


@pytest.mark.parametrize("function", NATIVE)
def test_a_new_array_has_a_size_without_a_limit(function):
    assert_native(function, *((x,) for x in COUNTS))


@pytest.mark.parametrize("function", NATIVE)
def test_sizes_that_are_negative_and_indices_outside_raise(function):
    compiled = ag.jit(function)
    for x in (np.array([3, -7, 2]), np.array([-1, 0, 0]), np.array([2, -1, 2]), COUNTS[0]):
        assert_same_outcome(function, compiled, (x,))


def test_an_item_behind_the_end_is_an_error():
    def behind(x):
        out = np.zeros(x[0])
        for v in x:
            out[v] += 1
        return out

    compiled = ag.jit(behind)
    for x in (np.array([4, 0, 3]), np.array([3, 1, 3]), np.array([3, -3, 0]), np.array([3, -4])):
        assert_same_outcome(behind, compiled, (x,))


def test_arguments_that_decide_sizes_are_constants_as_before():
    def padded(x, n):
        out = np.zeros(n)
        out[: len(x)] = x
        return out

    compiled = ag.jit(padded)
    assert_same_outcome(padded, compiled, (np.ones(3), 5))
    assert "(float64[3], 5): native code" in compiled.inspect()


def test_native_code_leaves_an_array_of_very_many_rows_that_it_reads_as_a_whole():
    def total(x):
        out = np.ones(x[0], dtype=np.int8)
        return out.sum(), out

    compiled = ag.jit(total)
    for count in (3, 2**22 + 1):
        assert_same_outcome(total, compiled, (np.array([count]),))


def transitions(x):
    count = x.max() + 1
    table = np.zeros((count, count), dtype=np.int64)
    marks = np.full((len(x), count), -1.5)
    for i in range(1, len(x)):
        table[x[i - 1], x[i]] += 1
        marks[i, x[i]] = i
    for i in range(count):
        table[i, i] += i
    return table, marks, table.shape, table.sum(), len(table)


def test_tables_whose_sizes_are_all_computed():
    calls = [(np.array(row),) for row in ([3, 1, 2, 3, 1], [0, 0], [63, 2, 5])]
    assert_native(transitions, *calls)


def test_larger_tables_are_left_to_python():
    compiled = ag.jit(transitions)
    for row in ([3, 1], [200, 1], [-5, -7], [2, -2], [64, 3]):
        assert_same_outcome(transitions, compiled, (np.array(row),))


def nothing_or_numbers(x):
    count = x.sum()
    if count < 3:
        return np.zeros(0)
    out = np.empty(count)
    for i in range(count):
        out[i] = i * 0.5
    return out


def nothing_or_rows(x):
    count = x.sum()
    if count == 0:
        return np.zeros((0, 3))
    out = np.zeros((count, 3))
    for i in range(count):
        out[i, 1] = i
    return out


def of_either_branch(x):
    count = x.sum()
    if count > 5:
        out = np.ones(count)
    else:
        out = np.array([1.0, 2.0])
    out[0] = 7.0
    total = 0.0
    for v in out:
        total += v
    return total, len(out), out.sum(), out


def of_branches_in_a_loop(x):
    total = 0.0
    for v in x:
        if v > 2:
            row = np.ones(v)
        else:
            row = np.zeros(2)
        for w in row:
            total += w
    return total


def longer_in_each_iteration(x):
    out = np.ones(x.sum())
    for i in range(3):
        twice = np.empty(2 * len(out))
        twice[: len(out)] = out
        twice[len(out) :] = i
        out = twice
    return out


def of_another_size_in_each_iteration(x):
    row, total = np.zeros(x.sum()), 0.0
    for v in x:
        total += row.sum() + len(row)
        row = np.ones(v)
    return total, row


IN_BRANCHES = (
    nothing_or_numbers, nothing_or_rows, of_either_branch, of_branches_in_a_loop,
    longer_in_each_iteration, of_another_size_in_each_iteration,
)  # fmt: skip


@pytest.mark.parametrize("function", IN_BRANCHES, ids=lambda one: one.__name__)
def test_a_name_holds_arrays_of_several_sizes_without_a_limit(function):
    assert_native(function, *((x,) for x in COUNTS))
    compiled = ag.jit(function)
    for x in (np.array([3, -7, 2]), np.array([2, 1]), COUNTS[0]):
        assert_same_outcome(function, compiled, (x,))


def test_an_argument_that_is_returned_in_place_of_a_new_array_is_itself():
    def numbers(x):
        return np.arange(x.sum()) if x.sum() > 5 else x

    compiled = ag.jit(numbers)
    for x in (np.array([3, 1, 2]), np.array([0, 1])):
        for _ in range(2):
            result = compiled(x)
            assert (result is x) == (x.sum() <= 5)
            assert result.tolist() == numbers(x).tolist()


def test_a_part_of_an_argument_in_place_of_a_new_array_shares_its_memory():
    def numbers(x):
        return np.arange(x.sum()) if x.sum() > 5 else x[1:]

    compiled = ag.jit(numbers)
    for x in (np.array([3, 1, 2]), np.array([0, 1])):
        for _ in range(2):
            assert np.shares_memory(compiled(x), x) == (x.sum() <= 5)


def test_python_serves_calls_for_whose_arrays_there_is_no_memory():
    def first_row(n):
        room = np.zeros((n, n))
        room[0] = n
        return room

    def products(n):
        halves = []
        for i in range(n):
            halves.append(i * 0.5)
        return np.outer(halves, halves)  # the kernel asks for room for any number of them

    compiled = ag.jit(first_row)
    for _ in range(2):
        with pytest.raises(MemoryError, match="Unable to allocate"):
            compiled(10**7)
        assert compiled(3).tolist() == first_row(3).tolist()
    compiled = ag.jit(products)
    for n in (3, 0, 0, 2):
        assert compiled(n).tolist() == products(n).tolist()
