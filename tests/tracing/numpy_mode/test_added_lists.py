"""`jit`: `+` and `*` of lists, and items that are deleted."""

import numpy as np
import pytest
from test_jit import assert_same, check, outcome

import allograph as ag

pytestmark = pytest.mark.slow
X = np.array([3.0, np.nan, -0.0, 5.0])
EMPTY = np.zeros(0)
MATRIX = np.arange(12.0).reshape(4, 3)


def of_two(x):
    first, second = [v for v in x], [v * 2 for v in x]
    return first + second, first, second + first[1:]


def beside_constants(x):
    rows = [v for v in x]
    return [0.5] + rows + [1.0, 2.0], [] + rows, rows + []


def in_a_loop(x):
    rows = []
    for v in x:
        rows = rows + [v]
    return rows


def changed_at_a_computed_index(x):
    i = int(x[0]) - 2
    zeros, written, joined = [0.0] * 4, [1, 2, 3], [0] * 2 + [5]
    zeros[i] = x[3]
    written[-i] += 4
    if i < 2:
        joined[i] = 7
    other = zeros
    other[2] = 9.0
    return zeros, written, joined, other is zeros


def in_place(x):
    rows = [v for v in x]
    other = rows
    rows += [1.0]
    rows *= 2
    return other


def to_the_left(x):
    rows = []
    for v in x:
        rows = [v] + rows
    return rows


def of_mixed_numbers(x):
    rows = []
    for i in range(len(x)):
        rows.append(i)
    return rows + [v for v in x]


def repeated(x):
    rows = [v for v in x]
    return rows * 3, 2 * rows, rows * 0, rows * -1, rows * True


def as_often_as_computed(x):
    count = 0
    for v in x:
        if v == v:
            count += 1
    return [1.5, 2.5] * count, [v for v in x] * count, count * [count]


def beside_arrays(x):
    rows = [v for v in x]
    return rows + x, rows * x, x + rows


def times_an_integer_of_numpy(x):
    rows = [v for v in x]
    count = np.int64(2)
    if len(x) > 2:
        count = np.argmax(x)
    return count * rows, rows * count


def deleted(x):
    rows = [v for v in x]
    del rows[0], rows[-1]
    return rows


LISTS = [
    of_two, beside_constants, changed_at_a_computed_index, in_a_loop, in_place, to_the_left,
    of_mixed_numbers, repeated,
    as_often_as_computed, beside_arrays, times_an_integer_of_numpy, deleted,
]  # fmt: skip


@pytest.mark.parametrize("function", LISTS)
def test_sums_and_products_of_lists_are_native(function):
    check(function, X)


@pytest.mark.parametrize("function", LISTS)
@pytest.mark.parametrize("x", [EMPTY, X[::-1], X.astype(np.float32)])
def test_they_are_those_of_python_for_other_arrays(function, x):
    compiled = ag.jit(function)
    for _ in range(2):
        assert_same(outcome(compiled, (x,)), outcome(function, (x,)))


def in_place_under_two_names(x):
    rows = [1.5]
    other = rows
    rows += [v for v in x]
    return len(other)


def times_a_float(x):
    return [v for v in x] * x[0]


def times_a_truth_of_numpy(x):
    return [v for v in x] * (x[0] > 1)


def with_a_tuple(x):
    return [v for v in x] + (1, 2)


def with_a_number(x):
    return [v for v in x] + 1


def beyond_the_end(x):
    rows = [v for v in x]
    del rows[len(x)]
    return rows


OTHERS = [
    (in_place_under_two_names, (X,)), (times_a_float, (X,)),
    (times_a_truth_of_numpy, (X,)), (with_a_tuple, (X,)), (with_a_number, (X,)),
    (beyond_the_end, (X,)),
]  # fmt: skip


@pytest.mark.parametrize(("function", "args"), OTHERS)
def test_what_python_raises_or_changes_elsewhere_is_the_same(function, args):
    compiled = ag.jit(function)
    for _ in range(2):
        (found, changed), (expected, wanted) = outcome(compiled, args), outcome(function, args)
        assert_same((found, changed), (expected, wanted))


def test_a_list_of_the_caller_that_grows_is_left_to_python():
    @ag.jit
    def grown(x, rows):
        rows += [v for v in x]
        return len(rows)

    rows = [1.0]
    assert [grown(X, rows), grown(X, rows), len(rows)] == [5, 9, 9]


# ---- arrays as items ---------------------------------------------------------------------------


def shared_with_a_part(x):
    rows = [row * 2 for row in x]
    return rows, rows[1:]


def shared_with_a_sum(x):
    rows = [row * 2 for row in x]
    return rows + rows


def shared_with_a_loop(x):
    rows, others = [row * 2 for row in x], []
    for row in rows:
        others.append(row)
    return rows, others


@pytest.mark.parametrize("function", [shared_with_a_part, shared_with_a_sum, shared_with_a_loop])
def test_an_array_that_two_lists_have_is_one_array(function):
    result, expected = ag.jit(function)(MATRIX), function(MATRIX)

    def places(result):
        items = [item for part in result for item in (part if type(part) is list else [part])]
        names = {id(item): at for at, item in reversed(list(enumerate(items)))}
        return [names[id(item)] for item in items]

    assert places(result) == places(expected)


def test_the_arrays_of_a_part_of_a_list_are_its_own():
    check(lambda x: [row * 2 for row in x][1:], MATRIX)
