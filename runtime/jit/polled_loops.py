"""Which loops of a kernel poll for signals (see `polls.py`), and how often, from their syntax tree.

A loop that ends soon does not poll. One whose iterations are short polls once in many of them.
"""

from __future__ import annotations

import ast
import enum
import math

# A loop with a constant trip count polls from so many iterations on, those of inner loops included.
# They take between a tenth of a second and a second.
LONG = 1 << 26
FEW = 16  # iterations of a loop that is called short


class Polling(enum.Enum):
    """How often a loop polls."""

    NEVER = enum.auto()
    SELDOM = enum.auto()  # its iterations have no loops inside
    ALWAYS = enum.auto()


def polling_of(loop: ast.For | ast.While) -> Polling:
    if most_iterations(loop) <= LONG:
        return Polling.NEVER
    return Polling.ALWAYS if any(map(most_iterations, loop.body)) else Polling.SELDOM


def most_iterations(statement: ast.stmt) -> float:
    """An upper bound of the number of iterations of the loops in a statement; 0 without any."""
    if isinstance(statement, ast.While):
        return math.inf
    inner = [*getattr(statement, "body", ()), *getattr(statement, "orelse", ())]
    found = sum(map(most_iterations, inner))
    if isinstance(statement, ast.For) and is_range(statement.iter):
        assert isinstance(statement.iter, ast.Call)
        return _trip_count(statement.iter.args) * max(found, 1)
    return found


def is_range(node: ast.expr) -> bool:
    """Whether an expression is a call of `range`."""
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range"


def _trip_count(arguments: list[ast.expr]) -> float:
    """An upper bound of the trip count; infinity where it is not constant.

    Counters of kernels are not negative, so a range has at most as many elements as its larger end.
    """
    is_down = len(arguments) == 3 and isinstance(arguments[2], ast.UnaryOp)
    ends = arguments[:1] if is_down or len(arguments) == 1 else arguments[1:2]
    return max(_most(ends[0]), 0)


def _most(node: ast.expr) -> float:
    """An upper bound of the value of an expression of sizes and counters, none of them negative."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.Call) and node.args:
        if getattr(node.func, "id", "") == "short":
            return FEW
        bounds = map(_most, node.args)
        known = {"min": min, "opaque": min, "one_by_one": min}
        return known.get(getattr(node.func, "id", ""), _unknown)(bounds)
    if isinstance(node, ast.BinOp):
        left, right = _most(node.left), _most(node.right)
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Sub):
            return left - (right if isinstance(node.right, ast.Constant) else 0)
    return math.inf


def _unknown(_) -> float:
    return math.inf
