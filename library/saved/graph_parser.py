"""Reads the text form of graphs back: see `graph_printer` for the form.

The text may come from a stranger, so nothing of it is evaluated as Python. The time is linear in
its length, graphs are nested at most `DEPTH` times, and each node is checked (see `graph_checks`).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Container, Iterator

import numpy as np

from ... import string
from ...extend.errors import SavedLocation, UnimplementedError
from ...extend.graphs import Callee, Graph, Node, Value
from ...extend.operations import OPERATIONS, Op, Spec
from ...extend.specs import dtype_named
from . import graph_checks as checks
from .attribute_parser import AttributeReader

_VALUE = re.compile(r"(\w++): (\w++)\[([^\]]*+)\]")
_NAME = re.compile(r"\w++")
_COMMA = re.compile(r", *+")
_OPERATION = re.compile(r"(\w++)\(")
_CONSTANT = re.compile(r" *+(\w++) is ")
_WHERE = re.compile(r" ++# (?P<file>.*):(?P<line>\d{1,9})")
_ATTRIBUTE = re.compile(r" (\w++)=")
_GRAPH = re.compile(r"[@&]\S++")
_HEAD = re.compile(r"graph ([^\s(]++)\(")


def parse(source: str) -> Graph:
    """The graph that `as_text` printed; ValueError where the text is not of that form."""
    return next(iter(parse_all(source).values()))


def parse_all(source: str, objects: dict[str, object] | None = None) -> dict[str, Graph]:
    """The graphs that `print_graphs` printed, by title, inner ones too.

    `objects` are those that were written by name. Raises ValueError where the text is not of this
    form, UnimplementedError for an operation that this version does not have.
    """
    parser = _Parser(source, {} if objects is None else objects)
    graphs = {title: parser.graph(title) for title in parser.blocks}
    parser.resolve_callees()
    return graphs


class _Parser:
    def __init__(self, source: str, objects: dict[str, object]):
        self.graphs: dict[str, Graph] = {}
        self.sizes: dict[str, int] = {}  # nodes, those of sub-graphs included
        self.open: dict[str, None] = {}  # the graphs that are being read, outer ones first
        self.callees: dict[str, Callee] = {}
        self.calls: list[Node] = []  # of callees
        self.reader = AttributeReader(objects)
        self.blocks: dict[str, list[str]] = {}
        for line in source.split("\n"):
            head = _HEAD.match(line)
            if head is not None:
                lines = self.blocks.setdefault(head[1], [])
                if lines:
                    raise ValueError(f"two graphs have the title {head[1]!r}")
                lines.append(line)
            elif line.strip():
                if not self.blocks:
                    raise ValueError(f"this is not the head of a graph: {_excerpt(line)}")
                lines.append(line)
        if not self.blocks:
            raise ValueError("there is no graph")

    def graph(self, title: str) -> Graph:
        if title in self.graphs:
            return self.graphs[title]
        if title not in self.blocks:
            raise ValueError(f"there is no graph {title!r}")
        if title in self.open or len(self.open) == checks.DEPTH:
            reason = "contains itself" if title in self.open else "is nested too deeply"
            raise ValueError(f"the graph {title!r} {reason}")
        graph = self.graphs[title] = self.read(title)
        return graph

    def read(self, title: str, untold: Container[str] = ()) -> Graph:
        """A graph from its text; what that states of the values of `untold` inputs is left out."""
        self.open[title] = None
        graph, self.sizes[title] = self.block(title, self.blocks[title], untold)
        del self.open[title]
        if self.sizes[title] > checks.MOST_NODES:
            raise ValueError(f"the graph {title!r} has more than {checks.MOST_NODES:,} nodes")
        return graph

    def block(self, title: str, lines: list[str], untold: Container[str]) -> tuple[Graph, int]:
        """A graph, and the number of its nodes with those of sub-graphs."""
        fields, names = self.head(lines[0])
        constants, body = self.constants(lines[1:])
        values: dict[str, Value] = {}
        for claim in fields:
            constant = constants.pop(claim.name, None)
            constant = None if claim.name in untold else constant
            _define(values, claim.name, _with_constant(claim, constant))
        if constants:
            raise ValueError(f"no input is called {next(iter(constants))!r}")
        inputs = tuple(values.values())
        nodes: list[Node] = []
        for line in body:
            nodes += self.node(title, line.strip(), values)
        outputs = tuple(_find(values, name) for name in names)
        size = len(nodes) + sum(
            self.sizes[inner.name] for node in nodes for inner in node.subgraphs.values()
        )
        return Graph(title, inputs, tuple(nodes), outputs), size

    def head(self, line: str) -> tuple[list[Value], list[str]]:
        """The inputs of a graph, and the names of its outputs."""
        position = _HEAD.match(line).end()  # type: ignore[union-attr]
        fields, position = _values(line, position)
        if not line.startswith(") -> (", position):
            raise ValueError(f"this is not the head of a graph: {_excerpt(line)}")
        names, position = _names(line, position + len(") -> ("))
        if line[position:].rstrip() != "):":
            raise ValueError(f"this is not the head of a graph: {_excerpt(line)}")
        return fields, names

    def constants(self, lines: list[str]) -> tuple[dict[str, np.ndarray], list[str]]:
        """The values of inputs, and the remaining lines."""
        constants: dict[str, np.ndarray] = {}
        for count, line in enumerate(lines):
            match = _CONSTANT.match(line)
            if match is None:
                return constants, lines[count:]
            value, end = self.reader.read(line, match.end())
            if line[end:].strip() or not isinstance(value, np.ndarray) or match[1] in constants:
                raise ValueError(f"this is not the value of an input: {_excerpt(line)}")
            constants[match[1]] = value
        return constants, []

    # ---- nodes ---------------------------------------------------------------------------

    def node(self, title: str, line: str, values: dict[str, Value]) -> Iterator[Node]:
        """The node of a line, and the checks of what the text claims beyond its operation."""
        claims, position = _values(line, 0)
        position += 3 if line.startswith(" = ", position) else 0
        match = _OPERATION.match(line, position)
        if match is None:
            raise ValueError(f"this is not a node: {_excerpt(line)}")
        names, position = _names(line, match.end())
        if not line.startswith(")", position):
            raise ValueError(f"this is not a node: {_excerpt(line)}")
        op, operands = _operation(match[1]), tuple(_find(values, name) for name in names)
        attrs, where = self.attributes(line, position + 1)
        checks.check_attributes(op, attrs, len(claims))
        for key, default in op.attrs.items():  # what is newer than the text
            if default is not inspect.Parameter.empty:
                attrs.setdefault(key, default)
        if op.callee_attribute:
            self.declare(attrs[op.callee_attribute], claims)
        if op.variable_access in ("write", "declare"):
            ensured = checks.fitting_assignment(operands, attrs)
            yield from ensured
            operands = tuple(node.output for node in ensured) or operands
        attrs = self.with_told_inputs(Node(op, operands, attrs, (), where))
        specs = checks.specs_of(op, operands, attrs)
        checks.check_claims(op, specs, claims)
        yield from _recorded(op, operands, attrs, specs, claims, where, values, self.calls)
        for key, inner in attrs.items():
            if isinstance(inner, Graph):
                node = Node(op, operands, attrs, (), where)
                checks.check_subgraph(title, node, key, inner)

    def with_told_inputs(self, node: Node) -> dict:
        """The attributes of a node, whose sub-graphs know no more of shapes than its operands do: a
        backward loop takes them from a stack, which tells nothing of its items.
        """
        attrs = dict(node.attrs)
        for key, inner in node.subgraphs.items() if node.op.operands is not None else ():
            untold = checks.untold_inputs(node.op.operands_of(node, key), inner)
            if untold:
                attrs[key] = self.read(inner.name, untold)
        return attrs

    def attributes(self, line: str, position: int) -> tuple[dict, SavedLocation | None]:
        """The attributes ` key=value ...` after the operands, and the source location."""
        attrs: dict = {}
        while match := _ATTRIBUTE.match(line, position):
            inner = _GRAPH.match(line, match.end())
            if match[1] in attrs:
                raise ValueError(f"the attribute {match[1]!r} is there twice: {_excerpt(line)}")
            if inner is None:
                attrs[match[1]], position = self.reader.read(line, match.end())
            else:
                attrs[match[1]], position = self.inner(inner[0]), inner.end()
        if not line[position:].strip():
            return attrs, None
        where = _WHERE.fullmatch(line, position)
        if where is None:
            raise ValueError(f"this is not an attribute: {_excerpt(line[position:])}")
        return attrs, SavedLocation(where["file"], int(where["line"]))

    def inner(self, reference: str) -> Graph | Callee:
        """What `@name` or `&name` refers to; a callee is one for all calls, which it may hold."""
        title = reference[1:]
        if reference[0] == "@":
            return self.graph(title)
        return self.callees.setdefault(title, Callee(title, ()))

    # ---- graphs that call themselves -----------------------------------------------------

    def declare(self, callee, claims: list[Value]) -> None:
        """Take the types of the results of a callee from its first call."""
        if not isinstance(callee, Callee):
            raise ValueError(f"{callee!r} is not a reference to a graph that calls itself")
        if not callee.outputs:
            callee.outputs = tuple(Spec(claim.dtype, claim.shape) for claim in claims)

    def resolve_callees(self) -> None:
        """Give each callee its graph, and check the calls."""
        for title, callee in self.callees.items():
            graph = self.graph(title)
            callee.resolve(graph)
            if len(callee.outputs) != len(graph.outputs) or not all(
                map(checks.implies, graph.outputs, callee.outputs)
            ):
                raise ValueError(f"calls of {title!r} have other results than the graph")
        for node in self.calls:
            callee = node.attrs[node.op.callee_attribute]  # type: ignore[index]
            checks.check_passed(callee.name, node.inputs, callee.graph)


def _operation(name: str) -> Op:
    try:
        return OPERATIONS[name]
    except KeyError:
        raise UnimplementedError(
            f"this version of allograph has no operation '{name}'",
            "Install the version that wrote the graph, or a newer one.",
        ) from None


def _recorded(op, operands, attrs, specs, claims, where, values, calls) -> Iterator[Node]:
    """The node, and after it a node for each output that the text says more of."""
    outputs, ensured = [], []
    for spec, claim in zip(specs, claims, strict=True):
        known = checks.constant_of(op, operands, attrs, spec) if len(specs) == 1 else None
        if checks.implies(spec, claim):
            output = Value(claim.dtype, claim.shape, claim.name, known)
            _define(values, claim.name, output)
        else:
            output = Value(spec.dtype, spec.shape, f"{claim.name}_unchecked", known)
            ensured.append(checks.ensured(output, claim.shape, claim.name))
            _define(values, claim.name, ensured[-1].output)
        outputs.append(output)
    name = claims[0].name if claims else ""
    node = Node(op, operands, attrs, tuple(outputs), where, name)
    if op.callee_attribute:
        calls.append(node)
    yield node
    yield from ensured


def _define(values: dict[str, Value], name: str, value: Value) -> None:
    if name in values:
        raise ValueError(f"{name!r} is defined twice")
    values[name] = value


def _find(values: dict[str, Value], name: str) -> Value:
    if name not in values:
        raise ValueError(f"{name!r} is read before it is defined")
    return values[name]


def _with_constant(value: Value, constant: np.ndarray | None) -> Value:
    """An input whose value is known, wholly or in part."""
    if constant is None or value.dtype is string:  # a string determines no shape
        return value
    is_partial = constant.dtype == object and value.dtype.is_integer
    has_dtype = is_partial or constant.dtype == value.dtype.numpy_dtype
    if not has_dtype or not checks.implies(Spec(value.dtype, constant.shape), value):
        raise ValueError(f"{value} has a value of another type")
    return Value(value.dtype, value.shape, value.name, constant)


# ---- scanning --------------------------------------------------------------------------------


def _values(line: str, position: int) -> tuple[list[Value], int]:
    """Values such as `x: float32[2,?], y: int32[]`, and the position behind them."""
    rows, position = _listed(_VALUE, line, position)
    return [Value(dtype_named(row[2]), _shape(row[3]), row[1]) for row in rows], position


def _names(line: str, position: int) -> tuple[list[str], int]:
    rows, position = _listed(_NAME, line, position)
    return [row[0] for row in rows], position


def _listed(pattern: re.Pattern, line: str, position: int) -> tuple[list[re.Match], int]:
    """What matches a pattern, with commas between, and the position behind the last."""
    rows: list[re.Match] = []
    while match := pattern.match(line, position):
        rows.append(match)
        position = match.end()
        comma = _COMMA.match(line, position)
        if comma is None:
            break
        position = comma.end()
    return rows, position


def _shape(dims: str) -> tuple | None:
    """The shape that stands between brackets."""
    if dims == "...":
        return None
    sizes = [size.strip() for size in dims.split(",") if size]
    if not all(size == "?" or (size.isdecimal() and len(size) < 20) for size in sizes):
        raise ValueError(f"[{_excerpt(dims)}] is not a shape")
    return tuple(None if size == "?" else int(size) for size in sizes)


def _excerpt(line: str) -> str:
    """A line in a message."""
    return repr(line if len(line) <= 80 else line[:77] + "...")
