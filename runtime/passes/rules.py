"""Rules over patterns: what a tree of operations may be replaced by.

A pattern is written with the variables `x` and `y` and `op(name, ...)`; a number in it stands for a
constant whose every element is that number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..core.classes import NamedTuple
from ..core.numpy_dtypes import is_floating
from ..core.shapes import is_static
from ..ir.constant_values import CONSTANT_LIMIT, full_constant
from ..ir.graph import Graph, Node, Value, elements_of
from ..ir.op import TABLE
from ..ir.rewrite import rewrite


class Variable(NamedTuple):
    """Matches any value."""

    name: str


class Pattern(NamedTuple):
    """Matches the result of an operation on matching operands."""

    op: str
    operands: tuple


class Rule(NamedTuple):
    """Replace `find` by `put`, a variable, pattern or number, when `when(value)` holds for the
    result.
    """

    find: Pattern
    put: object
    when: Callable[[Value], bool] = lambda value: True


x, y = Variable("x"), Variable("y")


def op(name: str, *operands) -> Pattern:
    return Pattern(name, operands)


class Rules:
    """A table of rules, looked up by the operation at the root."""

    def __init__(self, *rules: Rule):
        self.by_op: dict[str, list[Rule]] = {}
        for rule in rules:
            self.by_op.setdefault(rule.find.op, []).append(rule)

    def match(self, node: Node, producers: dict[Value, Node]):
        """The first rule that fits a node, with what its variables stand for."""
        for rule in self.by_op.get(node.op.name, ()):
            bindings: dict[str, Value] = {}
            if (
                len(node.outputs) == 1
                and _fits(rule.find, node, producers, bindings)
                and rule.when(node.output)
            ):
                return rule, bindings
        return None


def _fits(pattern: Pattern, node: Node, producers, bindings) -> bool:
    if node.op is not TABLE[pattern.op] or len(node.inputs) != len(pattern.operands):
        return False
    for operand, value in zip(pattern.operands, node.inputs, strict=True):
        if not _fits_value(operand, value, producers, bindings):
            return False
    return True


def _fits_value(operand, value: Value, producers, bindings) -> bool:
    if isinstance(operand, Variable):
        return bindings.setdefault(operand.name, value) is value
    if isinstance(operand, Pattern):
        producer = producers.get(value)
        return (
            producer is not None
            and len(producer.outputs) == 1
            and _fits(operand, producer, producers, bindings)
        )
    known = full_constant(value)
    if known is None or known.size == 0:
        return False
    equal = known.item() == operand if known.size == 1 else bool(np.all(known == operand))
    return equal and not (
        is_floating(known.dtype) and operand == 0 and bool(np.any(np.signbit(known)))
    )


def _filled(node: Node, number) -> Node | None:
    """A constant of the result's type and shape, unless that is large or not known."""
    value = node.output
    if not is_static(value.shape) or elements_of(value) > CONSTANT_LIMIT:
        return None
    array = np.full(value.shape, number, value.dtype.numpy_dtype)
    output = replace(value, constant=array)
    return replace(node, op=TABLE["const"], inputs=(), attrs={"value": array}, outputs=(output,))


def apply_rules(graph: Graph, rules: Rules) -> Graph:
    """Replace every match; a replacement has the type and shape of what it replaces."""
    producers: dict[Value, Node] = {}
    renamed: dict[Value, Value] = {}

    def visit(node: Node):
        outputs = node.outputs
        hit = rules.match(node, producers)
        if hit is not None:
            rule, bindings = hit
            target = rule.put
            if not isinstance(target, (Variable, Pattern)):
                filled = _filled(node, target)
                if filled is not None:
                    node = filled
            elif isinstance(target, Variable):
                value = bindings[target.name]
                if value.dtype is node.output.dtype and value.shape == node.output.shape:
                    renamed[node.output] = value
                    return None
            else:
                inputs = tuple(bindings[operand.name] for operand in target.operands)
                node = replace(node, op=TABLE[target.op], inputs=inputs, attrs={})
        for old, value in zip(outputs, node.outputs, strict=True):
            producers[value] = node
            if old is not value:
                renamed[old] = value
        return node

    return rewrite(graph, visit, renamed)
