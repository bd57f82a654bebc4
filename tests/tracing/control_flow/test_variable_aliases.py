"""Names that are bound to a variable, where a staged statement may bind them anew and the
variable is assigned.
"""

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


def after_an_if(start, w, n):
    y = start
    if n > 2:
        y = w * 3.0
    w.assign_add(1.0)
    return y * 1.0


def returned_after_an_if(start, w, n):
    y = start
    if n > 2:
        y = w * 3.0
    w.assign_add(1.0)
    return y


def of_an_expression(start, w, n):
    y = start if n > 2 else w * 3.0
    w.assign_add(1.0)
    return y * 1.0


def after_no_iteration(start, w, n):
    y = start
    while n > 0:
        y = y + 1.0
        n -= 1
    w.assign_add(1.0)
    return y * 1.0


def passed_through_an_inner_loop(start, w, n):
    y, total = start, 0.0
    for _ in ag.range(3):
        for _ in ag.range(n):
            y = y * 2.0
        w.assign_add(1.0)
        total += y
    return total


def read_in_an_inner_loop(start, w, n):
    y, total = start, 0.0
    for i in ag.range(3):
        for _ in ag.range(n + 1):
            total += y
            if i > 5:
                y = w * 2.0
            w.assign_add(1.0)
    return total


def read_in_the_next_iteration(start, w, n):
    y, total = start, 0.0
    if n > 7:
        y = w * 2.0
    for _ in ag.range(n + 1):
        total += y
        w.assign_add(1.0)
    return total


def in_a_list_and_a_branch(start, w, n):
    y = [start]
    if n > 2:
        y = [w * 2.0]
    if n > 1:
        w.assign_add(1.0)
    return y[0] * 1.0


PROGRAMS = [
    kept,
    read_after,
    read_in_a_branch,
    item_of_a_list,
    after_an_if,
    returned_after_an_if,
    of_an_expression,
    after_no_iteration,
    passed_through_an_inner_loop,
    read_in_an_inner_loop,
    read_in_the_next_iteration,
    in_a_list_and_a_branch,
]


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


def read_before_it_is_assigned(w, n):
    y = w
    if n > 2:
        y = w * 3.0
    z = y + 1.0
    for _ in ag.range(n):
        w.assign_add(z)
    return z + w


def bound_in_each_iteration(w, n):
    for i in ag.range(n):
        y = w
        if i > 1:
            y = w * 3.0
        w.assign_add(y)
    return w + 0.0


def returned_before_it_is_assigned(w, n):
    total = 0.0
    for i in ag.range(n):
        if i == 2:
            return w + 0.0 * total
        w.assign_add(1.0)
        total += w
    if n == 0:
        return w
    w.assign_sub(1.0)
    return total


def assigned_on_the_other_path(w, n):
    y = w
    if n > 2:
        w.assign_add(1.0)
        y = w * 2.0
    return y * 1.0


@pytest.mark.parametrize("n", [0, 1, 3, 8])
@pytest.mark.parametrize(
    "program",
    [
        read_before_it_is_assigned,
        bound_in_each_iteration,
        returned_before_it_is_assigned,
        assigned_on_the_other_path,
    ],
)
def test_what_is_read_before_the_variable_is_assigned_is_right(program, n):
    found = [float(f(ag.Variable(1.0), ag.constant(n))) for f in (program, ag.function(program))]
    assert found[0] == found[1]


def appended(item, w, n):
    items = [ag.constant(0.0)]
    for _ in ag.range(n):
        items.append(item(w))
        w.assign_add(1.0)
    return ag.stack(items)


def assigned_to_an_item(item, w, n):
    items = [ag.constant(0.0)]
    for i in ag.range(n):
        items.append(ag.cast(n, ag.float32))
        items[i] = item(w)
        w.assign_add(1.0)
    return ag.stack(items)


def assigned_after_the_loop(item, w, n):
    items = [ag.constant(0.0)]
    for _ in ag.range(n):
        items.append(item(w))
    w.assign_add(1.0)
    return ag.stack(items)


def small(w):
    y = w
    while y > 100.0:
        y = y * 0.5
    return y


LISTED = pytest.mark.parametrize(
    "program", [appended, assigned_to_an_item, assigned_after_the_loop]
)


@LISTED
@pytest.mark.parametrize("item", [lambda w: w, small], ids=["the variable", "maybe the variable"])
def test_a_list_that_holds_a_variable_which_is_assigned_before_it_is_read_is_refused(program, item):
    staged = ag.function(program, experimental_autograph_options=LISTS)
    with pytest.raises(ag.errors.UnimplementedError, match="variable.read_value()"):
        staged(item, ag.Variable(1.0), ag.constant(3))


@LISTED
def test_a_list_of_values_of_a_variable_is_as_in_python(program):
    staged = ag.function(program, experimental_autograph_options=LISTS)
    found = [
        f(lambda w: w.read_value(), ag.Variable(1.0), ag.constant(3)) for f in (program, staged)
    ]
    np.testing.assert_array_equal(*found)
