"""Builds the kernel IR of a kernel: each statement goes to the block that is open at its depth.

>>> body = Builder()
>>> inside = body.for_loop(1, "i", "range(8)")
>>> body.line(inside, "y[i] = x[wrapped_index(i, 4)]")
>>> print(*body.statements())
for i in range(8):
    y[i] = x[wrapped_index(i, 4)]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from typing import Union

from ...core.classes import NamedTuple, record
from ...ir.graph import Node
from ...kernel_ir.nodes import For, Function, If, Statement, While
from ...kernel_ir.reader import expression, statements


@record()
class Draft:
    """A loop or a choice while it is written. `finished(body, orelse)` gives the statement."""

    finished: Callable[[tuple[Statement, ...], tuple[Statement, ...]], Statement]
    body: list[Item] = field(default_factory=list)
    orelse: list[Item] = field(default_factory=list)


Item = Union[Statement, Draft]  # noqa: UP007 - evaluated before the names are defined


class Position(NamedTuple):
    """A position in a block, before the statement that comes next."""

    block: list[Item]
    offset: int

    def insert(self, lines: Iterable[str]) -> None:
        self.block[self.offset : self.offset] = _read(lines)


class Builder:
    """Appends statements.

    `origins` has the node whose result a variable holds, for those who look at the source.
    """

    def __init__(self, depth: int = 1):
        self.root: list[Item] = []
        self.origins: dict[str, Node] = {}
        self.depth = depth
        self._open = [self.root]

    def statements(self) -> tuple[Statement, ...]:
        """What was built."""
        return _finished(self.root)

    def block_at(self, depth: int) -> list[Item]:
        """The block that is open at a depth; those inside of it are closed."""
        del self._open[depth - self.depth + 1 :]
        return self._open[depth - self.depth]

    def position(self, depth: int) -> Position:
        """Where the next statement of a depth will stand."""
        block = self.block_at(depth)
        return Position(block, len(block))

    def line(self, depth: int, source: str) -> None:
        """Append statements."""
        self.block_at(depth).extend(_read([source]))

    def for_loop(self, depth: int, target: str, iterable: str) -> int:
        """Append a loop and open its block; returns the depth inside."""
        ends = expression(target), expression(iterable)
        return self._open_block(depth, Draft(lambda body, _: For(*ends, body)))

    def while_loop(self, depth: int, test: str) -> int:
        read = expression(test)
        return self._open_block(depth, Draft(lambda body, _: While(read, body)))

    def if_block(self, depth: int, test: str, comment: str = "") -> int:
        read = expression(test)
        return self._open_block(depth, Draft(lambda then, other: If(read, then, other, comment)))

    def else_block(self, depth: int) -> int:
        """Open the other block of the choice that was appended last at this depth."""
        choice = self.block_at(depth)[-1]
        assert isinstance(choice, Draft)
        self._open.append(choice.orelse)
        return depth + 1

    def _open_block(self, depth: int, draft: Draft) -> int:
        self.block_at(depth).append(draft)
        self._open.append(draft.body)
        return depth + 1


def _read(lines: Iterable[str]) -> list[Statement]:
    """The statements of lines, each a new object: profiles tell them apart."""
    return [statement.copied() for line in lines for statement in statements(line)]


def _finished(block: list[Item]) -> tuple[Statement, ...]:
    return tuple(
        item.finished(_finished(item.body), _finished(item.orelse))
        if isinstance(item, Draft)
        else item
        for item in block
    )


class ParallelRegion(NamedTuple):
    """A loop outlined as a function of its own, which threads call for chunk after chunk.

    captures   the variables of the kernel that it reads: lines that load them from the table
    preamble   lines that make what each thread has for itself, before its first chunk
    body       one chunk; where it fails, the thread notes that in the table, and leaves the region
    length     iterations of a chunk, and `chunks` of them: numbers, or variables that hold them
    """

    number: int
    captures: list[str]
    preamble: list[str]
    body: tuple[Statement, ...]
    length: int | str
    chunks: int | str
    table_size: int

    def statements(self) -> tuple[Statement, ...]:
        """What the region computes, from the variables of the kernel on."""
        return (*_read((*self.captures, *self.preamble)), *self.body)

    def function(self) -> Function:
        """The region as a function of kernel IR."""
        table = f"table = array_at(address, ({self.table_size},), np.int64)"
        head = _read((table, *self.captures, *self.preamble))
        next_chunk = _read((
            "chunk = next_chunk(address)",
            f"if chunk < 0 or chunk >= {self.chunks}:\n    break",
            f"first = chunk * {self.length}",
        ))  # fmt: skip
        loop = While(expression("True"), (*next_chunk, *self.body))
        return Function(f"region_{self.number}", ("address",), (*head, loop))
