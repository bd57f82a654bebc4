"""Shorter native forms of an operation whose second operand is a constant."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...ir.constant_values import full_constant
from ...ir.graph import Node
from ...kernel_ir.nodes import Const, Expression

# Products are exact to 2 units in the last place up to the fourth power.
POWERS: dict[float, str] = {
    1: "{x}",
    2: "{x} * {x}",
    3: "{x} * {x} * {x}",
    4: "({x} * {x}) * ({x} * {x})",
}
FLOAT_POWERS: dict[float, str] = {
    **POWERS,
    0.5: "sqrt({x})",
    -1: "divide({number}, {x})",
    -2: "divide({number}, {x}) * divide({number}, {x})",
}

Form = tuple[str, Expression]


def with_constant_operand(node: Node, literal: Callable) -> Form | None:
    """The template over `{x}` and `{number}` for such a node, with that number; or None."""
    rule = RULES.get(node.op.name)
    if rule is None:
        return None
    constant = full_constant(node.inputs[1])
    if constant is None or constant.size != 1:
        return None
    return rule(node, constant.item(), literal)


def power(node: Node, exponent, literal) -> Form | None:
    dtype = node.output.dtype
    template = (FLOAT_POWERS if dtype.is_floating else POWERS).get(exponent)
    return None if template is None else (template, literal(np.asarray(1, dtype.numpy_dtype)))


def integer_quotient(node: Node, number: int, literal) -> Form | None:
    """Integer division by a positive constant needs no check; by a power of two it is a shift."""
    if not node.output.dtype.is_integer or number <= 0:
        return None
    if number & (number - 1) == 0:
        return "{x} >> {number}", Const(number.bit_length() - 1)
    return "{x} // {number}", literal(np.asarray(number, node.output.dtype.numpy_dtype))


def integer_remainder(node: Node, number: int, literal) -> Form | None:
    """As `integer_quotient`."""
    if not node.output.dtype.is_integer or number <= 0:
        return None
    if number & (number - 1) == 0:
        return "{x} & {number}", Const(number - 1)
    return "{x} % {number}", literal(np.asarray(number, node.output.dtype.numpy_dtype))


RULES = {"pow": power, "floor_divide": integer_quotient, "floor_mod": integer_remainder}
