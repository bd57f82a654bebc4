"""Operations on single numbers as operators of NumPy's scalars, for the plan.

An operator of two scalars takes 30 ns, where a function of NumPy, made for arrays, takes 600.
"""

from __future__ import annotations

from ...core.numpy_dtypes import is_floating, is_real
from ...ir.graph import Node, Value
from ...lowering.program import Loop, Program, inner_programs

# Python's own operators that compute scalar forms of operations.
OPERATORS = {"+", "-", "*", "&", "|", "^"}
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
    if not isinstance(op.scalar, str) or len({operand.dtype for operand in node.inputs}) > 1:
        return None
    return op.scalar if is_computed_by_operators(op.scalar) else None


def is_computed_by_operators(template: str) -> bool:
    """Whether Python's own operators compute a scalar form."""
    from ...kernel_ir.nodes import Binary, Call, Compare, Name, Unary, walk  # numbers need them
    from ...kernel_ir.reader import form

    def is_plain(part) -> bool:
        """Whether a part of the form means the same for scalars of NumPy."""
        if isinstance(part, Call):
            return part.name == "abs"
        is_operator = isinstance(part, (Unary, Binary)) and part.op in OPERATORS
        return is_operator or isinstance(part, (Name, Compare))

    own = form(template)
    return not isinstance(own, Name) and all(map(is_plain, walk([own])))


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
