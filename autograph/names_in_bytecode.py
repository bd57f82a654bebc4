"""The names that a function's bytecode loads: globals, closure variables and attributes."""

from __future__ import annotations

import dis
import types
from collections.abc import Iterator
from typing import NamedTuple

from .identity_map import cached_per_object

# Methods that only write to their object: `log.append(x)` does not read the log. `sort` is a method
# of arrays too, of which another may get the name.
MUTATORS = {
    "add", "append", "appendleft", "clear", "discard", "extend", "insert", "remove", "reverse",
    "setdefault", "update",
}  # fmt: skip
GLOBALS = {"LOAD_GLOBAL", "LOAD_NAME"}
CELLS = {"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"}
ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "LOAD_SUPER_METHOD"}
BY_NAME = {"getattr", "hasattr", "attrgetter", "vars"}


class LoadedNames(NamedTuple):
    """Names of globals, of closure variables, and of attributes of any object; those `asked` for
    by strings, as in `hasattr(x, "size")`, may be missing.
    """

    globals: frozenset[str]
    cells: frozenset[str]
    attributes: frozenset[str]
    asked: frozenset[str]


@cached_per_object
def loaded_names(code: types.CodeType) -> LoadedNames:
    """The names that a code object loads, including those of functions defined inside it.

    >>> sorted(loaded_names((lambda line, x: line.weight * x + offset).__code__).attributes)
    ['weight']
    """
    names: dict[str, set[str]] = {group: set() for group in LoadedNames._fields}
    for name, group in _loads(code):
        names[group].add(name)
    if names["globals"] & BY_NAME:
        names["asked"] = {string for string in _strings(code) if string.isidentifier()}
        names["attributes"] |= names["asked"]
    names["cells"] &= set(code.co_freevars)
    return LoadedNames(**{group: frozenset(members) for group, members in names.items()})


def _loads(code: types.CodeType) -> Iterator[tuple[str, str]]:
    instructions = list(dis.get_instructions(code))
    for instruction, after in zip(instructions, [*instructions[1:], None], strict=True):
        if after is not None and after.opname in ATTRIBUTES and after.argval in MUTATORS:
            continue
        for group, names in (("globals", GLOBALS), ("cells", CELLS), ("attributes", ATTRIBUTES)):
            if instruction.opname in names:
                yield instruction.argval, group
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _loads(inner)


def _strings(code: types.CodeType) -> Iterator[str]:
    for constant in code.co_consts:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, types.CodeType):
            yield from _strings(constant)
