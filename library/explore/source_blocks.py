"""The user's source around given lines: whole functions, not whole files."""

from __future__ import annotations

import ast
import linecache
from types import CodeType
from typing import Any

from ...extend.tracing import parsed


def lines_around(spots: list[tuple[str, int]], code: CodeType | None) -> list[dict[str, Any]]:
    """The blocks of source that hold the given lines, and the function of `code` first.

    A block is the outermost function or class around a line, or else the line alone.
    """
    wanted: dict[str, set[int]] = {code.co_filename: {code.co_firstlineno}} if code else {}
    for file, line in spots:
        wanted.setdefault(file, set()).add(line)
    blocks: list[dict[str, Any]] = []
    for file, lines in wanted.items():
        source = linecache.getlines(file)
        for first, last in _merged(_ranges(source, lines)):
            if rows := [line.rstrip("\r\n") for line in source[first - 1 : last]]:
                block = {"file": file, "first": first, "lines": rows}
                is_own = code and file == code.co_filename and first <= code.co_firstlineno <= last
                blocks.insert(0 if is_own else len(blocks), block)
    return blocks


def _ranges(source: list[str], lines: set[int]) -> list[tuple[int, int]]:
    """The first and last lines of what is around each line."""
    try:
        body = parsed("".join(source)).body
    except (SyntaxError, ValueError):  # a notebook's magic, for instance
        body = []
    scopes = [
        (min([node.lineno, *(one.lineno for one in node.decorator_list)]), node.end_lineno or 0)
        for node in body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
    ]
    return [
        next((scope for scope in scopes if scope[0] <= line <= scope[1]), (line, line))
        for line in sorted(lines)
    ]


def _merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for first, last in sorted(set(ranges)):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        else:
            merged.append((first, last))
    return merged
