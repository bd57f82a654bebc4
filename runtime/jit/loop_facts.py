"""Facts about the loops of a kernel, from kernel IR: which poll for signals (see `polls.py`), and
which variables count.

A loop that ends soon does not poll. One whose iterations are short polls once in many of them.
Counters are never negative, so their quotients and remainders have no signs: LLVM would have to
prove it through the strips that long loops are split into.
"""

from __future__ import annotations

import enum
import math
from collections import Counter

from ..kernel_ir import nodes as ir
from ..kernel_ir.kernels import Function, statements_in, written_by

# A loop with a constant trip count polls from so many iterations on, those of inner loops included.
# They take between a tenth of a second and a second.
LONG = 1 << 26
FEW = 16  # iterations of a loop that is called short


class Polling(enum.Enum):
    """How often a loop polls."""

    NEVER = enum.auto()
    SELDOM = enum.auto()  # its iterations have no loops inside
    ALWAYS = enum.auto()


def polling_of(loop: ir.For | ir.While) -> Polling:
    if most_iterations(loop) <= LONG:
        return Polling.NEVER
    return Polling.ALWAYS if any(map(most_iterations, loop.body)) else Polling.SELDOM


def most_iterations(statement: ir.Statement) -> float:
    """An upper bound of the number of iterations of the loops in a statement; 0 without any."""
    if isinstance(statement, ir.While):
        return math.inf
    iterations = sum(map(most_iterations, (*statement.body, *statement.orelse)))
    if isinstance(statement, ir.For) and is_range(statement.iterable):
        assert isinstance(statement.iterable, ir.Call)
        return _trip_count(statement.iterable.arguments) * max(iterations, 1)
    return iterations


def is_range(node: ir.Expression) -> bool:
    """Whether an expression is a call of `range`."""
    return isinstance(node, ir.Call) and node.name == "range"


def _trip_count(arguments: tuple[ir.Expression, ...]) -> float:
    """An upper bound of the trip count; infinity where it is not constant.

    Counters of kernels are not negative, so a range has at most as many elements as its larger end.
    """
    step = arguments[2] if len(arguments) == 3 else None
    is_down = isinstance(step, ir.Unary) or (isinstance(step, ir.Const) and step.value < 0)
    ends = arguments[:1] if is_down or len(arguments) == 1 else arguments[1:2]
    return max(_most(ends[0]), 0)


def _most(node: ir.Expression) -> float:
    """An upper bound of the value of an expression of sizes and counters, none of them negative."""
    if isinstance(node, ir.Const) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ir.Call) and node.arguments:
        if node.name == "short":
            return FEW
        is_known = node.name in ("min", "opaque", "one_by_one")
        return min(map(_most, node.arguments)) if is_known else math.inf
    if isinstance(node, ir.Binary) and node.op in ("+", "-"):
        left, right = _most(node.left), _most(node.right)
        if node.op == "+":
            return left + right
        return left - (right if isinstance(node.right, ir.Const) else 0)
    return math.inf


# ---- counters ----------------------------------------------------------------------------------


def counters_of(function: Function) -> set[str]:
    """The names that only loops over `range` assign, never a negative number, and their copies."""
    statements = list(statements_in(function.body))
    times = Counter(name for statement in statements for name in written_by(statement))
    times.update(function.parameters)
    once = {name for name, count in times.items() if count == 1}
    loops = [part for part in statements if isinstance(part, ir.For) and is_range(part.iterable)]
    names = {_name(loop.target) for loop in loops if _counts_up(loop.iterable)} & once
    copies = [part for part in statements if isinstance(part, ir.Let)]
    return names | {_name(part.target) for part in copies if _is_copy(part.value, names)} & once


def _name(target: ir.Expression) -> str:
    return target.id if isinstance(target, ir.Name) else ""


def _counts_up(iterable: ir.Expression) -> bool:
    assert isinstance(iterable, ir.Call)
    if len(iterable.arguments) == 1:
        return True
    ends = iterable.arguments[:1] + iterable.arguments[2:]
    return all(
        isinstance(end, ir.Const) and isinstance(end.value, int) and end.value >= 0 for end in ends
    )


def _is_copy(value: ir.Expression, counters: set[str]) -> bool:
    """Whether this is `np.int64(counter)`."""
    if not isinstance(value, ir.Call) or value.name != "int64" or len(value.arguments) != 1:
        return False
    (copied,) = value.arguments
    return isinstance(copied, ir.Name) and copied.id in counters
