"""`jit`: a result is the same object as an argument or a global exactly where it is in NumPy."""

import numpy as np
import pytest

import allograph as ag

LISTED = [np.arange(3.0), np.ones(2)]
TABLE = {"row": np.arange(4.0), "rows": [np.ones(2)]}
LIMIT = None


def of_global(a, rows):
    return a * 2, LISTED


def of_global_table(a, rows):
    return TABLE, a


def inside_of_global(a, rows):
    return TABLE["rows"]


def beside_a_branch_that_raises(a, rows):
    if (a > 1).any():
        return a, rows
    return a < LIMIT


def in_a_branch_that_asserts(a, rows):
    found = None
    if (a > 1).any():
        found = rows
    else:
        raise ValueError("too small")
    return found, a.sum()


def real_component(a, rows):
    return a.real, np.real(rows[0])


def squeezed(a, rows):
    return a.squeeze(), np.squeeze(rows[0])


def own_imaginary_component(a, rows):
    a.real += 1.0
    return a


CASES = [of_global, of_global_table, inside_of_global, beside_a_branch_that_raises,
         in_a_branch_that_asserts, real_component, squeezed, own_imaginary_component]  # fmt: skip


def parts(value) -> list:
    if isinstance(value, dict):
        value = list(value.values())
    return [value] if not isinstance(value, (list, tuple)) else [value, *sum(map(parts, value), [])]


@pytest.mark.parametrize("function", CASES)
def test_the_objects_that_are_returned_are_those_of_numpy(function):
    compiled = ag.jit(function)
    for _ in range(2):
        a, rows = np.arange(3.0), [np.arange(2.0), np.ones(2)]
        known = parts([a, rows, LISTED, TABLE])
        of_numpy, of_native = function(a, rows), compiled(a, rows)
        for one, other in zip(parts(of_numpy), parts(of_native), strict=True):
            assert type(one) is type(other)
            assert [one is each for each in known] == [other is each for each in known]
