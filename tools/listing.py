"""Source code on a page: plain, in color on a terminal, or two side by side."""

from __future__ import annotations

import os
import sys
from itertools import zip_longest


def beside(left: str, right: str) -> str:
    """Two strings in two columns.

    >>> print(beside("a = 1\\nb", "x\\ny\\nz"))
    a = 1 | x
    b     | y
          | z
    """
    rows = list(zip_longest(left.splitlines(), right.splitlines(), fillvalue=""))
    width = max((len(one) for one, _ in rows), default=0)
    return "\n".join(f"{one:<{width}} | {other}" for one, other in rows)


def mapped(code: str, lines: dict[int, int]) -> str:
    """Each line of generated code, with its number and that of the user's line.

    >>> print(mapped("def f():\\n    return 1", {1: 7, 2: 8}))
    generated | source |
            1 |      7 | def f():
            2 |      8 |     return 1
    """
    rows = [f"{'generated':>9} | {'source':>6} |"]
    for number, line in enumerate(code.splitlines(), 1):
        rows.append(f"{number:>9} | {lines.get(number, ''):>6} | {line}".rstrip())
    return "\n".join(rows)


def aligned(original: list[str], first: int, code: str, lines: dict[int, int]) -> str:
    """The user's lines on the left, each beside the first generated line that came from it; the
    comments that repeat them are left out.

    >>> print(aligned(["def f(x):", "    # comment", "    return x"], 5,
    ...               "def tf__f(x):\\n    with scope:\\n        return x", {1: 5, 3: 7}))
    5 def f(x):       | def tf__f(x):
                      |     with scope:
    6     # comment   |
    7     return x    |         return x
    """
    last = first + len(original) - 1
    user_lines = {first + index: line.rstrip() for index, line in enumerate(original)}
    left = {number: f"{number:>{len(str(last))}} {line}" for number, line in user_lines.items()}
    width = max(map(len, left.values()), default=0) + 2
    rows, shown = [], first  # `shown`: the next of the user's lines
    for number, line in enumerate(code.splitlines(), 1):
        if line.lstrip().startswith("# "):
            continue
        origin = lines.get(number, 0)
        beside_it = ""
        if shown <= origin <= last:
            rows += [f"{left[skipped]:<{width}} |" for skipped in range(shown, origin)]
            beside_it, shown = left[origin], origin + 1
        rows.append(f"{beside_it:<{width}} | {line}")
    rows += [f"{left[number]:<{width}} |" for number in range(shown, last + 1)]
    return "\n".join(rows)


def show_code(code: str, original: str | None = None) -> None:
    """Print code, and the original to its left if given; colors when the output is a terminal."""
    if in_color():
        _show_in_color(code, original)
    else:
        print(code.rstrip("\n") if original is None else beside(original, code))


def in_color() -> bool:
    """Whether the output is a terminal; NO_COLOR and FORCE_COLOR decide first, as is custom."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or sys.stdout.isatty()


def _show_in_color(code: str, original: str | None) -> None:
    from rich.console import Console
    from rich.syntax import Syntax
    from rich.table import Table

    sources = [code] if original is None else [original, code]
    table = Table.grid(padding=(0, 3))
    table.add_row(
        *(Syntax(source, "python", theme="ansi_dark", word_wrap=True) for source in sources)
    )
    Console(force_terminal=True).print(table)
