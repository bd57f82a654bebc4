"""The one low-level form: the nodes of a graph in steps, which both emitters write out.

A `Program` keeps the graph's values as its variables and groups its nodes into steps: which values
are stored at all, which array a result of the NumPy program may take over, when an array is not
needed any more. How native code runs a step is its schedule (`schedule.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field

from ..core.classes import record
from ..ir import node_properties
from ..ir.graph import Node, Value
from ..ir.op import TABLE


@record()
class Nest:
    """One loop nest: `nodes` are computed element by element over the space of `space.shape`.

    Only `stores` reach memory; the other results live in registers of the loop body. A nest over
    rank 0 is straight-line scalar code. Reductions end a nest: their operand spans the space.
    """

    nodes: tuple[Node, ...]
    stores: tuple[Value, ...]
    space: Value


@record()
class LibraryCall:
    """One node computed by its kernel: BLAS, sorting, effects, whatever has no loop form."""

    node: Node


@record()
class Branch:
    """An `If` node: one of two programs runs."""

    node: Node
    then: Program
    orelse: Program


@record()
class Loop:
    """A `While` node: `body` runs while `test` holds."""

    node: Node
    test: Program
    body: Program


@record()
class Invoke:
    """A `Call` node that was not inlined (a recursive one)."""

    node: Node
    program: Program


Step = Nest | LibraryCall | Branch | Loop | Invoke


@record()
class Program:
    """Steps in order. `dies[i]` lists the values not needed after step i; `reuse` says whose buffer
    a stored value takes over (an operand of the same size and type that dies in that very step).
    `donated` are inputs whose memory native code may overwrite, and the outputs meant for it.
    `has_guards` tells that native code may fail for arguments that have results."""

    name: str
    inputs: tuple[Value, ...]
    steps: tuple[Step, ...]
    outputs: tuple[Value, ...]
    dies: tuple[frozenset[Value], ...] = ()
    reuse: dict[Value, Value] = field(default_factory=dict)
    donated: tuple[tuple[Value, Value], ...] = ()
    has_guards: bool = False


def nodes_of(step: Step) -> tuple[Node, ...]:
    """The graph nodes that a step carries out."""
    return step.nodes if isinstance(step, Nest) else (step.node,)


def is_numeric(step: Step) -> bool:
    """Whether every node of a step is one of numbers, as for loop nests."""
    return all(map(node_properties.is_numeric, nodes_of(step)))


def producers_of(program: Program) -> dict[Value, Node]:
    """The node that makes each value of a program, in order."""
    nodes = (node for step in program.steps for node in nodes_of(step))
    return {value: node for node in nodes for value in node.outputs}


def last_uses(
    steps: Sequence[Step], inputs: Iterable[Value], outputs: Iterable[Value]
) -> tuple[list[set[Value]], list[Value]]:
    """For each step the values that nothing after it reads; and the inputs that nothing reads."""
    last = dict.fromkeys(inputs, -1)
    for index, step in enumerate(steps):
        for node in nodes_of(step):
            last.update((value, index) for value in (*node.inputs, *node.outputs))
    last.update((value, len(steps)) for value in outputs)
    last_used: list[set[Value]] = [set() for _ in steps]
    for value, index in last.items():
        if 0 <= index < len(steps):
            last_used[index].add(value)
    return last_used, [value for value, index in last.items() if index < 0]


def views_dead_before_write(steps: list[Step], last_used: list[set[Value]]) -> set[Value]:
    """The slices that nothing reads any more, nor a view of them, when their operand is last read.

    They may be views of it: native code overwrites an array after its last read.
    """
    last = {value: at for at, values in enumerate(last_used) for value in values}
    nodes = [node for step in steps for node in nodes_of(step)]
    views: dict[Value, list[Value]] = {}
    for node in nodes:
        if node.op.is_view:
            views.setdefault(node.inputs[0], []).append(node.output)
    return {
        node.output
        for node in nodes
        if node.op is TABLE["strided_slice"]
        and _last_read(node.output, views, last) < last.get(node.inputs[0], math.inf)
    }


def _last_read(value: Value, views: dict[Value, list[Value]], last: dict[Value, int]) -> float:
    reads = (_last_read(view, views, last) for view in views.get(value, ()))
    return max(last.get(value, math.inf), *reads, 0)


def inner_programs(step: Step) -> list[Program]:
    """The programs inside a step of control flow."""
    fields = ("then", "orelse", "test", "body", "program")
    return [getattr(step, field) for field in fields if hasattr(step, field)]


def steps_inside(step: Step) -> Iterator[Step]:
    """The steps of the programs inside a step, and those inside these."""
    for program in inner_programs(step):
        for inner in program.steps:
            yield inner
            yield from steps_inside(inner)


def is_read_in_order(operand: Value, nest: Nest) -> bool:
    """Whether each element of an operand is read where that element of the result is computed."""
    return all(
        node.op.scalar or node.op.reduce or operand not in node.inputs for node in nest.nodes
    )
