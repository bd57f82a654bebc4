"""Kernels and their functions; the names that statements read and write.

>>> from .reader import statements
>>> loop = statements("for i in range(8):\\n  x[i] = y")
>>> sorted(names_read(loop)), sorted(names_written(loop))
(['i', 'range', 'x', 'y'], ['i'])
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from ..core.classes import cached_property, record
from .nodes import Call, If, Let, Load, Name, Param, Part, Statement, lines_of, walk


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


def names_exposed(block: Iterable[Any], assigned: set[str] | None = None) -> set[str]:
    """The names that statements may read before they assign them; those that are assigned on all
    paths are added to `assigned`.
    """
    assigned, names = set() if assigned is None else assigned, set()
    for statement in block:
        places = (target for target in statement.targets() if type(target) is not Name)
        names |= names_in([*statement.reads(), *places]) - assigned
        if type(statement) is If:
            sides = {*assigned}, {*assigned}
            names |= names_exposed(statement.body, sides[0])
            names |= names_exposed(statement.orelse, sides[1])
            assigned |= sides[0] & sides[1]
        elif statement.body:
            names |= names_exposed(statement.body, assigned | written_by(statement))
        else:
            assigned |= written_by(statement)
    return names


# ---- memory ------------------------------------------------------------------------------------

PART, DISJOINT = "part_", "disjoint_"  # the prefixes of functions in the source of a kernel,
RECURSIVE = "recursive_"  # and of those that call themselves
NEW_ARRAYS = {"new_array", "zeros"}
NUMBER_TYPES = {"bool", "complex", "float", "int", "uint"}


def last_needed(block: tuple[Statement, ...]) -> list[list[int]]:
    """For each statement of a block, those that made the arrays which none behind it needs; those
    that are needed when the last array is made are left out.

    >>> from .reader import statements
    >>> last_needed(statements("a = new_array(2); b = a[1:]; f(b); c = new_array(3); f(c)"))
    [[], [], [0], [], []]
    """
    followers: dict[str, set[str]] = defaultdict(set)  # by name: what may refer to its memory
    for part in statements_in(block):
        for name in _referred(part):
            followers[name] |= _assigned(part)
    last = {name: at for at, statement in enumerate(block) for name in names_read([statement])}
    allocations = [at for at, statement in enumerate(block) if type(statement) is Let
                   and getattr(statement.value, "name", "") in NEW_ARRAYS]  # fmt: skip
    dead: list[list[int]] = [[] for _ in block]
    for at in allocations:
        names = dict.fromkeys(written_by(block[at]))
        waiting = [*names]
        for name in waiting:
            waiting += followers[name] - names.keys()
            names |= dict.fromkeys(followers[name])
        end = max(last.get(name, at) for name in names)
        if end < allocations[-1]:
            dead[end].append(at)
    return dead


def memory_groups(function: Function) -> dict[str, str]:
    """One name for all names that may refer to the same memory, by each of these."""
    group_of: dict[str, str] = {}
    variables = names_written(function.body) | {*function.parameters, "array_at"}

    def group(name: str) -> str:
        while group_of.setdefault(name, name) != name:
            name = group_of[name]
        return name

    for statement in statements_in(function.body):
        names = written_by(statement)
        if names and not _is_number(getattr(statement, "value", None)):
            first, *others = sorted(names | names_in(statement.reads()) & variables)
            group_of.update({group(name): group(first) for name in (first, *others)})
    return {name: group(name) for name in [*group_of]}


def _assigned(statement: Any) -> set[str]:
    """The variables that a statement assigns, and the arrays that it stores into."""
    stored = (target.array for target in statement.targets() if type(target) is Load)
    return written_by(statement) | names_in(stored)


def _referred(statement: Any) -> set[str]:
    """The names that what a statement assigns may refer to. A new number may be an address, but
    that of no array whose elements it is made of.
    """
    if type(statement) is Let and _is_number(statement.value):
        return names_whole([statement.value])
    return names_in(statement.reads())


def _is_number(value: Any) -> bool:
    """Whether an expression is a number, as its outermost call says."""
    if type(value) is not Call:
        return False
    name, _, last = value.name.rpartition("_")
    return last.rstrip("0123456789") in (("f", "l", "i") if name else NUMBER_TYPES)


def names_whole(parts: Iterable[Any]) -> set[str]:
    """The names in nodes, those of arrays of which elements or parts are read left out."""
    names: set[str] = set()
    for part in parts:
        is_item = type(part) is Load and type(part.array) is Name
        names |= {part.id} if type(part) is Name else set()
        names |= names_whole(part.indices if is_item else part.children())
    return names
