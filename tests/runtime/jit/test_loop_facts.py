"""Which loops of a kernel look for signals."""

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.jit.loop_facts import LONG, Polling, polling_of
from allograph.runtime.jit.loop_hints import kernel_function
from allograph.runtime.kernel_ir.reader import statements


def polling(source):
    """How often the first loop of a source polls."""
    return polling_of(statements(source)[0])


@pytest.mark.parametrize(
    "header",
    ["range(100)", f"range(opaque({LONG}))", f"range(min({LONG}, n - first))", "range(k + 1, 3)",
     "range(5 - 1, -1, -1)", "range(first, min(first + length, 2000), 8)"],
)  # fmt: skip
def test_a_short_loop_never_polls(header):
    assert polling(f"for i in {header}: y[i] = x[i]") is Polling.NEVER


@pytest.mark.parametrize("limit", ["n", "min(length, n - first)", str(2 * LONG)])
def test_a_loop_that_may_be_long_polls_seldom_where_its_iterations_are_short(limit):
    assert polling(f"for i in range({limit}): y[i] = x[i]") is Polling.SELDOM


def test_a_while_polls_seldom_where_its_iterations_are_short():
    assert polling("while True:\n    if x < 1:\n        break\n    x = x - 1") is Polling.SELDOM


@pytest.mark.parametrize("outer", ["while True", "for i in range(n)"])
@pytest.mark.parametrize("inner", ["while x: pass", "for j in range(3): pass"])
def test_a_loop_around_another_one_always_polls(outer, inner):
    assert polling(f"{outer}:\n    if x:\n        {inner}") is Polling.ALWAYS


def test_loops_of_constant_length_count_together():
    rows = LONG // 1000
    inner = "\n    for j in range(1000): y[i, j] = 0"
    assert polling(f"for i in range({rows}):{inner}") is Polling.NEVER
    assert polling(f"for i in range({rows + 1}):{inner}") is Polling.ALWAYS


@pytest.mark.parametrize("polls", [False, True])
def test_a_function_that_a_kernel_calls_polls_where_it_says_so(polls):
    pytest.importorskip("llvmlite")
    from kernel_compilation import llvm_of

    @kernel_function(polls=polls)
    def fill(x, y):
        for i in range(x[0]):
            y[i] = x[i] + 1

    source = "def kernel(x, y):\n    fill(x, y)\n    return ()\n"
    rows = np.ones(3, np.int64)
    assert ('entry.poll"' in str(llvm_of(source, [rows, rows], fill=fill))) is polls


@ag.function(jit_compile=True)
def total(n):
    result = ag.constant(0, ag.int64)
    for i in ag.range(n):
        result += i * i % 7
    return result


@pytest.mark.slow
@pytest.mark.parametrize("extra", [-1, 0, 1, 4095, 4096])
def test_a_loop_in_strips_computes_what_the_loop_does(extra):
    pytest.importorskip("llvmlite")
    n = 128 * 4096 + extra  # a chunk has one strip, or a bit more
    numbers = np.arange(n, dtype=np.int64)
    assert int(total(ag.constant(n, ag.int64))) == (numbers * numbers % 7).sum()
