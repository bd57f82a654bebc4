"""ONNX forms of element-wise operations."""

from __future__ import annotations

import numpy as np

from .... import string
from ....extend.graphs import Node
from .table import NoFormError, form
from .writer import Writer

SAME = {
    "subtract": "Sub", "multiply": "Mul", "divide": "Div", "pow": "Pow", "negative": "Neg",
    "abs": "Abs", "maximum": "Max", "minimum": "Min", "reciprocal": "Reciprocal", "exp": "Exp",
    "log": "Log", "sqrt": "Sqrt", "tanh": "Tanh", "sigmoid": "Sigmoid", "softplus": "Softplus",
    "softsign": "Softsign", "equal": "Equal", "is_nan": "IsNaN", "is_inf": "IsInf",
    "logical_and": "And", "logical_or": "Or", "logical_xor": "Xor", "logical_not": "Not",
    "select": "Where", "identity": "Identity", "stop_gradient": "Identity",
    "ensure_shape": "Identity", "erf": "Erf", "sin": "Sin", "cos": "Cos", "tan": "Tan",
    "asin": "Asin", "acos": "Acos", "atan": "Atan", "sinh": "Sinh", "cosh": "Cosh",
    "asinh": "Asinh", "acosh": "Acosh", "atanh": "Atanh",
}  # fmt: skip
ROUNDED = {"floor": "Floor", "ceil": "Ceil", "round": "Round"}
ORDERED = {
    "less": "Less", "less_equal": "LessOrEqual", "greater": "Greater",
    "greater_equal": "GreaterOrEqual",
}  # fmt: skip
BITWISE = {"bitwise_and": "And", "bitwise_or": "Or", "bitwise_xor": "Xor", "invert": "Not"}


@form(*SAME)
def same(to: Writer, node: Node, *operands: str):
    return to.op(SAME[node.op.name], *operands)


@form("add")
def add(to: Writer, node: Node, x: str, y: str):
    return to.op("StringConcat" if node.output.dtype is string else "Add", x, y)


@form(*ROUNDED)
def rounded(to: Writer, node: Node, x: str):
    return to.op(ROUNDED[node.op.name] if node.output.dtype.is_floating else "Identity", x)


@form(*ORDERED)
def ordered(to: Writer, node: Node, *operands: str):
    if node.inputs[0].dtype.is_bool:
        operands = tuple(to.cast(operand, "int32") for operand in operands)
    return to.op(ORDERED[node.op.name], *operands)


@form("not_equal")
def not_equal(to: Writer, node: Node, x: str, y: str):
    return to.op("Not", to.op("Equal", x, y))


@form("is_finite")
def is_finite(to: Writer, node: Node, x: str):
    return to.op("Not", to.op("Or", to.op("IsNaN", x), to.op("IsInf", x)))


@form(*BITWISE)
def bitwise(to: Writer, node: Node, *operands: str):
    op_type = BITWISE[node.op.name]
    return to.op(op_type if node.output.dtype.is_bool else f"Bitwise{op_type}", *operands)


@form("sign")
def sign(to: Writer, node: Node, x: str):
    found = to.op("Sign", x)
    return to.op("Where", to.op("IsNaN", x), x, found) if node.output.dtype.is_floating else found


@form("square")
def square(to: Writer, node: Node, x: str):
    return to.op("Mul", x, x)


@form("squared_difference")
def squared_difference(to: Writer, node: Node, x: str, y: str):
    difference = to.op("Sub", x, y)
    return to.op("Mul", difference, difference)


@form("rsqrt")
def rsqrt(to: Writer, node: Node, x: str):
    return to.op("Reciprocal", to.op("Sqrt", x))


@form("log_sigmoid")
def log_sigmoid(to: Writer, node: Node, x: str):
    return to.op("Neg", to.op("Softplus", to.op("Neg", x)))


@form("expm1")
def expm1(to: Writer, node: Node, x: str):
    """Near 0 by the hyperbolic tangent of half of x, which loses no digits."""
    one, two = (to.like(number, node.output) for number in (1, 2))
    half = to.op("Tanh", to.op("Div", x, two))
    near = to.op("Div", to.op("Mul", two, half), to.op("Sub", one, half))
    is_near = to.op("Less", to.op("Abs", x), one)
    return to.op("Where", is_near, near, to.op("Sub", to.op("Exp", x), one))


@form("log1p")
def log1p(to: Writer, node: Node, x: str):
    """Source: Kahan's correction, x * log(u) / (u - 1) for u = 1 + x as it is rounded."""
    one = to.like(1, node.output)
    u = to.op("Add", one, x)
    near = to.op("Div", to.op("Mul", to.op("Log", u), x), to.op("Sub", u, one))
    is_exact = to.op("Or", to.op("Equal", u, one), to.op("IsInf", u))
    return to.op("Where", is_exact, x, near)


@form("floor_mod")
def floor_mod(to: Writer, node: Node, x: str, y: str):
    return _remainder(to, node, x, y)


def _remainder(to: Writer, node: Node, x: str, y: str) -> str:
    """The remainder with the sign of `y`."""
    if not node.output.dtype.is_floating:
        return to.op("Mod", x, y, fmod=0)
    zero, rest = to.like(0, node.output), to.op("Mod", x, y, fmod=1)
    differs = to.op("Xor", to.op("Less", rest, zero), to.op("Less", y, zero))
    is_off = to.op("And", differs, to.op("Not", to.op("Equal", rest, zero)))
    return to.op("Where", is_off, to.op("Add", rest, y), rest)


@form("floor_divide")
def floor_divide(to: Writer, node: Node, x: str, y: str):
    rest = _remainder(to, node, x, y)
    if node.output.dtype.is_floating:
        quotient = to.op("Round", to.op("Div", to.op("Sub", x, rest), y))
        is_zero = to.op("Equal", y, to.like(0, node.output))
        return to.op("Where", is_zero, to.op("Div", x, y), quotient)
    zero = to.like(0, node.output)
    differs = to.op("Xor", to.op("Less", x, zero), to.op("Less", y, zero))
    is_off = to.op("And", differs, to.op("Not", to.op("Equal", rest, zero)))
    return to.op("Sub", to.op("Div", x, y), to.cast(is_off, node.output.dtype))


@form("truncate_divide")
def truncate_divide(to: Writer, node: Node, x: str, y: str):
    return to.op("Div", x, y)


@form("truncate_mod")
def truncate_mod(to: Writer, node: Node, x: str, y: str):
    return to.op("Mod", x, y, fmod=1)


def _unless_zero(to: Writer, node: Node, tested: str, otherwise: str) -> str:
    zero = to.like(0, node.output)
    return to.op("Where", to.op("Equal", tested, zero), zero, otherwise)


@form("reciprocal_no_nan")
def reciprocal_no_nan(to: Writer, node: Node, x: str):
    return _unless_zero(to, node, x, to.op("Reciprocal", x))


@form("divide_no_nan")
def divide_no_nan(to: Writer, node: Node, x: str, y: str):
    return _unless_zero(to, node, y, to.op("Div", x, y))


@form("multiply_no_nan")
def multiply_no_nan(to: Writer, node: Node, x: str, y: str):
    return _unless_zero(to, node, y, to.op("Mul", x, y))


@form("masked_product")
def masked_product(to: Writer, node: Node, x: str, y: str):
    return _unless_zero(to, node, x, multiply_no_nan(to, node, x, y))


@form("xdivy")
def xdivy(to: Writer, node: Node, x: str, y: str):
    return _unless_zero(to, node, x, to.op("Div", x, y))


@form("xlogy")
def xlogy(to: Writer, node: Node, x: str, y: str):
    return _unless_zero(to, node, x, to.op("Mul", x, to.op("Log", y)))


@form("hypot")
def hypot(to: Writer, node: Node, x: str, y: str):
    x, y = to.op("Abs", x), to.op("Abs", y)
    large = to.op("Max", x, y)
    ratio = to.op("Div", to.op("Min", x, y), large)
    one = to.like(1, node.output)
    length = to.op("Mul", large, to.op("Sqrt", to.op("Add", one, to.op("Mul", ratio, ratio))))
    is_edge = to.op("Or", to.op("Equal", large, to.like(0, node.output)), to.op("IsInf", large))
    return to.op("Where", is_edge, large, length)


@form("atan2")
def atan2(to: Writer, node: Node, y: str, x: str):
    """By the angle of the quotient, turned by pi to the left of the y axis."""
    zero, pi, half = (to.like(number, node.output) for number in (0, np.pi, np.pi / 2))
    is_left, is_down = to.op("Less", x, zero), to.op("Less", y, zero)
    angle = to.op("Atan", to.op("Div", y, x))
    turned = to.op("Add", angle, to.op("Where", is_down, to.op("Neg", pi), pi))
    beside = to.op("Where", is_down, to.op("Neg", half), half)
    beside = to.op("Where", to.op("Equal", y, zero), y, beside)
    found = to.op("Where", is_left, turned, angle)
    return to.op("Where", to.op("Equal", x, zero), beside, found)


@form("cast")
def cast(to: Writer, node: Node, x: str):
    if node.inputs[0].dtype is string or node.output.dtype is string:
        raise NoFormError("strings are not cast in ONNX")
    return to.cast(x, node.output.dtype)


@form("regex_full_match")
def regex_full_match(to: Writer, node: Node, x: str):
    return to.op("RegexFullMatch", x, pattern=node.attrs["pattern"])
