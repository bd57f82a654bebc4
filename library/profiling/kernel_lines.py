"""Which nodes of the graph the lines of a kernel compute, for views that link them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ...extend.graphs import Node

_WRITTEN = re.compile(r"\s*([A-Za-z_]\w*(?:\[[^=]*\])?(?:, *[A-Za-z_]\w*)*) *[-+*/|&]?= ")
_INDEX = re.compile(r"\[[^\]]*\]")
_NAME = re.compile(r"[A-Za-z_]\w*")
_OPENS_BLOCK = re.compile(r"\s*(?:for|while|if|else|elif)\b.*:")


def nodes_by_line(source: str, origins: Mapping[str, Node]) -> list[tuple[Node, ...]]:
    """For each line the nodes that it computes: those whose variables it writes.

    The head of a loop or a choice computes what the lines inside do. A line that writes no variable
    of a node computes what those do whose variables it reads.
    """
    lines = source.splitlines()
    found = [() if line.startswith("def ") else _nodes_of_line(line, origins) for line in lines]
    for index in reversed(range(len(lines))):
        if _OPENS_BLOCK.match(lines[index]):
            found[index] = _nodes_inside(lines, found, index) or found[index]
    return found


def _nodes_of_line(line: str, origins: Mapping[str, Node]) -> tuple[Node, ...]:
    written = _WRITTEN.match(line)
    targets = _INDEX.sub("", written[1]) if written else ""
    # An array may hold several results in turn: what is stored tells which.
    stored = line[written.end() :] if written and targets != written[1] else ""
    for part in (stored, targets, line):
        nodes = (_origin(name, origins) for name in _NAME.findall(part))
        if found := tuple(dict.fromkeys(node for node in nodes if node is not None)):
            return found
    return ()


def _origin(name: str, origins: Mapping[str, Node]) -> Node | None:
    """The node of a variable; `a3_partial` and `a3_nan` belong to `a3`."""
    return origins.get(name) or origins.get(name.partition("_")[0])


def _nodes_inside(
    lines: list[str], found: Sequence[tuple[Node, ...]], head: int
) -> tuple[Node, ...]:
    margin = _margin(lines[head])
    nodes: dict[Node, None] = {}
    for line, inside in zip(lines[head + 1 :], found[head + 1 :], strict=True):
        if _margin(line) <= margin:
            break
        nodes.update(dict.fromkeys(inside))
    return tuple(nodes)


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())
