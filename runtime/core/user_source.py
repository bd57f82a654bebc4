"""The words of the calling program for messages: its name of the package, its operands."""

from __future__ import annotations

import ast
import linecache
import re
import sys
import types

from .parsing import parsed
from .source_locations import SourceLocation, is_internal, user_location

PACKAGE = __name__.split(".")[0]
_NAME_IN_CURE = re.compile(r"\bag\.")


def package_name() -> str:
    """The name under which the calling program imports this package; `ag` if it has none."""
    package = sys.modules.get(PACKAGE)
    frame: types.FrameType | None = sys._getframe(1)
    while frame is not None:
        if not is_internal(frame):
            for scope in (frame.f_locals, frame.f_globals):
                for name, value in tuple(scope.items()):
                    if value is package and name[0] != "_":  # notebooks call results `_`
                        return name
        frame = frame.f_back
    return "ag"


def in_users_words(cure: str) -> str:
    """A cure in which the package has the name that the calling program gives it."""
    if not _NAME_IN_CURE.search(cure):
        return cure
    return _NAME_IN_CURE.sub(package_name() + ".", cure)


def users_operands(count: int, in_list: bool = False) -> list[str] | None:
    """The source of the operands of the expression that the user's line evaluates.

    None if the line holds no operator or call with `count` operands; `in_list` tells that they are
    the items of the first argument of a call.
    """
    where = user_location(2)
    node = None if where is None else _expression(where)
    if isinstance(node, ast.BinOp):
        nodes = [node.left, node.right]
    elif isinstance(node, ast.AugAssign):
        nodes = [node.target, node.value]
    elif isinstance(node, ast.Compare):
        nodes = [node.left, *node.comparators]
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        nodes = [node.targets[0].value, node.targets[0].slice, node.value]
    elif isinstance(node, ast.Subscript):
        nodes = [node.slice]
    elif isinstance(node, ast.Call) and in_list:
        items = node.args[0] if node.args else None
        nodes = items.elts if isinstance(items, (ast.List, ast.Tuple)) else []
    elif isinstance(node, ast.Call):
        nodes = node.args[:count]
    else:
        return None
    return list(map(ast.unparse, nodes)) if len(nodes) == count else None


def users_options() -> set[str]:
    """The keyword arguments of the call on the user's line, without those that are False."""
    where = user_location(2)
    node = None if where is None else _expression(where)
    keywords = node.keywords if isinstance(node, ast.Call) else []
    return {word.arg for word in keywords if word.arg and ast.unparse(word.value) != "False"}


def users_test() -> str | None:
    """The source of the test that the user's line evaluates, or that begins it.

    A chain of comparisons is written element by element. None if the line holds no such test, or
    one of several operands.
    """
    where = user_location(2)
    if where is None:
        return None
    test = _expression(where)
    if not isinstance(test, ast.Compare | ast.UnaryOp):
        test = _test_of_line(linecache.getline(where.file, where.line))
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        test = test.operand
    match test:
        case None | ast.BoolOp():
            return None
        case ast.Compare(left=left, ops=[_, _, *_] as chained, comparators=others):
            pairs = zip([left, *others], chained, others, strict=False)
            links = (ast.Compare(before, [op], [other]) for before, op, other in pairs)
            return " & ".join(f"({ast.unparse(link)})" for link in links)
        case test:
            return ast.unparse(test)


def _test_of_line(line: str) -> ast.AST | None:
    """The test of the `if`, `while` or `assert` that begins in a line."""
    head = line.strip().removeprefix("el")
    try:
        (statement,) = parsed(head + " pass" if head.endswith(":") else head).body
    except (SyntaxError, ValueError):
        return None
    return getattr(statement, "test", None)


def _expression(where: SourceLocation) -> ast.AST | None:
    """The syntax tree of the expression, or augmented assignment, at a location."""
    columns = where.columns
    line = linecache.getline(where.file, where.line)
    if columns is None or not line:
        return None
    encoded = line.encode()  # columns count bytes
    try:
        (statement,) = parsed(encoded[slice(*columns)].decode().strip()).body
    except (SyntaxError, ValueError):
        return None
    return statement.value if isinstance(statement, ast.Expr) else statement
