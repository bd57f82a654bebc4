"""Nodes under construction, with scalars that are computed once, or folded where known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.dtypes import bool_, int64
from ..core.errors import AssertionFailedError
from ..core.source_locations import SourceLocation
from .constant_values import constant_node
from .graph import Node, Value
from .indexing import Scalar
from .op import TABLE


class ScalarNodes:
    """Nodes in order. `made` are their results, `known` the values of expressions, `where` the
    user's line of what is added next.
    """

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.made: dict[Value, Node] = {}
        self.known: dict[tuple, Value] = {}
        self.required: set[Value] = set()
        self.where: SourceLocation | None = None
        self._outer: ScalarNodes | None = None
        self._captured: dict[Value, Value] = {}

    def set_outer(self, outer: ScalarNodes, captured: dict[Value, Value]) -> None:
        """The nodes of the graph around, and its values by inputs of this one."""
        self._outer, self._captured = outer, captured

    def source_of(self, value: Value) -> tuple[Value, Node | None]:
        """The value that a value stands for, in a graph around perhaps, and what computes it."""
        node = self.made.get(value)
        if node is None and self._outer is not None:
            return self._outer.source_of(self._captured.get(value, value))
        return value, node

    def add(self, node: Node) -> None:
        self.nodes.append(node)
        self.made.update((value, node) for value in node.outputs)

    def computed(self, name: str, *operands: Scalar, dtype=int64, **attrs) -> Value:
        """The result of an operation on scalars."""
        known = (operand if isinstance(operand, Value) else int(operand) for operand in operands)
        key = (name, dtype, *known)
        if key not in self.known:
            if name == "cast":
                attrs = {"dtype": dtype}
            self.known[key] = self.added(name, *operands, **attrs)
        return self.known[key]

    def added(self, name: str, *operands: Scalar, output: Value | None = None, **attrs) -> Value:
        """The result of an operation, which is `output` if that is given."""
        inputs = tuple(map(self.as_value, operands))
        if output is None:
            spec = TABLE[name].result(*inputs, **attrs)
            output = Value(spec.dtype, spec.shape, name)
        self.add(Node(TABLE[name], inputs, attrs, (output,), self.where, name))
        return output

    def reshaped(self, value: Value, shape: Sequence[int]) -> Value:
        if value.shape == tuple(shape):
            return value
        return self.added("reshape", value, self.constant(np.array(shape, np.int32)))

    def as_value(self, scalar: Scalar) -> Value:
        if isinstance(scalar, Value):
            return scalar
        key = ("const", int(scalar))
        if key not in self.known:
            self.known[key] = self.constant(np.array(int(scalar), np.int64))
        return self.known[key]

    def as_int64(self, scalar: Any) -> Any:
        """A scalar, or None, in the data type of sizes."""
        is_other = isinstance(scalar, Value) and scalar.dtype is not int64
        return self.computed("cast", scalar) if is_other else scalar

    def constant(self, array: np.ndarray) -> Value:
        node = constant_node(array, where=self.where)
        self.add(node)
        return node.output

    def arithmetic(self, name: str, a: Scalar, b: Scalar) -> Scalar:
        if isinstance(a, int) and isinstance(b, int):
            return _PYTHON[name](int(a), int(b))
        if name in ("add", "subtract") and isinstance(b, int) and b == 0:
            return a
        if name == "add" and isinstance(a, int) and a == 0:
            return b
        if name == "multiply" and 1 in (a, b):
            return b if isinstance(a, int) else a
        return self.computed(name, a, b)

    def clamped(self, bound: Scalar, size: Scalar, low: Scalar) -> Scalar:
        """A bound of a slice, negative from the end, between `low` and the size, or before it."""
        high, bound = self.arithmetic("add", size, low), self.from_start(bound, size)
        return self.arithmetic("minimum", self.arithmetic("maximum", bound, low), high)

    def from_start(self, index: Scalar, size: Scalar) -> Scalar:
        """An index of an axis that counts from its end where it is negative."""
        if isinstance(index, int):
            return self.arithmetic("add", index, size) if index < 0 else index
        is_negative = self.computed("less", index, 0, dtype=bool_)
        return self.computed("select", is_negative, self.arithmetic("add", index, size), index)

    def require(self, test: Value) -> None:
        """Leave the native code unless a condition holds."""
        if test in self.required:
            return
        self.required.add(test)
        self.add(assertion(test, "the shapes do not fit", self.where))


def assertion(test: Value, message: str, where: SourceLocation | None) -> Node:
    """A node that leaves the native code unless a condition holds."""
    attrs = {"template": (message,), "summarize": 3, "kind": AssertionFailedError}
    return Node(TABLE["assert"], (test,), attrs, (), where, "assert")


_PYTHON: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "maximum": max,
    "minimum": min,
    "floor_divide": lambda a, b: a // b,
}
