"""Loops that push what they save on stacks, and those that read it: what passes ask and change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...ir.graph import Graph, Node, Value
from ...ir.op import TABLE
from ...ir.rewrite import Rewritten, inside_subgraphs, rewrite


def loops_of(graph: Graph) -> list[Node]:
    return [node for node in graph.nodes if "carried" in node.attrs]


def at_each_value(graph: Graph, run: Callable, change: Callable) -> Graph:
    """The graph after `run` inside its sub-graphs, then `change` for each value of its loops."""
    graph = inside_subgraphs(graph, run)
    for number, loop in enumerate(loops_of(graph)):
        for position in range(loop.attrs["carried"]):
            graph = change(graph, loops_of(graph)[number], position)
    return graph


def pushed(loop: Node, position: int) -> Value | None:
    """What each iteration pushes on a stack, which it uses in no other way."""
    body, test = loop.attrs["body"], loop.attrs["test"]
    own = body.inputs[position]
    push = body.producers().get(body.outputs[position])
    if push is None or push.op is not TABLE["stack_push"] or push.inputs[0] is not own:
        return None
    is_read = len(body.uses()[own]) != 1 or push.output in body.uses()
    is_read = is_read or test.inputs[position] in test.uses() or own in body.outputs
    return None if is_read else push.inputs[2]


def readers_of(graph: Graph, saved: Value, zeros: bool = False) -> list[tuple[Node, int]] | None:
    """The loops that read a stack, and its position among their operands; None if others do. With
    `zeros`, there may be zeros for its cotangent.
    """
    if saved in graph.outputs:
        return None
    readers, read = [], {TABLE["stack_peek"], *[TABLE["stack_zeros"]] * zeros}
    for node in graph.uses().get(saved, ()):
        if zeros and node.op is TABLE["stack_zeros"]:
            continue
        at = node.inputs.index(saved)
        if at < node.attrs.get("carried", len(node.inputs)) or node.inputs.count(saved) != 1:
            return None
        body, test = node.attrs["body"], node.attrs["test"]
        uses = body.uses().get(body.inputs[at], ())
        is_kept = test.inputs[at] in test.uses() or body.inputs[at] in body.outputs
        if is_kept or not {use.op for use in uses} <= read:
            return None
        readers.append((node, at))
    return readers


def read_from(graph: Graph, readers: list[tuple[Node, int]], operand: Value, instead) -> Graph:
    """A graph whose `readers` read an operand in place of a stack."""
    changed = {reader: reading(reader, at, operand, instead) for reader, at in readers}
    return replaced_nodes(graph, changed)


def reading(
    reader: Node, position: int, operand: Value, instead: Callable[[Node, Value], Rewritten | Value]
) -> Node:
    """A loop with another operand in place of a stack. `instead(peek, own)` gives the node, or the
    value, that takes the place of a peek; `own` is the operand inside.
    """
    body, test = reader.attrs["body"], reader.attrs["test"]
    stack = body.inputs[position]
    own = replace(operand, name=stack.name)
    values: dict[Value, Value] = {}

    def visit(node: Node) -> Rewritten:
        new = instead(node, own) if stack in node.inputs else node
        if isinstance(new, Value):
            values[node.output] = new
            return None
        return new

    read = rewrite(body, visit, values)
    attrs = {
        **reader.attrs,
        "body": read.replace(inputs=with_value(body.inputs, position, own)),
        "test": test.replace(inputs=with_value(test.inputs, position, replace(own))),
    }
    return replace(reader, inputs=with_value(reader.inputs, position, operand), attrs=attrs)


def replaced_nodes(graph: Graph, changed: dict) -> Graph:
    """The graph with other nodes in the place of some."""
    nodes: list[Node] = []
    for node in graph.nodes:
        replacement = changed.get(node, node)
        nodes += replacement if isinstance(replacement, list) else [replacement]
    return graph.replace(nodes=tuple(nodes)) if changed else graph


def with_value(values: tuple[Value, ...], position: int, value: Value) -> tuple[Value, ...]:
    """The values with another one at a position."""
    return (*values[:position], value, *values[position + 1 :])
