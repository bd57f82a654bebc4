"""Tuples, lists and dictionaries of arrays, as arguments and as results."""

from typing import NamedTuple

import numpy as np
import pytest
from native_calls import is_native
from numpy_programs import assert_native

import allograph as ag


class Pair(NamedTuple):
    x: object
    y: object


def copied(value):
    """The structure with arrays of its own."""
    if isinstance(value, np.ndarray):
        return value.copy()
    if type(value) is dict:
        return {key: copied(one) for key, one in value.items()}
    if type(value) in (tuple, list):
        return type(value)(map(copied, value))
    return type(value)._make(map(copied, value)) if isinstance(value, Pair) else value


def check(function, *args, native: bool = True):
    """Two calls do what the undecorated function does, with the arguments and in the result."""
    compiled = ag.jit(function)
    for _ in range(2):
        ours, theirs = copied(args), copied(args)
        assert repr(compiled(*ours)) == repr(function(*theirs))
        assert repr(ours) == repr(theirs)
    assert is_native(compiled) is native, compiled.inspect()
    return compiled


A, B = np.arange(4.0), np.ones(4)


@pytest.mark.parametrize("pair", [(A, B), [A, B], Pair(A, B)])
def test_arrays_in_a_structure_change_in_place(pair):
    def function(pair):
        a, b = pair
        a += b
        return a.sum()

    check(function, pair)


def test_dictionaries_are_arguments_and_results():
    def function(arrays, n):
        arrays["x"][:] = arrays["y"] * n
        total = 0.0
        for name, one in arrays.items():
            total += one[0] * len(name)
        return {"sum": arrays["x"] + 1, "rest": (arrays["y"], [n, total])}

    check(function, {"x": A, "y": B}, 3)


def test_keys_that_python_calls_equal_are_told_apart():
    compiled = ag.jit(lambda table: (table[1] * 2, list(table)))
    for table in ({1: A}, {True: A}, {1.0: A}, {1: A}):
        for _ in range(2):
            assert repr(compiled(table)[1]) == repr(list(table))


def test_structures_are_nested_and_passed_by_keyword():
    def function(first, *, second):
        return first[0][1] * first[1] + second["a"][0][0]

    compiled = ag.jit(function)
    args, named = (((A, B), 3.0),), {"second": {"a": [A + 5]}}
    np.testing.assert_array_equal(compiled(*args, **named), function(*args, **named))
    assert "native code" in compiled.inspect()


def test_a_named_tuple_is_returned():
    check(lambda pair: (Pair(pair.x * 2, pair.y), pair.x), Pair(A, 2.5))


def test_a_list_of_numbers_becomes_an_array():
    check(lambda numbers: np.array(numbers) * numbers[1], [1.0, 2.5, 3.0])


def test_arrays_of_a_structure_that_share_memory_are_numpys():
    def function(pair):
        pair[0][1:] += pair[1][:3]

    compiled = check(function, (A, B))
    shared, expected = A.copy(), A.copy()
    compiled((shared, shared))
    function((expected, expected))
    np.testing.assert_array_equal(shared, expected)


def test_another_structure_is_another_trace():
    compiled = ag.jit(lambda pair: pair[0] + pair[1])
    for pair in ((A, B), [A, B], (A, B, A), (A, 2.0), (A, B)):
        np.testing.assert_array_equal(compiled(pair), pair[0] + pair[1])
    assert compiled.explain_retraces().count("trace ") == 4
    with pytest.raises(IndexError):
        compiled((A,))


def test_a_list_that_is_returned_is_the_list_of_the_caller():
    rows = [A, B]
    compiled = ag.jit(lambda rows: rows)
    assert compiled(rows) is rows
    assert "another name" in compiled.inspect()


def test_what_is_taken_from_a_list_is_gone():
    check(lambda rows: rows.pop() + 1, [A, B], native=False)


def test_items_of_structures_that_are_replaced_are_replaced_for_the_caller():
    def function(rows, arrays):
        rows[0] = rows[1] * 2
        arrays["new"] = rows[0]

    check(function, [A, B], {"old": A}, native=False)


def test_arguments_of_many_parts_are_left_to_numpy():
    compiled = check(lambda rows: rows[0] + rows[-1], [A] * 40, native=False)
    assert "more than 32 parts" in compiled.inspect()


BOUNDS = (None, 0, 2, 7, -3, 40)


def test_slices_as_arguments_are_native_for_all_bounds():
    def changed(x, part, value):
        total = 0.0
        for v in x[part]:
            total = 0.5 * total + v
        x[part] += value
        return total, part.start, part.stop

    x = np.random.default_rng(0).random(9)
    assert_native(changed, *((x, slice(start, stop), 2.0) for start in BOUNDS for stop in BOUNDS))


def test_slices_with_steps_and_of_several_axes():
    def parts(x, rows, pair):
        return x[rows].sum() + 1, x[pair], x[pair].shape

    x = np.arange(20.0).reshape(4, 5)
    steps = slice(None, None, 2), slice(3, 0, -1), slice(1, 4, 3)
    pairs = (slice(0, 2), slice(1, 3)), (1, slice(2, 4)), (slice(None), 4)
    for rows in steps:
        for pair in pairs:
            check(parts, x, rows, pair)


def test_a_tuple_in_place_of_a_slice_is_another_trace():
    compiled = ag.jit(lambda x, key: x[key])
    x = np.arange(9.0)
    assert compiled(x, slice(2, 4)).tolist() == [2.0, 3.0]
    assert compiled(x, (2,)) == 2.0
    with pytest.raises(IndexError):
        compiled(x, (2, 4, None, 1))
