"""Kernels and their functions; the names that statements read and write.

>>> from .reader import statements
>>> loop = statements("for i in range(8):\\n  x[i] = y")
>>> sorted(names_read(loop)), sorted(names_written(loop))
(['i', 'range', 'x', 'y'], ['i'])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ..core.classes import cached_property, record
from .nodes import Call, Name, Param, Part, Statement, lines_of, walk


@record()
class Function(Part):
    """A function: a kernel, one of its parallel regions, or a routine that kernels call."""

    name: str
    parameters: tuple[str, ...]
    body: tuple[Statement, ...]


@record(slots=False)
class KernelIR:
    """A kernel: its parallel regions, then the function `kernel`, which Python calls."""

    functions: tuple[Function, ...]

    @cached_property
    def source(self) -> str:
        """The kernel as Python source."""
        return "".join(f"{line}\n" for line, _ in self.lines())

    def lines(self) -> Iterator[tuple[str, Part | None]]:
        """The lines of the source, each with the statement that begins there."""
        for function in self.functions:
            yield f"def {function.name}({', '.join(function.parameters)}):", function
            yield from lines_of(function.body, 1)

    @cached_property
    def calls(self) -> frozenset[str]:
        """The names of the functions that it calls, those of modules and arrays left out."""
        functions = (part.function for part in walk(self.functions) if type(part) is Call)
        return frozenset(function.id for function in functions if type(function) is Name)


# ---- names -------------------------------------------------------------------------------------


def names_in(parts: Iterable[Any]) -> set[str]:
    """The names in nodes."""
    return {part.id for part in walk(parts) if type(part) in (Name, Param)}


def statements_in(block: Iterable[Any]) -> Iterator[Any]:
    """The statements of a block, and of the blocks inside it, in their order."""
    for statement in block:
        yield statement
        if statement.body:
            yield from statements_in(statement.body + statement.orelse)


def written_by(statement: Any) -> set[str]:
    """The variables that a statement assigns, those in its blocks left out."""
    return {target.id for target in statement.targets() if type(target) is Name}


def names_read(block: Iterable[Any]) -> set[str]:
    """The names that statements read. To store an element reads its array."""
    names: set[str] = set()
    for statement in statements_in(block):
        places = (target for target in statement.targets() if type(target) is not Name)
        names |= names_in([*statement.reads(), *places])
    return names


def names_written(block: Iterable[Any]) -> set[str]:
    """The variables that statements assign."""
    return {name for statement in statements_in(block) for name in written_by(statement)}
