"""Functionalize variables: they become inputs, loop-carried state and outputs of the graph.

The result has no effects on variables, so native code can run it. The caller passes their arrays in
and assigns the results, so variables change only if the graph succeeds.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..core.classes import NamedTuple
from ..ir.callee import Callee
from ..ir.constant_values import constant_node
from ..ir.graph import Graph, Node, Value
from ..ir.op import PURE, TABLE, Spec
from ..ir.random_streams import Stream


class Functionalized(NamedTuple):
    """`graph` takes the values of `cells` after its own inputs, and gives those of `assigned` after
    its own outputs.
    """

    graph: Graph
    cells: tuple
    assigned: tuple


def functionalize_variables(graph: Graph) -> Functionalized | None:
    """The graph with its variables as inputs and outputs.

    None where it has no variables, or other effects.
    """
    nodes = [node for node in graph.walk() if node.effect != PURE and not node.subgraphs]
    if not nodes or not all(map(_is_supported, nodes)):
        return None
    for node in graph.walk():
        if node.subgraphs and _CONTROL.get(node.op.name) is None:
            return None  # a recursive function
        if "test" in node.attrs and _cells(node.attrs["test"])[1]:
            return None  # a test that assigns
    cells, assigned = _cells(graph)
    if not cells and not any(node.op.variable_access or _is_open_call(node) for node in nodes):
        return None
    return Functionalized(_functionalized(graph, cells, assigned), tuple(cells), tuple(assigned))


def _is_supported(node: Node) -> bool:
    """Whether an effect is on a variable or a random stream, or only an error: where a check fails,
    the NumPy program runs, which raises the error.
    """
    is_call = bool(node.op.callee_attribute) and node.attrs["callee"].is_of_arrays
    return bool(node.op.variable_access or node.op.draws_stream or node.op.is_check or is_call)


def _is_open_call(node: Node) -> bool:
    """Whether a node calls a function by a graph that has variables."""
    callee = node.attrs.get(node.op.callee_attribute or "")
    return callee is not None and callee.with_values is not callee


def _cells(graph: Graph, around: tuple = ()) -> tuple[list, list]:
    """The variables of a graph in order of appearance, and those that are assigned. Calls inside
    that are of functions `around` it add none.

    Cells that the graph declares are not among them.
    """
    used: dict[Any, None] = {}
    assigned: dict[Any, None] = {}
    declared: set[Any] = set()
    for node in graph.walk():
        if node.op.variable_access == "declare":
            declared.add(node.attrs["cell"])
            continue
        if node.op.variable_access:
            used[node.attrs["cell"]] = None
        if node.op.variable_access == "write":
            assigned[node.attrs["cell"]] = None
        if node.op.draws_stream:
            used[_stream(node)] = assigned[_stream(node)] = None
        if _is_open_call(node) and (callee := node.attrs["callee"]) not in around:
            is_known = callee.with_values is not None
            pair = callee.cells if is_known else _cells(callee.graph, (*around, callee))
            for names, cells in zip((used, assigned), pair, strict=True):
                names.update(dict.fromkeys(cells))
    return [cell for cell in used if cell not in declared], [
        cell for cell in assigned if cell not in declared
    ]


def _functionalized(graph: Graph, cells: list, assigned: list) -> Graph:
    """A graph that takes the variables `cells` last, and gives `assigned` last."""
    current = {cell: _value(cell) for cell in cells}
    inputs = (*graph.inputs, *current.values())
    renamed: dict[Value, Value] = {}
    nodes = []
    for node in graph.nodes:
        node = replace(node, inputs=tuple(renamed.get(value, value) for value in node.inputs))
        if node.op.variable_access == "read":
            renamed[node.output] = current[node.attrs["cell"]]
        elif node.op.variable_access in ("write", "declare"):
            renamed[node.output] = current[node.attrs["cell"]] = node.inputs[0]
        elif node.op.draws_stream:
            nodes += _drawn(node, current)
        else:
            nodes.append(_CONTROL.get(node.op.name, lambda same, _: same)(node, current))
    outputs = [renamed.get(value, value) for value in graph.outputs]
    outputs += [current[cell] for cell in assigned]
    return graph.replace(inputs=inputs, nodes=tuple(nodes), outputs=tuple(outputs))


def _stream(node: Node) -> Stream:
    return Stream(node.attrs["seed"], node.attrs["place"])


def _drawn(node: Node, current: dict) -> list[Node]:
    """A draw from a random stream, and the stream after it."""
    stream = _stream(node)
    shape, first, second = node.inputs
    words, step = current[stream], constant_node(np.array([0, 0, 1]), "one", node.where)
    after = current[stream] = Value(words.dtype, (3,), "stream")
    inputs, attrs = (shape, words, first, second), {"kind": node.attrs["kind"]}
    return [
        replace(node, op=TABLE["counted_draw"], inputs=inputs, attrs=attrs),
        step,
        Node(TABLE["add"], (words, step.output), {}, (after,), node.where, "stream"),
    ]


def _value(cell) -> Value:
    return Value(cell.dtype, cell.shape, cell.name.rsplit(":", 1)[0])


def _if(node: Node, current: dict) -> Node:
    cells, assigned = _cells_of(node)
    inputs = (*node.inputs, *(current[cell] for cell in cells))
    results = [_value(cell) for cell in assigned]
    attrs = {key: _functionalized(inner, cells, assigned) for key, inner in node.subgraphs.items()}
    current.update(zip(assigned, results, strict=True))
    outputs = (*node.outputs, *results)
    return replace(node, inputs=inputs, attrs={**node.attrs, **attrs}, outputs=outputs)


def _while(node: Node, current: dict) -> Node:
    """Assigned variables become carried state, others invariants."""
    used, assigned = _cells_of(node)
    cells = [*assigned, *(cell for cell in used if cell not in assigned)]
    carried = node.attrs["carried"]

    def ordered(values, extra) -> tuple:
        """The carried values, the assigned variables, the invariants, the other variables."""
        ahead, behind = extra[: len(assigned)], extra[len(assigned) :]
        return (*values[:carried], *ahead, *values[carried:], *behind)

    attrs = {"carried": carried + len(assigned)}
    for key, inner in node.subgraphs.items():
        threaded_graph = _functionalized(inner, cells, assigned if key == "body" else [])
        count = len(inner.inputs)
        attrs[key] = threaded_graph.replace(
            inputs=ordered(threaded_graph.inputs[:count], threaded_graph.inputs[count:])
        )
    inputs = ordered(node.inputs, [current[cell] for cell in cells])
    results = [_value(cell) for cell in assigned]
    current.update(zip(assigned, results, strict=True))
    outputs = (*node.outputs, *results)
    return replace(node, inputs=inputs, attrs={**node.attrs, **attrs}, outputs=outputs)


def _call(node: Node, current: dict) -> Node:
    """A call of a function that calls itself: its graph gets the variables too."""
    callee = _with_values(node.attrs["callee"])
    cells, assigned = callee.cells
    inputs = (*node.inputs, *(current[cell] for cell in cells))
    results = [_value(cell) for cell in assigned]
    current.update(zip(assigned, results, strict=True))
    return replace(node, inputs=inputs, attrs={"callee": callee}, outputs=(*node.outputs, *results))


def _with_values(callee: Callee) -> Callee:
    graph = callee.graph
    if callee.with_values is None and graph is not None:
        cells, assigned = callee.cells = _cells(graph, (callee,))
        results = (Spec(cell.dtype, cell.shape) for cell in assigned)
        own = callee.with_values = Callee(callee.name, (*callee.outputs, *results))
        own.cells, own.is_of_arrays, own.with_values = callee.cells, True, own
        first, behind = len(graph.inputs), len(graph.outputs)
        places = {(first + cells.index(cell), behind + at) for at, cell in enumerate(assigned)}
        graph = _functionalized(graph, cells, assigned)
        own.graph = graph.replace(donated=frozenset(places))
    assert callee.with_values is not None
    return callee.with_values


def _cells_of(node: Node) -> tuple[list, list]:
    pairs = [_cells(inner) for inner in node.subgraphs.values()]
    used, assigned = (dict.fromkeys(cell for pair in pairs for cell in pair[i]) for i in (0, 1))
    return list(used), list(assigned)


_CONTROL = {"if": _if, "while": _while, "recur": _call}
