"""The numbers in the source of a kernel that may become numbers which its caller passes.

Kernels of a function for arrays of other sizes are mostly the same source with other numbers: trip
counts, sizes, offsets, constants that the function computes from sizes. Such a number may be a
variable where it means the same. A literal adopts the type of what it meets, and a variable has a
type: so it is an integer where only integers are, as in an index, or has a data type beside it, as
in `np.float64(0.5)`. 0 and 1 always stay: an axis of size 1 is broadcast, and an empty loop is left
out. So do steps, which have signs, and divisors of integers, whose quotients would take longer.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from typing import NamedTuple

from ..core.parsing import parsed
from ..jit.kernel_types import LEAST_SIZE, MOST_SIZE
from ..jit.polled_loops import Polling, is_range, polling_of

SOFT = "?"  # in place of a number
DTYPES = {f"{sign}{bits}" for sign in ("int", "uint") for bits in (8, 16, 32, 64)}
FLOATS = {"float32", "float64"}
# Functions of kernels whose arguments at these positions are integers.
INTEGER_ARGUMENTS = {
    "range": (0, 1), "opaque": (0,), "one_by_one": (0,), "wrapped_index": (0, 1),
    "checked_index": (0, 1), "new_array": (0,), "reshaped": (1,), "array_at": (1,),
    "reshape": (0, 1, 2, 3), "full": (0,),
    "run_region": (2,), "mean_of_f64": (1,), "mean_of_f32": (1,),
    "tiled_blocks_float64": (3, 4, 5), "tiled_blocks_float32": (3, 4, 5),
}  # fmt: skip
LEFT = {"range": (2,)}  # steps
TABLES = {"table", "regions", "control"}  # of parallel regions: their indices have no sizes
INTEGER_RESULTS = {"range", "wrapped_index", "checked_index", "next_chunk", "opaque"}
INTEGER_RESULTS |= {"one_by_one", "int64"}
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)


class Position(NamedTuple):
    """Where a number is in a source, and the number. Lines count from 1, columns from 0."""

    line: int
    start: int
    end: int
    number: int | float
    bounds_loop: bool  # whether it is a part of the trip count of a loop that does not poll


class Numbers(NamedTuple):
    """A source: with SOFT in place of its numbers, the numbers, and how its loops poll."""

    source: str
    positions: tuple[Position, ...]
    polling: tuple[Polling, ...]


def numbers_of(source: str) -> Numbers:
    """The numbers in a source that may become variables."""
    tree = parsed(source)
    found = [one for function in tree.body for one in _Function(function).positions()]
    positions = tuple(sorted(found))
    left = replaced(source, {(one.line, one.start): SOFT for one in positions}, positions)
    left = left.replace(f"opaque({SOFT})", SOFT)  # it hides constants, for speed alone
    return Numbers(left, positions, polling(tree))


def is_size(number: int) -> bool:
    """Whether an integer may become a variable."""
    return LEAST_SIZE <= number <= MOST_SIZE


def polling(tree: ast.Module) -> tuple[Polling, ...]:
    """How each loop of a source polls for signals."""
    loops = (node for node in ast.walk(tree) if isinstance(node, (ast.For, ast.While)))
    return tuple(map(polling_of, loops))


def replaced(source: str, words: dict[tuple[int, int], str], positions) -> str:
    """The source with other words at positions, by line and column."""
    lines = source.splitlines()
    for one in reversed(positions):
        word = words.get((one.line, one.start))
        if word is not None:
            line = lines[one.line - 1]
            lines[one.line - 1] = line[: one.start] + word + line[one.end :]
    return "\n".join(lines) + "\n"


class _Function:
    """The numbers of one function of a source."""

    def __init__(self, tree: ast.FunctionDef):
        self.tree = tree
        self.integers = _integer_variables(tree)
        self.found: dict[tuple[int, int], Position] = {}
        self.in_quiet_range = False

    def positions(self) -> list[Position]:
        for statement in self.tree.body:
            self.statement(statement)
        return list(self.found.values())

    def statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.For):
            self.in_quiet_range = polling_of(node) is Polling.NEVER
            self.look(node.iter)
            self.in_quiet_range = False
        elif isinstance(node, (ast.Assign, ast.AugAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = (getattr(target, "id", "") in self.integers for target in targets)
            self.look(node.value, all(names))
            for target in targets:
                self.look(target)
        else:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    self.look(child)
        for block in ("body", "orelse"):
            for inner in getattr(node, block, ()):
                self.statement(inner)

    def look(self, node: ast.AST, integer: bool = False) -> None:
        """Find the numbers in an expression; `integer`, it is one where a variable may be."""
        if isinstance(node, ast.Constant):
            if integer and type(node.value) is int and is_size(node.value):
                self.add(node)
        elif isinstance(node, ast.BinOp):
            inner = integer or is_integer(node, self.integers)
            self.look(node.left, inner)
            if not (isinstance(node.op, (ast.FloorDiv, ast.Mod)) and _is_literal(node.right)):
                self.look(node.right, inner)
        elif isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            inner = all(is_integer(one, self.integers) or _is_literal(one) for one in sides)
            for one in sides:
                self.look(one, inner and not all(map(_is_literal, sides)))
        elif isinstance(node, ast.Call):
            self.call(node, integer)
        elif isinstance(node, ast.Subscript):
            self.look(node.value)
            if getattr(node.value, "id", "") not in TABLES:
                self.look(node.slice, not isinstance(node.value, ast.Attribute))
        elif isinstance(node, ast.Slice):
            for end in (node.lower, node.upper):
                if end is not None:
                    self.look(end, integer)
        elif isinstance(node, ast.Tuple):
            for one in node.elts:
                self.look(one, integer)
        elif isinstance(node, ast.UnaryOp):
            if not isinstance(node.operand, ast.Constant):
                self.look(node.operand, integer)
        else:
            for child in ast.iter_child_nodes(node):
                self.look(child)

    def call(self, node: ast.Call, integer: bool) -> None:
        name = _called(node)
        if _is_dtype(node) and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
            number = node.args[0].value
            is_float = type(number) is float and name in FLOATS and _is_usual(number)
            if is_float or (type(number) is int and is_size(number)):
                self.add(node.args[0])
            return
        of_integers = INTEGER_ARGUMENTS.get(name, ())
        if name == "min" and (integer or any(is_integer(one, self.integers) for one in node.args)):
            of_integers = tuple(range(len(node.args)))
        self.look(node.func)
        if node.args and getattr(node.args[0], "id", "") == "address":
            return
        for at, one in enumerate(node.args):
            if name not in LEFT or at not in LEFT[name]:
                self.look(one, at in of_integers)

    def add(self, node: ast.Constant) -> None:
        assert node.end_col_offset is not None and isinstance(node.value, (int, float))
        place = node.lineno, node.col_offset
        self.found[place] = Position(*place, node.end_col_offset, node.value, self.in_quiet_range)


def _integer_variables(tree: ast.FunctionDef) -> set[str]:
    """The variables of a function that hold 64-bit integers only."""
    given: dict[str, list[ast.expr | None]] = {argument.arg: [None] for argument in tree.args.args}
    for node in ast.walk(tree):
        for name, value in _assigned(node):
            given.setdefault(name, []).append(value)
    found = {name for name, values in given.items() if None not in values}
    while True:
        kept = {
            name for name in found
            if all(_is_literal(one) or is_integer(one, found) for one in given[name] if one)
        }  # fmt: skip
        if kept == found:
            return found
        found = kept


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    """The names that a statement assigns, each with its value; None for one that is not known."""
    if isinstance(node, ast.For) and isinstance(node.target, ast.Name):
        yield node.target.id, node.iter if is_range(node.iter) else None
    elif isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Name):
                yield target.id, node.value
            elif isinstance(target, ast.Tuple):
                yield from ((one.id, None) for one in target.elts if isinstance(one, ast.Name))
    elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        yield node.target.id, node.value if isinstance(node.op, ARITHMETIC) else None


def is_integer(node: ast.expr, variables: set[str]) -> bool:
    """Whether an expression is a 64-bit integer, and no literal, which adopts another type."""
    if isinstance(node, ast.Name):
        return node.id in variables
    if isinstance(node, ast.BinOp) and isinstance(node.op, ARITHMETIC):
        sides = (node.left, node.right)
        return any(is_integer(one, variables) for one in sides) and all(
            _is_literal(one) or is_integer(one, variables) for one in sides
        )
    return isinstance(node, ast.Call) and _called(node) in INTEGER_RESULTS


def _is_literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _called(node: ast.Call) -> str:
    return getattr(node.func, "id", getattr(node.func, "attr", ""))


def _is_dtype(node: ast.Call) -> bool:
    owner = node.func.value if isinstance(node.func, ast.Attribute) else None
    return getattr(owner, "id", "") == "np" and _called(node) in DTYPES | FLOATS


def _is_usual(number: float) -> bool:
    return number not in (0.0, 1.0) and math.isfinite(number)
