"""Lists that staged statements change are of the graph wherever they were made, and by any name."""

import numpy as np
import pytest
from numpy_programs import assert_native

import allograph as ag

pytestmark = pytest.mark.slow

V = np.array([3, 1, 2, 5])
NATIVE = {}


def native(function):
    NATIVE[function.__name__] = function
    return function


@native
def made_before_a_branch(v):
    out, total = [], 0
    if v[0] > 1:
        for i in range(len(v)):
            out.append(v[i])
        total += len(out)
    return total, out


@native
def made_before_two_branches(v):
    total = 0
    for i in range(len(v)):
        found = []
        if v[i] > 1:
            if v[i] > 2:
                for k in range(len(v)):
                    if v[k] > i:
                        found.append(k)
                total += len(found)
    return total


@native
def made_before_a_continue(v):
    out = []
    for i in range(len(v)):
        row = []
        if v[i] == 1:
            continue
        for k in range(i):
            row.append(v[k])
        out.extend(row)
    return out


@native
def of_two_names(v):
    out = []
    other = out
    if v[0] > 1:
        for i in range(len(v)):
            out.append(i)
    return len(other), out[0]


@native
def one_item_set_in_a_branch(v):
    out = [1, 2, 3]
    if v[0] > 1:
        out[1] = v[1] + 4
    return sum(out)


@native
def filled_by_an_inner_function(v):
    out = []

    def fill():
        for x in v:
            out.append(x)
        return 0

    pair = (out, fill())
    return len(pair[0]), out


@native
def an_item_in_each_of_two_branches(v):
    out = []
    if v[0] > 1:
        out.append(1)
    if v[1] > 1:
        out.append(2.5)
    return out


@native
def extended_by_what_is_staged(v):
    out = [0]
    for i in range(len(v)):
        out.extend(range(i))
    return out


@native
def extended_by_rows_and_comprehensions(v):
    out = []
    for i in range(len(v)):
        out.extend(v[:i])
        out.extend([2 * x for x in v if x > i])
    return out


@pytest.mark.parametrize("name", NATIVE)
def test_a_list_is_native_wherever_it_was_made(name):
    assert_native(NATIVE[name], (V,), (V[::-1].copy(),), (np.array([2, 1, 1, 0]),))


def test_a_list_that_cannot_be_of_the_graph_stays_pythons():
    @ag.jit
    def named(v):
        names = ["x"]
        if v[0] > 100:
            names.append("y")
        return len(names)

    assert [named(V), named(V + 100)] == [1, 2]
    assert "a list of other things than numbers and arrays" in named.inspect()


def test_a_list_that_extends_itself_is_left_to_python():
    @ag.jit
    def doubled(v):
        out = [1]
        for i in range(len(v)):
            out.append(i)
            out.extend(out)
        return out

    assert doubled(V) == doubled.python_function(V)
    assert "a list grows while a loop goes over it" in doubled.inspect()
