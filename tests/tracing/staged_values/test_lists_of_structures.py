"""Tuples, named tuples and dictionaries as items of lists that grow while a graph runs."""

import collections

import numpy as np
import pytest

import allograph as ag

Point = collections.namedtuple("Point", "x y")
LISTS = ag.autograph.experimental.Feature.LISTS
growing = ag.function(experimental_autograph_options=LISTS)


def plain(value):
    return ag.nest.map_structure(lambda leaf: np.asarray(leaf).tolist(), value)


def test_dictionaries_are_appended_and_read():
    @growing
    def f(n):
        rows = []
        for i in ag.range(n):
            rows.append({"index": i, "half": ag.cast(i, ag.float32) / 2.0})
        total = 0.0
        for row in rows:
            total += row["half"]
        return total, rows[-1], rows

    total, last, rows = plain(f(ag.constant(3)))
    assert (total, last) == (1.5, {"index": 2, "half": 1.0})
    assert rows == {"index": [0, 1, 2], "half": [0.0, 0.5, 1.0]}


def test_tuples_of_mixed_types_in_nested_loops_and_branches():
    @growing
    def f(n):
        pairs = []
        for i in ag.range(n):
            j = 0
            while j < i:
                if j != 1:
                    pairs.append((j, [1.5, i]))
                j += 1
        total = 0.0
        for j, (weight, _) in pairs:
            total += ag.cast(j, ag.float32) + weight
        return total, pairs[0]

    assert plain(f(ag.constant(4))) == (8.0, (0, [1.5, 1]))


def test_a_list_that_holds_named_tuples_before_the_loop():
    @growing
    def f(n):
        points = [Point(0, 0.5), Point(1, 1.5)]
        for i in ag.range(n):
            if i > 0:
                points.append(Point(i, 2.5))
            else:
                points.insert(0, Point(9, 9.5))
        last = points.pop()
        points.reverse()
        points[0] = Point(7, 7.5)
        return last, points, points[1:]

    last, points, rest = plain(f(ag.constant(2)))
    assert last == Point(1, 2.5)
    assert points == Point([7, 0, 9], [7.5, 0.5, 9.5])
    assert rest == Point([0, 9], [0.5, 9.5])


def test_the_search_for_the_structure_changes_nothing_twice():
    @growing
    def f(n):
        rows, names = [], []
        for i in ag.range(n):
            names.append(i)
            rows.append({"i": i})
            names.append(i + 10)
        return ag.stack(names), rows

    assert plain(f(ag.constant(2))) == ([0, 10, 1, 11], {"i": [0, 1]})


def test_a_comprehension_of_structures():
    @growing
    def f(t):
        return [{"value": x, "is_large": x > 1.0} for x in t]

    assert plain(f(ag.constant([1.0, 2.0]))) == {"value": [1.0, 2.0], "is_large": [False, True]}


def test_gradients_flow_through_parts_of_items():
    @growing
    def f(x):
        rows = []
        for i in ag.range(3):
            rows.append({"i": i, "square": x * x})
        return ag.reduce_sum(ag.stack([row["square"] for row in rows]))

    x = ag.constant(3.0)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    assert float(tape.gradient(y, x)) == 18.0


def test_items_of_another_structure_are_an_error():
    @growing
    def f(n):
        rows = []
        for i in ag.range(n):
            rows.append({"i": i})
            rows.append(i)
        return rows

    with pytest.raises(NotImplementedError, match="items of one structure"):
        f(ag.constant(2))
