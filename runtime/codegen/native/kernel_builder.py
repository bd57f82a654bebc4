"""Builds the kernel IR of a kernel: each statement goes to the block that is open.

>>> body, x, y = Builder(), Name("x"), Name("y")
>>> with body.loop("i", 8):
...     body.let(y["i"], x[call("wrapped_index", "i", 4)])
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
from ...kernel_ir import nodes as ir
from ...kernel_ir.kernels import Function
from ...kernel_ir.nodes import Name, Operand, Statement, as_node, call, named


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

    def insert(self, statements: Iterable[Statement]) -> None:
        self.block[self.offset : self.offset] = statements


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

    def append(self, statement: Statement) -> None:
        self.block.append(statement)

    def let(self, target: Operand, value: Operand, *more: Operand) -> None:
        """Append an assignment, perhaps to `more` targets."""
        self.append(ir.Let(as_node(target), as_node(value), tuple(map(as_node, more))))

    def update(self, target: Operand, op: str, value: Operand) -> None:
        """Append `target op= value`."""
        self.append(ir.Update(as_node(target), op, as_node(value)))

    def call(self, function: str, *arguments: Operand, results: list | tuple = ()) -> None:
        """Append a call of a function for its effect, and for numbers, if it returns some."""
        value = call(function, *arguments)
        self.append(ir.Let(as_node([*results]), value) if results else ir.Evaluate(value))

    def leave(self, word: str, value: Operand | None = None) -> None:
        """Append a statement that goes elsewhere: `return value`, `break` and so on."""
        self.append(ir.Leave(word, None if value is None else as_node(value)))

    @contextlib.contextmanager
    def inside(self, block: list[Item]) -> Iterator[None]:
        """Meanwhile, statements go to another block."""
        outer, self.block = self.block, block
        yield
        self.block = outer

    def loop(self, target: Operand, *ends: Operand) -> AbstractContextManager[None]:
        """Append a loop over a range; its body is written in the context."""
        variable, iterable = as_node(target), call("range", *ends)
        return self._body_of(Draft(lambda body, _: ir.For(variable, iterable, body)))

    @contextlib.contextmanager
    def loops(self, targets: Iterable[Operand], sizes: Iterable[Operand]) -> Iterator[None]:
        """Append loops from 0 to each of the sizes, each in the one before."""
        with contextlib.ExitStack() as stack:
            for target, size in zip(targets, sizes, strict=True):
                stack.enter_context(self.loop(target, size))
            yield

    def while_loop(self, test: Operand) -> AbstractContextManager[None]:
        condition = as_node(test)
        return self._body_of(Draft(lambda body, _: ir.While(condition, body)))

    def when(self, test: Operand, comment: str = "") -> AbstractContextManager[None]:
        """Append a choice; what is done where the test holds is written in the context."""
        condition = as_node(test)
        return self._body_of(Draft(lambda then, other: ir.If(condition, then, other, comment)))

    def otherwise(self) -> AbstractContextManager[None]:
        """The other side of the choice that was appended last."""
        choice = self.block[-1]
        assert isinstance(choice, Draft)
        return self.inside(choice.orelse)

    def fail_when(self, test: Operand, error: str = "AssertionError") -> None:
        """Append a test whose truth ends the kernel."""
        with self.when(test):
            self.leave("raise", error)

    def _body_of(self, draft: Draft) -> AbstractContextManager[None]:
        self.block.append(draft)
        return self.inside(draft.body)


def _finished(block: list[Item]) -> tuple[Statement, ...]:
    return tuple(
        item.finished(_finished(item.body), _finished(item.orelse))
        if isinstance(item, Draft)
        else item
        for item in block
    )


class ParallelRegion(NamedTuple):
    """A loop outlined as a function of its own, which threads call for chunk after chunk.

    captures   the variables of the kernel that it reads: statements that load them from the table
    preamble   statements that make what each thread has for itself, before its first chunk
    body       one chunk; where it fails, the thread notes that in the table, and leaves the region
    length     iterations of a chunk, and `chunks` of them: numbers, or variables that hold them
    """

    number: int
    captures: list[Statement]
    preamble: list[Statement]
    body: tuple[Statement, ...]
    length: Operand
    chunks: Operand
    table_size: int

    def statements(self) -> tuple[Statement, ...]:
        """What the region computes, from the variables of the kernel on."""
        return (*self.captures, *self.preamble, *self.body)

    def function(self) -> Function:
        """The region as a function of kernel IR."""
        region, chunk = Builder(), Name("chunk")
        region.let("table", call("array_at", "address", (self.table_size,), named("np.int64")))
        region.block += [*self.captures, *self.preamble]
        with region.while_loop(True):
            region.let(chunk, call("next_chunk", "address"))
            with region.when((chunk < 0).joined("or", chunk >= self.chunks)):
                region.leave("break")
            region.let("first", chunk * self.length)
            region.block += self.body
        return Function(f"region_{self.number}", ("address",), region.statements())
