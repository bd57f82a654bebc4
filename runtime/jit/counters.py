"""Which variables of a kernel are never negative: their quotients and remainders have no signs.

LLVM would have to prove it through the strips that long loops are split into.
"""

from __future__ import annotations

import ast
from collections import Counter

from .polled_loops import is_range


def counters_of(function: ast.FunctionDef) -> set[str]:
    """The names that only loops over `range` assign, never a negative number, and their copies."""
    nodes = list(ast.walk(function))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    times = Counter(node.id for node in names if isinstance(node.ctx, ast.Store))
    times.update(argument.arg for argument in function.args.args)
    once = {name for name, count in times.items() if count == 1}
    loops = [node for node in nodes if isinstance(node, ast.For) and is_range(node.iter)]
    found = {_name(loop.target) for loop in loops if _counts_up(loop.iter)} & once
    copies = [node for node in nodes if isinstance(node, ast.Assign)]
    return found | {_name(one.targets[0]) for one in copies if _is_copy(one.value, found)} & once


def _name(target: ast.expr) -> str:
    return target.id if isinstance(target, ast.Name) else ""


def _counts_up(iterable: ast.expr) -> bool:
    assert isinstance(iterable, ast.Call)
    if len(iterable.args) == 1:
        return True
    ends = iterable.args[:1] + iterable.args[2:]
    return all(
        isinstance(end, ast.Constant) and isinstance(end.value, int) and end.value >= 0
        for end in ends
    )


def _is_copy(value: ast.expr, counters: set[str]) -> bool:
    """Whether this is `np.int64(counter)`."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
        return False
    (copied,) = value.args if len(value.args) == 1 else (None,)
    return value.func.attr == "int64" and isinstance(copied, ast.Name) and copied.id in counters
