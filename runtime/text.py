"""The text form of graphs: what prints is what tests compare, and it reads back.

    graph settle(x: float32[5]) -> (while):
      while: float32[5] = while(x) test=@settle.test body=@settle.body carried=1    # model.py:5

    graph settle.test(x: float32[5]) -> (greater):
      ...

Sub-graphs follow under their own names. Arrays are written out when small, else as base64. Objects
that live in this process only (a Python function, a variable) print as `<...>` and do not read
back.
"""

from __future__ import annotations

import ast
import base64
import re

import numpy as np

from .dtypes import DType, as_dtype
from .graph import Graph, Node, Value
from .op import TABLE
from .ops.slicing import Slot

INLINE = 16  # elements: larger arrays are written as base64


def as_text(graph: Graph) -> str:
    """The text of a graph and of the graphs inside it."""
    return "\n\n".join(_Printer().graph(graph, graph.name)) + "\n"


class _Printer:
    def __init__(self):
        self.taken: set[str] = set()

    def graph(self, graph: Graph, title: str) -> list[str]:
        self.taken.add(title)
        names: dict[Value, str] = {}
        inputs = ", ".join(f"{_name(value, names)}: {_spec(value)}" for value in graph.inputs)
        body, inner = [], []
        for node in graph.nodes:
            operands = ", ".join(names[value] for value in node.inputs)
            outputs = ", ".join(f"{_name(value, names)}: {_spec(value)}" for value in node.outputs)
            attrs = ""
            for key, value in node.attrs.items():
                if isinstance(value, Graph):
                    name = self.unique(f"{title}.{key}")
                    inner += self.graph(value, name)
                    attrs += f" {key}=@{name}"
                else:
                    attrs += f" {key}={show_attribute(value)}"
            where = f"    # {node.where}" if node.where is not None else ""
            body.append(
                f"  {outputs + ' = ' if outputs else ''}{node.op.name}({operands}){attrs}{where}"
            )
        results = ", ".join(names[value] for value in graph.outputs)
        return ["\n".join([f"graph {title}({inputs}) -> ({results}):", *body]), *inner]

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


def show_attribute(value) -> str:
    """An attribute in the form that `parse` reads."""
    if isinstance(value, np.ndarray):
        return _show_array(value)
    if isinstance(value, DType):
        return f"dtype({value.name!r})"
    if type(value) is Slot:
        return f"slot({value.place})"
    if type(value) in (tuple, list):
        rows = ", ".join(map(show_attribute, value))
        return f"({rows},)" if len(value) == 1 else f"({rows})"
    if (
        value is None
        or value is Ellipsis
        or isinstance(value, (bool, int, float, str, bytes, np.generic))
    ):
        return repr(value.item() if isinstance(value, np.generic) else value)
    return f"<{type(value).__name__}>"


def _show_array(array: np.ndarray) -> str:
    if array.dtype == object:
        return f"texts({array.shape}, {tuple(array.reshape(-1).tolist())!r})"
    if array.size <= INLINE and not (array.dtype.kind in "fc" and not np.all(np.isfinite(array))):
        return f"array({array.dtype.name!r}, {array.shape}, {tuple(array.reshape(-1).tolist())!r})"
    data = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return f"data({array.dtype.name!r}, {array.shape}, {data!r})"


def _texts(shape, items):
    made = np.empty(len(items), object)
    made[:] = items
    return made.reshape(shape)


# ---- reading ---------------------------------------------------------------------------------

_HEAD = re.compile(r"graph (\S+?)\((.*)\) -> \((.*)\):$")
_LINE = re.compile(r"(?:(?P<outputs>.*?) = )?(?P<op>\w+)\((?P<inputs>[^)]*)\)(?P<attrs>.*)$")
_READERS = {
    "dtype": as_dtype,
    "slot": Slot,
    "array": lambda dtype, shape, items: np.array(items, dtype).reshape(shape),
    "data": lambda dtype, shape, data: (
        np.frombuffer(base64.b64decode(data), dtype).reshape(shape).copy()
    ),
    "texts": _texts,
}


def parse(text: str) -> Graph:
    """The graph that `as_text` printed; ValueError where the text is not of that form."""
    blocks = {}
    for block in re.split(r"\n\s*\n", text.strip()):
        head = _HEAD.match(block.splitlines()[0])
        if head is None:
            raise ValueError(f"this is not the head of a graph: {block.splitlines()[0]!r}")
        blocks[head.group(1)] = (head, block.splitlines()[1:])
    return _parse_graph(next(iter(blocks)), blocks)


def _parse_graph(title: str, blocks) -> Graph:
    head, lines = blocks[title]
    values: dict[str, Value] = {}
    inputs = tuple(_parse_value(part, values) for part in _split(head.group(2)))
    nodes = tuple(_parse_node(line, values, blocks) for line in lines)
    return Graph(title, inputs, nodes, tuple(values[name] for name in _split(head.group(3))))


def _split(text: str) -> list[str]:
    """The parts between commas that stand outside brackets."""
    return [part.strip() for part in re.split(r",(?![^\[(]*[\])])", text) if part.strip()]


def _parse_value(text: str, values: dict[str, Value]) -> Value:
    name, _, spec = text.partition(": ")
    dtype, dims = re.fullmatch(r"(\w+)\[(.*)\]", spec).groups()
    sizes = [size for size in dims.split(",") if size]
    shape = None if dims == "..." else tuple(None if size == "?" else int(size) for size in sizes)
    values[name] = Value(as_dtype(dtype), shape, name)
    return values[name]


def _parse_node(line: str, values, blocks) -> Node:
    found = _LINE.match(re.sub(r"    # \S+:\d+$", "", line).strip())
    if found is None:
        raise ValueError(f"this is not a node: {line!r}")
    operands = tuple(values[name] for name in _split(found.group("inputs")))
    attrs = _parse_attributes(found.group("attrs").strip(), blocks)
    outputs = tuple(_parse_value(part, values) for part in _split(found.group("outputs") or ""))
    return Node(
        TABLE[found.group("op")], operands, attrs, outputs, None, outputs[0].name if outputs else ""
    )


def _parse_attributes(text: str, blocks) -> dict:
    if not text:
        return {}
    text = re.sub(r"=@(\S+)", r"=subgraph('\1')", text)
    text = re.sub(r" (\w+)=", r", \1=", " " + text).lstrip(", ")
    readers = {**_READERS, "subgraph": lambda name: _parse_graph(name, blocks)}
    call = ast.parse(f"f({text})", mode="eval").body
    return {keyword.arg: _evaluate(keyword.value, readers) for keyword in call.keywords}


def _evaluate(node, readers):
    if isinstance(node, ast.Call):
        return readers[node.func.id](*(_evaluate(arg, readers) for arg in node.args))
    if isinstance(node, ast.Tuple):
        return tuple(_evaluate(item, readers) for item in node.elts)
    return ast.literal_eval(node)
