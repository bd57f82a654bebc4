"""float16 and bfloat16 on a device: their memory is that of 16-bit integers.

What moves elements moves these integers. What computes takes float32, and its result is rounded, so
each operation is rounded once, as NumPy and `ml_dtypes` do it; reductions and products accumulate
in float32, as on the CPU.

    x: float16[3]                x: uint16[3]
    y = exp(x)                   wide = half_as_float(x)
                                 y = half_of_float(exp(wide))
    z = reverse(y)               z = reverse(y)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from ..core.classes import NamedTuple
from ..core.dtypes import DType, float32, float64, uint16
from ..executors.compile_pipeline import NativeForm
from ..ir.constant_values import constant_node, full_constant
from ..ir.graph import Graph, Node, Value
from ..ir.op import Spec
from ..ir.rewrite import inside_subgraphs, rewrite
from ..jit.routines import FAMILIES, Family
from ..lowering.not_native import NotNativeError
from ..passes.functionalize_variables import Functionalized, functionalize_variables
from ..passes.pipeline import optimize
from ..tensors.operation import Operation

WORDS = {"float16": "half", "bfloat16": "brain"}  # by which their functions in kernels are named
FAMILIES.update(dict.fromkeys(WORDS.values(), Family(0, "gpu.grid.grid_narrow_floats")))
# What has elements of its operands in its results, beside the operations that say so.
MOVING = {"identity", "stop_gradient", "select", "stack_push", "stack_peek", "fill"}
COMPARING = {"sort", "largest_k"}  # move elements, by their order as numbers
# What the CPU adds up, or draws, in the narrow type, or whose results are its least numbers.
IN_THEIR_TYPE = {
    "cumsum", "cumprod", "cumulative_logsumexp", "linear_recurrence", "tensor_scatter_nd_add",
    "tensor_scatter_nd_sub", "added_by_arrays", "unsorted_segment_sum", "unsorted_segment_prod",
    "unsorted_segment_max", "unsorted_segment_min", "segment_sum", "segment_prod",
    "stateless_draw", "counted_draw", "random_draw", "random_variates",
}  # fmt: skip


def _widening(dtype: DType) -> Operation:
    """The operation that gives the floats of integers that hold a narrow type."""
    body = {
        "__doc__": f"The numbers that integers with the bits of {dtype.name} stand for.",
        "accepts": {uint16},
        "inputs": ("x",),
        "kernel": lambda x: x.view(dtype.numpy_dtype).astype(np.float32),
        "result": lambda x: Spec(float32, x.shape),
        "scalar": f"{WORDS[dtype.name]}_as_float({{x}})",
    }
    return Operation(f"{WORDS[dtype.name]}_as_float", body)


def _narrowing(dtype: DType) -> Operation:
    """The operation that rounds floats to a narrow type, as the integers with its bits."""
    body = {
        "__doc__": f"The bits of floats that are rounded to {dtype.name}.",
        "accepts": {float32, float64},
        "inputs": ("x",),
        "kernel": lambda x: x.astype(dtype.numpy_dtype).view(np.uint16),
        "result": lambda x: Spec(uint16, x.shape),
        "scalar": f"{WORDS[dtype.name]}_of_float({{x}})",
    }
    return Operation(f"{WORDS[dtype.name]}_of_float", body)


class _Conversions(NamedTuple):
    """The two operations of a narrow type."""

    widen: Operation
    narrow: Operation


_CONVERSIONS: dict[str, _Conversions] = {}


def _conversions(dtype: DType) -> _Conversions:
    if dtype.name not in _CONVERSIONS:
        _CONVERSIONS[dtype.name] = _Conversions(_widening(dtype), _narrowing(dtype))
    return _CONVERSIONS[dtype.name]


# ---- graphs ------------------------------------------------------------------------------------


class Bits(NamedTuple):
    """A graph on a device, where narrow floats are integers, and the graph that it stands for."""

    graph: Graph
    source: Graph
    functionalized: Functionalized | None

    def restored(self, forms: Iterable[NativeForm]) -> Iterator[NativeForm]:
        """Forms of the graph of integers as those of the original."""
        for form in forms:
            yield form._replace(source=self.source, functionalized=self.functionalized)


def has_narrow_floats(graph: Graph) -> bool:
    """Whether a graph or one of its sub-graphs has values of 16-bit floats."""
    values = (value for node in graph.walk() for value in node.outputs)
    return any(value.dtype.name in WORDS for value in (*graph.inputs, *values))


def on_bits(graph: Graph) -> Bits:
    """The graph with integers in place of narrow floats.

    Raises NotNativeError where the CPU rounds in another way.
    """
    functionalized = functionalize_variables(graph)
    source = graph if functionalized is None else optimize(functionalized.graph)
    return Bits(optimize(_Rewriter().graph(source)), source, functionalized)


class _Rewriter:
    """Replaces narrow floats in a graph and its sub-graphs.

    types   of the integers that stand for narrow floats
    wide    the constants among them, as float32
    values  what stands for the values of the graph that is being rewritten
    """

    values: dict[Value, Value]

    def __init__(self) -> None:
        self.types: dict[Value, DType] = {}
        self.wide: dict[Value, np.ndarray] = {}

    def graph(self, graph: Graph) -> Graph:
        """The graph on integers."""
        graph = inside_subgraphs(graph, self.graph)
        inputs = tuple(map(self._bits, graph.inputs))
        self.values = dict(zip(graph.inputs, inputs, strict=True))
        return rewrite(graph, self._visit, self.values).replace(inputs=inputs)

    def _bits(self, value: Value) -> Value:
        """A value; the integers that stand for one of narrow floats."""
        if value.dtype.name not in WORDS:
            return value
        constant = full_constant(value)
        bits = None if constant is None else constant.view(np.uint16)
        own = Value(uint16, value.shape, value.name, bits)
        self.types[own] = value.dtype
        return own

    def _visit(self, node: Node) -> Node | list[Node]:
        operands = [self.types[value] for value in node.inputs if value in self.types]
        types = [value.dtype for value in node.outputs if value.dtype.name in WORDS]
        if not operands and not types:
            return node
        name = node.op.name
        if name in IN_THEIR_TYPE:
            narrow = (types or operands)[0].name
            raise NotNativeError(f"'{name}' of {narrow}: the CPU computes in that type", node.where)
        is_moving = (node.op.moves_only or name in MOVING) and name not in COMPARING
        if name == "const":
            return self._constant(node)
        if name == "cast":
            return self._cast(node)
        return self._moved(node) if node.subgraphs or is_moving else self._computed(node)

    def _constant(self, node: Node) -> Node:
        array = np.asarray(node.attrs["value"])
        bits = np.ascontiguousarray(array).reshape(array.shape).view(np.uint16)
        constant = constant_node(bits, node.output.name, node.where)
        self.types[constant.output] = node.output.dtype
        self.wide[constant.output] = array.astype(np.float32)
        self.values[node.output] = constant.output
        return constant

    def _moved(self, node: Node) -> Node:
        outputs = tuple(map(self._bits, node.outputs))
        self.values.update(zip(node.outputs, outputs, strict=True))
        return replace(node, attrs=_attributes(node, uint16), outputs=outputs)

    def _computed(self, node: Node) -> list[Node]:
        """The operation on float32, and its results rounded."""
        nodes, inputs = list[Node](), list[Value]()
        for value in node.inputs:
            before, wide = self._wide(value, node)
            nodes += before
            inputs.append(wide)
        outputs, after = list[Value](), list[Node]()
        for value in node.outputs:
            if value.dtype.name not in WORDS:
                outputs.append(value)
                continue
            outputs.append(Value(float32, value.shape, value.name))
            after.append(self._narrow(outputs[-1], value, node))
        attrs = _attributes(node, float32)
        own = replace(node, inputs=tuple(inputs), attrs=attrs, outputs=tuple(outputs))
        return [*nodes, own, *after]

    def _cast(self, node: Node) -> list[Node]:
        """A conversion: what is not float32 or float64 becomes narrow by way of float32."""
        (operand,), target = node.inputs, node.output
        nodes, wide = self._wide(operand, node)
        if target.dtype.name not in WORDS:
            return [*nodes, replace(node, inputs=(wide,))]
        if wide.dtype not in (float32, float64):
            between = Value(float32, wide.shape, target.name)
            attrs = {"dtype": float32}
            nodes.append(replace(node, inputs=(wide,), attrs=attrs, outputs=(between,)))
            wide = between
        return [*nodes, self._narrow(wide, target, node)]

    def _wide(self, value: Value, reader: Node) -> tuple[list[Node], Value]:
        """The floats that integers stand for, and the nodes that give them; other values are
        themselves.
        """
        if value not in self.types:
            return [], value
        if value in self.wide:
            constant = constant_node(self.wide[value], value.name, reader.where)
            return [constant], constant.output
        wide = Value(float32, value.shape, value.name)
        widen = _conversions(self.types[value]).widen
        return [replace(reader, op=widen, inputs=(value,), attrs={}, outputs=(wide,))], wide

    def _narrow(self, wide: Value, result: Value, writer: Node) -> Node:
        """The node that rounds floats to the type of a result."""
        bits = self.values[result] = self._bits(result)
        narrow = _conversions(result.dtype).narrow
        return replace(writer, op=narrow, inputs=(wide,), attrs={}, outputs=(bits,))


def _attributes(node: Node, dtype: DType) -> dict:
    """The attributes of a node, with another type in place of narrow ones."""
    return {
        key: dtype if isinstance(value, DType) and value.name in WORDS else value
        for key, value in node.attrs.items()
    }
