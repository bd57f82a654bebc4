"""Single passes, as text in and text out."""

from textwrap import dedent

import numpy as np
import pytest
from interpreter import assert_same, interpret

import allograph as ag
from allograph.library.saved.graph_parser import parse
from allograph.runtime.ir.graph import check
from allograph.runtime.ir.graph_printer import as_text
from allograph.runtime.passes.dead_code import drop_dead_loop_state
from allograph.runtime.passes.loops.hoist_loop_invariants import hoist_loop_invariants
from allograph.runtime.passes.simplify import eliminate_common_subexpressions

HEAD = """
graph f(x: float32[3], w: float32[3], n: int32[]) -> ({results}):
  zero: int32[] = const() value=array('int32', (), (0,))
  a: int32[], b: float32[3] = while(zero, x, w, n) test=@f.test body=@f.body carried=2

graph f.test(i: int32[], x: float32[3], w: float32[3], n: int32[]) -> (go):
  go: bool[] = less(i, n)

graph f.body(i: int32[], x: float32[3], w: float32[3], n: int32[]) -> (k, {last}):
  one: int32[] = const() value=array('int32', (), (1,))
  k: int32[] = add(i, one)
"""


def loop(body: str, last: str, results: str = "b") -> str:
    return HEAD.format(last=last, results=results) + body


LOOP_WITH_TANH = loop("  y: float32[3] = tanh(w)\n  s: float32[3] = add(x, y)", "s")


def after(run, text: str) -> str:
    """The text after a pass, which has to leave the values alone."""
    graph = parse(text)
    made = run(graph)
    check(made)
    for n in (0, 3):
        inputs = [np.arange(3, dtype=np.float32), np.full(3, 0.5, np.float32), np.int32(n)]
        assert_same(interpret(made, inputs), interpret(graph, inputs))
    return as_text(made)


def test_what_depends_on_invariants_only_is_computed_before_the_loop():
    text = after(
        hoist_loop_invariants, loop("  y: float32[3] = tanh(w)\n  s: float32[3] = add(x, y)", "s")
    )
    assert text == dedent("""\
        graph f(x: float32[3], w: float32[3], n: int32[]) -> (b):
          zero: int32[] = const() value=array('int32', (), (0,))
          y: float32[3] = tanh(w)
          a: int32[], b: float32[3] = while(zero, x, w, n, y) test=@f.test body=@f.body carried=2

        graph f.test(i: int32[], x: float32[3], w: float32[3], n: int32[], y: float32[3]) -> (go):
          go: bool[] = less(i, n)

        graph f.body(i: int32[], x: float32[3], w: float32[3], n: int32[], y: float32[3]) -> (k, s):
          one: int32[] = const() value=array('int32', (), (1,))
          k: int32[] = add(i, one)
          s: float32[3] = add(x, y)
        """)


@pytest.mark.parametrize(
    "body, why",
    [
        ("  y: float32[3] = tanh(x)\n  s: float32[3] = add(x, y)", "it is carried"),
        (
            "  two: int32[] = const() value=array('int32', (), (2,))\n"
            "  q: int32[] = floor_divide(two, n)\n"
            "  c: float32[] = cast(q) dtype=dtype('float32')\n  s: float32[3] = add(x, c)",
            "an integer division may fail, and there may be no iteration",
        ),
        (
            "  l: float32[] = reduce_sum(x) axis=None keepdims=False\n  s: float32[3] = add(x, l)",
            "it is a reduction of what is carried",
        ),
    ],
)
def test_what_may_fail_or_changes_stays_in_the_loop(body, why):
    text = loop(body, "s")
    assert hoist_loop_invariants(graph := parse(text)) is graph, why


def test_state_that_nobody_needs_is_not_carried():
    text = after(drop_dead_loop_state, loop("  s: float32[3] = add(x, w)", "s", results="a"))
    assert text == dedent("""\
        graph f(x: float32[3], w: float32[3], n: int32[]) -> (a):
          zero: int32[] = const() value=array('int32', (), (0,))
          a: int32[] = while(zero, n) test=@f.test body=@f.body carried=1

        graph f.test(i: int32[], n: int32[]) -> (go):
          go: bool[] = less(i, n)

        graph f.body(i: int32[], n: int32[]) -> (k):
          one: int32[] = const() value=array('int32', (), (1,))
          k: int32[] = add(i, one)
        """)


def test_state_that_the_body_leaves_alone_is_an_operand():
    text = after(drop_dead_loop_state, loop("", "x", results="a, b"))
    assert "-> (a, x):" in text
    assert "a: int32[] = while(zero, n) test=@f.test body=@f.body carried=1" in text


def test_a_branch_gives_only_what_is_read():
    text = """
graph f(t: bool[], x: float32[3], y: float32[3]) -> (b):
  a: float32[3], b: float32[3] = if(t, x, y) then=@f.then orelse=@f.orelse

graph f.then(x: float32[3], y: float32[3]) -> (e, x):
  e: float32[3] = exp(y)

graph f.orelse(x: float32[3], y: float32[3]) -> (y, n):
  n: float32[3] = negative(x)
"""
    made = drop_dead_loop_state(parse(text))
    check(made)
    assert as_text(made) == dedent("""\
        graph f(t: bool[], x: float32[3], y: float32[3]) -> (b):
          b: float32[3] = if(t, x) then=@f.then orelse=@f.orelse

        graph f.then(x: float32[3]) -> (x):

        graph f.orelse(x: float32[3]) -> (n):
          n: float32[3] = negative(x)
        """)


def test_effects_in_a_body_keep_what_they_read():
    @ag.function
    def f(x, n):
        total = x
        for _ in ag.range(n):
            ag.print(total)
            total = total + 1.0
        return n

    concrete = f.get_concrete_function(ag.constant(1.0), ag.constant(2))
    ops = [node.op.name for node in concrete.optimized_graph.walk()]
    assert "print" in " ".join(ops) and ops.count("while") == 1


@pytest.mark.parametrize(
    "pieces", [lambda x: ag.split(x, [1, -1, 2], axis=1), lambda x: ag.unstack(x, axis=-1)]
)
def test_pieces_are_slices(pieces):
    f = ag.function(pieces, jit_compile=True)
    x = ag.reshape(ag.range(12), (2, 6))
    for piece, expected in zip(f(x), pieces(x), strict=True):
        assert piece.numpy().tolist() == expected.numpy().tolist()
    graph = f.get_concrete_function(x).optimized_graph
    assert {node.op.name for node in graph.nodes} == {"strided_slice"}


def test_new_arrays_of_one_value_stay_apart_and_numbers_do_not():
    def both():
        return ag.zeros([3]), ag.zeros([3]), ag.tanh(ag.constant(1.0)), ag.tanh(ag.constant(1.0))

    graph = ag.function(both).get_concrete_function().frozen
    outputs = eliminate_common_subexpressions(eliminate_common_subexpressions(graph)).outputs
    assert outputs[0] is not outputs[1]
    assert outputs[2] is outputs[3]
