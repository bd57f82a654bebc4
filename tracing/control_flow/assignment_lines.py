"""The lines that assign a name on both sides of a staged statement, for error messages."""

from __future__ import annotations

import ast
import linecache

from ...runtime.core.parsing import parsed
from ...runtime.core.source_locations import user_location

LOOPS = (ast.While, ast.For)


def assignment_lines(name: str) -> str:
    """Where the two sides of the statement being traced assign `name`: " (lines 4 and 6)".

    The sides of an `if` are its branches; those of a loop are what comes before and its body. A
    side that does not assign the name counts as what comes before. Empty where a line is unknown.
    """
    where = user_location()
    if where is None:
        return ""
    try:
        tree = parsed("".join(linecache.getlines(where.file)))
    except (SyntaxError, ValueError):
        return ""
    place = _statement(tree, where.line)
    if place is None:
        return ""
    function, statement = place
    before = _last_before(function, name, statement.lineno)
    sides = [statement.body] if isinstance(statement, LOOPS) else [statement.body, statement.orelse]
    lines = [_last(side, name) or before for side in sides]
    if isinstance(statement, LOOPS):
        lines = [before, *lines]
    return f" (lines {lines[0]} and {lines[1]})" if all(lines) else ""


def _statement(tree, line: int):
    """The innermost function around the one `if` or loop that begins in `line`, and that."""
    functions = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.lineno < line <= (node.end_lineno or 0)
    ]
    here = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.If, *LOOPS)) and node.lineno == line
    ]
    if not functions or not here:
        return None
    return max(functions, key=lambda function: function.lineno), here[0]


def _assigned(nodes, name: str) -> list[int]:
    return [
        node.lineno  # type: ignore[attr-defined]
        for root in nodes
        for node in ast.walk(root)
        if isinstance(getattr(node, "ctx", None), ast.Store) and ast.unparse(node) == name
    ]


def _last(nodes, name: str) -> int | None:
    return max(_assigned(nodes, name), default=None)


def _last_before(function, name: str, line: int) -> int | None:
    """The last assignment before a line; of a parameter, the line of the function."""
    earlier = [number for number in _assigned(function.body, name) if number < line]
    parameters = [node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)]
    return max(earlier, default=function.lineno if name in parameters else None)
