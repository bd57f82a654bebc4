"""A graph as a list of named nodes, the form in which the reference shows it."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...extend.graphs import Graph, Value


@dataclass
class NodeDef:
    """One node: its name, its operation, and the names of what it reads."""

    name: str
    op: str
    input: list[str] = field(default_factory=list)
    device: str = ""

    def __str__(self):
        rows = "".join(f'\n  input: "{one}"' for one in self.input)
        rows += f'\n  device: "{self.device}"' if self.device else ""
        return f'node {{\n  name: "{self.name}"\n  op: "{self.op}"{rows}\n}}'


@dataclass
class AttrValue:
    """An attribute of a function: `.value`, and `.s` where it is a text."""

    value: object

    @property
    def s(self) -> bytes:
        return str(self.value).encode()


@dataclass
class FunctionDef:
    """A sub-graph under its name, or a function with its attributes."""

    name: str
    node_def: list[NodeDef]
    attr: dict[str, AttrValue] = field(default_factory=dict)

    @property
    def signature(self) -> FunctionDef:
        """What has the `.name`."""
        return self

    def __str__(self):
        rows = [f'signature {{\n  name: "{self.name}"\n}}', *map(str, self.node_def)]
        rows += [
            f'attr {{\n  key: "{key}"\n  value: {one.value!r}\n}}' for key, one in self.attr.items()
        ]
        return "\n".join(rows) + "\n"


@dataclass
class Library:
    """The sub-graphs of a graph."""

    function: list[FunctionDef] = field(default_factory=list)


@dataclass
class GraphDef:
    """Placeholders, the nodes in program order, and an `Identity` for each output."""

    node: list[NodeDef]
    library: Library

    def __str__(self):
        return "\n".join(map(str, self.node)) + "\n"


def as_graph_def(graph: Graph) -> GraphDef:
    """The nodes of a graph by name; sub-graphs are listed in `library`."""
    library = Library()
    return GraphDef(_nodes(graph, library), library)


def as_function_def(graph: Graph, attributes: dict) -> FunctionDef:
    """A function's graph with its attributes, `_implements` among them."""
    shown = {key: AttrValue(value) for key, value in attributes.items()}
    return FunctionDef(graph.name, _nodes(graph, Library()), shown)


def _nodes(graph: Graph, library: Library) -> list[NodeDef]:
    names: dict[Value, str] = {}
    nodes: list[NodeDef] = []
    for value in graph.inputs:
        names[value] = value.name
        nodes.append(NodeDef(value.name, "Placeholder"))
    for node in graph.nodes:
        operands = [names[value] for value in node.inputs]
        nodes.append(NodeDef(node.name, node.type, operands, node.device))
        for index, value in enumerate(node.outputs):
            names[value] = f"{node.name}:{index}" if index else node.name
        for key, inner in node.subgraphs.items():
            library.function.append(FunctionDef(f"{node.name}_{key}", _nodes(inner, library)))
    for index, value in enumerate(graph.outputs):
        nodes.append(
            NodeDef(f"Identity_{index}" if index else "Identity", "Identity", [names[value]])
        )
    return nodes
