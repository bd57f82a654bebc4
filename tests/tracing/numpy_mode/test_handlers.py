"""`jit`: functions with `try` are native; Python runs the calls in which something is raised."""

import math

import numpy as np
import pytest
from native_calls import is_native
from numpy_programs import assert_native, assert_same_outcome, function_of
from question_programs import outcome

import allograph as ag


def item_or_default(a, i):
    try:
        x = a[i] * 2
    except IndexError:
        x = -1.0
    for j in range(len(a)):
        a[j] += x
    return x


def roots(a, count):
    total = 0.0
    for i in range(count):
        try:
            total += math.sqrt(a[i])
        except ValueError:
            total -= 1
        finally:
            a[i] = 0.0
    return total


def doubled_until_negative(a, count):
    try:
        for i in range(count):
            if a[i] < 0:
                raise ValueError(i)
            a[i] *= 2
    except:  # noqa: E722 - it also catches what ends a trace
        a[0] = 100.0
    else:
        a[-1] = 7.0
    return a.sum()


@pytest.mark.parametrize("function", [item_or_default, roots, doubled_until_negative])
def test_a_handler_runs_in_python_alone(function):
    compiled = ag.jit(function)
    for first in (0, -3):
        for count in (2, 5, 9):
            assert_same_outcome(function, compiled, (np.arange(6.0) + first, count))
    assert is_native(compiled)


def test_a_body_that_raises_nothing_is_native():
    assert_native(roots, (np.arange(6.0), 4), (np.arange(6.0), 1))


def test_a_handler_never_sees_what_a_trace_refuses():
    def guarded(a):
        try:
            made = a / {1: 2}[1]
            a[0] = np.unknown(a)
        except:  # noqa: E722
            return -1.0
        return made

    compiled = ag.jit(guarded)
    assert_same_outcome(guarded, compiled, (np.arange(4.0),))
    assert "an `except` handles a AttributeError" in compiled.inspect()


REFUSED = [
    "hash(a[0])", "f'{a[0]}'", "a.unknown", "{n: 1}", "{n}", "a[n:].reshape(-1, 2)",
    "[1, 2][int(a[0])]", "1 / (n - 1)", "t, u = a", "for i in range(n): y = a[i:]", "a[n:] = 3",
    "raise ValueError(a[0])",
]  # fmt: skip
AROUND = {
    "nested handlers": """
    try:
        try:
            {body}
        except:
            z = 5
    except BaseException:
        z = 6
""",
    "in a loop": """
    for k in range(n):
        try:
            {body}
        except BaseException as error:
            z = 5
        finally:
            y = 3
""",
    "finally that returns": """
    try:
        {body}
    finally:
        return y, z
""",
    "finally that may leave a loop": """
    for k in range(2):
        try:
            {body}
        finally:
            if n > 1: break
""",
}


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
@pytest.mark.parametrize("body", REFUSED)
def test_no_handler_catches_what_ends_a_trace(body, around):
    body = body if "= " in body or body.startswith("raise") else f"z = {body}"
    source = f"def program(a, n):\n    y = z = 0{around.format(body=body)}    return y, z\n"
    function = function_of(source, f"handlers: {body} {around}")
    compiled = ag.jit(function)
    for args in [(np.ones(3) * 2, 1), (np.ones(3), 2)]:
        assert outcome(compiled, args) == outcome(function, args)
