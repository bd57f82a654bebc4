"""Break long lines of generated code inside their brackets."""

from __future__ import annotations

import io
import itertools
import token
import tokenize
from typing import NamedTuple

WIDTH = 88


def wrapped(line: str, indent: int = 0) -> list[str]:
    """The rows of one statement, which starts at column `indent`.

    The content of the longest pair of brackets gets rows of its own: one if it fits, else one for
    each item. What stands in no brackets, and a string, is never broken.

    >>> print(*wrapped(f"f({'a' * 40}, [{'b' * 30}, 'c, d'], {'e' * 20})"), sep="\\n")
    f(
        aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa,
        [bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb, 'c, d'],
        eeeeeeeeeeeeeeeeeeee
    )
    """
    if indent + len(line) <= WIDTH:
        return [" " * indent + line]
    return _rows(line, _pairs(line), Slice(0, len(line), indent))


class Pair(NamedTuple):
    """A pair of brackets with something between them: the columns of its items' ends."""

    opening: int
    closing: int
    commas: list[int]


class Slice(NamedTuple):
    """A slice of a line, and the column where it is to be written."""

    start: int
    end: int
    indent: int


def _rows(line: str, pairs: list[Pair], where: Slice) -> list[str]:
    start, end, indent = where
    code = line[start:end].strip()
    inside = [pair for pair in pairs if start <= pair.opening and pair.closing < end]
    if indent + len(code) <= WIDTH or not inside:
        return [" " * indent + code] if code else []
    longest = max(inside, key=lambda pair: pair.closing - pair.opening)
    content = line[longest.opening + 1 : longest.closing].strip()
    commas = longest.commas if indent + 4 + len(content) > WIDTH else []
    edges = [longest.opening + 1, *(comma + 1 for comma in commas), longest.closing]
    slices = [
        Slice(start, longest.opening + 1, indent),
        *(Slice(start, end, indent + 4) for start, end in itertools.pairwise(edges)),
        Slice(longest.closing, end, indent),
    ]
    return [row for part in slices for row in _rows(line, inside, part)]


def _pairs(line: str) -> list[Pair]:
    """The pairs of brackets of a line that hold something; those in strings are left out."""
    pairs: list[Pair] = []
    open_pairs: list[tuple[int, list[int]]] = []
    strings = 0
    for lexeme in tokenize.generate_tokens(io.StringIO(line).readline):
        name, _, edge = token.tok_name[lexeme.type].partition("_")
        if name in ("FSTRING", "TSTRING"):  # Python 3.12 takes f-strings apart
            strings += (edge == "START") - (edge == "END")
        if lexeme.type != token.OP or strings:
            continue
        column = lexeme.start[1]
        if lexeme.string in ("(", "[", "{"):
            open_pairs.append((column, []))
        elif lexeme.string == "," and open_pairs:
            open_pairs[-1][1].append(column)
        elif lexeme.string in (")", "]", "}"):
            opening, commas = open_pairs.pop()
            if column > opening + 1:
                pairs.append(Pair(opening, column, commas))
    return pairs
