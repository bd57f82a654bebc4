"""Parses Python source, also while other threads do."""

from __future__ import annotations

import ast

from .locks import Lock

ATTEMPTS = 5
_LOCK = Lock()


def parsed(source: str, mode: str = "exec"):
    """The syntax tree of a source.

    CPython 3.11 counts the depth of trees for all threads together: where two of them parse at
    once, which the garbage collector can bring about, one may get a SystemError. So threads parse
    one after another here, and once more after a thread that parses elsewhere.

    >>> parsed("1 + x", "eval").body.right.id
    'x'
    """
    for _ in range(ATTEMPTS - 1):
        try:
            with _LOCK:
                return ast.parse(source, mode=mode)
        except SystemError:
            continue
    return ast.parse(source, mode=mode)
