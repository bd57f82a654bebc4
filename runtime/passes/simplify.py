"""Algebra that keeps every bit: NaN, infinities, the sign of zero, and integers that wrap."""

from __future__ import annotations

from ..core.shapes import is_static
from ..ir.graph import Graph, Node, Value
from ..ir.indexing import is_everything
from ..ir.op import TABLE
from ..ir.rewrite import rewrite
from .rules import Rules, apply_rules, op, rule, x, y


def is_integer(value: Value) -> bool:
    return value.dtype.is_integer


ALGEBRA = Rules(
    rule(op("identity", x), x),
    rule(op("negative", op("negative", x)), x),
    rule(op("logical_not", op("logical_not", x)), x),
    rule(op("invert", op("invert", x)), x),
    rule(op("abs", op("abs", x)), op("abs", x)),
    rule(op("multiply", x, 1), x),
    rule(op("multiply", 1, x), x),
    rule(op("multiply", x, 0), 0, when=is_integer),  # a float may be NaN or infinite
    rule(op("multiply", 0, x), 0, when=is_integer),
    rule(op("divide", x, 1), x),
    rule(op("floor_divide", x, 1), x, when=is_integer),  # a float would be rounded
    rule(op("subtract", x, 0), x),
    rule(op("add", x, 0), x, when=is_integer),  # -0.0 + 0 is +0.0: floats keep it
    rule(op("add", 0, x), x, when=is_integer),
    rule(op("add", x, op("negative", y)), op("subtract", x, y)),
    rule(op("subtract", x, op("negative", y)), op("add", x, y)),
    rule(op("bitwise_or", x, x), x),
    rule(op("bitwise_and", x, x), x),
    rule(op("logical_and", x, True), x),
    rule(op("logical_or", x, False), x),
    rule(op("maximum", x, x), x),
    rule(op("minimum", x, x), x),
)


def simplify(graph: Graph) -> Graph:
    """The graph with the rules of ALGEBRA applied, and without assignments to whole arrays."""
    return apply_rules(rewrite(graph, _without_whole_assignment), ALGEBRA)


def _without_whole_assignment(node: Node) -> Node:
    """Where a value replaces all elements of an array, it is the result."""
    if node.op.part_is_read_by is None or "index" not in node.attrs or len(node.inputs) != 2:
        return node
    target, value = node.inputs
    is_same = target.dtype is value.dtype and target.shape == value.shape
    if not is_same or not is_static(value.shape) or "sizes" in node.attrs:
        return node
    if not is_everything(node.attrs["index"], value.shape):
        return node
    return Node(TABLE["identity"], (value,), {}, node.outputs, node.where, node.name)
