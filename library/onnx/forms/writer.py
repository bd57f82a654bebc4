"""Writes graphs as ONNX: the nodes of the graph that is open, and the constants of the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from .... import DType, string
from ....extend.errors import UnimplementedError
from ....extend.graphs import Graph, Node, Value
from ....extend.operations import READS, WRITES
from .list_types import ListTypes, is_list
from .table import AS_TWO_ARRAYS, COMPLEX, FORMS, NoFormError

MOST_COMPARED = 64  # elements of constants that are stored once for all nodes


class Writer:
    """Collects the nodes of one graph, or of a sub-graph of it.

    `state` are the variables that are inputs and results; others are constants.
    """

    def __init__(self, graph: Graph, drops_checks: bool, state: Sequence = ()):
        self.drops_checks = drops_checks
        self.state = state
        self.lists = ListTypes(graph)
        self.nodes: list = []
        self.initializers: dict[str, TensorProto] = {}
        self.values: dict[Value, str] = {}
        self.cells: dict[object, str] = {}
        self.counts: dict[str, int] = {}
        self._constants: dict[tuple, str] = {}
        self.node: Node | None = None  # that is being written

    # ---- what forms use ------------------------------------------------------------------

    def op(self, op_type: str, *inputs: str, outputs: int = 1, **attributes):
        """Append a node of ONNX; gives the name of its result, a list if there are several."""
        names = [self.unique(op_type.lower()) for _ in range(outputs)]
        node = helper.make_node(op_type, inputs, names, **attributes)
        if self.node is not None and self.node.where is not None:
            node.doc_string = str(self.node.where)
        self.nodes.append(node)
        return names[0] if outputs == 1 else names

    def const(self, array) -> str:
        """The name of a constant."""
        array = np.asarray(array)
        if array.dtype.hasobject or array.size > MOST_COMPARED:
            return self.initializer("const", array)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._constants:
            self._constants[key] = self.initializer("const", array)
        return self._constants[key]

    def initializer(self, name: str, array: np.ndarray) -> str:
        """The name of an array that the model stores."""
        name = self.unique(name)
        if array.dtype == object:
            rows = [
                element if isinstance(element, bytes) else str(element).encode()
                for element in array.flat
            ]
            encoded: Any = rows  # the stubs of the package do not have strings
            tensor = helper.make_tensor(name, TensorProto.STRING, array.shape, encoded)
        else:
            tensor = numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)
        self.initializers[name] = tensor
        return name

    def ints(self, *numbers: int) -> str:
        """The name of a vector of int64."""
        return self.const(np.array(numbers, np.int64))

    def like(self, number, value: Value) -> str:
        """The name of a number in the data type of a value."""
        return self.const(np.asarray(number, value.dtype.numpy_dtype))

    def cast(self, name: str, dtype) -> str:
        return self.op("Cast", name, to=element_type(dtype))

    def int64(self, name: str) -> str:
        """An operand that ONNX takes as int64."""
        return self.cast(name, "int64")

    def dimensions(self, name: str, rank: int) -> str:
        """A shape operand, or several scalars, as a vector of int64."""
        return self.op("Reshape", self.int64(name), self.ints(rank))

    def used_initializers(self, kept: set[str]) -> list:
        """The constants that nodes read, those of sub-graphs among them, and those to keep."""
        used = set(kept)
        pending = list(self.nodes)
        while pending:
            node = pending.pop()
            used.update(node.input)
            for attribute in node.attribute:
                pending += attribute.g.node
        return [tensor for name, tensor in self.initializers.items() if name in used]

    def unique(self, name: str) -> str:
        count = self.counts.get(name, 0)
        self.counts[name] = count + 1
        return f"{name}_{count}" if count else name

    # ---- graphs --------------------------------------------------------------------------

    def emit(
        self, graph: Graph, operands: Sequence[str], wanted: Sequence[Value] | None = None
    ) -> list[str]:
        """Write the nodes of a graph into the open one; gives the names of its results.

        `wanted` are other values of the graph in place of its results.
        """
        results = graph.outputs if wanted is None else wanted
        self.values.update(zip(graph.inputs, operands, strict=True))
        outer = self.node
        for node in needed(graph, results):
            self.node = node
            self._write(node)
        self.node = outer
        return [self.values[value] for value in results]

    def _write(self, node: Node) -> None:
        constants = [value.constant for value in node.outputs]
        if not node.effect and all(_is_known(constant) for constant in constants):
            names = [self.const(constant) for constant in constants]
        else:
            names = self._formed(node)
        self.values.update(zip(node.outputs, names, strict=True))

    def _formed(self, node: Node) -> list[str]:
        write = FORMS.get(node.op.name)
        operands = [self.values[value] for value in node.inputs]
        try:
            if any(value.dtype.is_complex for value in (*node.inputs, *node.outputs)):
                raise NoFormError(COMPLEX, AS_TWO_ARRAYS)
            if write is None:
                raise NoFormError(f"'{node.op.name}' has no ONNX form")
            names = write(self, node, *operands)
        except NoFormError as error:
            raise UnimplementedError(str(error), error.cure).at(node.where) from None
        return [names] if isinstance(names, str) else list(names)

    def subgraph(self, name: str, inputs: Sequence[tuple[str, Value]], write, results):
        """A graph of ONNX: `write` gives the names of the results, whose types are `results`."""
        outer, self.nodes = self.nodes, []
        names = [self.op("Identity", one) for one in write()]  # a result is made inside
        result = helper.make_graph(
            self.nodes,
            self.unique(name),
            [self.typed(one, value) for one, value in inputs],
            [self.typed(one, value) for one, value in zip(names, results, strict=True)],
        )
        self.nodes = outer
        return result

    def typed(self, name: str, value: Value):
        """The declaration of an input or a result. Open dimensions have names."""
        if is_list(value):
            element = self.lists[value]
            sizes = None if element.rank is None else [None] * element.rank
            return helper.make_tensor_sequence_value_info(name, element_type(element.dtype), sizes)
        shape: Any = value.shape
        if shape is not None:
            shape = [f"{name}_{at}" if size is None else size for at, size in enumerate(shape)]
        return helper.make_tensor_value_info(name, element_type(value.dtype), shape)


def _is_known(constant) -> bool:
    return constant is not None and (not constant.dtype.hasobject or constant.size == 0)


def element_type(dtype) -> int:
    """The number by which ONNX knows a data type."""
    if isinstance(dtype, DType) and dtype is string:
        return TensorProto.STRING
    numpy_dtype = dtype.numpy_dtype if isinstance(dtype, DType) else np.dtype(dtype)
    try:
        return helper.np_dtype_to_tensor_dtype(numpy_dtype)
    except (KeyError, ValueError):
        raise NoFormError(f"ONNX has no data type for {numpy_dtype}") from None


def needed(graph: Graph, results: Sequence[Value]) -> list[Node]:
    """The nodes that the results, or effects, depend on."""
    found, wanted = [], set(results)
    for node in reversed(graph.nodes):
        writes = node.effect == WRITES or (node.effect == READS and node.op.is_check)
        if writes or not wanted.isdisjoint(node.outputs):
            wanted.update(node.inputs)
            found.append(node)
    return found[::-1]
