"""A name that is None before a loop: what a program asks it has Python's answer, or is refused."""

import itertools

import numpy as np
import pytest
from language_kit import plain
from numpy_programs import function_of

import allograph as ag
from allograph.runtime.ops.control.loop_results import UnsetError

QUESTIONS = [
    "y is None", "isinstance(y, type(None))", "type(y) is type(None)", "not y",
    "y.__class__ is type(None)", "bool(y)",
    "f'{y}' == 'None'", "y == None", "(y or 1.0) > 2.0", "(y and 1.0) is None", "(1 if y else 0)",
    "repr(y) == 'None'", "repr([y]) == '[None]'", "callable(y)", "y in (None, 3.0)",
    "operator.is_not(y, None)", "operator.ne(None, y)", "None in (y, 3.0)",
    "(y, 3.0).count(None) == 1", "[y] == [None]",
]  # fmt: skip
SET_BY_EACH_ITERATION = """import operator
def program(x, n):
    y = None
    count = 0
    for i in range(n):
        if {question}:
            count = count + 1
        y = x[i]
    return count
"""
SET_BY_ONE_ITERATION = """import operator
def program(x, n):
    y = None
    count = 0
    for i in range(n):
        if {question}:
            count = count + 1
        if i == 2:
            y = x[i] + 2.0
    return count
"""
MADE_NONE_AGAIN = """import operator
def program(x, n):
    y = None
    count, i = 0, 0
    while i < n:
        if {question}:
            count = count + 1
        if x[i] > 0:
            y = x[i]
        else:
            y = None
        i = i + 1
    return count
"""
ASKED_AFTER_THE_LOOP = """import operator
def program(x, n):
    y = None
    for i in range(n):
        if x[i] > 1.0:
            y = x[i]
    return 1 if {question} else 0
"""
PROGRAMS = [
    pytest.param(template.format(question=question), id=f"{question} {number}")
    for (number, template), question in itertools.product(
        enumerate((SET_BY_EACH_ITERATION, SET_BY_ONE_ITERATION, MADE_NONE_AGAIN,
                   ASKED_AFTER_THE_LOOP)), QUESTIONS)
]  # fmt: skip
X = np.array([0.0, 3.0, 0.0, 2.0])
COUNTS = (0, 1, 4)


@pytest.mark.slow
@pytest.mark.parametrize("source", PROGRAMS)
def test_what_is_asked_of_none_has_the_answer_of_python(source):
    f = function_of(source, "with None")
    native = ag.jit(f)
    for n in COUNTS:
        expected, found = f(X, n), native(X, n)
        assert (type(found), found) == (type(expected), expected)


@pytest.mark.slow
@pytest.mark.parametrize("source", PROGRAMS)
def test_what_is_asked_of_none_before_a_loop_on_tensors_is_never_answered_wrongly(source):
    f = function_of(source, "with None")
    staged = ag.function(f)
    for n in COUNTS:
        expected = f(ag.constant(X), n)
        try:
            found = staged(ag.constant(X), ag.constant(n))
        except (ag.errors.SymbolicValueError, UnsetError) as error:
            assert "'y'" in str(error)
        else:
            assert plain(found) == plain(expected)
