"""`inspect` says in a user's words why NumPy runs a function."""

import math
import re

import numpy as np
import pytest
from accidents import AccidentError
from numpy_programs import assert_same_outcome

import allograph as ag
from allograph.tracing.numpy_mode import new_arrays, numpy_stager

INTERNAL = re.compile(
    r"Traced|Growing|FlatIterator|<locals>|Staged|_Names|FormattedError|SimpleNamespace"
)
A = np.arange(3.0)


def set_item(rows):
    rows[0] = 1


def raising(x):
    raise ValueError("no")


def within(a):
    with np.errstate(all="ignore"), np.printoptions(precision=3):
        return a


def recursive(n):
    def go(k):
        if k <= 0:
            return [k]
        return go(k - 1)

    return go(n)


@pytest.mark.parametrize(
    ("function", "args", "reason"),
    [
        (lambda x: len(x), (2.5,), r"line \d+, `.*len.*`, has no native form"),
        (lambda x: math.hypot(x, 1.0, 2.0), (2.5,), "a function of math with 3 arguments"),
        (lambda a: a.flags.c_contiguous, (A,), "the flag c_contiguous of an array"),
        (lambda a: a.flags["C_CONTIGUOUS"], (A,), "the flag C_CONTIGUOUS of an array"),
        (lambda a: len(a.astype([("x", "i1")])), (A,), r"an array of \[\('x', 'i1'\)\]"),
        (lambda a: dict(zip(a, a)), (A,), "a set or a dictionary with other keys than integers"),
        (lambda a: f"{a[0]}", (A,), "a computed value is formatted as a string"),
        (set_item, ([[A]],), "a list that is an argument changes"),
        (raising, (1,), r"line \d+, `raise ValueError\(\"no\"\)`, .*: ValueError: no"),
        (lambda a: 1 if a[:1] else 2, (A,), "the truth of an array"),
        (lambda a: np.zeros(a), (np.array([3]),), "an array as a size"),
        (lambda a: np.zeros(2.5) + a, (A,), r"`, has no native form: TypeError: 'float' object"),
        (lambda a: [1, 2, 3][a], (np.array([1]),), "a computed index into a list"),
        (lambda a: np.hstack(tup=[a]), (A,), r"line \d+, `.*`, has no native form;"),
        (lambda n: len(iter(range(n))), (3,), r"line \d+, `.*`, has no native form;"),
        (within, (A,), "within has a `with` that does not name np.errstate"),
        (recursive, (3,), "go calls itself, and returns other values than numbers"),
        (lambda a: a.flat < 2, (A,), r"line \d+, `.*`, has no native form;"),
    ],
)
def test_a_reason_has_no_word_of_the_trace(function, args, reason):
    compiled = ag.jit(function)
    try:
        compiled(*args)
    except (TypeError, ValueError):
        pass
    assert re.search(reason, compiled.inspect()) or reason in compiled.inspect()
    assert not INTERNAL.search(compiled.inspect())
    assert_same_outcome(function, ag.jit(function), args)


def test_flags_of_a_read_only_argument_are_its_own():
    fixed = A.copy()
    fixed.flags.writeable = False
    assert ag.jit(lambda a: a.flags.writeable)(fixed) is False


def test_a_fault_of_the_package_is_no_reason(monkeypatch):
    monkeypatch.setitem(numpy_stager.FUNCTIONS, np.ones, new_arrays._constant)
    with pytest.raises(AccidentError, match="'list' object has no attribute 'dtype'"):
        ag.jit(lambda n: np.ones([n]))(3)


def test_results_of_different_types_are_told_with_the_branch():
    def either(x):
        if x[0] > 3:
            return 1.0
        return {"x": 2.0}

    compiled = ag.jit(either)
    assert_same_outcome(either, compiled, (A,))
    reason = compiled.inspect()
    assert "values of different types are returned in different cases" in reason
    assert "if x[0] > 3:" in reason
