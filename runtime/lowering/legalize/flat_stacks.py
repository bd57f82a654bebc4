"""What an inner loop saves for a gradient, in one array for all iterations of the outer loop.

    for i:                                     base = 0
        rows = []                              for i:
        for j:                                     bases.append(base)
            rows[j] = y                            for j:
        saved.append(rows)                             rows[base + j] = y
                                                   base += j + 1

On the left side, `saved` is a list of arrays of several lengths, which native code does not have.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...core.classes import NamedTuple
from ...core.dtypes import int32, stack
from ...ir.constant_values import constant_node, full_constant
from ...ir.graph import Graph, Node, Value
from ...ir.op import TABLE
from ...ir.saved_lists import empty_stack, has_no_elements, stack_spec
from ..buffer_assignment import may_grow
from .saving_loops import at_each_value, pushed, readers_of, replaced_nodes, with_value


def with_flat_stacks(graph: Graph) -> Graph:
    """The graph with arrays for the lists on which its loops save stacks of inner loops."""
    return at_each_value(graph, with_flat_stacks, _flat)


class _Nested(NamedTuple):
    """A list of stacks: the loop that carries it and where; the inner loop, the position of its
    stack, and that of the counter of its rows; and the loops that read the list.
    """

    outer: Node
    position: int
    inner: Node
    own: int
    counter: int
    readers: list[tuple[Node, int]]


def _found(graph: Graph, outer: Node, position: int) -> _Nested | None:
    rows = pushed(outer, position)
    if rows is None or outer.outputs[position].dtype is not stack or not may_grow(rows):
        return None
    body = outer.attrs["body"]
    inner = body.producers().get(rows)
    if inner is None or "carried" not in inner.attrs or len(body.uses()[rows]) != 1:
        return None
    own = inner.outputs.index(rows)
    element, start = pushed(inner, own), full_constant(inner.inputs[own])
    if element is None or start is None or len(start) or has_no_elements(element):
        return None
    counter = counter_of_rows(inner, own)
    readers = readers_of(graph, outer.outputs[position])
    if counter is None or readers is None or rows in body.outputs:
        return None
    for reader, at in readers:
        within = reader.attrs["body"]
        peeks = within.uses().get(within.inputs[at], ())
        if any(readers_of(within, peek.output) is None for peek in peeks):
            return None
    return _Nested(outer, position, inner, own, counter, readers)


def counter_of_rows(inner: Node, own: int) -> int | None:
    """The position of the counter of the rows that a loop pushes; None where there is none."""
    body = inner.attrs["body"]
    producers = body.producers()
    index = producers[body.outputs[own]].inputs[1]
    if index not in body.inputs[: inner.attrs["carried"]]:
        return None
    position = body.inputs.index(index)
    step = producers.get(body.outputs[position])
    start = full_constant(inner.inputs[position])
    if step is None or step.op is not TABLE["add"] or start is None or start != 0:
        return None
    others = [full_constant(operand) for operand in step.inputs if operand is not index]
    return position if len(others) == 1 and others[0] is not None and others[0] == 1 else None


# ---- the loop that saves -----------------------------------------------------------------------


def _flat(graph: Graph, outer: Node, position: int) -> Graph:
    nested = _found(graph, outer, position)
    if nested is None:
        return graph
    element = pushed(nested.inner, nested.own)
    assert element is not None
    spec = stack_spec(element)

    def rows(name: str = "rows") -> Value:
        return Value(spec.dtype, spec.shape, name)

    def bases(name: str = "bases") -> Value:
        return Value(int32, (None,), name)

    starts = [empty_stack(element.dtype, element.shape), np.int32(0), np.zeros(0, np.int32)]
    constants = [constant_node(np.asarray(start), "saved") for start in starts]
    body = _saving(nested, rows, bases)
    test, carried = outer.attrs["test"], outer.attrs["carried"]
    idle = _inserted(test.inputs, carried, (Value(int32, (), "base"), bases()))
    idle = with_value(idle, position, rows())
    test = test.replace(inputs=idle)
    empty, zero, none = (node.output for node in constants)
    inputs = with_value(_inserted(outer.inputs, carried, (zero, none)), position, empty)
    outputs = (*with_value(outer.outputs, position, rows()), Value(int32, (), "base"), bases())
    attrs = {**outer.attrs, "test": test, "body": body, "carried": carried + 2}
    flat = replace(outer, inputs=inputs, outputs=outputs, attrs=attrs)
    changed: dict[Node, Node | list[Node]] = {outer: [*constants, flat]}
    for reader, at in nested.readers:
        changed[reader] = _reading(reader, at, outputs[position], outputs[-1])
    return replaced_nodes(graph, changed)


def _saving(nested: _Nested, rows, bases) -> Graph:
    """The body of the outer loop: the inner one pushes its rows behind those that there are."""
    outer, inner, own = nested.outer, nested.inner, nested.own
    body, carried = outer.attrs["body"], outer.attrs["carried"]
    push = body.producers()[body.outputs[nested.position]]
    so_far, base, held = rows(), Value(int32, (), "base"), bases()
    appended = _behind(inner, own, base)
    appended = replace(appended, inputs=with_value(appended.inputs, own, so_far))
    behind, noted = Value(int32, (), "base"), bases()
    count = inner.outputs[nested.counter]
    nodes: list[Node] = []
    for node in body.nodes:
        nodes += [appended] if node is inner else [] if node is push else [node]
    nodes.append(Node(TABLE["add"], (base, count), {}, (behind,), outer.where))
    nodes.append(Node(TABLE["stack_push"], (held, push.inputs[1], base), {}, (noted,), outer.where))
    inputs = with_value(_inserted(body.inputs, carried, (base, held)), nested.position, so_far)
    outputs = (*with_value(body.outputs, nested.position, inner.outputs[own]), behind, noted)
    return body.replace(inputs=inputs, nodes=tuple(nodes), outputs=outputs)


def _behind(inner: Node, own: int, base: Value) -> Node:
    """A loop whose pushes on its stack, or reads of it, count from `base`."""
    body, test = inner.attrs["body"], inner.attrs["test"]
    inside = Value(int32, (), "base")
    stack_input = body.inputs[own]
    nodes: list[Node] = []
    for node in body.nodes:
        if node.inputs[:1] == (stack_input,):
            at = Value(int32, (), "index")
            nodes.append(Node(TABLE["add"], (inside, node.inputs[1]), {}, (at,), node.where))
            node = replace(node, inputs=(node.inputs[0], at, *node.inputs[2:]))
        nodes.append(node)
    body = body.replace(inputs=(*body.inputs, inside), nodes=tuple(nodes))
    test = test.replace(inputs=(*test.inputs, Value(int32, (), "base")))
    attrs = {**inner.attrs, "body": body, "test": test}
    return replace(inner, inputs=(*inner.inputs, base), attrs=attrs)


# ---- the loop that reads -----------------------------------------------------------------------


def _reading(reader: Node, position: int, saved: Value, starts: Value) -> Node:
    """A loop that reads the rows of an iteration from where they start."""
    body, test = reader.attrs["body"], reader.attrs["test"]
    rows, bases = (Value(array.dtype, array.shape, array.name) for array in (saved, starts))
    for peek in body.uses().get(body.inputs[position], ()):
        base = Value(int32, (), "base")
        attrs = {"dtype": int32, "shape": ()}
        noted = Node(TABLE["stack_peek"], (bases, peek.inputs[1]), attrs, (base,), peek.where)
        changed: dict[Node, Node | list[Node]] = {peek: noted}
        for inner, at in readers_of(body, peek.output) or ():
            behind = _behind(inner, at, base)
            changed[inner] = replace(behind, inputs=with_value(behind.inputs, at, rows))
        body = replaced_nodes(body, changed)
    body = body.replace(inputs=(*with_value(body.inputs, position, rows), bases))
    idle = with_value(test.inputs, position, Value(saved.dtype, saved.shape, "unused"))
    test = test.replace(inputs=(*idle, Value(int32, (None,), "unused")))
    inputs = (*with_value(reader.inputs, position, saved), starts)
    return replace(reader, inputs=inputs, attrs={**reader.attrs, "body": body, "test": test})


def _inserted(values: tuple, position: int, more: tuple) -> tuple:
    return (*values[:position], *more, *values[position:])
