"""What functions on JAX arrays cost beside control flow of JAX that is written by hand."""

import importlib
import runpy
import sys
import textwrap
from pathlib import Path

import pytest

pytest.importorskip("jax", reason="JAX is not installed")

import jax

import allograph as ag

ROOT = Path(__file__).parents[3]
BENCHMARKS = ROOT / "benchmarks"
if str(BENCHMARKS) not in sys.path:  # scripts there import each other as top-level modules
    sys.path.append(str(BENCHMARKS))
benchmark = importlib.import_module("jax_traces")
MOST_LINES = 888  # of the room; each number is only ever lowered


@pytest.mark.parametrize("function, by_hand, arguments", benchmark.PAIRS)
def test_a_jaxpr_is_as_small_as_one_by_hand(function, by_hand, arguments):
    ours = benchmark.equations(ag.jax.function(function), arguments)
    assert ours <= 1.1 * benchmark.equations(by_hand, arguments)


@pytest.mark.parametrize("function, by_hand, arguments", benchmark.PAIRS)
def test_what_is_written_by_hand_computes_the_same(function, by_hand, arguments):
    ours = jax.jit(ag.jax.function(function))(*arguments)
    assert jax.tree.all(jax.tree.map(jax.numpy.allclose, ours, by_hand(*arguments)))


def test_a_loop_carries_only_what_it_changes():
    @ag.jax.function
    def shifted(xs, n):
        state = {"scale": xs.sum(), "count": 0, "rows": xs}
        size = 2
        while n > 0:
            size = 2
            state = {**state, "count": state["count"] + size}
            n -= 1
        return state, xs[:size]

    (loop,) = [
        step
        for step in jax.make_jaxpr(shifted)(benchmark.XS, 3).eqns
        if step.primitive.name == "while"
    ]
    assert len(loop.outvars) == 2


def test_a_body_is_traced_once_where_its_types_stay():
    traces = []

    @ag.jax.function
    def nested(n, total):
        for i in range(n):
            for j in range(i):
                traces.append(j)
                total = total + j
        return total

    assert jax.jit(nested)(4, 0) == 4
    assert len(traces) == 1


LOOPS = {"for x in xs": "x", "while total < xs[1]": "xs[0]"}


@pytest.mark.parametrize("head", LOOPS)
def test_a_body_is_traced_once_where_an_array_takes_the_place_of_a_number(head, tmp_path):
    body = f"        count()\n        total = total * 0.5 + {LOOPS[head]}\n"
    source = f"def f(xs):\n    total = 0.0\n    {head}:\n{body}    return total\n"
    assert traces_of(source, tmp_path, benchmark.XS) == 1


def test_a_choice_of_a_number_and_an_array_costs_no_cast_in_a_loop(tmp_path):
    """Its loop is traced once more, with the type that the choice gives."""
    source = "def f(xs):\n    total = 0.0\n    for x in xs:\n        count()\n"
    source += "        if x > 1:\n            total = total + x\n    return total\n"
    assert traces_of(source, tmp_path, benchmark.XS) == 2


def traces_of(source: str, tmp_path, *arguments) -> int:
    """How often `count()` runs while the function `f` of a program is traced."""
    script, traces = tmp_path / "program.py", []
    script.write_text(source)
    f = runpy.run_path(str(script))["f"]
    f.__globals__["count"] = ag.autograph.do_not_convert(lambda: traces.append(0))
    jax.make_jaxpr(ag.jax.function(f))(*arguments)
    return len(traces)


def test_the_blocks_of_a_chain_are_traced_once_each(tmp_path):
    arms = "".join(
        f"    elif x == {i}:\n        count()\n        y = x * {i}\n" for i in range(1, 30)
    )
    head, tail = "def f(x):\n    if x == 0:\n        y = x\n", "    else:\n        y = 1\n"
    assert traces_of(f"{head}{arms}{tail}    return y\n", tmp_path, 3) == 29


def in_branches(level: int, inner: str) -> str:
    return f"if x > {level}:\n{inner}    y = y + 1\nelse:\n    y = 0.5\n"


def test_choices_in_choices_are_traced_once_more(tmp_path):
    """Each of them has to be traced again, with the types that its blocks have shown."""
    program = "count()\n"
    for level in range(1, 9):
        program = in_branches(level, textwrap.indent(program, "    "))
        source = f"def f(x):\n    y = x\n{textwrap.indent(program, '    ')}    return y\n"
        assert traces_of(source, tmp_path, 1) == 2


def test_the_room_only_shrinks():
    room = (ROOT / "backends" / "jax").glob("*.py")
    assert sum(len(path.read_text("utf-8").splitlines()) for path in room) <= MOST_LINES
