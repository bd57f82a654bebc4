"""Variables that functions inside of a function assign, called in statements within statements."""

import sys

import pytest
from language_kit import assert_staged_alike, plain

import allograph as ag


def in_a_branch_of_another_function_called_in_a_branch(x):
    calls = 0

    def add(by):
        nonlocal calls
        calls = (calls + by) % 17
        return calls

    def through(by):
        if by > 2:
            return by + add(by)
        return by

    if x > 0:
        x = through(x)
    return x, add(1)


def in_a_branch_of_a_function_that_a_branch_makes(x):
    calls = 0

    def add(by):
        nonlocal calls
        calls = (calls + by) % 17
        return calls

    if x > 0:

        def through(by):
            if by > 2:
                return by + add(by)
            return by

        x = through(x)
    return x, calls


def in_an_operand_of_a_function_called_in_a_loop(x):
    calls = 0

    def add(by):
        nonlocal calls
        calls = (calls + by) % 17
        return calls

    def through(by):
        return add(by) if by > 2 else by

    for i in ag.range(3):
        x = (x + through(x + i)) % 23
    return x, calls


def in_a_loop_of_a_function_called_in_a_loop(x):
    calls = 0

    def add(by):
        nonlocal calls
        calls = (calls + by) % 17
        return calls

    def through(by):
        for _ in ag.range(2):
            by += add(by)
            if by > 7:
                add(1)
        return by

    while x > 1:
        x = through(x) - 95
        if x > 5:
            calls = 3
    return x, calls


def that_the_statement_itself_assigns_too(x):
    calls = 0

    def add(by):
        nonlocal calls
        calls = (calls + by) % 17

    functions = [add]

    def through(by):
        if by > 2:
            functions[0](by)

    if x > 1:
        calls = 5
        through(x)
    return calls


PROGRAMS = [
    in_a_branch_of_another_function_called_in_a_branch,
    in_a_branch_of_a_function_that_a_branch_makes,
    in_an_operand_of_a_function_called_in_a_loop, in_a_loop_of_a_function_called_in_a_loop,
    that_the_statement_itself_assigns_too,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_closure_variable_that_a_function_of_a_function_assigns(program):
    assert_staged_alike(program, (-1,), (0,), (1,), (3,), (6,))


def grown_by_a_function_of_the_block(x):
    rows = [x]
    for i in ag.range(x):

        def add(item):
            rows.append(item)

        add(i)
    return len(rows)


def grown_by_a_function_of_the_block_in_a_branch(x):
    rows = [x]
    for _ in range(2):
        for i in ag.range(x):

            def add(item):
                rows.append(item)

            if i % 2 == 0:
                add(x)
    return len(rows), rows[-1]


@pytest.mark.parametrize(
    "program", [grown_by_a_function_of_the_block, grown_by_a_function_of_the_block_in_a_branch]
)
def test_a_list_that_a_function_of_the_block_itself_grows(program):
    assert_staged_alike(program, (0,), (1,), (4,))


def test_a_debugger_changes_nothing():
    def program(x):  # converted nowhere else
        calls = 0

        def add(by):
            nonlocal calls
            calls = (calls + by) % 17
            return calls

        def through(by):
            if by > 2:
                return by + add(by)
            return by

        if x > 0:
            x = through(x)
        return x, add(1)

    before = sys.gettrace()
    sys.settrace(before or (lambda *event: None))
    try:
        found = ag.function(program)(ag.constant(5))
    finally:
        sys.settrace(before)
    assert plain(found) == plain(program(5))
