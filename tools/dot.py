"""A graph for Graphviz: operations are boxes, inputs and outputs ellipses, sub-graphs frames."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def as_dot(graph: Any) -> str:
    """The graph in the language `dot`; `dot -Tsvg` draws it.

    Edges carry the type of their tensor. An operation with an effect is filled, and a sub-graph is
    a frame, tied to the operation it belongs to. The user's line is the tooltip.
    """
    lines = [f"digraph {_quoted(graph.name)} {{", "  compound=true; node [shape=box];"]
    lines += [f"  {line}" for line in _Drawing().lines_of(graph, "graph")]
    return "\n".join([*lines, "}"]) + "\n"


class _Drawing:
    """Assigns node names; the name of a value is that of the box that produces it."""

    def __init__(self) -> None:
        self.names: dict[Any, str] = {}
        self.count = 0

    def fresh(self) -> str:
        self.count += 1
        return f"n{self.count}"

    def lines_of(self, graph: Any, anchor: str) -> Iterator[str]:
        """The lines inside a graph's frame; edges to the frame end at its hidden node `anchor`."""
        if anchor != "graph":
            yield f"{anchor} [shape=point style=invis];"
        for value in graph.inputs:
            self.names[value] = self.fresh()
            label = _quoted(f"{value.name}: {_type(value)}")
            yield f"{self.names[value]} [shape=ellipse label={label}];"
        for node in graph.nodes:
            yield from self.lines_of_node(node)
        for value in graph.outputs:
            name = self.fresh()
            yield f'{name} [shape=ellipse style=bold label="output"];'
            yield self.edge(value, name)

    def lines_of_node(self, node: Any) -> Iterator[str]:
        name = self.fresh()
        self.names.update(dict.fromkeys(node.outputs, name))
        fill = " style=filled fillcolor=lightyellow" if node.effect else ""
        tooltip = f" tooltip={_quoted(str(node.where))}" if node.where else ""
        yield f"{name} [label={_quoted(_label(node))}{fill}{tooltip}];"
        yield from (self.edge(value, name) for value in node.inputs)
        for key, inner in node.subgraphs.items():
            anchor = self.fresh()
            yield f"subgraph cluster_{anchor} {{"
            yield f"  label={_quoted(f'{key}: {inner.name}')};"
            yield from (f"  {line}" for line in self.lines_of(inner, anchor))
            yield "}"
            yield f"{name} -> {anchor} [style=dashed lhead=cluster_{anchor} label={_quoted(key)}];"

    def edge(self, value: Any, target: str) -> str:
        return f"{self.names[value]} -> {target} [label={_quoted(_type(value))}];"


def _label(node: Any) -> str:
    """The operation and its plain attributes; sub-graphs are drawn instead."""
    rows = [
        f"{key}={value!r}"
        for key, value in node.attrs.items()
        if key not in node.subgraphs and value is not None
    ]
    shown = [row if len(row) <= 40 else row[:37] + "..." for row in rows]
    return "\n".join([node.op.name, *shown])


def _type(value: Any) -> str:
    if value.shape is None:
        return f"{value.dtype.name}[...]"
    sizes = ",".join("?" if size is None else str(size) for size in value.shape)
    return f"{value.dtype.name}[{sizes}]"


def _quoted(label: str) -> str:
    escaped = label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
