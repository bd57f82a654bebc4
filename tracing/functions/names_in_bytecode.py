"""What the code of a function reads from outside: globals, closure values, attributes by name."""

from __future__ import annotations

import dis
import functools
import types
from collections.abc import Iterator
from typing import NamedTuple

# What follows a name that is only written to: `log.append(x)` does not read the log.
MUTATORS = {
    "add", "append", "appendleft", "clear", "discard", "extend", "insert", "remove", "reverse",
    "setdefault", "sort", "update",
}  # fmt: skip
GLOBALS = {"LOAD_GLOBAL", "LOAD_NAME"}
CELLS = {"LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FROM_DICT_OR_DEREF"}
ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR", "LOAD_SUPER_METHOD"}
BY_TEXT = {"getattr", "hasattr", "attrgetter", "vars"}


class Reads(NamedTuple):
    """Names of globals, of closure variables, and of attributes of whatever object."""

    globals: frozenset[str]
    cells: frozenset[str]
    attributes: frozenset[str]


@functools.lru_cache(maxsize=4096)
def reads_of(code: types.CodeType) -> Reads:
    """What a code object reads, functions defined inside included.

    >>> sorted(reads_of((lambda line, x: line.weight * x + offset).__code__).attributes)
    ['weight']
    """
    found: dict[str, set[str]] = {"globals": set(), "cells": set(), "attributes": set()}
    for name, kind in _loads(code):
        found[kind].add(name)
    if found["globals"] & BY_TEXT:
        texts = {text for text in _texts(code) if text.isidentifier()}
        found["attributes"] |= texts
    found["cells"] &= set(code.co_freevars)
    return Reads(**{kind: frozenset(names) for kind, names in found.items()})


def _loads(code: types.CodeType) -> Iterator[tuple[str, str]]:
    rows = list(dis.get_instructions(code))
    for row, after in zip(rows, [*rows[1:], None], strict=True):
        if after is not None and after.opname in ATTRIBUTES and after.argval in MUTATORS:
            continue
        for kind, names in (("globals", GLOBALS), ("cells", CELLS), ("attributes", ATTRIBUTES)):
            if row.opname in names:
                yield row.argval, kind
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _loads(inner)


def _texts(code: types.CodeType) -> Iterator[str]:
    for constant in code.co_consts:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, types.CodeType):
            yield from _texts(constant)
