"""Complex numbers as pairs of real ones, for native code, which has real numbers only.

    z = x * y        with x and y of shape (3,) and type complex128

becomes sums of products of four arrays of float64. An input or output of the graph that is complex
is one array with a last axis of size 2, which is how it lies in memory.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...core.dtypes import FROM_NUMPY, DType
from ...core.source_locations import SourceLocation
from ...ir.constant_values import constant_value
from ...ir.graph import Graph, Node, Value
from ...ir.op import TABLE
from ..not_native import NotNativeError
from . import complex_formulas as formulas


class Pair(NamedTuple):
    """The real and the imaginary components of a complex value, each a value of the graph."""

    real: Value
    imag: Value


def is_complex(value: Value) -> bool:
    return value.dtype.is_complex


def without_complex_numbers(graph: Graph) -> Graph:
    """The graph on pairs of real numbers; the graph itself where no number is complex.

    Raises NotNativeError for what has no form of pairs.
    """
    values = [*graph.inputs, *(value for node in graph.walk() for value in node.outputs)]
    if not any(map(is_complex, values)):
        return graph
    return _Rewriter(graph).whole()


class _Rewriter:
    """One graph: `values` holds what takes the place of each of its values."""

    def __init__(self, graph: Graph):
        self.source = graph
        self.nodes: list[Node] = []
        self.values: dict[Value, Value | Pair] = {}
        self.where: SourceLocation | None = None

    def whole(self) -> Graph:
        """The graph, of which a complex input or output is one array."""
        inputs = []
        for old in self.source.inputs:
            new = old
            if is_complex(old):
                new = Value(old.dtype.real_dtype, (*(old.shape or ()), 2), old.name)
                parts = (self.op("strided_slice", new, index=(..., at)) for at in (0, 1))
                self.values[old] = Pair(*parts)
            else:
                self.values[old] = old
            inputs.append(new)
        self.rewrite()
        outputs = []
        for old in self.source.outputs:
            made = self.values[old]
            outputs.append(self.op("stack", *made, axis=-1) if isinstance(made, Pair) else made)
        return self.source.replace(
            inputs=tuple(inputs), nodes=tuple(self.nodes), outputs=tuple(outputs)
        )

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
                inputs = tuple(map(self.real, node.inputs))
                self.keep(Node(node.op, inputs, node.attrs, node.outputs, node.where, node.name))

    def keep(self, node: Node) -> None:
        self.nodes.append(node)
        self.values.update(zip(node.outputs, node.outputs, strict=True))

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
        output = Value(FROM_NUMPY[array.dtype], array.shape, "const", array)
        attrs = {"value": array}
        self.nodes.append(Node(TABLE["const"], (), attrs, (output,), self.where, "const"))
        return output

    def number(self, number: float, like: Value) -> Value:
        """A scalar of the data type of a value."""
        return self.constant(np.array(number, like.dtype.numpy_dtype))

    def filled(self, like: Value, number: float) -> Value:
        """An array of one number, of the shape of a value."""
        same = self.op("equal", like, like)
        one = self.number(number, like)
        return self.op("select", same, one, one)

    def complex_node(self, node: Node) -> None:
        form = formulas.FORMS.get(node.op.name)
        if node.op.is_constant:
            array = node.attrs["value"]
            made: Any = Pair(*(self.constant(np.array(part, order="C"))
                               for part in (array.real, array.imag)))  # fmt: skip
        elif form is not None:
            made = form(self, node)
        elif node.op.componentwise and len(node.outputs) == 1:
            made = self.by_parts(node)
        else:
            raise NotNativeError(f"'{node.op.name}' of complex numbers", node.where)
        self.values[node.output] = Pair(*made) if isinstance(made, tuple) else made

    def by_parts(self, node: Node) -> Pair | Value:
        """The operation on both components apart."""
        if not is_complex(node.output):  # it asks for sizes only
            first = (self.pair(one).real if is_complex(one) else self.real(one)
                     for one in node.inputs)  # fmt: skip
            return self.op(node.op.name, *first, **node.attrs)
        news = [self.values[one] for one in node.inputs]
        return Pair(*(
            self.op(node.op.name, *(one[at] if isinstance(one, Pair) else one for one in news),
                    **node.attrs)
            for at in (0, 1)
        ))  # fmt: skip

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
        self.nodes.append(Node(node.op, inputs, attrs, tuple(outputs), node.where, node.name))


def _new_pair(old: Value) -> Pair:
    dtype: DType = old.dtype.real_dtype
    return Pair(*(Value(dtype, old.shape, f"{old.name}_{part}") for part in Pair._fields))
