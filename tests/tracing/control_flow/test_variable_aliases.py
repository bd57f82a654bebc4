"""State of a loop that is bound to a variable, where the loop assigns the variable."""

import numpy as np
import pytest

import allograph as ag

LISTS = ag.autograph.experimental.Feature.LISTS


def kept(start, w, n):
    y = start
    for i in ag.range(n):
        w.assign_add(1.0)
        if i > 5:
            y = w * 3.0
    return y * 1.0


def read_after(start, w, n):
    y = start
    for _ in ag.range(n):
        w.assign_add(1.0)
        y = y * 2.0
    return y * 1.0


def read_in_a_branch(start, w, n):
    y = start
    for i in ag.range(n):
        if i > 1:
            w.assign_add(1.0)
            y = y + 2.0
    return y * 1.0


def item_of_a_list(start, w, n):
    items = [start]
    for _ in ag.range(n):
        w.assign_add(1.0)
        items.append(w * 2.0)
    return ag.stack(items)


PROGRAMS = [kept, read_after, read_in_a_branch, item_of_a_list]


@pytest.mark.parametrize("program", PROGRAMS)
def test_state_that_may_be_the_variable_itself_is_refused(program):
    w = ag.Variable(0.0)
    f = ag.function(program, experimental_autograph_options=LISTS)
    with pytest.raises(ag.errors.UnimplementedError, match=r"variable\.read_value\(\)") as told:
        f(w, w, ag.constant(2))
    assert "in " + program.__name__ in str(told.value)


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("n", [0, 1, 3, 8])
def test_state_that_starts_with_the_value_is_carried(program, n):
    found = []
    for f in (program, ag.function(program, experimental_autograph_options=LISTS)):
        w = ag.Variable(0.5)
        found.append(f(w.read_value(), w, ag.constant(n)))
    np.testing.assert_allclose(*found)


def test_state_that_each_iteration_replaces_first_may_start_as_the_variable():
    def steps(w, n):
        x = w
        for _ in ag.range(n):
            x = x * 2.0 + 1.0
            w.assign(x)
        return x * 1.0

    found = []
    for f in (steps, ag.function(steps)):
        w = ag.Variable(0.5)
        found.append([f(w, ag.constant(n)) for n in (0, 1, 3)])
    np.testing.assert_allclose(*found)


def test_a_variable_that_the_loop_does_not_assign_may_start_its_state():
    @ag.function
    def f(w, n):
        y = w
        for i in ag.range(n):
            if i > 1:
                y = y + w
        return y * 1.0

    assert f(ag.Variable(2.0), ag.constant(4)) == 6.0
