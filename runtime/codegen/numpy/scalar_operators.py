"""Operations on single numbers as operators of NumPy's scalars, for the plan.

An operator of two scalars takes 30 ns, where a function of NumPy, made for arrays, takes 600.
"""

from __future__ import annotations

import re

from ...core.numpy_dtypes import is_floating, is_real
from ...ir.graph import Node, Value
from ...lowering.program import Loop, Program, inner_programs

# Scalar forms of operations that Python's own operators compute.
OPERATORS = re.compile(r"(?:\{\w+\}|[-+*<>=!&|^() ]|abs(?=\())+")
# Others, by the kinds of data types that they are for. Only numbers above 0 divide integers here.
INTEGERS, FLOATS, BOOLEANS = "iu", "f", "b"
EXPRESSIONS = {
    "divide": (FLOATS, "{x} / {y}"),
    "floor_divide": (INTEGERS, "{x} // {y}"),
    "floor_mod": (INTEGERS, "{x} % {y}"),
    "maximum": (INTEGERS, "{x} if {x} > {y} else {y}"),
    "minimum": (INTEGERS, "{x} if {x} < {y} else {y}"),
    "select": (INTEGERS + FLOATS + BOOLEANS, "{x} if {condition} else {y}"),
    "logical_and": (BOOLEANS, "{x} & {y}"),
    "logical_or": (BOOLEANS, "{x} | {y}"),
    "logical_not": (BOOLEANS, "~{x}"),
}


def operator_expression(node: Node) -> str | None:
    """The operation as a Python expression, with its inputs by name in braces; None if it has none
    that computes what its kernel does.
    """
    if not node.inputs or not all(map(is_number, (*node.inputs, *node.outputs))):
        return None
    op, dtype = node.op, node.inputs[-1].dtype
    if op.name == "cast":
        return _cast(node)
    allowed, expression = EXPRESSIONS.get(op.name, ("", None))
    if expression is not None:
        fits = dtype.numpy_dtype.kind in allowed and not (op.may_raise and _may_be_negative(node))
        return expression if fits else None
    source = op.scalar if isinstance(op.scalar, str) else "{x}"
    is_plain = OPERATORS.fullmatch(source) and source != "{x}"
    return source if is_plain and len({one.dtype for one in node.inputs}) == 1 else None


def _may_be_negative(node: Node) -> bool:
    """Whether the divisor is not a constant above 0."""
    divisor = node.inputs[1].constant
    return divisor is None or bool(divisor <= 0)


def _cast(node: Node) -> str | None:
    """Floats that become integers may be out of range, which the kernel decides."""
    source, target = node.inputs[0].dtype.numpy_dtype, node.output.dtype.numpy_dtype
    if is_floating(source) and target.kind in INTEGERS:
        return None
    return f"np.{target.type.__name__}({{x}})"


def is_number(value: Value) -> bool:
    """Whether a value is a single number of NumPy's own types."""
    dtype = value.dtype.numpy_dtype
    return value.shape == () and is_real(dtype) and dtype.isbuiltin == 1


def has_loops(program: Program) -> bool:
    """Whether numbers may be used again and again."""
    return any(
        isinstance(step, Loop) or any(map(has_loops, inner_programs(step)))
        for step in program.steps
    )
