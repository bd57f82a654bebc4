"""The text form of graphs, which `library/saved/graph_parser.py` reads.

    graph settle(x: float32[5]) -> (while):
      while: float32[5] = while(x) test=@settle.test body=@settle.body carried=1    # model.py:5

    graph settle.test(x: float32[5]) -> (greater):
      ...

A line `x is array(...)` states the constant value of an input (None stands for an element that is
not constant). Sub-graphs follow under their own names, `@name`. A graph that several nodes call is
printed once. `&name` is a graph that may call itself. Small arrays print as literals, others as
base64. Objects of this process (a Python function, a variable) print as `<...>` and cannot be read,
unless the caller names them: `object('x')`.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable

import numpy as np

from ..core.classes import class_of
from ..core.deferred_strings import ErrorForm, Hole, Items
from ..core.dtypes import DType, stack
from ..core.numpy_dtypes import is_complex, is_exact
from ..core.shapes import dimensions
from .callee import Callee
from .graph import Graph, Value
from .indexing import Slot
from .op import Spec
from .saved_lists import items_of

INLINE = 16  # elements: larger arrays are written as base64


def as_text(graph: Graph) -> str:
    """The text of a graph and of the graphs inside it."""
    return print_graphs({graph.name: graph})


def print_graphs(
    graphs: dict[str, Graph], name_of: Callable[[object], str | None] | None = None
) -> str:
    """The text of several graphs, each under its title; `parse_all` reads it.

    `name_of` gives a name to an object that has no text of its own; it may raise, or give None.
    Arrays are asked for too: one with a name is not written out.
    """
    printer = _Printer(graphs, name_of)
    blocks = [block for title, graph in graphs.items() for block in printer.graph(graph, title)]
    return "\n\n".join(blocks) + "\n"


class _Printer:
    def __init__(self, graphs: dict[str, Graph], name_of=None):
        self.names_taken = set(graphs)
        self.shown: dict[Graph | Callee, str] = {}
        self.name_of = name_of or (lambda thing: None)

    def graph(self, graph: Graph, title: str) -> list[str]:
        names: dict[Value, str] = {}
        inputs = ", ".join(f"{_name(value, names)}: {_spec(value)}" for value in graph.inputs)
        body = [
            f"  {names[value]} is {_show_array(value.constant)}"
            for value in graph.inputs
            if value.constant is not None
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
        """One attribute; the text of a graph that was not printed yet goes to `inner`."""
        if isinstance(value, Graph):
            return "@" + self.reference(value, value, title, inner)
        if isinstance(value, Callee):
            return "&" + self.reference(value, value.graph, value.name, inner)
        return show_attribute(value, self.name_of)

    def reference(self, thing: Graph | Callee, graph: Graph | None, title: str, inner) -> str:
        """The title of a graph or callee, whose text goes to `inner` the first time."""
        if thing not in self.shown:
            self.shown[thing] = self.unique(title)
            inner += self.graph(graph, self.shown[thing]) if graph is not None else []
        return self.shown[thing]

    def unique(self, name: str) -> str:
        count, unique = 0, name
        while unique in self.names_taken:
            count += 1
            unique = f"{name}.{count}"
        self.names_taken.add(unique)
        return unique


def _name(value: Value, names: dict[Value, str]) -> str:
    base = re.sub(r"\W", "_", value.name) or "value"
    count, name, names_taken = 0, base, set(names.values())
    while name in names_taken:
        count += 1
        name = f"{base}_{count}"
    names[value] = name
    return name


def _spec(value: Value) -> str:
    return f"{value.dtype.name}[{dimensions(value.shape)}]"


def show_attribute(value, name_of=lambda thing: None) -> str:
    """An attribute in the form that `parse` reads; objects are called what `name_of` calls them."""
    if isinstance(value, np.ndarray):
        name = name_of(value)
        return _show_array(value) if name is None else f"object({name!r})"
    for type_, show in _WRITERS.items():
        if type(value) is type_:
            return show(value)
    if class_of(value) in (tuple, list):
        rows = ", ".join(show_attribute(item, name_of) for item in value)
        if class_of(value) is list:
            return f"[{rows}]"
        return f"({rows},)" if len(value) == 1 else f"({rows})"
    if type(value) is dict:
        entries = (f"{key!r}: {show_attribute(item, name_of)}" for key, item in value.items())
        return "{" + ", ".join(entries) + "}"
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


def _show_hole(hole: Hole) -> str:
    if hole.show is None:
        return f"hole({hole.index})"
    directive = f", {hole.show.directive!r}" if hole.show.directive else ""
    return f"hole({hole.index}, {hole.show.how!r}{directive})"


def _show_items(items: Items) -> str:
    keys = f", {show_attribute(items.keys)}" if items.keys else ""
    return f"items({items.make!r}, {show_attribute(items.parts)}{keys})"


def _show_raised(form: ErrorForm) -> str:
    """An exception; the line that it names is one of this process."""
    named = form.attributes
    parts = (
        None if key == "where" else part for key, part in zip(named.keys, named.parts, strict=True)
    )
    operands = (
        form.error_class,
        form.args,
        Items("dict", tuple(parts), named.keys),
        form.cause,
        form.suppresses,
    )
    return f"raised({', '.join(map(show_attribute, operands))})"


_WRITERS: dict[type, Callable] = {
    float: _show_float,
    complex: lambda value: f"complex({_show_float(value.real)}, {_show_float(value.imag)})",
    DType: lambda value: f"dtype({value.name!r})",
    Slot: lambda value: f"slot({value.position})",
    Spec: lambda value: f"spec({value.dtype.name!r}, {value.shape!r})",
    Hole: _show_hole,
    Items: _show_items,
    ErrorForm: _show_raised,
}


def _show_array(array: np.ndarray) -> str:
    if array.dtype == object:
        return f"texts({array.shape}, {tuple(array.reshape(-1).tolist())!r})"
    if array.dtype == stack.numpy_dtype:
        items = ["None" if item is None else _show_array(item) for item in items_of(array)]
        return f"stack([{', '.join(items)}])"
    if array.size <= INLINE and not is_complex(array.dtype) and _is_finite(array):
        return f"array({array.dtype.name!r}, {array.shape}, {tuple(array.reshape(-1).tolist())!r})"
    content = np.ascontiguousarray(array).tobytes()
    data = binascii.b2a_base64(content, newline=False).decode()
    return f"data({array.dtype.name!r}, {array.shape}, {data!r})"


def _is_finite(array: np.ndarray) -> bool:
    return is_exact(array.dtype) or bool(np.all(np.isfinite(array)))


Graph.as_text = as_text
