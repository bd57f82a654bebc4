"""Which variables of a function that calls another are read later."""

import sys

import pytest

from allograph.autograph.conversion.bytecode_liveness import Liveness


def live(frame=None) -> set[str]:
    """The variables of the caller that are read after this call."""
    caller = sys._getframe(1)
    found = Liveness([sys._getframe(), caller], frozenset())
    return {name for name in caller.f_code.co_varnames if found.is_live(1, name)}


def what_is_assigned_again(a):
    a = live(a)
    return a


def what_is_read_on_one_path(a, b):
    found = live()
    if b:
        found.add(a)
    return found - {a}


def what_a_loop_reads_again(a, b):
    found = set()
    for _ in range(2):
        if not found:
            found = live()
        a = a + b
    return found


def what_waits_on_the_stack(a, b):
    a, found = [a, b], [a, live()]
    return found[1]


def what_a_handler_reads(a, b):
    try:
        found = live()
    except KeyError:
        return a
    return found


def what_is_deleted(a, b):
    found = live()
    del a
    return found


def what_a_lambda_holds(a, b):
    later = lambda: a  # noqa: E731 - it is called after the other call
    return (live(), later())[0]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (what_is_assigned_again, set()),
        (what_is_read_on_one_path, {"a", "b"}),
        (what_a_loop_reads_again, {"a", "b"}),
        (what_waits_on_the_stack, {"a", "b"}),
        (what_a_handler_reads, {"a"}),
        (what_is_deleted, set()),
        (what_a_lambda_holds, {"a", "later"}),
    ],
)
def test_a_variable_is_live_if_something_reads_it_after_a_call(function, expected):
    found = function(*range(function.__code__.co_argcount))
    assert found == expected
