"""Builds the kernel IR of a kernel: each statement goes to the block that is open.

>>> body = Builder()
>>> with body.loop("i", "range(8)"):
...     body.line("y[i] = x[wrapped_index(i, 4)]")
>>> print(*body.statements())
for i in range(8):
    y[i] = x[wrapped_index(i, 4)]
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
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
    """Appends statements to `block`, the one that is open.

    `origins` has the node whose result a variable holds, for those who look at the source.
    """

    def __init__(self) -> None:
        self.block: list[Item] = []
        self.origins: dict[str, Node] = {}

    def statements(self) -> tuple[Statement, ...]:
        """What is in the block."""
        return _finished(self.block)

    def position(self) -> Position:
        """Where the next statement will stand."""
        return Position(self.block, len(self.block))

    def line(self, source: str) -> None:
        """Append statements."""
        self.block.extend(_read([source]))

    @contextlib.contextmanager
    def inside(self, block: list[Item]) -> Iterator[None]:
        """Meanwhile, statements go to another block."""
        outer, self.block = self.block, block
        yield
        self.block = outer

    def loop(self, target: str, iterable: str) -> AbstractContextManager[None]:
        """Append a loop; its body is written in the context."""
        ends = expression(target), expression(iterable)
        return self._body_of(Draft(lambda body, _: For(*ends, body)))

    @contextlib.contextmanager
    def loops(self, targets: Iterable[str], sizes: Iterable[object]) -> Iterator[None]:
        """Append loops from 0 to each of the sizes, each in the one before."""
        with contextlib.ExitStack() as stack:
            for target, size in zip(targets, sizes, strict=True):
                stack.enter_context(self.loop(target, f"range({size})"))
            yield

    def while_loop(self, test: str) -> AbstractContextManager[None]:
        read = expression(test)
        return self._body_of(Draft(lambda body, _: While(read, body)))

    def when(self, test: str, comment: str = "") -> AbstractContextManager[None]:
        """Append a choice; what is done where the test holds is written in the context."""
        read = expression(test)
        return self._body_of(Draft(lambda then, other: If(read, then, other, comment)))

    def otherwise(self) -> AbstractContextManager[None]:
        """The other side of the choice that was appended last."""
        choice = self.block[-1]
        assert isinstance(choice, Draft)
        return self.inside(choice.orelse)

    def fail_when(self, test: str, error: str = "AssertionError") -> None:
        """Append a test whose truth ends the kernel."""
        with self.when(test):
            self.line(f"raise {error}")

    def _body_of(self, draft: Draft) -> AbstractContextManager[None]:
        self.block.append(draft)
        return self.inside(draft.body)


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
