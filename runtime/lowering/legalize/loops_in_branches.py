"""Loops over stacks beside the branches that they stand in, where an outer loop finds them:

for i:                                     for i:
    if t:                                      if t:
        x = f(x)                                   x = f(x)
        while test(x):                         while test(x) and t:
            rows = push(rows, j, x)                rows = push(rows, j, x)
    saved = push(saved, i, rows)               saved = push(saved, i, rows)
"""

from __future__ import annotations

from dataclasses import replace

from ...core.shapes import is_static
from ...ir.constant_values import full_constant
from ...ir.graph import Graph, Node, Value
from ...ir.node_properties import is_noreturn
from ...ir.op import PURE, TABLE
from ...ir.rewrite import inside_subgraphs, items_at, rewrite_ops

STACKS = ("stack_push", "stack_peek")


def loops_beside_branches(graph: Graph) -> Graph:
    """The graph with each such loop between the parts of its branch that come before and after."""
    graph = inside_subgraphs(graph, loops_beside_branches)
    values: dict[Value, Value] = {}
    return rewrite_ops(graph, {"if": lambda node: _divided(node, values)}, values)


def _divided(node: Node, values: dict[Value, Value]) -> list[Node]:
    """The nodes in place of an `if`. `values` get those of its results that the loop gives, where
    nothing reads what the other branch has for them.
    """
    key, loop = next(filter(_may_stand_beside, _loops_of(node)), (None, None))
    if key is None or loop is None or any(map(is_noreturn, node.subgraphs.values())):
        return [node]
    (other,) = (name for name in node.subgraphs if name != key)
    own, rest = node.attrs[key], node.attrs[other]
    at = own.nodes.index(loop)
    constants = [step for step in own.nodes[:at] if step.op is TABLE["const"]]
    copies = [replace(step, outputs=(replace(step.output),)) for step in constants]
    computed = [value for step in own.nodes[:at] if step not in constants for value in step.outputs]
    outside = dict(zip(own.inputs, node.inputs[1:], strict=True))
    outside |= {step.output: copy.output for step, copy in zip(constants, copies, strict=True)}
    outside |= {value: replace(value, constant=None) for value in (*computed, *loop.outputs)}

    def branch(before: Graph, otherwise: Graph, more: tuple, outputs: tuple) -> Node:
        attrs = {**node.attrs, key: before, other: otherwise}
        return replace(node, inputs=(*node.inputs, *more), attrs=attrs, outputs=outputs)

    blanks = [_blank(value) for value in computed]
    nothing = rest.replace(nodes=tuple(blanks), outputs=tuple(blank.output for blank in blanks))
    first = own.replace(nodes=own.nodes[:at], outputs=tuple(computed))
    before = branch(first, nothing, (), tuple(outside[value] for value in computed))
    left = _left(node, own, rest, loop, outside, values)
    taken = (*computed, *loop.outputs)
    steps = (*constants, *own.nodes[at + 1 :])
    last = Graph(own.name, (*own.inputs, *taken), steps, items_at(own.outputs, left))
    inputs = (*rest.inputs, *map(replace, taken))
    same = rest.replace(inputs=inputs, outputs=items_at(rest.outputs, left))
    more = tuple(outside[value] for value in taken)
    after = branch(last, same, more, items_at(node.outputs, left))
    runs, nodes = node.inputs[0], [*copies, before]
    if key == "orelse":
        output = replace(runs, constant=None)
        nodes.append(Node(TABLE["logical_not"], (runs,), {}, (output,), node.where))
        runs = output
    return [*nodes, _only_if(runs, loop, outside), *_divided(after, values)]


def _left(node, own: Graph, rest: Graph, loop: Node, outside: dict, values: dict) -> list[int]:
    """The positions of the results that the branches choose. `values` get the others."""
    starts = dict(zip(loop.outputs, loop.inputs, strict=False))
    left = []
    for position, (value, instead) in enumerate(zip(own.outputs, rest.outputs, strict=True)):
        if value in outside and _is_unread(rest, instead, starts.get(value)):
            values[node.outputs[position]] = outside[value]
        else:
            left.append(position)
    return left


def _loops_of(node: Node) -> list[tuple[str, Node]]:
    """The loops in each branch."""
    graphs = node.subgraphs.items()
    return [(key, step) for key, graph in graphs for step in graph.nodes if "carried" in step.attrs]


def _may_stand_beside(place: tuple[str, Node]) -> bool:
    """Whether a loop is one over stacks, whose test can be asked where the branch does not run."""
    _, loop = place
    test = loop.attrs["test"]
    is_pure = all(step.effect is PURE for step in test.nodes)
    is_known = all(is_static(value.shape) for value in test.inputs if value in test.uses())
    return is_pure and is_known and loop.attrs["body"].has(*STACKS)


def _blank(value: Value) -> Node:
    attrs = {"dtype": value.dtype, "shape": value.shape}
    return Node(TABLE["blank"], (), attrs, (Value(value.dtype, value.shape, value.name),))


def _is_unread(rest: Graph, instead: Value, start: Value | None) -> bool:
    """Whether a branch gives what nothing reads, or no rows where a loop begins without any."""
    maker = rest.producers().get(instead)
    if maker is not None and maker.op is TABLE["blank"]:
        return True
    rows = [full_constant(value) for value in (instead, start) if value is not None]
    return len(rows) == 2 and all(array is not None and array.shape[:1] == (0,) for array in rows)


def _only_if(runs: Value, loop: Node, outside: dict[Value, Value]) -> Node:
    """The loop with values from outside of the branch, for no iteration if that does not run."""
    test, body = loop.attrs["test"], loop.attrs["body"]
    own, both = (Value(runs.dtype, (), name) for name in ("runs", "both"))
    tested = Node(TABLE["logical_and"], (own, test.outputs[0]), {}, (both,), loop.where)
    test = test.replace(inputs=(*test.inputs, own), nodes=(*test.nodes, tested), outputs=(both,))
    attrs = {**loop.attrs, "test": test, "body": body.replace(inputs=(*body.inputs, replace(own)))}
    inputs = (*(outside[value] for value in loop.inputs), runs)
    outputs = tuple(outside[value] for value in loop.outputs)
    return replace(loop, inputs=inputs, attrs=attrs, outputs=outputs)
