"""`:=` in operands that are evaluated only sometimes: what they assign is state of the choice."""

import pytest
from language_kit import assert_staged_alike

import allograph as ag


def in_and(x):
    n = 0
    if x > 0 and (n := x * 2) > 3:
        return n
    return n - 1


def in_or(x):
    n = 0
    y = x > 0 or (n := x * 2) > -3
    return n, y


def in_an_if_expression(x):
    n = 0
    y = (n := 4) if x > 0 else (n := 3) + n
    return n + y


def in_a_chained_comparison(x):
    n = 0
    ok = 0 < x < (n := x + 1) < 5
    return n, ok


def in_the_test_of_a_while(x):
    n = 0
    while x > 0 and (n := x - 2) > -10:
        x = x - 3
        if n == 4:
            break
    return n + x


def in_three_operands(x):
    n = m = 0
    if x > 0 and (n := x * 2) > 3 and (m := n + 1) > 6:
        return n + m
    return n * 100 + m


def inside_one_another(x):
    n = m = 0
    y = (m := x - 1) > 0 and ((n := x) > 2 or (m := n + 5) > 6)
    return n, m, y


def in_a_loop(x):
    n = total = 0
    for i in range(x):
        if i > 1 and (n := n + i) % 2 == 0:
            continue
        total += n
    return n, total


def in_a_block_where_nothing_reads_it(x):
    if x > 0:
        if x > 1 and (unread := x) > 2:
            x = x + 1
        else:
            x = x + (1 if x < 1 or (unread := x) > 1 else 2)
    return x


def set_where_the_test_holds(x):
    if x > 0 and (n := x * 2) > 3:
        return n
    return -1


def assigned_for_an_enclosing_function(x):
    n = 0

    def test():
        nonlocal n
        return x > 0 and (n := x * 2) > 3

    ok = test()
    return n, ok


PROGRAMS = [
    in_and, in_or, in_an_if_expression, in_a_chained_comparison, in_the_test_of_a_while,
    in_three_operands, inside_one_another, in_a_loop, in_a_block_where_nothing_reads_it,
    set_where_the_test_holds, assigned_for_an_enclosing_function,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_tensor_may_decide_whether_an_operand_assigns(program):
    assert_staged_alike(program, *[(x,) for x in (-3, 0, 1, 2, 3, 5)])


@pytest.mark.parametrize("program", PROGRAMS)
def test_converted_it_is_python(program):
    converted = ag.autograph.to_graph(program)
    assert [converted(x) for x in range(-3, 6)] == [program(x) for x in range(-3, 6)]


def test_a_name_that_the_skipped_operand_assigns_is_checked_when_it_is_read():
    @ag.function
    def f(x):
        ok = x > 0 and (n := x * 2) > 3
        return n, ok

    assert [int(one) for one in f(ag.constant(2))] == [4, 1]
    with pytest.raises(UnboundLocalError, match="'n'"):
        f(ag.constant(-2))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x > 0 and (n := x * 2) > n - 1,
        lambda x: [n for v in (1, 2) if x > v and (n := v) > 0],
        lambda x: [v for v in (1, 2) if (n := v) > x],
        lambda x: (n := 2) if x > 0 else 3,
    ],
)
def test_in_a_lambda_or_a_comprehension_it_is_refused_by_name(function):
    with pytest.raises(TypeError, match=r":= .* assigns a name where only a tensor decides"):
        ag.function(function)(ag.constant(3))


def test_what_a_function_changes_in_an_operand_stays_in_the_choice():
    def add(stats, value):
        stats["sum"] = stats["sum"] + value
        return stats["sum"]

    def f(x):
        stats = {"sum": x}
        y = add(stats, 10) if x > 0 else 0
        ok = x > 1 and add(stats, 5) > 17
        return stats["sum"], y, ok

    assert_staged_alike(f, (-1,), (1,), (2,), (3,))


def test_a_variable_that_a_called_function_assigns_is_state_of_the_choice():
    def f(x):
        n = 1

        def change(value):
            nonlocal n
            n = n + value
            return n * 2

        y = change(x) if x > 0 else 5
        ok = x > 1 and change(10) > 20
        return n, y, ok

    assert_staged_alike(f, (-1,), (1,), (3,))
