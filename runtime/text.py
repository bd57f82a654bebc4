"""The text form of graphs: what prints is what tests compare, and it reads back.

    graph settle(x: float32[5]) -> (while):
      while: float32[5] = while(x) test=@settle.test body=@settle.body carried=1    # model.py:5

    graph settle.test(x: float32[5]) -> (greater):
      ...

A line `x is array(...)` tells the value of an input that is known beforehand (None stands for an
element that is not). Sub-graphs follow under their own names, `@name`; a graph that several nodes
call is written once, and `&name` is a graph that may call itself. Arrays are written out when
small, else as base64. Objects that live in this process only (a Python function, a variable) print
as `<...>` and do not read back, unless the caller gives them names: `object('x')`.
"""

from __future__ import annotations

import ast
import base64
import builtins
import inspect
import re
from collections.abc import Callable

import numpy as np

from .builder import known_value
from .dtypes import DType, as_dtype, stack
from .errors import UnimplementedError
from .gradients.stacks import items_of, list_stack
from .graph import Graph, Node, Value
from .op import TABLE, Spec
from .ops.recursion import Callee
from .ops.slicing import Slot
from .spans import SavedSpan
from .vocabulary import lookup

INLINE = 16  # elements: larger arrays are written as base64


def as_text(graph: Graph) -> str:
    """The text of a graph and of the graphs inside it."""
    return as_texts({graph.name: graph})


def as_texts(
    graphs: dict[str, Graph], name_of: Callable[[object], str | None] | None = None
) -> str:
    """The text of several graphs, each under its title, which `parse_all` reads.

    `name_of` gives a name to an object that has no text of its own; it may raise, or give None.
    Arrays are asked for too: one with a name is not written out.
    """
    printer = _Printer(graphs, name_of)
    blocks = [block for title, graph in graphs.items() for block in printer.graph(graph, title)]
    return "\n\n".join(blocks) + "\n"


class _Printer:
    def __init__(self, graphs: dict[str, Graph], name_of=None):
        self.taken = set(graphs)
        self.shown: dict[Graph | Callee, str] = {}
        self.name_of = name_of or (lambda thing: None)

    def graph(self, graph: Graph, title: str) -> list[str]:
        names: dict[Value, str] = {}
        inputs = ", ".join(f"{_name(value, names)}: {_spec(value)}" for value in graph.inputs)
        body = [
            f"  {names[value]} is {_show_array(value.known)}"
            for value in graph.inputs
            if value.known is not None
        ]
        inner: list[str] = []
        for node in graph.nodes:
            operands = ", ".join(names[value] for value in node.inputs)
            outputs = ", ".join(f"{_name(value, names)}: {_spec(value)}" for value in node.outputs)
            attrs = "".join(
                f" {key}={self.attribute(value, f'{title}.{key}', inner)}"
                for key, value in node.attrs.items()
            )
            where = f"    # {node.where}" if node.where is not None else ""
            body.append(
                f"  {outputs + ' = ' if outputs else ''}{node.op.name}({operands}){attrs}{where}"
            )
        results = ", ".join(names[value] for value in graph.outputs)
        return ["\n".join([f"graph {title}({inputs}) -> ({results}):", *body]), *inner]

    def attribute(self, value, title: str, inner: list[str]) -> str:
        """One attribute; the text of a graph that was not shown yet goes to `inner`."""
        if not isinstance(value, (Graph, Callee)):
            return show_attribute(value, self.name_of)
        is_graph = isinstance(value, Graph)
        if value not in self.shown:
            self.shown[value] = self.unique(title if is_graph else value.name)
            graph = value if is_graph else value.graph
            inner += self.graph(graph, self.shown[value]) if graph is not None else []
        return ("@" if is_graph else "&") + self.shown[value]

    def unique(self, name: str) -> str:
        count, found = 0, name
        while found in self.taken:
            count += 1
            found = f"{name}.{count}"
        self.taken.add(found)
        return found


def _name(value: Value, names: dict[Value, str]) -> str:
    base = re.sub(r"\W", "_", value.name) or "value"
    count, found, taken = 0, base, set(names.values())
    while found in taken:
        count += 1
        found = f"{base}_{count}"
    names[value] = found
    return found


def _spec(value: Value) -> str:
    if value.shape is None:
        return f"{value.dtype.name}[...]"
    sizes = ",".join("?" if size is None else str(size) for size in value.shape)
    return f"{value.dtype.name}[{sizes}]"


def show_attribute(value, name_of=lambda thing: None) -> str:
    """An attribute in the form that `parse` reads; objects are called what `name_of` calls them."""
    if isinstance(value, np.ndarray):
        name = name_of(value)
        return _show_array(value) if name is None else f"object({name!r})"
    for kind, show in _WRITERS.items():
        if type(value) is kind:
            return show(value)
    if type(value) in (tuple, list):
        rows = ", ".join(show_attribute(item, name_of) for item in value)
        if type(value) is list:
            return f"[{rows}]"
        return f"({rows},)" if len(value) == 1 else f"({rows})"
    if type(value) is dict:
        rows = (f"{key!r}: {show_attribute(item, name_of)}" for key, item in value.items())
        return "{" + ", ".join(rows) + "}"
    if isinstance(value, np.generic):
        return f"scalar({_show_array(np.asarray(value))})"
    if value is Ellipsis:
        return "..."
    if value is None or isinstance(value, (bool, int, str, bytes)):
        return repr(value)
    if isinstance(value, type) and issubclass(value, Exception):
        return f"error({value.__name__!r})"
    name = name_of(value)
    return f"<{type(value).__name__}>" if name is None else f"object({name!r})"


def _show_float(value: float) -> str:
    return repr(value) if np.isfinite(value) else f"float({str(value)!r})"


_WRITERS: dict[type, Callable] = {
    float: _show_float,
    complex: lambda value: f"complex({_show_float(value.real)}, {_show_float(value.imag)})",
    DType: lambda value: f"dtype({value.name!r})",
    Slot: lambda value: f"slot({value.place})",
    Spec: lambda value: f"spec({value.dtype.name!r}, {value.shape!r})",
}


def _show_array(array: np.ndarray) -> str:
    if array.dtype == object:
        return f"texts({array.shape}, {tuple(array.reshape(-1).tolist())!r})"
    if array.dtype == stack.numpy_dtype:
        items = ["None" if one is None else _show_array(one) for one in items_of(array)]
        return f"stack([{', '.join(items)}])"
    if array.size <= INLINE and array.dtype.kind != "c" and _is_finite(array):
        return f"array({array.dtype.name!r}, {array.shape}, {tuple(array.reshape(-1).tolist())!r})"
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return f"data({array.dtype.name!r}, {array.shape}, {data!r})"


def _is_finite(array: np.ndarray) -> bool:
    return array.dtype.kind in "biu" or bool(np.all(np.isfinite(array)))


def _texts(shape, items):
    made = np.empty(len(items), object)
    made[:] = items
    return made.reshape(shape)


# ---- reading ---------------------------------------------------------------------------------

_HEAD = re.compile(r"graph (\S+?)\((.*)\) -> \((.*)\):$")
_NODE = re.compile(r"(?:(?P<outputs>[^()]*?) = )?(?P<op>\w+)\((?P<inputs>[^()]*)\)")
_KNOWN = re.compile(r"  (\w+) is (.*)$")
_WHERE = re.compile(r" +# (?P<file>.*):(?P<line>\d+)$")
_ATTRIBUTE = re.compile(r" (?P<key>\w+)=")
_GRAPH = re.compile(r"[@&]\S+")
_TOKEN = re.compile(r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|[(\[{]|[)\]}]|[^'"()\[\]{} ]+| """)


def _numpy(dtype: str) -> np.dtype:
    return as_dtype(dtype).numpy_dtype


def _error(name: str) -> type:
    """An exception class by name: one of the library's public ones, or one of Python's."""
    found = lookup(f"errors.{name}") or getattr(builtins, name, None)
    return found if isinstance(found, type) and issubclass(found, Exception) else RuntimeError


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
    "texts": _texts,
    "stack": list_stack,
}


def parse(text: str) -> Graph:
    """The graph that `as_text` printed; ValueError where the text is not of that form."""
    return next(iter(parse_all(text).values()))


def parse_all(text: str, objects: dict[str, object] | None = None) -> dict[str, Graph]:
    """The graphs that `as_texts` printed, by title, inner ones too.

    `objects` are those that were written by name. Raises ValueError where the text is not of this
    form, UnimplementedError for an operation that this version does not have.
    """
    parser = _Parser(text, objects or {})
    return {title: parser.graph(title) for title in parser.blocks}


class _Parser:
    def __init__(self, text: str, objects: dict[str, object]):
        self.made: dict[str, Graph] = {}
        self.callees: dict[str, Callee] = {}
        self.readers = {**_READERS, "object": objects.__getitem__}
        self.blocks: dict = {}
        for block in re.split(r"\n\s*\n", text.strip()):
            first, *lines = block.splitlines()
            head = _HEAD.match(first)
            if head is None:
                raise ValueError(f"this is not the head of a graph: {first!r}")
            self.blocks[head.group(1)] = (head, lines)

    def graph(self, title: str) -> Graph:
        if title not in self.made:
            head, lines = self.blocks[title]
            values: dict[str, Value] = {}
            known = {
                row[1]: self.evaluate(ast.parse(row[2], mode="eval").body)
                for row in map(_KNOWN.match, lines)
                if row is not None
            }
            inputs = tuple(_parse_value(part, values, known) for part in _split(head.group(2)))
            nodes = tuple(self.node(line, values) for line in lines[len(known) :])
            outputs = tuple(values[name] for name in _split(head.group(3)))
            self.made[title] = Graph(title, inputs, nodes, outputs)
        return self.made[title]

    def node(self, line: str, values: dict[str, Value]) -> Node:
        found = _NODE.match(line.strip())
        if found is None:
            raise ValueError(f"this is not a node: {line!r}")
        op = TABLE.get(found.group("op"))
        if op is None:
            raise UnimplementedError(
                f"this version of allograph has no operation '{found.group('op')}'",
                "Install the version that wrote the graph, or a newer one.",
            )
        operands = tuple(values[name] for name in _split(found.group("inputs")))
        attrs, where = self.attributes(line.strip()[found.end() :])
        for key, default in op.attrs.items():  # what is newer than the text
            if default is not inspect.Parameter.empty:
                attrs.setdefault(key, default)
        parts = _split(found.group("outputs") or "")
        outputs = tuple(_parse_value(part, values) for part in parts)
        if len(outputs) == 1 and op.kernel is not None:
            known = known_value(op, operands, attrs, outputs[0])
            outputs = (_with_known(outputs[0], known, values, parts[0].partition(": ")[0]),)
        return Node(op, operands, attrs, outputs, where, outputs[0].name if outputs else "")

    def attributes(self, text: str) -> tuple[dict, SavedSpan | None]:
        """The attributes ` key=value ...` after the operands, and the place in the comment."""
        attrs, place = {}, 0
        while found := _ATTRIBUTE.match(text, place):
            inner = _GRAPH.match(text, found.end())
            place = inner.end() if inner else _end_of_expression(text, found.end())
            source = text[found.end() : place]
            attrs[found["key"]] = (
                self.inner(source) if inner else self.evaluate(ast.parse(source, mode="eval").body)
            )
        where = _WHERE.match(text, place)
        if where is None and text[place:].strip():
            raise ValueError(f"this is not an attribute: {text[place:]!r}")
        return attrs, SavedSpan(where["file"], int(where["line"])) if where else None

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


def _end_of_expression(text: str, start: int) -> int:
    """Where an expression ends: at a blank outside of brackets and quotes."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += (token[0] in "([{") - (token[0] in ")]}")
        if token[0] == " " and depth == 0:
            return token.start()
    return len(text)


def _split(text: str) -> list[str]:
    """The parts between commas that stand outside brackets."""
    return [part.strip() for part in re.split(r",(?![^\[(]*[\])])", text) if part.strip()]


def _parse_value(text: str, values: dict[str, Value], known: dict | None = None) -> Value:
    name, _, spec = text.partition(": ")
    dtype, dims = re.fullmatch(r"(\w+)\[(.*)\]", spec).groups()
    sizes = [size for size in dims.split(",") if size]
    shape = None if dims == "..." else tuple(None if size == "?" else int(size) for size in sizes)
    values[name] = Value(as_dtype(dtype), shape, name, (known or {}).get(name))
    return values[name]


def _with_known(value: Value, known, values: dict[str, Value], name: str) -> Value:
    """The value with what can be told of it without running, as when it was first recorded."""
    values[name] = value if known is None else Value(value.dtype, value.shape, value.name, known)
    return values[name]
