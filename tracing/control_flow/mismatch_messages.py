"""Error messages for branches, or loop iterations, whose types do not match."""

from __future__ import annotations

import ast
import linecache

import numpy as np

from ...autograph.operators.forwarding_lists import LIST_CLASSES
from ...autograph.operators.opaque_content import content_of
from ...autograph.stager import BRANCHES, OPERAND
from ...runtime.core.parsing import parsed
from ...runtime.core.source_locations import user_location
from ..structures.leaves import described

RESULT = "retval_"  # the name that holds what a function returns


def differs(name: str, left, right) -> str:
    if name == OPERAND:
        return f"one operand of `and` or `or` is {described(left)}, the other {described(right)}"
    if name == BRANCHES:
        return f"one function returns {described(left)}, another {described(right)}"
    if name == RESULT:
        paths = f"{described(left)} on one path but {described(right)} on another"
        return f"the function returns {paths}"
    label = f"'{name}'" if " " not in name else name
    return (
        f"{label} is {described(left)} after the `if` but {described(right)} after the `else`"
        f"{assignment_lines(name)}"
    )


def changes(name: str, before, after) -> str:
    """The change by a loop of a variable that is `one` before it and `other` after an iteration."""
    return (
        f"'{name}' enters the loop as {before} but is {after} after one iteration"
        f"{assignment_lines(name)}"
    )


def cure_of_objects(name: str, left, right) -> str:
    if left is None or right is None:
        if name == RESULT:
            return (
                "Return a value on every path: where a function ends without `return`, or returns "
                "None, there is no tensor."
            )
        if name == BRANCHES:
            return "Return a tensor from each function, or None from all."
        if name == OPERAND:
            return "Make the operand that is None a bool, for example with bool(flag) or False."
        return "None is no tensor: give both sides a value, and keep a boolean that says which."
    return cure_of_content(left) or (
        "What differs between the sides of an `if` on a tensor has to be a tensor."
    )


def cure_of_content(value) -> str:
    """The cure where a tensor would decide what a set, a deque or the like holds."""
    if isinstance(value, np.ndarray) or content_of(value) is None:
        return ""
    return (
        f"No tensor decides what a {type(value).__name__} holds: keep it in tensors, or in a list "
        "or a dictionary."
    )


def one_sided(side: str) -> str:
    """Why a name has no value after an `if`: the side and the line that assign it."""
    where = user_location()
    line = f" in line {where.line} of {where.file_name}" if where else ""
    holds = "holds" if side == "then" else "does not hold"
    return (
        f"the `if` on a tensor{line} sets it only where its test {holds}. Give it a value on both "
        "sides, or before"
    )


def cure_of_structure(name, value, final) -> str:
    if type(value) in LIST_CLASSES and type(final) in LIST_CLASSES:
        return (
            "A list grows in a loop on tensors when it is a variable of that very function: "
            f"copy one that was passed in, rows = list({name}), and keep tensors of one type in it."
        )
    return "Keep its structure the same in every iteration."


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
