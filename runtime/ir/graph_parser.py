"""Reads the text form of graphs back: see `graph_printer` for the form."""

from __future__ import annotations

import ast
import base64
import builtins
import inspect
import re

import numpy as np

from ..core.dtypes import as_dtype
from ..core.errors import UnimplementedError
from ..core.public_names import lookup
from ..core.source_locations import SavedLocation
from .callee import Callee
from .constant_values import constant_value
from .graph import Graph, Node, Value
from .indexing import Slot
from .op import TABLE, Spec
from .saved_lists import list_stack


def _strings(shape, items):
    array = np.empty(len(items), object)
    array[:] = items
    return array.reshape(shape)


_HEAD = re.compile(r"graph (\S+?)\((.*)\) -> \((.*)\):$")
_NODE = re.compile(r"(?:(?P<outputs>[^()]*?) = )?(?P<op>\w+)\((?P<inputs>[^()]*)\)")
_CONSTANT = re.compile(r"  (\w+) is (.*)$")
_WHERE = re.compile(r" +# (?P<file>.*):(?P<line>\d+)$")
_ATTRIBUTE = re.compile(r" (?P<key>\w+)=")
_GRAPH = re.compile(r"[@&]\S+")
_TOKEN = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[(\[{]|[)\]}]|[^'"()\[\]{} ]+| """)


def _numpy(dtype: str) -> np.dtype:
    return as_dtype(dtype).numpy_dtype


def _error(name: str) -> type:
    """An exception class by name: one of the library's public ones, or one of Python's."""
    error = lookup(f"errors.{name}") or getattr(builtins, name, None)
    return error if isinstance(error, type) and issubclass(error, Exception) else RuntimeError


_READERS = {
    "float": float,
    "complex": complex,
    "dtype": as_dtype,
    "slot": Slot,
    "spec": lambda dtype, shape: Spec(as_dtype(dtype), shape),
    "error": _error,
    "array": lambda dtype, shape, items: np.array(items, _numpy(dtype)).reshape(shape),
    "scalar": lambda array: array[()],
    "data": lambda dtype, shape, data: (
        np.frombuffer(base64.b64decode(data), _numpy(dtype)).reshape(shape).copy()
    ),
    "texts": _strings,
    "stack": list_stack,
}


def parse(source: str) -> Graph:
    """The graph that `as_text` printed; ValueError where the text is not of that form."""
    return next(iter(parse_all(source).values()))


def parse_all(source: str, objects: dict[str, object] | None = None) -> dict[str, Graph]:
    """The graphs that `print_graphs` printed, by title, inner ones too.

    `objects` are those that were written by name. Raises ValueError where the text is not of this
    form, UnimplementedError for an operation that this version does not have.
    """
    parser = _Parser(source, objects or {})
    return {title: parser.graph(title) for title in parser.blocks}


class _Parser:
    def __init__(self, source: str, objects: dict[str, object]):
        self.graphs: dict[str, Graph] = {}
        self.callees: dict[str, Callee] = {}
        self.readers = {**_READERS, "object": objects.__getitem__}
        self.blocks: dict = {}
        for block in re.split(r"\n\s*\n", source.strip()):
            first, *lines = block.splitlines()
            head = _HEAD.match(first)
            if head is None:
                raise ValueError(f"this is not the head of a graph: {first!r}")
            self.blocks[head.group(1)] = (head, lines)

    def graph(self, title: str) -> Graph:
        if title not in self.graphs:
            head, lines = self.blocks[title]
            values: dict[str, Value] = {}
            constants = {
                row[1]: self.evaluate(ast.parse(row[2], mode="eval").body)
                for row in map(_CONSTANT.match, lines)
                if row is not None
            }
            inputs = tuple(
                _parse_value(field, values, constants) for field in _split(head.group(2))
            )
            nodes = tuple(self.node(line, values) for line in lines[len(constants) :])
            outputs = tuple(values[name] for name in _split(head.group(3)))
            self.graphs[title] = Graph(title, inputs, nodes, outputs)
        return self.graphs[title]

    def node(self, line: str, values: dict[str, Value]) -> Node:
        match = _NODE.match(line.strip())
        if match is None:
            raise ValueError(f"this is not a node: {line!r}")
        op = TABLE.get(match.group("op"))
        if op is None:
            raise UnimplementedError(
                f"this version of allograph has no operation '{match.group('op')}'",
                "Install the version that wrote the graph, or a newer one.",
            )
        operands = tuple(values[name] for name in _split(match.group("inputs")))
        attrs, where = self.attributes(line.strip()[match.end() :])
        for key, default in op.attrs.items():  # what is newer than the text
            if default is not inspect.Parameter.empty:
                attrs.setdefault(key, default)
        fields = _split(match.group("outputs") or "")
        outputs = tuple(_parse_value(field, values) for field in fields)
        if len(outputs) == 1 and op.kernel is not None:
            constant = constant_value(op, operands, attrs, outputs[0])
            outputs = (_with_constant(outputs[0], constant, values, fields[0].partition(": ")[0]),)
        return Node(op, operands, attrs, outputs, where, outputs[0].name if outputs else "")

    def attributes(self, source: str) -> tuple[dict, SavedLocation | None]:
        """The attributes ` key=value ...` after the operands, and the source location."""
        attrs, position = {}, 0
        while match := _ATTRIBUTE.match(source, position):
            inner = _GRAPH.match(source, match.end())
            position = inner.end() if inner else _end_of_expression(source, match.end())
            value = source[match.end() : position]
            attrs[match["key"]] = (
                self.inner(value) if inner else self.evaluate(ast.parse(value, mode="eval").body)
            )
        where = _WHERE.match(source, position)
        if where is None and source[position:].strip():
            raise ValueError(f"this is not an attribute: {source[position:]!r}")
        return attrs, SavedLocation(where["file"], int(where["line"])) if where else None

    def inner(self, reference: str) -> Graph | Callee:
        """What `@name` or `&name` refers to; a callee is one for all calls, which it may hold."""
        title = reference[1:]
        if reference[0] == "@":
            return self.graph(title)
        if title not in self.callees:
            self.callees[title] = callee = Callee(title, ())
            callee.resolve(self.graph(title))
        return self.callees[title]

    def evaluate(self, node):
        if isinstance(node, ast.Call):
            return self.readers[node.func.id](*map(self.evaluate, node.args))
        if isinstance(node, ast.Tuple):
            return tuple(map(self.evaluate, node.elts))
        if isinstance(node, ast.List):
            return list(map(self.evaluate, node.elts))
        if isinstance(node, ast.Dict):
            keys = map(ast.literal_eval, node.keys)
            return dict(zip(keys, map(self.evaluate, node.values), strict=True))
        return ast.literal_eval(node)


def _end_of_expression(source: str, start: int) -> int:
    """Where an expression ends: at a blank outside of brackets and quotes."""
    depth = 0
    for token in _TOKEN.finditer(source, start):
        depth += (token[0] in "([{") - (token[0] in ")]}")
        if token[0] == " " and depth == 0:
            return token.start()
    return len(source)


def _split(source: str) -> list[str]:
    """The fields between commas that stand outside brackets."""
    return [field.strip() for field in re.split(r",(?![^\[(]*[\])])", source) if field.strip()]


def _parse_value(source: str, values: dict[str, Value], constants: dict | None = None) -> Value:
    name, _, spec = source.partition(": ")
    match = re.fullmatch(r"(\w+)\[(.*)\]", spec)
    if match is None:
        raise ValueError(f"this is not a value: {source!r}")
    dtype, dims = match.groups()
    sizes = [size for size in dims.split(",") if size]
    shape = None if dims == "..." else tuple(None if size == "?" else int(size) for size in sizes)
    values[name] = Value(as_dtype(dtype), shape, name, (constants or {}).get(name))
    return values[name]


def _with_constant(value: Value, constant, values: dict[str, Value], name: str) -> Value:
    """The value with what can be told of it without running, as when it was first recorded."""
    values[name] = (
        value if constant is None else Value(value.dtype, value.shape, value.name, constant)
    )
    return values[name]
