"""What functions on JAX arrays cost beside control flow of JAX that is written by hand."""

import importlib
import runpy
import sys
from pathlib import Path

import pytest

pytest.importorskip("jax", reason="JAX is not installed")

import jax

import allograph as ag
from allograph.backends.jax import jax_stager

ROOT = Path(__file__).parents[3]
BENCHMARKS = ROOT / "benchmarks"
if str(BENCHMARKS) not in sys.path:  # scripts there import each other as top-level modules
    sys.path.append(str(BENCHMARKS))
benchmark = importlib.import_module("jax_traces")
MOST_LINES = 897  # of the room; each number is only ever lowered


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


def test_the_blocks_of_a_chain_are_traced_once_each(tmp_path, monkeypatch):
    arms = "".join(f"    elif x == {i}:\n        y = x * {i}\n" for i in range(1, 30))
    script = tmp_path / "chain.py"
    head, tail = "def chain(x):\n    if x == 0:\n        y = 0\n", "    else:\n        y = 1\n"
    script.write_text(f"{head}{arms}{tail}    return y\n")
    chain, blocks = runpy.run_path(str(script))["chain"], []

    class Counted(jax_stager.Block):
        def __init__(self, *args):
            blocks.append(self)
            super().__init__(*args)

    monkeypatch.setattr(jax_stager, "Block", Counted)
    staged = jax.jit(ag.jax.function(chain))
    assert [staged(x) for x in (0, 5, 40)] == [0, 25, 1]
    assert len(blocks) == 2 * 30


def test_the_room_only_shrinks():
    room = (ROOT / "backends" / "jax").glob("*.py")
    assert sum(len(path.read_text("utf-8").splitlines()) for path in room) <= MOST_LINES
