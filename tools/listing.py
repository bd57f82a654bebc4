"""Source code on a page: plain, in colours on a terminal, or two texts side by side."""

from __future__ import annotations

import os
import sys
from itertools import zip_longest


def beside(left: str, right: str) -> str:
    """Two texts in two columns.

    >>> print(beside("a = 1\\nb", "x\\ny\\nz"))
    a = 1 | x
    b     | y
          | z
    """
    rows = list(zip_longest(left.splitlines(), right.splitlines(), fillvalue=""))
    width = max((len(one) for one, _ in rows), default=0)
    return "\n".join(f"{one:<{width}} | {other}".rstrip() for one, other in rows)


def show_code(code: str, original: str | None = None) -> None:
    """Print code, and the original to its left if given; colours when the output is a terminal."""
    if in_colours():
        _show_in_colours(code, original)
    else:
        print(code.rstrip("\n") if original is None else beside(original, code))


def in_colours() -> bool:
    """Whether the output is a terminal; NO_COLOR and FORCE_COLOR decide first, as is custom."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def _show_in_colours(code: str, original: str | None) -> None:
    from rich.console import Console
    from rich.syntax import Syntax
    from rich.table import Table

    texts = [code] if original is None else [original, code]
    table = Table.grid(padding=(0, 3))
    table.add_row(*(Syntax(text, "python", theme="ansi_dark", word_wrap=True) for text in texts))
    Console(force_terminal=True).print(table)
