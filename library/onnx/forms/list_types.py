"""The element types of lists in a graph. A sequence of ONNX declares its own.

Lists are the values of the data types `variant` (of `TensorArray`) and `stack` (saved by loops for
their gradients). What is written into a list, or read from it, tells what its elements are; so do
the lists that it flows into, through loops and branches.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import NamedTuple

from .... import DType, float32, variant
from ....extend.graphs import Graph, Node, Value
from ....extend.specs import STACK


class Element(NamedTuple):
    """The data type of the elements of a list, and their number of axes where it is known."""

    dtype: DType
    rank: int | None


ANYTHING = Element(float32, None)  # of a list that nothing is written into


def is_list(value: Value) -> bool:
    return value.dtype is variant or value.dtype is STACK


def _like(value: Value, fewer: int = 0) -> Element:
    return Element(value.dtype, None if value.shape is None else len(value.shape) - fewer)


TOLD_BY: dict[str, Callable[[Node], Element]] = {
    "write_element": lambda node: _like(node.inputs[2]),
    "insert_element": lambda node: _like(node.inputs[2]),
    "stack_push": lambda node: _like(node.inputs[2]),
    "read_element": lambda node: _like(node.output),
    "stack_peek": lambda node: _like(node.output),
    "concat_elements": lambda node: _like(node.output),
    "stack_elements": lambda node: _like(node.output, 1),
    "split_elements": lambda node: _like(node.inputs[0]),
    "unstack_elements": lambda node: _like(node.inputs[0], 1),
}


class ListTypes:
    """Groups of lists that have elements of one type."""

    def __init__(self, graph: Graph):
        self.parents: dict[Value, Value] = {}
        self.elements: dict[Value, Element] = {}
        told = []
        for node in graph.walk():
            self._visit(node)
            tell = TOLD_BY.get(node.op.name)
            lists = [operand for operand in (*node.inputs[:1], *node.outputs) if is_list(operand)]
            if tell is not None and lists:
                told.append((lists[0], tell(node)))
        for value, element in told:
            group = self._group(value)
            known = self.elements.get(group)
            if known is None or (known.rank is None and element.rank is not None):
                self.elements[group] = element

    def __getitem__(self, value: Value) -> Element:
        return self.elements.get(self._group(value), ANYTHING)

    def _visit(self, node: Node) -> None:
        """Lists of a node that are one list, or become one."""
        for key, graph in node.subgraphs.items():
            assert node.op.operands is not None
            self._join(zip(node.op.operands(node, key), graph.inputs, strict=False))
            if len(graph.outputs) == len(node.outputs):
                self._join(zip(node.outputs, graph.outputs, strict=True))
        if "carried" in node.attrs:
            self._join(zip(node.inputs, node.outputs, strict=False))
        if not node.subgraphs:
            lists = [value for value in (*node.inputs, *node.outputs) if is_list(value)]
            self._join(itertools.pairwise(lists))

    def _group(self, value: Value) -> Value:
        while value in self.parents:
            value = self.parents[value]
        return value

    def _join(self, pairs: Iterable[tuple[Value, Value]]) -> None:
        for one, other in pairs:
            first, second = self._group(one), self._group(other)
            if is_list(one) and is_list(other) and first is not second:
                self.parents[first] = second
