"""Tuples and lists of arrays at computed indices: `grids[step % 2][i] += 1` changes one of them."""

import numpy as np
import pytest
from test_jit import check

import allograph as ag

pytestmark = pytest.mark.slow


def in_a_tuple(a, b):
    grids = a, b
    for i in range(len(a)):
        grids[i % 2][i] += 1


def in_a_list(a, b):
    grids = [a, b]
    for i in range(len(a)):
        grids[i % 2 - 1][i] += grids[i % 2][i]


def at_constant_indices(a, b):
    rows = [a[::2], b[1:]]
    for i in range(len(a) // 2):
        rows[0][i] += 1
        rows[1][i] += 2


def read_only(a, b):
    grids, total = [a, b], 0.0
    for i in range(len(a)):
        total += grids[i % 2][i]
    return total


def in_branches(a, b):
    grids = [a, b]
    for i in range(len(a)):
        if a[i] > 2:
            grids[0][i] += 1
        else:
            grids[i % 2][i] -= 1


def steps_between_two(a, b):
    grids = a, b
    for step in range(4):
        source, target = grids[step % 2], grids[1 - step % 2]
        for i in range(1, len(a) - 1):
            target[i] = 0.5 * (source[i - 1] + source[i + 1])


def another_list_of_the_same_arrays(a, b):
    x = [a, b]
    y = x
    for i in range(len(a)):
        x = [a, b]
        x[i % 2][i] += 1
    y[0] = np.zeros(3)
    return len(x[0]), len(y[0])


def list_that_changes_afterwards(a, b):
    x = [a, b]
    for i in range(len(a)):
        x[i % 2][i] += 1
    x.append(a + b)
    x[0][0] = 9
    return x[2]


class Layers:
    def __init__(self, *layers):
        self.layers = list(layers)


def in_an_attribute(a, b):
    network = Layers(a, b)
    for i in range(len(a)):
        network.layers[i % 2][i] += 1


def chosen_by_a_condition(a, b):
    for i in range(len(a)):
        chosen = a if a[i] > 3 else b
        chosen[i] += 1


PROGRAMS = [
    in_a_tuple, in_a_list, at_constant_indices, read_only, in_branches, steps_between_two,
    list_that_changes_afterwards, in_an_attribute, chosen_by_a_condition,
]  # fmt: skip


@pytest.mark.parametrize("function", PROGRAMS)
def test_one_of_several_arrays_changes(function):
    check(function, np.arange(40.0) % 7, np.arange(40.0) % 5)


def test_a_list_that_a_loop_may_have_left_to_another_name_is_left_to_python():
    """A loop may have no iteration, as far as is known: then both names are of one list."""
    arrays = np.arange(40.0) % 7, np.arange(40.0) % 5
    compiled = ag.jit(another_list_of_the_same_arrays)
    for _ in range(2):
        assert compiled(*arrays) == (40, 3)


@pytest.mark.parametrize("function", [in_a_tuple, in_a_list, chosen_by_a_condition])
def test_no_array_is_copied(function):
    compiled = ag.jit(function)
    compiled(np.zeros(40), np.zeros(40))
    (entry,) = compiled.jit_table.values()
    (kernel,) = entry.traced.executable.native.kernels
    assert "copy_elements" not in kernel.source
    assert "new_array" not in kernel.source


def test_an_index_out_of_range_is_the_error_of_python():
    def changed(a, b, last):
        grids = [a, b]
        for i in range(last):
            grids[i][0] += 1

    compiled = ag.jit(changed)
    compiled(np.zeros(3), np.zeros(3), 2)
    a, b = np.zeros(3), np.zeros(3)
    with pytest.raises(IndexError, match="list index out of range"):
        compiled(a, b, 4)
    assert (a[0], b[0]) == (1, 1)
