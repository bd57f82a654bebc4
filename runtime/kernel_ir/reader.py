"""Python source -> kernel IR: for what is written as source, such as `runtime/kernels/`.

>>> print(expression("(a + b) * c - (d)"))
(a + b) * c - d
>>> print(*statements("for i in range(n):\\n  x[i] += 1  # one more"))
for i in range(n):
    x[i] += 1
"""

from __future__ import annotations

import ast
import functools

from ..core.parsing import parsed
from . import nodes
from .kernels import Function, KernelIR
from .nodes import Expression, Name, Statement

PLACE = "place_"  # the prefix of names of places in forms

OPERATORS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.Pow: "**", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<",
    ast.RShift: ">>", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==",
    ast.NotEq: "!=", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not",
    ast.And: "and", ast.Or: "or",
}  # fmt: skip


def kernel_ir(source: str) -> KernelIR:
    """A kernel from its source."""
    return KernelIR(tuple(map(function_of, parsed(source).body)))


@functools.lru_cache(1 << 12)
def expression(source: str) -> Expression:
    """An expression from its source."""
    return expression_of(parsed(source, "eval").body)


@functools.lru_cache(1 << 12)
def form(template: str) -> Expression:
    """An expression with places, as operations have it for one element: see `filled`.

    >>> print(filled(form("{x} * {x}"), {"x": expression("a + 1")}))
    (a + 1) * (a + 1)
    """
    return expression(template.replace("{", PLACE).replace("}", ""))


def filled(expression: Expression, parts: dict[str, Expression]) -> Expression:
    """A form with expressions in its places."""

    def fill(part):
        is_place = type(part) is Name and part.id.startswith(PLACE)
        return parts[part.id[len(PLACE) :]] if is_place else part

    return nodes.transformed(expression, fill)


@functools.lru_cache(1 << 12)
def statements(source: str) -> tuple[Statement, ...]:
    """Statements from their source."""
    return _block(parsed(source).body)


def function_of(tree: ast.FunctionDef) -> Function:
    """A function from its syntax tree."""
    return Function(tree.name, tuple(arg.arg for arg in tree.args.args), _block(tree.body))


def _block(body: list[ast.stmt]) -> tuple[Statement, ...]:
    return tuple(map(statement_of, body))


def _operator(node: ast.AST) -> str:
    return OPERATORS.get(type(node), type(node).__name__)


# ---- statements --------------------------------------------------------------------------------


def statement_of(node: ast.stmt) -> Statement:
    """A statement from its syntax tree."""
    match node:
        case ast.Assign():
            target, *more = _several(node.targets)
            return nodes.Let(target, expression_of(node.value), tuple(more))
        case ast.AugAssign():
            own, value = expression_of(node.target), expression_of(node.value)
            return nodes.Update(own, _operator(node.op), value)
        case ast.Expr():
            return nodes.Evaluate(expression_of(node.value))
        case ast.For(orelse=[]):
            own, iterable = expression_of(node.target), expression_of(node.iter)
            return nodes.For(own, iterable, _block(node.body))
        case ast.While(orelse=[]):
            return nodes.While(expression_of(node.test), _block(node.body))
        case ast.If():
            return nodes.If(expression_of(node.test), _block(node.body), _block(node.orelse))
        case ast.Return():
            return nodes.Leave("return", _optional(node.value))
        case ast.Raise():
            return nodes.Leave("raise", _optional(node.exc))
        case ast.Pass() | ast.Break() | ast.Continue():
            return nodes.Leave(type(node).__name__.lower())
    return nodes.Evaluate(nodes.Unsupported(type(node).__name__))


# ---- expressions -------------------------------------------------------------------------------


def expression_of(node: ast.expr) -> Expression:
    """An expression from its syntax tree."""
    match node:
        case ast.Name():
            return Name(node.id)
        case ast.Constant():
            return nodes.Const(node.value)
        case ast.BinOp():
            left, right = expression_of(node.left), expression_of(node.right)
            return nodes.Binary(_operator(node.op), left, right)
        case ast.Call(keywords=[]):
            return nodes.Call(expression_of(node.func), _several(node.args))
        case ast.Subscript():
            inside = node.slice
            indices = inside.elts if isinstance(inside, ast.Tuple) else [inside]
            return nodes.Load(expression_of(node.value), _several(indices))
        case ast.Attribute():
            return nodes.Attribute(expression_of(node.value), node.attr)
        case ast.Compare():
            ops = tuple(map(_operator, node.ops))
            return nodes.Compare(expression_of(node.left), ops, _several(node.comparators))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return nodes.Const(-number)
        case ast.UnaryOp():
            return nodes.Unary(_operator(node.op), expression_of(node.operand))
        case ast.Tuple():
            return nodes.Tuple(_several(node.elts))
        case ast.BoolOp():
            return nodes.Logical(_operator(node.op), _several(node.values))
        case ast.IfExp():
            return nodes.Select(*map(expression_of, (node.test, node.body, node.orelse)))
        case ast.Slice(step=None):
            return nodes.Slice(_optional(node.lower), _optional(node.upper))
        case ast.Starred():
            return nodes.Starred(expression_of(node.value))
    return nodes.Unsupported(type(node).__name__)


def _optional(tree: ast.expr | None) -> Expression | None:
    return None if tree is None else expression_of(tree)


def _several(trees: list[ast.expr]) -> tuple[Expression, ...]:
    return tuple(map(expression_of, trees))
