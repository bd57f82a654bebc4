"""Stacks of saved values, once shapes are known.

A loop saves values of unknown shape in a list, and shapes in a stack. When the shapes turn out to
be static, the list becomes an array, and what is the same in each iteration needs no stack.
"""

from __future__ import annotations

from dataclasses import replace

from ...core.dtypes import stack
from ...ir.constant_values import full_constant
from ...ir.graph import Graph, Node, Value
from ...ir.op import TABLE
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
        return replaced_nodes(
            graph, {one: _with_constant(one, at, constant) for one, at in readers}
        )
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
    found = []
    for node in graph.uses().get(saved, ()):
        at = node.inputs.index(saved)
        if at < node.attrs.get("carried", len(node.inputs)) or node.inputs.count(saved) != 1:
            return None
        body, test = node.attrs["body"], node.attrs["test"]
        uses = body.uses().get(body.inputs[at], ())
        if any(one.op is not TABLE["stack_peek"] for one in uses) or test.inputs[at] in test.uses():
            return None
        if body.inputs[at] in body.outputs:
            return None
        found.append((node, at))
    return found


def _with_constant(reader: Node, position: int, constant) -> Node:
    """A loop with a constant for each element of a stack."""
    body = reader.attrs["body"]
    peeks = body.uses().get(body.inputs[position], ())
    nodes = tuple(
        replace(node, op=TABLE["const"], inputs=(), attrs={"value": constant})
        if node in peeks else node
        for node in body.nodes
    )  # fmt: skip
    return replace(reader, attrs={**reader.attrs, "body": body.replace(nodes=nodes)})


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
    saved = loop.outputs[position]
    outputs = {saved: typed(saved)}
    inputs = (*loop.inputs[:position], empty, *loop.inputs[position + 1 :])
    made = replace(loop, inputs=inputs, attrs=attrs, outputs=_through(loop.outputs, outputs))
    changed: dict[Node, Node | list[Node]] = {loop: [start, made]}
    for reader, at in readers:
        changed[reader] = _reading(reader, at, typed, value, outputs)
    return replaced_nodes(graph, changed)


def _reading(reader: Node, position: int, typed, value: Value, outputs: dict) -> Node:
    """A loop that reads an array in place of a list."""
    attrs = dict(reader.attrs)
    for key in ("test", "body"):
        own = attrs[key].inputs[position]
        attrs[key] = renamed_graph(attrs[key], {own: typed(own)})
    body = attrs["body"]
    peeks = body.uses().get(body.inputs[position], ())
    nodes = tuple(
        replace(node, attrs={**node.attrs, "shape": value.shape}) if node in peeks else node
        for node in body.nodes
    )
    attrs["body"] = body.replace(nodes=nodes)
    return replace(reader, inputs=_through(reader.inputs, outputs), attrs=attrs)


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
        made = changed.get(node, node)
        nodes += made if isinstance(made, list) else [made]
    return graph.replace(nodes=tuple(nodes)) if changed else graph


def with_value(values: tuple[Value, ...], position: int, value: Value) -> tuple[Value, ...]:
    """The values with another one at a position."""
    return (*values[:position], value, *values[position + 1 :])
