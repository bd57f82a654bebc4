"""Functions that a tensor chooses: a call of one is that of the function that Python would call."""

import functools

import numpy as np
import pytest

import allograph as ag

VALUES = [-2.5, -1.0, 0.0, 0.5, 3.0]


def double(x):
    return x * 2


def branching(x):
    if x > 1:
        return x - 1
    return x + 10


class Scaled:
    def __init__(self, by):
        self.by = by

    def lifted(self, x, *, more=1.0):
        return x + self.by + more


def by_an_expression(x):
    return (double if x > 0 else branching)(x)


def by_a_statement(x):
    f = double
    if x > 0:
        f = branching
    elif x < -2:
        f = ag.sin
    return f(x) + f(x * 2)


def of_closures(x):
    by = x + 1
    f = (lambda a: a * by) if x > 0 else (lambda a, by=3.0: a - by)
    return f(x)


def of_methods(x):
    one, other = Scaled(5.0), Scaled(7.0)
    f = one.lifted if x > 0 else other.lifted
    g = one.lifted if x < 2 else functools.partial(other.lifted, more=2.0)
    return f(x, more=3.0) + g(x)


def in_a_loop(x):
    for i in ag.range(3):
        f = double if i % 2 == 0 else branching
        x = f(x)
    return x


def at_an_index(x):
    table = [double, branching, ag.cos]
    for i in ag.range(-3, 3):
        x = table[i](x)
    return x


def beside_numbers(x):
    f, by = [(double, 1.0), (ag.abs, 2.0)][ag.cast(x > 0, ag.int32)]
    return f(x) * by


def given_to_others(x):
    f = double if x > 0 else ag.abs
    rows = ag.map_fn(f, ag.stack([x, -x]))
    return ag.reduce_sum(rows) + sum(map(f, [x, x + 1]))


PROGRAMS = [by_an_expression, by_a_statement, of_closures, of_methods, in_a_loop,
            at_an_index, beside_numbers, given_to_others]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_the_chosen_function_is_called(program):
    found = ag.function(program)
    for value in VALUES:
        expected = program(ag.constant(value))
        np.testing.assert_allclose(found(ag.constant(value)), expected, rtol=1e-6)


def test_a_chosen_function_has_gradients():
    @ag.function
    def slope(x):
        with ag.GradientTape() as tape:
            tape.watch(x)
            y = by_a_statement(x)
        return tape.gradient(y, x)

    assert [float(slope(ag.constant(v))) for v in (-1.0, 0.25, 3.0)] == [6.0, 3.0, 3.0]


def test_an_index_out_of_range_is_the_error_of_a_list():
    with pytest.raises(IndexError, match="list index out of range"):
        ag.function(lambda i: [double, branching][i](1.0))(ag.constant(2))


@pytest.mark.parametrize("use", [
    lambda f: f.__name__, lambda f: f == double, lambda f: {f: 1}, lambda f: f.by, lambda f: f,
])  # fmt: skip
def test_what_else_depends_on_the_choice_is_refused(use):
    with pytest.raises((ag.errors.SymbolicValueError, AttributeError, TypeError)):
        ag.function(lambda x: use(double if x > 0 else branching))(ag.constant(1.0))


def test_objects_that_may_be_called_are_no_functions():
    class Callable:
        def __call__(self, x):
            return x

    one, other = Callable(), Callable()
    with pytest.raises(TypeError, match="has to be a tensor"):
        ag.function(lambda x: (one if x > 0 else other)(x))(ag.constant(1.0))


def test_values_that_may_be_none_are_no_functions():
    def f(n):
        y = z = None
        for i in range(n):
            y, z = [1, 2], (i, True)
        return 1 if (z if y is None else y) else 2

    with pytest.raises(TypeError, match="which may be None"):
        ag.function(f)(ag.constant(0))


def a_default(x):
    f = double
    if x > 0:
        y = x * 2
        f = lambda a, y=y: a + y
    return f(x)


def an_argument_of_a_partial_function(x):
    f = functools.partial(max, x * 2) if x > 0 else double
    return f(x)


@pytest.mark.parametrize("program", [a_default, an_argument_of_a_partial_function])
def test_tensors_of_a_branch_do_not_leave_it_in_a_function(program):
    with pytest.raises(ag.errors.InconsistentBranchError):
        ag.function(program)(ag.constant(1.0))


def test_a_function_that_reads_a_name_of_its_branch_says_where_the_name_has_no_value():
    @ag.function
    def f(x):
        if x > 0:
            y = x * 2
            g = lambda a: a + y
        else:
            g = double
        return g(x)

    with pytest.raises(UnboundLocalError, match="sets it only where its test holds"):
        f(ag.constant(1.0))
