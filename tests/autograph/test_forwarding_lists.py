"""Lists that code makes while it is traced are lists of Python to all that meets them."""

import copy
import heapq
import json
import operator
import pickle

import numpy as np
import pytest
from language_kit import LISTS, assert_staged_alike, plain

import allograph as ag
from allograph.autograph.operators.forwarding_lists import ForwardingList
from allograph.runtime.core.errors import SymbolicValueError, UnimplementedError

QUESTIONS = {
    "its class": lambda rows: (type(rows) is list, rows.__class__ is list, isinstance(rows, list)),
    "json": json.dumps,
    "pickle": lambda rows: pickle.loads(pickle.dumps(rows)),
    "copies": lambda rows: (copy.copy(rows), copy.deepcopy(rows), rows.copy(), list(rows)),
    "repr": lambda rows: (repr(rows), str(rows), f"{rows}"),
    "order": lambda rows: (sorted(rows), rows < [1, 3], [0] < rows, rows == [1, 2], [1, 2] == rows),
    "operators": lambda rows: (rows + [3], [0] + rows, rows * 2, 2 * rows, rows[::-1], 2 in rows),
    "in place": lambda rows: (
        operator.iadd(rows, (5,)) is rows,
        operator.imul(rows, 2) is rows,
        rows,
    ),
    "iteration": lambda rows: ([*rows], list(reversed(rows)), tuple(rows), dict(enumerate(rows))),
    "arrays": lambda rows: np.array(rows).tolist(),
    "methods": lambda rows: (rows.index(2), rows.count(1), rows.pop(), rows.append(5), rows),
}


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("is_converted", [True, False])
def test_a_list_that_is_made_while_tracing_answers_as_a_list(question, is_converted):
    ask = QUESTIONS[question]
    answers = []

    @ag.function
    def f(x):
        rows = [1, 2]
        answers.append(ask(rows))
        return x

    if not is_converted:
        ask = ag.autograph.experimental.do_not_convert(ask)
        if question == "its class":  # code that is not converted sees a class below list
            ask = ag.autograph.experimental.do_not_convert(lambda rows: isinstance(rows, list))
    f(ag.constant(1))
    expected = ask([1, 2])
    assert answers == [expected]


def test_what_a_function_returns_holds_plain_lists():
    @ag.function
    def f(x):
        rows = [x, [x]]
        return rows, {"a": rows}

    first, second = f(ag.constant(1))
    assert [type(one) for one in (first, first[1], second["a"])] == [list] * 3


def test_a_list_is_plain_where_nothing_is_traced():
    def f():
        rows = [1, 2]
        return rows

    assert type(ag.autograph.to_graph(f)()) is list


def test_a_function_has_one_trace_for_lists_of_all_kinds():
    @ag.function
    def inner(rows):
        return rows[0] + rows[1]

    @ag.function
    def outer(x):
        rows = [x, x]
        return inner(rows) + inner([x, x])

    assert int(outer(ag.constant(1))) == 4
    inner([ag.constant(1), ag.constant(2)])
    assert inner.experimental_get_tracing_count() == 1


def test_a_list_that_a_python_loop_goes_through_does_not_move_into_the_graph():
    def f(x):
        rows, total = [1, x], 0
        for row in rows:
            total = total + row
            if x > total:
                rows.append(row)
        return total

    with pytest.raises(
        SymbolicValueError, match=r"Go through a copy, as in `for row in list\(rows\)"
    ):
        ag.function(f, experimental_autograph_options=LISTS)(ag.constant(5))


def test_a_list_that_grew_is_multiplied_in_place():
    def f(x):
        rows = other = [x]
        for i in range(x):
            rows.append(i)
        rows *= 2
        return len(other), other[-1]

    assert_staged_alike(f, (0,), (3,))


def test_a_list_that_grew_is_copied():
    def f(x):
        rows = [x]
        for i in range(x):
            rows.append(i)
        one, other = copy.copy(rows), copy.deepcopy(rows)
        one.append(7)
        other.append(8)
        return rows[-1], one[-1], other[-1]

    assert_staged_alike(f, (0,), (3,))


@pytest.mark.parametrize(
    "ask",
    [lambda rows: 3 in rows, lambda rows: rows < [4], lambda rows: [0] < rows,
     lambda rows: heapq.heappush(rows, 1), lambda rows: sorted(rows),
     lambda rows: list(reversed(rows)), json.dumps],
)  # fmt: skip
def test_code_that_is_not_converted_does_not_see_a_list_that_grew_as_empty(ask):
    ask = ag.autograph.experimental.do_not_convert(ask)

    def f(x):
        rows = [x]
        for i in range(x):
            rows.append(i)
        return ask(rows)

    with pytest.raises((SymbolicValueError, UnimplementedError, TypeError)):
        ag.function(f, experimental_autograph_options=LISTS)(ag.constant(3))


def test_a_list_has_its_items_again_after_a_block_in_which_they_moved():
    kept = []

    def f(x):
        rows = [x, 2]
        kept.append(rows)
        if x > 0:
            rows.append(3)
        return len(rows)

    graph = ag.function(f, experimental_autograph_options=LISTS)
    assert [plain(graph(ag.constant(one))) for one in (-1, 1)] == [2, 3]
    assert isinstance(kept[0], ForwardingList)


def chosen_items(x):
    table = {"a": x}
    other = table
    if x > 0:
        table["a"] = x * 2
    else:
        table["a"] = x * 3
    return other["a"]


def summed_items(x):
    table = {}
    other = table
    for i in range(3):
        if x > i:
            table[i] = x
        else:
            table[i] = -x
    return sum(other.values())


def repeated_items(x):
    table = {"a": x}
    other, i = table, x
    while i < 10:
        table["a"] = table["a"] + i
        i = i + 1
    return other["a"]


def counted_items(x):
    members = set()
    other = members
    for i in range(4):
        members.add(i)
        if x > 0:
            x = x + 1
    return len(other) + x


@pytest.mark.parametrize("program", [chosen_items, summed_items, repeated_items, counted_items])
@pytest.mark.parametrize("x", [3.0, -1.0])
def test_dictionaries_and_sets_change_for_all_their_names(program, x):
    assert float(ag.function(program)(ag.constant(x))) == ag.jit(program)(x) == program(x)
