"""`==`, `+`, `*` and `isinstance` of a list that grows while a graph runs mean what they do for
lists.
"""

import operator

import pytest
from language_kit import assert_staged_alike, staged

import allograph as ag


def grown(n):
    rows = [1]
    for i in range(n):
        rows.append((i + 2) % 3)
    return rows


def equality(n):
    rows = grown(n)
    return (
        rows == [1, 2, 0, 1], [1, 2] == rows, rows != [1], rows == rows[:], rows == rows[1:],
        rows[n:] == [], [] != rows, rows == 3, rows != None,  # noqa: E711
        rows in ([1], [1, 2]), [x for x in rows if x > 1] == [2],
    )  # fmt: skip


def decisions(n):
    rows = []
    for i in range(n):
        rows.append(i)
        if rows == [0, 1]:
            rows.append(7)
    while rows != [0, 1] and rows != []:
        rows.pop()
    return rows == [0, 1], len(rows)


def pairs(n):
    rows = [(i, i > 0) for i in range(n)]
    return rows == [(0, False), (1, True)], rows == [(x, y) for x, y in rows]


def repeated(n):
    rows = grown(n)
    return (
        sum(rows * 2), sum(2 * rows), (rows * n)[-1:] == rows[-1:], len(rows * 0),
        len(rows * (n - 3)), sum([7, 8] + rows), ([5] + rows)[0], (rows + [6])[-1],
    )  # fmt: skip


def lists_alone(n):
    rows = grown(n)
    if isinstance(rows, (list, tuple)) and not isinstance(rows, tuple):
        return rows[-1]
    return -1


@pytest.mark.parametrize("function", [equality, decisions, pairs, repeated, lists_alone])
def test_operators_mean_what_they_do_for_lists(function):
    assert_staged_alike(function, (3,), (1,), (2,), (4,))


def test_a_list_that_never_grew_is_empty():
    def f(n):
        rows, others = [], []
        for i in range(n):
            rows.append(i)
        return rows == [], rows == others, rows * 2 == [], rows != [0]

    assert staged(f, 0) == (True, True, True, True)
    assert staged(f, 1) == (False, False, False, False)


def test_what_is_no_list_of_one_type_is_not_compared():
    def f(n):
        return grown(n) == [1, "x"]

    with pytest.raises(ag.errors.UnimplementedError, match="beside one whose items"):
        staged(f, 2)


def tuple_of_a_list(n):
    rows = tuple(grown(n))
    more = rows + (7,)
    more += (8,)
    first, *others = more
    matched = 0
    match rows:
        case list():
            matched = 1
        case tuple():
            matched = 2
    return (
        isinstance(rows, tuple), isinstance(rows, list), type(rows) is tuple, matched,
        rows == (1, 2), rows == grown(n), (1, 2) == rows[:2], more[-1] + first, others == [2, 7, 8],
        hasattr(rows, "append"), hasattr(rows, "index"), (5, *rows) == (5,) + rows,
        tuple(i for i in range(n)) + tuple(range(n)) == (0, 0), rows * 2 == rows + rows,
        list(rows) == grown(n), sorted(rows) == [1, 2],
    )  # fmt: skip


def test_a_tuple_of_a_list_that_grew_is_a_tuple():
    assert_staged_alike(tuple_of_a_list, (0,), (1,), (3,))


@pytest.mark.parametrize(
    "change",
    [
        lambda n: grown(n) + (1,), lambda n: (1,) + grown(n), lambda n: tuple(grown(n)) + [1],
        lambda n: [1] + tuple(grown(n)), lambda n: tuple(grown(n)).append(1),
        lambda n: operator.setitem(tuple(grown(n)), 0, 1),
        lambda n: operator.delitem(tuple(grown(n)), 0),
    ],
)  # fmt: skip
def test_what_lists_and_tuples_do_not_have_is_the_error_of_python(change):
    with pytest.raises((TypeError, AttributeError)) as expected:
        change(2)
    with pytest.raises(type(expected.value)) as refused:
        staged(change, 2)
    assert str(refused.value).startswith(str(expected.value))


def test_a_list_that_grew_is_added_to_a_tensor_item_by_item():
    assert staged(lambda n, x: grown(n) + x, 1, [10, 20]) == [11, 22]


def starred_items(n):
    rows = grown(n)
    ends = [0, *rows, 5, *rows]
    first, second = rows[:2]
    return (
        [*rows] == rows,
        ends,
        len((*rows, *range(n))),
        [*range(n), *[i * i for i in range(n)]],
        first + second,
    )


def rebuilt(n):
    rows = [7]
    for i in range(n):
        rows = [i, *rows, 2 * i]
    return rows


@pytest.mark.parametrize("function", [starred_items, rebuilt], ids=lambda one: one.__name__)
def test_starred_items_of_a_display_may_be_known_only_when_the_graph_runs(function):
    assert_staged_alike(function, (3,), (1,), (2,))


def test_numbers_beside_starred_items_adopt_their_type():
    def f(x):
        return [1, *[v * v for v in x], 2, *x]

    x = ag.constant([0.5, 1.5], ag.float64)
    assert staged(f, x) == [1.0, 0.25, 2.25, 2.0, 0.5, 1.5]


def test_starred_arguments_have_a_known_number():
    def f(x, n):
        return max(*x), min(*range(n))

    with pytest.raises(TypeError, match=r"how many arguments `\*` gives"):
        staged(f, [1.0, 3.0], 3)
    assert staged(lambda x: max(*x), [1.0, 3.0]) == 3.0


def test_a_list_that_grew_is_unpacked_to_as_many_names_as_it_has_items():
    def f(n):
        first, (second, third) = n, grown(n)
        return first, second, third

    assert staged(f, 1) == f(1)
    with pytest.raises(ValueError, match="too many values to unpack"):
        staged(f, 2)
    with pytest.raises(ValueError, match="not enough values to unpack"):
        staged(f, 0)


def test_a_list_that_grew_and_a_range_have_their_types():
    def f(n):
        rows = grown(n)
        is_list = type(rows) is list and type(rows) == list and isinstance(rows, (list, str))  # noqa: E721
        return (
            is_list,
            type(range(n)) is range,
            isinstance(range(n), range),
            type(rows).__name__ == "list",
        )

    assert_staged_alike(f, (2,))
