"""The one driver of passes that replace nodes: walks a graph in order, sub-graphs first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any

import numpy as np

from ..core.source_locations import SourceLocation
from .constant_values import constant_node
from .graph import Graph, Node, Value
from .op import TABLE

Rewritten = Node | list[Node] | None  # what takes the place of a node


def rewrite(graph: Graph, visit: Callable[[Node], Rewritten], values: dict | None = None) -> Graph:
    """Rebuild a graph through `visit(node)`, whose inputs are renamed already.

    It may return the node, another node, or a list of nodes; results are renamed through the
    dictionary `values` (old value -> new value), which `visit` may extend.
    """
    renamed: dict[Value, Value] = {} if values is None else values
    nodes: list[Node] = []
    changed = False
    for node in graph.nodes:
        inputs = tuple(renamed.get(value, value) for value in node.inputs)
        current = node if inputs == node.inputs else replace(node, inputs=inputs)
        new = visit(current)
        rows = new if isinstance(new, list) else [] if new is None else [new]
        nodes += rows
        changed = changed or len(rows) != 1 or rows[0] is not node
    outputs = tuple(renamed.get(value, value) for value in graph.outputs)
    if not changed and outputs == graph.outputs:
        return graph
    return graph.replace(nodes=tuple(nodes), outputs=outputs)


def rewrite_ops(
    graph: Graph, by_op: Mapping[str, Callable[[Node], Rewritten]], values: dict | None = None
) -> Graph:
    """`rewrite` of the nodes of some operations: `by_op` maps the operation's name to `visit`."""
    if not graph.has(*by_op):
        return graph
    return rewrite(graph, lambda node: by_op.get(node.op.name, lambda same: same)(node), values)


def settling(run: Callable[[Graph], Graph]) -> Callable[[Graph], Graph]:
    """A pass that walks a sub-graph once, at whatever depth and in however many nodes it stands."""
    return wraps(run)(lambda graph: settled(graph, run, run))


def settled(graph: Graph, run: Callable[[Graph], Graph], key: Callable) -> Graph:
    """The graph after `run`, which is called once for each graph and pass `key`."""
    results = graph.facts.results
    if key not in results:
        result = run(graph)
        results[key] = None if result is graph else result  # itself would be a cycle
    return results[key] or graph


def inside_subgraphs(graph: Graph, run: Callable[[Graph], Graph]) -> Graph:
    """Apply a pass to the sub-graphs of every control-flow node."""
    nodes = tuple(with_subgraphs(node, run) for node in graph.nodes)
    return graph if nodes == graph.nodes else graph.replace(nodes=nodes)


def with_subgraphs(node: Node, run: Callable[[Graph], Graph]) -> Node:
    """Apply a pass to the sub-graphs of a node."""
    outer = node.subgraphs
    inner = {key: run(graph) for key, graph in outer.items()}
    return node if inner == outer else replace(node, attrs={**node.attrs, **inner})


def with_node_after(nodes: Sequence[Node], value: Value, node: Node) -> tuple[Node, ...]:
    """The nodes, and one more right after that which makes a value; first of all if none does."""
    at = next((at for at, earlier in enumerate(nodes, 1) if value in earlier.outputs), 0)
    return (*nodes[:at], node, *nodes[at:])


def nodes_read(
    nodes: Sequence[Node],
    outputs: Iterable[Value],
    stays: Callable[[Node], Any] = lambda node: False,
) -> tuple[Node, ...]:
    """The nodes that compute some outputs, those that stay in any case, and what these read."""
    needed, kept = set(outputs), []
    for node in reversed(nodes):
        if not needed.isdisjoint(node.outputs) or stays(node):
            kept.append(node)
            needed.update(node.inputs)
    return tuple(reversed(kept))


def items_at(items: Sequence, indices: Iterable[int]) -> tuple:
    """The items at some indices, in their order."""
    return tuple(items[index] for index in indices)


def with_operands(loop: Node, carried: Sequence[int], more: Iterable[int], body: Graph) -> Node:
    """A loop that carries what it has at some indices, and takes the operands at more of them.
    `body` has the operands of the loop, and the results that it carries then.
    """
    order = (*carried, *more)
    attrs = {
        **loop.attrs,
        "test": loop.attrs["test"].replace(inputs=items_at(loop.attrs["test"].inputs, order)),
        "body": body.replace(inputs=items_at(body.inputs, order)),
        "carried": len(carried),
    }
    inputs, outputs = items_at(loop.inputs, order), items_at(loop.outputs, carried)
    return replace(loop, inputs=inputs, outputs=outputs, attrs=attrs)


def new_zeros(like: Value, where: SourceLocation | None) -> tuple[list[Node], Value]:
    """Nodes that make an array of zeros of the type of a value, and that array."""
    shape = constant_node(np.array(like.shape, np.int32), "shape", where)
    zero = constant_node(np.zeros((), like.dtype.numpy_dtype), "zero", where)
    zeros = Value(like.dtype, like.shape, like.name)
    fill = Node(TABLE["fill"], (shape.output, zero.output), {}, (zeros,), where, "fill")
    return [shape, zero, fill], zeros


def zeros_instead(node: Node, like: Value) -> list[Node]:
    """Nodes that make such an array of zeros as the result of a node."""
    (*nodes, fill), _ = new_zeros(like, node.where)
    return [*nodes, replace(fill, outputs=node.outputs)]
