"""Loop-carried state that starts as a variable which the loop assigns.

In Python a name that is bound to a variable shows every assignment of it. A loop in a graph carries
the value that the variable has before the loop. Where that makes a difference, it is an error.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...runtime.core.errors import UnimplementedError
from ...runtime.ir.graph import Graph, Node, Value
from ...runtime.ir.op import TABLE
from ...runtime.ops.state.variables import Cell, Variable
from ..staged_values.staged_list import StagedList
from ..structures import nest
from .loop_carried_state import LoopState


def check_aliases(layout: LoopState, body: Graph) -> None:
    """Raise UnimplementedError where an iteration may read state that is bound to a variable
    after the variable was assigned.
    """
    entered = iter(body.inputs)
    for name, value, slots in zip(layout.names, layout.state, layout.slots, strict=True):
        inputs = [None if slot is None else next(entered) for slot in slots]
        held = value.variables if isinstance(value, StagedList) else ()
        for variable in held:
            if _is_assigned(body.walk(), variable.handle):
                raise _error(name, f"holds the variable '{variable.name}'")
        for leaf, start in zip(nest.flatten(value), inputs, strict=False):
            if not isinstance(leaf, Variable) or start is None:
                continue
            if _is_read_late(leaf.handle, body, {start}):
                raise _error(name, f"is the variable '{leaf.name}'")


def _error(name: str, what: str) -> UnimplementedError:
    return UnimplementedError(
        f"'{name}' {what} before the loop, which assigns the variable: in Python '{name}' would "
        "show the new values, but the loop carries the value from before it",
        "Start with the value of the variable, as a tensor: variable.read_value().",
    )


def _is_read_late(cell: Cell, graph: Graph, bound: set[Value]) -> bool:
    """Whether a value in `bound`, or what a branch makes of it unchanged, is read in a graph after
    an assignment of the variable, or leaves the graph after it.
    """
    is_assigned = False
    for node in graph.nodes:
        if is_assigned and not bound.isdisjoint(node.inputs):
            return True
        for key, inner in node.subgraphs.items():
            same = _bound_inside(node, key, inner, bound)
            if same and _is_read_late(cell, inner, same):
                return True
            if node.op is TABLE["if"]:
                pairs = zip(node.outputs, inner.outputs, strict=True)
                bound = bound | {output for output, value in pairs if value in same}
        is_assigned = is_assigned or _is_assigned(_with_inner(node), cell)
    return is_assigned and not bound.isdisjoint(graph.outputs)


def _bound_inside(node: Node, key: str, inner: Graph, bound: set[Value]) -> set[Value]:
    """Which inputs of a sub-graph are in `bound` outside of it."""
    if node.op.operands is None:
        return set()
    operands = node.op.operands_of(node, key)
    pairs = zip(inner.inputs, operands, strict=False)
    return {value for value, operand in pairs if operand in bound}


def _with_inner(node: Node) -> Iterator[Node]:
    yield node
    for graph in node.subgraphs.values():
        yield from graph.walk()


def _is_assigned(nodes: Iterator[Node], cell: Cell) -> bool:
    return any(node.op.variable_access == "write" and node.attrs["cell"] is cell for node in nodes)
