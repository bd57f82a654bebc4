"""Complex numbers as pairs of real ones, for native code, which has real numbers only.

    z = x * y        with x and y of shape (3,) and type complex128

becomes sums of products of four arrays of float64. Inputs of the graph are taken apart, and outputs
put together; so are operands and results of what has no form of pairs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...core.classes import NamedTuple
from ...core.dtypes import DType
from ...core.source_locations import SourceLocation
from ...ir.constant_values import constant_node, constant_value
from ...ir.graph import Graph, Node, Value
from ...ir.node_properties import has_complex_numbers
from ...ir.op import TABLE
from . import complex_formulas as formulas


class Pair(NamedTuple):
    """The real and the imaginary components of a complex value, each a value of the graph."""

    real: Value
    imag: Value


def is_complex(value: Value) -> bool:
    return value.dtype.is_complex


def with_pairs(graph: Graph) -> Graph:
    """The graph on pairs of real numbers; the graph itself where no number is complex."""
    return _Rewriter(graph).whole() if has_complex_numbers(graph) else graph


class _Rewriter:
    """One graph: `values` holds what takes the place of each of its values."""

    def __init__(self, graph: Graph):
        self.source = graph
        self.nodes: list[Node] = []
        self.values: dict[Value, Value | Pair] = {}
        self.whole_values: dict[Value, Value] = {}
        self.where: SourceLocation | None = None

    def whole(self) -> Graph:
        """The graph, of which a complex input or output is one array."""
        for old in self.source.inputs:
            self.apart(old)
        self.rewrite()
        outputs = tuple(map(self.together, self.source.outputs))
        return self.source.replace(nodes=tuple(self.nodes), outputs=outputs)

    def inner(self) -> Graph:
        """The graph, of which a complex input or output is two."""
        for old in self.source.inputs:
            self.values[old] = _new_pair(old) if is_complex(old) else old
        self.rewrite()
        inputs, outputs = map(self.flat, (self.source.inputs, self.source.outputs))
        return self.source.replace(inputs=inputs, nodes=tuple(self.nodes), outputs=outputs)

    def rewrite(self) -> None:
        for node in self.source.nodes:
            self.where = node.where
            if node.subgraphs:
                self.control_flow(node)
            elif any(map(is_complex, (*node.inputs, *node.outputs))):
                self.complex_node(node)
            else:
                self.keep_whole(node)

    def keep_whole(self, node: Node) -> None:
        """The node itself, on complex numbers if it has any."""
        inputs = tuple(map(self.together, node.inputs))
        attrs, outputs = node.attrs, node.outputs
        self.nodes.append(replace(node, inputs=inputs, attrs=attrs, outputs=outputs))
        for value in outputs:
            self.apart(value)

    def apart(self, value: Value) -> None:
        """A value that the graph keeps: its components, if it is complex, take its place."""
        self.values[value] = value
        if is_complex(value):
            self.values[value] = Pair(self.op("real", value), self.op("imag", value))
            self.whole_values[value] = value

    def together(self, old: Value) -> Value:
        """The value, complex or not, that takes the place of another."""
        new = self.values[old]
        if not isinstance(new, Pair):
            return new
        if old not in self.whole_values:
            self.whole_values[old] = self.op("complex", *new)
        return self.whole_values[old]

    def flat(self, olds) -> tuple[Value, ...]:
        """What takes the place of some values, with both parts of pairs."""
        result: list[Value] = []
        for old in olds:
            new = self.values[old]
            result += new if isinstance(new, Pair) else [new]
        return tuple(result)

    def real(self, old: Value) -> Value:
        new = self.values[old]
        assert not isinstance(new, Pair)
        return new

    def pair(self, old: Value) -> Pair:
        new = self.values[old]
        return new if isinstance(new, Pair) else Pair(new, self.filled(new, 0))

    # ---- nodes ---------------------------------------------------------------------------

    def op(self, name: str, *inputs: Value, **attrs) -> Any:
        """The result of an operation on real numbers."""
        op = TABLE[name]
        specs = op.result_of(inputs, attrs)
        if isinstance(specs, tuple) and not hasattr(specs, "dtype"):
            outputs = tuple(Value(spec.dtype, spec.shape, name) for spec in specs)
        else:
            known = constant_value(op, inputs, attrs, specs)
            outputs = (Value(specs.dtype, specs.shape, name, known),)
        self.nodes.append(Node(op, inputs, attrs, outputs, self.where, name))
        return outputs if len(outputs) > 1 else outputs[0]

    def constant(self, array: np.ndarray) -> Value:
        self.nodes.append(constant_node(array, where=self.where))
        return self.nodes[-1].output

    def number(self, number: float, like: Value) -> Value:
        """A scalar of the data type of a value."""
        return self.constant(np.array(number, like.dtype.numpy_dtype))

    def filled(self, like: Value, number: float) -> Value:
        """An array of one number, of the shape of a value."""
        same = self.op("equal", like, like)
        scalar = self.number(number, like)
        return self.op("select", same, scalar, scalar)

    def complex_node(self, node: Node) -> None:
        form = formulas.FORMS.get(node.op.name)
        if form is None and node.op.componentwise:
            form = _Rewriter.by_parts
        result = None if form is None else form(self, node)
        if result is None:
            self.keep_whole(node)
        elif len(node.outputs) > 1:
            self.values.update(zip(node.outputs, map(Pair, *result), strict=True))
        else:
            self.values[node.output] = Pair(*result) if isinstance(result, tuple) else result

    def by_parts(self, node: Node) -> Any:
        """The operation on both components apart; on one where it asks for sizes only."""
        news = [self.values[old] for old in node.inputs]
        attrs = {
            key: attribute.real_dtype if isinstance(attribute, DType) else attribute
            for key, attribute in node.attrs.items()
        }
        parts = tuple(
            self.op(
                node.op.name, *(new[at] if isinstance(new, Pair) else new for new in news), **attrs
            )
            for at in range(1 + is_complex(node.outputs[0]))
        )
        return parts if len(parts) > 1 else parts[0]

    def control_flow(self, node: Node) -> None:
        attrs = dict(node.attrs)
        for key, graph in node.subgraphs.items():
            attrs[key] = _Rewriter(graph).inner()
        if "carried" in attrs:
            attrs["carried"] = len(self.flat(node.inputs[: node.attrs["carried"]]))
        outputs: list[Value] = []
        for old in node.outputs:
            new = self.values[old] = _new_pair(old) if is_complex(old) else old
            outputs += new if isinstance(new, Pair) else [new]
        inputs = self.flat(node.inputs)
        self.nodes.append(replace(node, inputs=inputs, attrs=attrs, outputs=tuple(outputs)))


def _new_pair(old: Value) -> Pair:
    dtype: DType = old.dtype.real_dtype
    return Pair(*(Value(dtype, old.shape, f"{old.name}_{part}") for part in Pair._fields))
