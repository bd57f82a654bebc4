"""`inspect` of functions of `jit`: calls, reasons with their lines, loops that threads share."""

import math

import numpy as np
import pytest

import allograph as ag

A = np.arange(1.0, 9.0)


def inspected(function, *args, calls=1):
    compiled = ag.jit(function)
    for _ in range(calls):
        compiled(*args)
    return compiled.inspect().splitlines()


def distance(a):
    total = 0.0
    for x in a:
        total += math.fsum([x, 1.0])
    return total


def text(a):
    doubled = a * 2
    return f"{doubled[0]}"


def sets_global(a):
    global STATE
    STATE = 1
    return a * 2


def spectrum(a):
    a = a * 2
    return np.fft.rfft(a)


def of_words(a):
    words = []
    for _ in a:
        words.append("word")
    return len(words)


def inner(a):
    return text(a)


@pytest.mark.parametrize("function, reason, source", [
    (distance, "math.fsum has no native form", "total += math.fsum([x, 1.0])"),
    (text, "a computed value is formatted as a string", 'return f"{doubled[0]}"'),
    (inner, "a computed value is formatted as a string", 'return f"{doubled[0]}"'),
    (sets_global, "sets_global assigns a global variable", "STATE = 1"),
    (spectrum, "calls of rfft; the rest is too little for native code", "return np.fft.rfft(a)"),
    (of_words, "a list of other things than numbers and arrays grows in a loop",
     'words.append("word")'),
])  # fmt: skip
def test_a_reason_has_the_line_that_it_is_about(function, reason, source):
    head, place = inspected(function, A, calls=2)
    assert head == f"(float64[8]): NumPy: {reason}; 2 calls"
    name, line, shown = place.strip().split(":", 2)
    assert (name, shown.strip()) == ("test_inspect_jit.py", source)
    assert open(__file__, encoding="utf-8").read().splitlines()[int(line) - 1].strip() == source


def double(a):
    return a * 2.0


@pytest.mark.parametrize("count, said", [(1, "1 call"), (10, "10 calls"), (1200, "1,200 calls")])
def test_each_call_of_native_code_is_counted(count, said):
    assert inspected(double, A, calls=count) == [f"(float64[8]): native code; {said}"]


def test_the_middle_of_a_long_argument_is_left_out():
    (line,) = inspected(lambda a, name: a + 1, A, "x" * 5000)
    assert "'xxxx" in line and "..." in line and len(line) < 120


def rows(a, out):
    for i in ag.prange(len(a)):
        total = 0.0
        for k in range(50):
            total += math.sin(a[i] + k)
        out[i] = total


def neighbors(a, out):
    for i in ag.prange(1, len(a)):
        for _ in range(50):
            out[i] += math.sin(out[i - 1])


def recurrence(a, out):
    value = 0.0
    for i in ag.prange(len(a)):
        value = math.sin(value + a[i])
    return value


def until(a, out):
    for i in ag.prange(len(a)):
        if a[i] > 1e9:
            break
        out[i] = np.sin(a[i])


@pytest.mark.parametrize("function, size, said", [
    (rows, 100_000, "shared by threads"),
    (rows, 10, "one thread: all its iterations together take less time than waking threads"),
    (neighbors, 1000, "one thread: an iteration writes elements that others may read or write"),
    (recurrence, 1000, "one thread: an iteration needs `value` of the one before"),
    (until, 1000, "one thread: what ends it is computed in its iterations"),
])  # fmt: skip
def test_a_loop_over_prange_says_whether_threads_share_it_and_what_prevents_it(
    function, size, said
):
    a = np.linspace(0.0, 1.0, size)
    lines = inspected(function, a, np.zeros(size))
    (loop,) = [line for line in lines if "prange" in line]
    assert loop.startswith("    test_inspect_jit.py:") and loop.endswith(f"  # {said}")
