"""In a graph, an item at a computed index is a copy. A container of Python's may hold it, and then
it must not change there: in Python, the item changes too.
"""

import types

import pytest

import allograph as ag


def in_a_list(item):
    held = [item]
    held[0][0] = 12


def in_a_list_in_a_list(item):
    held = [[item]]
    held[0][0][0] = 12


def in_a_dict(item):
    held = {"item": item}
    held["item"][0] += 12


def in_an_attribute(item):
    held = types.SimpleNamespace(item=item)
    held.item[0] = 12


def in_the_end_of_its_list(item, rows):
    rows += [item]
    rows[-1][0] = 12


@pytest.mark.parametrize("change", [in_a_list, in_a_list_in_a_list, in_a_dict, in_an_attribute])
def test_a_copy_does_not_change_where_it_is_held(change):
    @ag.function
    def first(x):
        rows = [[x, 2], [x, 8]]
        change(rows[x - x])
        return rows[0][0]

    with pytest.raises(TypeError, match="an item of a list is changed"):
        first(ag.constant(3))


def test_a_copy_does_not_change_at_the_end_of_its_list():
    @ag.function
    def first(x):
        rows = [[x, 2], [x, 8]]
        in_the_end_of_its_list(rows[x - x], rows)
        return rows[0][0]

    with pytest.raises(TypeError, match="an item of a list is changed"):
        first(ag.constant(3))


def test_an_item_changes_where_it_is_read():
    @ag.function
    def first(x):
        rows = [[[x], 2], [[x], 8]]
        rows[x - x][0][0] = 12
        return rows[0][0][0]

    assert int(first(ag.constant(3))) == 12


def test_another_item_in_the_place_of_a_copy_changes():
    @ag.function
    def first(x):
        rows = [[x, 2], [x, 8]]
        held = [rows[x - x]]
        held[0] = [1, 2]
        held[0][0] = 12
        return rows[0][0], held[0][0]

    assert [int(number) for number in first(ag.constant(3))] == [3, 12]


@pytest.mark.parametrize("staged", [False, True])
def test_an_item_does_not_change_while_its_list_holds_a_copy_of_it(staged):
    @ag.function(experimental_autograph_options=ag.autograph.experimental.Feature.LISTS)
    def last(x):
        rows = [[x, 2]]
        if not staged or x > 0:
            rows = rows + [rows[x - x]]
        rows[0][0] = 12
        return rows[-1][0]

    with pytest.raises(TypeError, match="an item of a list"):
        last(ag.constant(3))
