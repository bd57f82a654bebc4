"""Text to syntax tree, also while other threads parse."""

from __future__ import annotations

import ast

ATTEMPTS = 5


def parse(source: str) -> ast.Module:
    """The tree of a source.

    CPython 3.11 counts the depth of a tree for all threads together. Where two of them parse at
    once, which is rare, one gets a SystemError: it parses again.
    """
    for _ in range(ATTEMPTS - 1):
        try:
            return ast.parse(source)
        except SystemError:
            continue
    return ast.parse(source)
