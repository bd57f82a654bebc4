"""`jit`: names and results that are a number at one time and None at another."""

import linecache

import numpy as np
import pytest
from numpy_programs import assert_native, assert_same_outcome

import allograph as ag

pytestmark = pytest.mark.slow

A = np.array([3, 1, 2, 8, 1, 5])
CALLS = [(A, 8), (A, 9), (A * 1.0, 1), (A.astype(np.int32), 5), (A[:0], 1)]


def test_the_place_of_what_is_found_or_none():
    def place(a, wanted):
        for i in range(len(a)):
            if a[i] == wanted:
                return i
        return None

    def place_without_return(a, wanted):
        for i, x in enumerate(a):
            if x == wanted:
                return i

    assert_native(place, *CALLS)
    assert_native(place_without_return, *CALLS[:-1])


def test_a_called_function_returns_none_at_times():
    def place(a, wanted):
        for i in range(len(a)):
            if a[i] == wanted:
                return i
        return None

    def total(a, limit):
        found = 0
        for x in range(limit):
            at = place(a, x)
            if at is not None:
                found += at
        return found

    assert_native(total, *CALLS[:-1])


def test_the_best_so_far_is_none_at_first():
    def best(a, limit):
        at = None
        for i in range(len(a)):
            if a[i] < limit and (at is None or a[i] < a[at]):
                at = i
        return at

    assert_native(best, *CALLS[:-1])


FOUND = ["i", "a[i]", "i * 0.5", "i > 1"]
USES = [
    "k is None, k", "k + 1", "+k", "[k, 2]", "-k if k else 7", "a[k]", "k == 1", "k in (None, 1)",
    "bool(k)", "int(k)", "np.add(k, 1)", "max(k, 1)", "np.where(a > k, 1, 2)", "k or 5", "k and 5",
    "k.real", "np.array([k, 1])", "None if k is None else k + 1", "k < 2", "not k",
    "isinstance(k, int)",
]  # fmt: skip


@pytest.mark.parametrize("found", FOUND)
def test_uses_of_a_number_or_none_mean_the_same(found):
    """All uses of an index; of what has another type, those at every other place."""
    for at, use in list(enumerate(USES))[FOUND.index(found) % 2 :: 1 if found == "i" else 2]:
        source = f"""def some(a, wanted):
    k = None
    for i in range(len(a)):
        if a[i] == wanted:
            k = {found}
    return {use}
"""
        name = f"<number or none: {found}, {at}>"
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        scope = {"np": np}
        exec(compile(source, name, "exec"), scope)
        compiled = ag.jit(scope["some"])
        for args in CALLS:
            assert_same_outcome(scope["some"], compiled, args)
