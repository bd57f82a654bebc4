"""Loop IR: the statements of a kernel as a tree of records, between a schedule and kernel source.

    >>> body = Builder()
    >>> inside = body.for_loop(1, "i", "range(8)")
    >>> body.line(inside, "y[i] = x[wrapped_index(i, 4)]")
    >>> print("".join(printed(body.root, 1)), end="")
        for i in range(8):
            y[i] = x[wrapped_index(i, 4)]
    >>> sorted(names_read(body.root)), sorted(names_written(body.root))
    (['i', 'range', 'wrapped_index', 'x', 'y'], ['i'])

Kernel source is a subset of Python, so a statement is read by Python's parser: which variables it
reads and writes, and what it calls, are walks over syntax trees.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import NamedTuple

from ...core.classes import record
from ...core.parsing import parsed
from ...ir.graph import Node

INDENT = "    "


@record(eq=True)
class Simple:
    """A statement of one line: an assignment, a call, `break`, `raise`, `return`."""

    source: str


@record(eq=True)
class For:
    """A loop over a range."""

    target: str
    iterable: str
    body: list[Statement] = field(default_factory=list)

    @property
    def header(self) -> str:
        return f"for {self.target} in {self.iterable}:"


@record(eq=True)
class While:
    """A loop that goes on while its test holds."""

    test: str
    body: list[Statement] = field(default_factory=list)

    @property
    def header(self) -> str:
        return f"while {self.test}:"


@record(eq=True)
class If:
    """A choice; `comment` stands behind its test."""

    test: str
    body: list[Statement] = field(default_factory=list)
    orelse: list[Statement] = field(default_factory=list)
    comment: str = ""

    @property
    def header(self) -> str:
        return f"if {self.test}:{f'  # {self.comment}' if self.comment else ''}"


Statement = Simple | For | While | If


class ParallelRegion(NamedTuple):
    """A loop outlined as a function of its own, which threads call for chunk after chunk.

    captures   the variables of the kernel that it reads: statements that load them from the table
    preamble   what each thread makes for itself, before its first chunk
    body       one chunk; where it fails, the thread notes that in the table, and leaves the region
    length     iterations of a chunk, and `chunks` of them: numbers, or variables that hold them
    """

    number: int
    captures: list[str]
    preamble: list[str]
    body: list[Statement]
    length: int | str
    chunks: int | str
    table_size: int

    def printed(self) -> str:
        """The function, as kernel source."""
        head = [
            f"def region_{self.number}(address):",
            f"{INDENT}table = array_at(address, ({self.table_size},), np.int64)",
            *(f"{INDENT}{source}" for source in (*self.captures, *self.preamble)),
            f"{INDENT}while True:",
            f"{INDENT * 2}chunk = next_chunk(address)",
            f"{INDENT * 2}if chunk < 0 or chunk >= {self.chunks}:",
            f"{INDENT * 3}break",
            f"{INDENT * 2}first = chunk * {self.length}",
        ]
        return "".join(f"{line}\n" for line in head) + "".join(printed(self.body, 2))


# ---- building ----------------------------------------------------------------------------------


class Position(NamedTuple):
    """A position in a block, before the statement that comes next."""

    block: list[Statement]
    offset: int

    def insert(self, statements: Iterable[Statement]) -> None:
        self.block[self.offset : self.offset] = statements


class Builder:
    """Appends statements: each goes to the block that is open at its depth.

    `origins` has the node whose result a variable holds, for those who look at the source.
    """

    def __init__(self, depth: int = 1):
        self.root: list[Statement] = []
        self.origins: dict[str, Node] = {}
        self.depth = depth
        self._open = [self.root]

    def block_at(self, depth: int) -> list[Statement]:
        """The block that is open at a depth; those inside of it are closed."""
        del self._open[depth - self.depth + 1 :]
        return self._open[depth - self.depth]

    def position(self, depth: int) -> Position:
        """Where the next statement of a depth will stand."""
        block = self.block_at(depth)
        return Position(block, len(block))

    def line(self, depth: int, source: str) -> None:
        """Append a statement of one line."""
        self.block_at(depth).append(Simple(source))

    def for_loop(self, depth: int, target: str, iterable: str) -> int:
        """Append a loop and open its block; returns the depth inside."""
        return self._open_block(depth, For(target, iterable))

    def while_loop(self, depth: int, test: str) -> int:
        return self._open_block(depth, While(test))

    def if_block(self, depth: int, test: str, comment: str = "") -> int:
        return self._open_block(depth, If(test, comment=comment))

    def else_block(self, depth: int) -> int:
        """Open the other block of the choice that was appended last at this depth."""
        choice = self.block_at(depth)[-1]
        assert isinstance(choice, If)
        self._open.append(choice.orelse)
        return depth + 1

    def _open_block(self, depth: int, statement: For | While | If) -> int:
        self.block_at(depth).append(statement)
        self._open.append(statement.body)
        return depth + 1


def statements_of(source: str) -> list[Statement]:
    """The statements of a piece of kernel source, without comments."""
    return [_statement(node, source) for node in parsed(source).body]


def _statement(node: ast.stmt, source: str) -> Statement:
    def inside(block: list[ast.stmt]) -> list[Statement]:
        return [_statement(one, source) for one in block]

    def words(part: ast.AST) -> str:
        return str(ast.get_source_segment(source, part))

    if isinstance(node, ast.For):
        return For(words(node.target), words(node.iter), inside(node.body))
    if isinstance(node, ast.While):
        return While(words(node.test), inside(node.body))
    if isinstance(node, ast.If):
        return If(words(node.test), inside(node.body), inside(node.orelse))
    return Simple(words(node))


def printed(block: Iterable[Statement], depth: int) -> Iterator[str]:
    """The lines of a block."""
    for statement in block:
        if isinstance(statement, Simple):
            yield f"{INDENT * depth}{statement.source}\n"
            continue
        yield f"{INDENT * depth}{statement.header}\n"
        yield from printed(statement.body, depth + 1)
        if isinstance(statement, If) and statement.orelse:
            yield f"{INDENT * depth}else:\n"
            yield from printed(statement.orelse, depth + 1)


# ---- analysis ----------------------------------------------------------------------------------


class Names(NamedTuple):
    """What a piece of source reads and writes."""

    read: frozenset[str]
    written: frozenset[str]


@functools.lru_cache(1 << 12)
def names_of(source: str) -> Names:
    """The names in a statement of one line, or in the header of another."""
    read: set[str] = set()
    written: set[str] = set()
    for node in ast.walk(parsed(f"{source} pass" if source.endswith(":") else source)):
        if isinstance(node, ast.Name):
            (written if isinstance(node.ctx, ast.Store) else read).add(node.id)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            read.add(node.target.id)
    return Names(frozenset(read), frozenset(written))


def walk(block: Iterable[Statement]) -> Iterator[Statement]:
    """The statements of a block, and of the blocks inside it."""
    for statement in block:
        yield statement
        if not isinstance(statement, Simple):
            yield from walk(statement.body)
        if isinstance(statement, If):
            yield from walk(statement.orelse)


def _names(block: Iterable[Statement]) -> Iterator[Names]:
    for statement in walk(block):
        if isinstance(statement, Simple):
            yield names_of(statement.source)
        else:
            yield names_of(statement.header.partition("  # ")[0])


def names_read(block: Iterable[Statement]) -> set[str]:
    return {name for names in _names(block) for name in names.read}


def names_written(block: Iterable[Statement]) -> set[str]:
    return {name for names in _names(block) for name in names.written}
