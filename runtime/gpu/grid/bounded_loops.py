"""Loops of kernels that end soon: their own test counts, up to a constant.

n = np.int64(0)
while True:
    ...                        # t holds only where n < 1000 does
    if not t:
        break
    ...
    m = np.int64(n + 1)
    x, n = y, m
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...kernel_ir.kernels import Function
from ...kernel_ir.nodes import (
    Binary,
    Call,
    Compare,
    Const,
    Expression,
    For,
    If,
    Leave,
    Let,
    Name,
    Part,
    Statement,
    Unary,
    While,
    walk,
)

TYPES = {"bool", "int32", "int64"}  # narrower counters may wrap before they reach a limit
MOST_STEP = 1 << 16  # which takes no counter that is near a limit beyond its type


class BoundedLoops:
    """Tells how long the loops of a function may be that have none inside."""

    def __init__(self, function: Function):
        self.values: dict[str, list[Expression | None]] = {}  # that are assigned to each variable
        for part in walk(function.body):
            for target, value in _assignments(part):
                self.values.setdefault(target, []).append(value)

    def most_iterations(self, loop: While) -> float:
        """An upper bound of the number of iterations; infinity where none is known."""
        inside = list(walk(loop.body))
        if any(isinstance(part, (For, While)) or _is(part, "continue") for part in inside):
            return math.inf
        always = [name for statement in loop.body for name, _ in _assignments(statement)]
        anywhere = [name for part in inside for name, _ in _assignments(part)]
        updated = {name for name in always if anywhere.count(name) == 1}
        bounds = (self._bound(name, updated) for name in self._needed(loop))
        return min(bounds, default=math.inf)

    def _bound(self, test: str, updated: set[str]) -> float:
        """The iterations after which a test no longer holds, if it compares a counter."""
        compared = self._only(test)
        if not (isinstance(compared, Compare) and compared.ops in (("<",), ("<=",))):
            return math.inf
        counter, limit = compared.left, _number(compared.rights[0])
        if limit is None or not isinstance(counter, Name) or counter.id not in updated:
            return math.inf
        values = [_without_type(value) for value in self.values.get(counter.id, ())]
        starts = [value for value in map(_number, values) if value is not None]
        steps = [self._only(value.id) for value in values if isinstance(value, Name)]
        if (len(values), len(starts), len(steps)) != (2, 1, 1) or not _adds(counter, steps[0]):
            return math.inf
        return max(0, limit - starts[0] + (compared.ops == ("<=",)))

    def _needed(self, loop: While) -> set[str]:
        """The variables that hold where the loop goes on."""
        names = set[str]()
        for statement in reversed(loop.body):
            if isinstance(statement, If):
                names |= _of_end(statement) or self._of_conjunction(statement, names)
        return names

    def _of_conjunction(self, statement: If, names: set[str]) -> set[str]:
        """Both `a` and `b` of `if a: t = b` with `else: t = a`, where `t` is one of the names."""
        test, sides = statement.test, (statement.body, statement.orelse)
        needed = set[str]()
        if not (isinstance(test, Name) and all(sides)):
            return needed
        then, orelse = (dict(_assignments(side[-1])) for side in sides)
        for name in names & then.keys() & orelse.keys():
            own, is_here = then[name], len(self.values[name]) == len(sides)
            if orelse[name] == test and isinstance(own, Name) and is_here:
                needed |= {test.id, own.id}
        return needed

    def _only(self, name: str) -> Expression | None:
        """The value of a variable that is assigned once."""
        values = self.values.get(name, ())
        return _without_type(values[0]) if len(values) == 1 else None


def _assignments(part: Part) -> Iterator[tuple[str, Expression | None]]:
    """The variables that a statement assigns itself, each with its value where that is known."""
    if not isinstance(part, Statement):
        return
    items = getattr(part.target, "items", (part.target,))
    values = getattr(getattr(part, "value", None), "items", (getattr(part, "value", None),))
    is_plain = type(part) is Let and len(items) == len(values) and not part.more
    for at, target in enumerate(part.targets()):
        if isinstance(target, Name):
            yield target.id, values[at] if is_plain else None


def _of_end(statement: If) -> set[str]:
    """The variable `t` of `if not t: break`."""
    test, body = statement.test, statement.body
    if not (isinstance(test, Unary) and test.op == "not" and isinstance(test.operand, Name)):
        return set()
    return {test.operand.id} if len(body) == 1 and _is(body[0], "break") else set()


def _is(part: Part, word: str) -> bool:
    return isinstance(part, Leave) and part.word == word


def _number(value: Expression | None) -> int | None:
    """The integer that a constant is."""
    value = _without_type(value)
    is_integer = isinstance(value, Const) and type(value.value) is int
    return value.value if is_integer else None  # type: ignore[union-attr]


def _without_type(value: Expression | None) -> Expression | None:
    """The operand of conversions to a type."""
    while isinstance(value, Call) and value.name in TYPES and len(value.arguments) == 1:
        (value,) = value.arguments
    return value


def _adds(counter: Name, value: Expression | None) -> bool:
    """Whether a value is that of a counter and a positive constant."""
    if not isinstance(value, Binary) or value.op != "+" or _without_type(value.left) != counter:
        return False
    return 0 < (_number(value.right) or 0) <= MOST_STEP
