"""Graph -> Program: which nodes share a loop nest, and what the plan may overwrite.

Nodes are taken in program order. A node joins the open nest when its result spans the same space
and every operand is either a register of the nest, read at the same index, or was stored
before. Reductions of a nest's registers join it too. Anything else is a step of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ..core import thresholds
from ..core.shapes import is_static
from ..ir.constant_values import full_constant
from ..ir.graph import Graph, Node, Value, elements_of
from ..ir.node_properties import gives_new_array, is_fusible, setter_of, ufunc_of
from .program import Branch, Invoke, LibraryCall, Loop, Nest, Program, Step, last_uses


def _printed(program: Program) -> str:
    """The text form of a program."""
    from .program_printer import printed  # the planner of native code, which few programs need

    return printed(program)


Program.__str__ = _printed  # type: ignore[assignment, method-assign]


def lower(graph: Graph) -> Program:
    """The schedule of a graph; sub-graphs become the programs of branches and loops."""
    steps = tuple(_steps(graph))
    donated = tuple((graph.inputs[item], graph.outputs[target]) for item, target in graph.donated)
    last_used, _ = last_uses(steps, (), graph.outputs)
    dies = tuple(frozenset(values.difference(graph.inputs)) for values in last_used)
    return Program(
        graph.name, graph.inputs, steps, graph.outputs, dies, _reuse(graph), donated,
        graph.has_guards,
    )  # fmt: skip


def _steps(graph: Graph):
    open_nodes: list[Node] = []
    inside: dict[Value, Node] = {}
    space: Value | None = None
    for node in graph.nodes:
        if node.op.is_constant:  # depends on nothing, so it need not end a nest
            yield LibraryCall(node)
            continue
        fusible = is_fusible(node)
        if space is not None and fusible and _joins(node, open_nodes, inside, space):
            open_nodes.append(node)
            inside[node.output] = node
            continue
        if space is not None and fusible and _is_fill(node, inside):  # it need not end one either
            yield _nest(graph, [node], _space(node))
            continue
        if space is not None:
            yield _nest(graph, open_nodes, space)
            space = None
        if fusible:
            open_nodes, space, inside = [node], _space(node), {node.output: node}
        else:
            yield _own_step(node)
    if space is not None:
        yield _nest(graph, open_nodes, space)


def _is_fill(node: Node, inside) -> bool:
    """Whether all elements of a result are a constant, and no value of an open nest is read.

    Of a vector of sizes, some may be known and others not.
    """
    return bool(node.inputs) and all(
        value not in inside and full_constant(value) is not None for value in node.inputs
    )


def _own_step(node: Node) -> Step:
    return CONTROL_FLOW.get(node.op.name, LibraryCall)(node)


def _branch(node: Node) -> Branch:
    return Branch(node, lower(node.attrs["then"]), lower(node.attrs["orelse"]))


def _loop(node: Node) -> Loop:
    body = lower(node.attrs["body"])
    reuse = body.reuse | _set_in_place(node.attrs["body"], node.attrs["carried"])
    return Loop(node, lower(node.attrs["test"]), replace(body, reuse=reuse))


def _invoke(node: Node) -> Invoke:
    return Invoke(node, lower(node.attrs["graph"]))


CONTROL_FLOW: dict[str, Callable[[Node], Step]] = {"if": _branch, "while": _loop, "call": _invoke}


def _space(node: Node) -> Value:
    """The value whose shape a nest runs over: the operand of a reduction, else the result."""
    return node.inputs[0] if node.op.reduce else node.output


def _joins(node: Node, nodes: list[Node], inside: dict[Value, Node], space: Value) -> bool:
    if len(nodes) >= thresholds.NEST_LIMIT or _space(node).shape != space.shape:
        return False
    if node.op.reduce and any(
        member.op.reduce and member.attrs["axis"] != node.attrs["axis"] for member in nodes
    ):
        return False
    for value in node.inputs:
        if value not in inside:
            continue
        if inside[value].op.reduce:
            return False  # its value is there when the nest has ended
        if value.shape != space.shape or not (node.op.scalar or node.op.reduce):
            return False  # the operand is not a register at this index: it has to be complete first
    return True


def _nest(graph: Graph, nodes: list[Node], space: Value) -> Nest:
    inside = set(map(id, nodes))
    uses = graph.uses()
    outputs = set(graph.outputs)
    stores = tuple(
        node.output
        for node in nodes
        if node.output in outputs
        or any(id(user) not in inside for user in uses.get(node.output, ()))
    )
    return Nest(tuple(nodes), stores, space)


def part(nodes: Sequence[Node], outputs: Sequence[Value], others: Iterable[Node] = ()) -> Graph:
    """The graph of some nodes of another, with the constants among `others` that they read."""
    computed = {value for node in nodes for value in node.outputs}
    read = dict.fromkeys(value for node in nodes for value in node.inputs if value not in computed)
    constants = [node for node in others if node.op.is_constant and node.output in read]
    for node in constants:
        del read[node.output]
    return Graph("part", tuple(read), (*constants, *nodes), tuple(outputs))


def _reuse(graph: Graph) -> dict[Value, Value]:
    """Results that may be written over an operand: a fresh buffer of the same type, read last
    here.
    """
    fresh: set[Value] = set()
    reuse: dict[Value, Value] = {}
    uses, outputs = graph.uses(), set(graph.outputs)
    for node in graph.nodes:
        if ufunc_of(node) is None or len(node.outputs) != 1:
            continue
        result = node.output
        for value in node.inputs:
            if value not in fresh or uses[value][-1] is not node or value in outputs:
                continue
            same = value.dtype is result.dtype and value.shape == result.shape
            if same and all(map(gives_new_array, uses[value])):
                reuse[result] = value
                fresh.discard(value)
                break
        if is_static(result.shape) and result.shape:
            is_large = elements_of(result) >= thresholds.REUSE_FROM
            fresh |= {result} if is_large else set()
    return reuse


def _set_in_place(body: Graph, carried: int) -> dict[Value, Value]:
    """Arrays that a loop carries and does nothing with but to set items: the plan copies them once,
    before the loop.
    """
    indices = (index for index in range(carried) if setter_of(body, index) is not None)
    return {body.outputs[index]: body.inputs[index] for index in indices}
