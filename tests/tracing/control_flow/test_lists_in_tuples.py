"""A list in a tuple stays one list for all its names, also where the tuple is bound anew."""

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest
from language_kit import plain

import allograph as ag
from allograph.runtime.core.errors import SymbolicValueError

FEATURES = ag.autograph.experimental.Feature.ALL


class Row(NamedTuple):
    items: list[Any]
    number: int


@dataclasses.dataclass(frozen=True)
class Frozen:
    items: list[Any]
    number: int


class Holder:
    def __init__(self, rows):
        self.rows = rows

    def put(self, x):
        self.rows[0] = x


def changed(rows, x):
    rows[0] = rows[0] + x
    return rows[0]


def by_a_call(x):
    rows = [x, 2]
    pair = (rows, 1)
    if x > 0:
        changed(rows, 3)
    else:
        pair = (rows, 2)
    return rows[0], pair[0][0], pair[1]


def by_a_generator_expression(x):
    rows = [x, 2]
    pair = (rows, 1)
    number = 0
    if x > 0:
        number = next(changed(rows, one) for one in (3, x))
    else:
        pair = (rows, 2)
    return number, rows[0], pair[0][0], pair[1]


def through_an_object(x):
    rows = [x, 2]
    holder, pair = Holder(rows), (rows, 1)
    if x > 0:
        holder.put(7)
    else:
        pair = (rows, 2)
    return rows[0], pair[0][0], holder.rows[0]


def through_the_tuple(x):
    rows = [x, 2]
    pair = (rows, 1)
    if x > 0:
        pair[0][0] = 5
    else:
        pair = (rows, 2)
    return rows[0], pair[0][0]


def beside_a_list_that_is_replaced(x):
    rows = [x, 2]
    pair = (rows, [x, 3])
    if x > 0:
        changed(rows, 3)
        pair = (rows, [1, 2])
    else:
        changed(pair[1], 4)
    return rows[0], pair[0][0], pair[1][0]


def in_a_tuple_in_a_list(x):
    rows = [x, 2]
    pairs = [(rows, 1)]
    if x > 0:
        changed(rows, 4)
        pairs[0] = (rows, 2)
    return rows[0], pairs[0][0][0], pairs[0][1]


def in_a_named_tuple_in_a_dictionary(x):
    rows = [x, 2]
    info = {"row": Row(rows, 1)}
    if x > 0:
        info["row"].items[0] = 9
    else:
        info["row"] = Row(rows, 3)
    return rows[0], info["row"].items[0], info["row"].number


def at_two_places_of_a_loop(x):
    rows = [x, 2]
    pair = (rows, (rows, 3))
    for i in range(x):
        pair[1][0][1] += i
    return rows[1], pair[0][1], pair[1][0][1]


def in_a_tuple_that_a_loop_binds_anew(x):
    rows = [x, 2]
    pair = (rows, 1)
    for i in range(x):
        pair = (rows, i)
        changed(pair[0], i)
    return rows[0], pair[0][0], pair[1]


def beside_a_list_that_a_loop_replaces(x):
    rows, other, more = [x, 2], [x, 5], [x, 9]
    pair = (rows, other)
    for _ in range(x):
        pair = (rows, more)
        changed(rows, 4)
    return pair[0][0], pair[1][1], len(other)


def exchanged(x):
    rows, other = [x, 2], [x, 3]
    pair = (rows, other)
    if x > 0:
        changed(rows, 3)
    else:
        pair = (other, rows)
    return rows[0], pair[0][0]


def appended(rows, x):
    rows.append(x)
    return rows


def grown_by_a_call(x):
    rows = [x, 2]
    inner = rows
    for i in range(x):
        inner = appended(rows, i)
    return inner[-1], len(rows)


PROGRAMS = [
    by_a_call,
    by_a_generator_expression,
    through_an_object,
    through_the_tuple,
    beside_a_list_that_is_replaced,
    in_a_tuple_in_a_list,
    in_a_named_tuple_in_a_dictionary,
    at_two_places_of_a_loop,
    in_a_tuple_that_a_loop_binds_anew,
    beside_a_list_that_a_loop_replaces,
    exchanged,
    grown_by_a_call,
]


@pytest.mark.parametrize("x", [-2, 4])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_list_in_a_tuple_changes_for_all_its_names(program, x):
    graph = ag.function(program, experimental_autograph_options=FEATURES)
    assert plain(graph(ag.constant(x))) == plain(program(x))


@pytest.mark.parametrize("x", [-2, 4])
@pytest.mark.parametrize("make", [Row, Frozen])
def test_a_list_in_a_record_that_cannot_change_changes_for_all_its_names(make, x):
    def in_a_branch(x):
        rows = [x, 2]
        row = make(rows, 1)
        if x > 0:
            changed(rows, 5)
        else:
            row = make(rows, 2)
        return rows[0], row.items[0], row.number

    def in_a_loop(x):
        first = row = make([x, 2], 1)
        for i in range(x):
            row = make(row.items, i)
            row.items[0] += i
        return row.items[0], row.number, first.items[0], first.number

    for program in (in_a_branch, in_a_loop):
        graph = ag.function(program, experimental_autograph_options=FEATURES)
        assert plain(graph(ag.constant(x))) == plain(program(x))


def an_array(x):
    grid = np.array([1, 2])
    pair = (grid, 1)
    if x > 0:
        changed(grid, 3)
    else:
        pair = (grid, 2)
    return grid[0], pair[0][0]


def parted_in_an_earlier_iteration(x):
    rows, other = [x, 2], [x, 3]
    for i in range(x):
        other[0] = i
        other = rows
        if i > 1:
            other, rows = [7, 3], [1, 8]
    return other[0], rows[0]


@pytest.mark.parametrize(
    "program",
    [
        an_array,
        parted_in_an_earlier_iteration,
    ],
    ids=lambda program: program.__name__,
)
def test_what_becomes_two_lists_in_the_graph_is_refused(program):
    graph = ag.function(program, experimental_autograph_options=FEATURES)
    with pytest.raises(SymbolicValueError, match="would stay what it was"):
        graph(ag.constant(4))


def test_a_list_inside_of_another_is_named_as_such():
    def exchanged(x):
        rows = [[x, 1], [x, 2]]
        first = [x, 3]
        for i in range(x):
            first[0] = i
            first = rows[1]
        return first[0], rows[1][0]

    graph = ag.function(exchanged, experimental_autograph_options=FEATURES)
    with pytest.raises(SymbolicValueError, match="and (what is in 'rows'|'rows.1.') would stay"):
        graph(ag.constant(4))
