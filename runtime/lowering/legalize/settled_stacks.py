"""Stacks of saved values, once shapes are known.

A loop saves values of unknown shape in a list, and shapes in a stack. When the shapes turn out to
be static, the list becomes an array, and what is the same in each iteration needs no stack.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from ...core.dtypes import stack
from ...ir.constant_values import full_constant
from ...ir.graph import Graph, Node, Value
from ...ir.op import TABLE
from ...ir.rewrite import rewrite
from ...ir.saved_lists import empty_stack, has_no_elements, is_array, stack_spec


def with_settled_stacks(graph: Graph) -> Graph:
    """The graph with constants and arrays for the stacks of its loops that can be those."""
    for number, loop in enumerate(loops_of(graph)):
        for position in range(loop.attrs["carried"]):
            graph = _settled(graph, loops_of(graph)[number], position)
    return graph


def loops_of(graph: Graph) -> list[Node]:
    return [node for node in graph.nodes if "carried" in node.attrs]


def _settled(graph: Graph, loop: Node, position: int) -> Graph:
    value = pushed(loop, position)
    readers = readers_of(graph, loop.outputs[position])
    if value is None or readers is None:
        return graph
    constant = full_constant(value)
    if constant is not None:
        return read_from(graph, readers, loop.outputs[position], partial(_constant, constant))
    is_list = loop.outputs[position].dtype is stack
    if is_list and is_array(value.dtype, value.shape) and not has_no_elements(value):
        return _with_array(graph, loop, position, value, readers)
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


def readers_of(graph: Graph, saved: Value) -> list[tuple[Node, int]] | None:
    """The loops that read a stack, and its position among their operands; None if others do."""
    if saved in graph.outputs:
        return None
    readers = []
    for node in graph.uses().get(saved, ()):
        at = node.inputs.index(saved)
        if at < node.attrs.get("carried", len(node.inputs)) or node.inputs.count(saved) != 1:
            return None
        body, test = node.attrs["body"], node.attrs["test"]
        uses = body.uses().get(body.inputs[at], ())
        if any(use.op is not TABLE["stack_peek"] for use in uses) or test.inputs[at] in test.uses():
            return None
        if body.inputs[at] in body.outputs:
            return None
        readers.append((node, at))
    return readers


def _constant(constant, peek: Node, own: Value) -> Node:
    return replace(peek, op=TABLE["const"], inputs=(), attrs={"value": constant})


def read_from(graph: Graph, readers: list[tuple[Node, int]], operand: Value, instead) -> Graph:
    """A graph whose `readers` read an operand in place of a stack."""
    changed = {reader: reading(reader, at, operand, instead) for reader, at in readers}
    return replaced_nodes(graph, changed)


def _with_array(graph: Graph, loop: Node, position: int, value: Value, readers) -> Graph:
    """A graph where a stack that was a list is an array."""
    spec = stack_spec(value)
    items = (spec.shape or ())[1:]

    def typed(old: Value) -> Value:
        return Value(spec.dtype, spec.shape, old.name)

    empty = Value(spec.dtype, (0, *items), "saved", empty_stack(value.dtype, value.shape))
    start = Node(TABLE["const"], (), {"value": empty.constant}, (empty,), loop.where)
    body, test = loop.attrs["body"], loop.attrs["test"]
    renamed = {old: typed(old) for old in (body.inputs[position], body.outputs[position])}
    attrs = {
        **loop.attrs,
        "body": renamed_graph(body, renamed),
        "test": renamed_graph(test, {test.inputs[position]: typed(test.inputs[position])}),
    }
    saved = typed(loop.outputs[position])
    inputs = with_value(loop.inputs, position, empty)
    outputs = with_value(loop.outputs, position, saved)
    changed: dict[Node, Node | list[Node]] = {
        loop: [start, replace(loop, inputs=inputs, attrs=attrs, outputs=outputs)]
    }

    def element(peek: Node, own: Value) -> Node:
        attrs = {**peek.attrs, "shape": value.shape}
        return replace(peek, inputs=(own, peek.inputs[1]), attrs=attrs)

    changed |= {reader: reading(reader, at, saved, element) for reader, at in readers}
    return replaced_nodes(graph, changed)


def reading(
    reader: Node, position: int, operand: Value, instead: Callable[[Node, Value], Node | Value]
) -> Node:
    """A loop with another operand in place of a stack. `instead(peek, own)` gives the node, or the
    value, that takes the place of a peek; `own` is the operand inside.
    """
    body, test = reader.attrs["body"], reader.attrs["test"]
    stack = body.inputs[position]
    own = replace(operand, name=stack.name)
    values: dict[Value, Value] = {}

    def visit(node: Node) -> Node | None:
        new = instead(node, own) if stack in node.inputs else node
        if isinstance(new, Node):
            return new
        values[node.output] = new
        return None

    read = rewrite(body, visit, values)
    attrs = {
        **reader.attrs,
        "body": read.replace(inputs=with_value(body.inputs, position, own)),
        "test": test.replace(inputs=with_value(test.inputs, position, replace(own))),
    }
    return replace(reader, inputs=with_value(reader.inputs, position, operand), attrs=attrs)


def _through(values: tuple, renamed: dict) -> tuple:
    return tuple(renamed.get(value, value) for value in values)


def renamed_graph(graph: Graph, renamed: dict[Value, Value]) -> Graph:
    nodes = tuple(
        replace(
            node, inputs=_through(node.inputs, renamed), outputs=_through(node.outputs, renamed)
        )
        for node in graph.nodes
    )
    inputs, outputs = (_through(values, renamed) for values in (graph.inputs, graph.outputs))
    return graph.replace(inputs=inputs, nodes=nodes, outputs=outputs)


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
