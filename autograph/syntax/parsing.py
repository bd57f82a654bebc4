"""Parse source code, also while other threads do."""

from __future__ import annotations

import ast

ATTEMPTS = 5


def parse(source: str) -> ast.Module:
    """The syntax tree of source code.

    CPython 3.11 counts the depth of trees in all threads together. If two of them parse at the same
    time, which is rare, one gets a SystemError and has to parse again.
    """
    for _ in range(ATTEMPTS - 1):
        try:
            return ast.parse(source)
        except SystemError:
            continue
    return ast.parse(source)
