"""Functions of libraries call functions of the user, whose control flow tensors drive."""

import functools
import itertools
import operator

import pytest
from language_kit import plain, staged

import allograph as ag


def doubled(x):
    if x > 1:
        return x * 2
    return -x


def moved(total, x):
    if x > 1:
        return total + x
    return total - x


def test_reduce_takes_functions_and_builtins():
    def f(a, b):
        rows = [a, b, a - b]
        return functools.reduce(max, rows), functools.reduce(moved, rows, 1)

    assert staged(f, 3, 1) == (3, 5)


def test_accumulate_and_starmap():
    def f(a, b):
        rows = [a, b, a - b]
        return [
            list(itertools.accumulate(rows, min)),
            list(itertools.accumulate(rows, func=moved)),
            list(itertools.accumulate(rows)),
            list(itertools.starmap(moved, [(a, b), (b, a)])),
        ]

    assert staged(f, 3, 1) == [[3, 1, 1], [3, 2, 4], [3, 4, 6], [2, 4]]


def test_the_leaves_of_a_structure_are_mapped():
    def f(a, b):
        return ag.nest.map_structure(doubled, {"a": a, "b": [b]})

    assert staged(f, 3, 1) == {"a": 6, "b": [-1]}


def test_plain_values_are_reduced_as_ever():
    def f(x):
        return x + functools.reduce(operator.mul, [1, 2, 3], 2)

    assert staged(f, 1) == 13


def test_functions_given_to_others_grow_lists_where_the_feature_is_on():
    @ag.function(experimental_autograph_options=ag.autograph.experimental.Feature.LISTS)
    def f(x):
        def multiples(v):
            found = []
            for i in ag.range(3):
                found.append(v * i)
            return ag.stack(found)

        return ag.map_fn(multiples, x)

    assert f(ag.constant([1, 2])).numpy().tolist() == [[0, 1, 2], [0, 2, 4]]


def test_tensors_and_lists_that_grow_are_reduced():
    def f(x):
        large = [one for one in x if one > 1]
        return (
            functools.reduce(moved, x),
            functools.reduce(operator.mul, x, 2),
            functools.reduce(lambda pair, one: (pair[0] + one, pair[1] + 1), large, (0, 0)),
            functools.reduce(max, large),
        )

    rows = [[3, 1, 2], [2], [0, 4, 4, -1]]
    unknown = ag.function(f, input_signature=[ag.TensorSpec([None], ag.int32)])
    for row in rows:
        assert staged(f, row) == plain(unknown(row)) == f(row)
    with pytest.raises(TypeError, match="reduce\\(\\) of empty iterable with no initial value"):
        unknown([0, 1])
