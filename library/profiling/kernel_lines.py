"""Which nodes of the graph the lines of a kernel compute, for views that link them."""

from __future__ import annotations

from collections.abc import Mapping

from ...extend.graphs import Node
from ...extend.kernels import KernelIR, Load, Name, Part, Statement, statements_in, walk


def nodes_by_line(code: KernelIR, origins: Mapping[str, Node]) -> list[tuple[Node, ...]]:
    """For each line the nodes that it computes: those whose variables it writes.

    The head of a loop or a choice computes what the lines inside do. A line that writes no variable
    of a node computes what those do whose variables it reads.
    """
    return [_nodes_of(part, origins) for _, part in code.lines()]


def _nodes_of(part: Part | None, origins: Mapping[str, Node]) -> tuple[Node, ...]:
    if not isinstance(part, Statement):  # the head of a function, or an `else`
        return ()
    inside = [_nodes_of(one, origins) for one in statements_in((*part.body, *part.orelse))]
    nodes = dict.fromkeys(node for nodes in inside for node in nodes)
    return tuple(nodes) or _nodes_of_line(part, origins)


def _nodes_of_line(statement: Statement, origins: Mapping[str, Node]) -> tuple[Node, ...]:
    stores = [one for one in statement.targets() if isinstance(one, Load)]
    read = [one for one in statement.reads() if one is not None]
    # An array may hold several results in turn: what is stored tells which.
    targets = [*statement.targets()]
    written = [one.array if isinstance(one, Load) else one for one in targets]
    for parts in (read if stores else [], written, [*targets, *read]):
        nodes = (_origin(one.id, origins) for one in walk(parts) if isinstance(one, Name))
        if result := tuple(dict.fromkeys(node for node in nodes if node is not None)):
            return result
    return ()


def _origin(name: str, origins: Mapping[str, Node]) -> Node | None:
    """The node of a variable; `a3_partial` and `a3_nan` belong to `a3`."""
    return origins.get(name) or origins.get(name.partition("_")[0])
