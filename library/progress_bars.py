"""Progress bars, in the output of a cell and on a terminal."""

from __future__ import annotations

import html
import importlib.util
import sys
from collections.abc import Iterable, Iterator


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook, which shows HTML."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return shell is not None and hasattr(shell, "kernel")


def is_watched() -> bool:
    """Whether a bar can be shown: in a notebook, or on a terminal with the package rich."""
    on_terminal = sys.stdout is not None and sys.stdout.isatty()
    return in_notebook() or (on_terminal and importlib.util.find_spec("rich") is not None)


def new_bar(label: str, total: int | None) -> NotebookBar | TerminalBar:
    """The bar of where this process shows its output."""
    return NotebookBar(label, total) if in_notebook() else TerminalBar(label, total)


def watched(items: Iterable, label: str, total: int | None) -> Iterator:
    """The items, beside a bar that vanishes after the last one; no bar where nobody watches.

    >>> list(watched([1, 2], "predict", 2))
    [1, 2]
    """
    if not is_watched():
        yield from items
        return
    bar = new_bar(label, total)
    try:
        for item in items:
            yield item
            bar.advance()
    finally:
        bar.close()


class TerminalBar:
    """A bar in the last line of a terminal; `total` is None if it is not known."""

    def __init__(self, label: str, total: int | None):
        # rich is optional, and takes 50 ms to load
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        self.progress = Progress(*columns, transient=True)
        self.task = self.progress.add_task(label, total=total)
        self.progress.start()

    def advance(self) -> None:
        self.progress.advance(self.task)

    def close(self, last: str = "") -> None:
        """Replace the bar by a line of text."""
        self.progress.stop()
        if last:
            print(last)


class NotebookBar:
    """A bar that a cell shows and updates; `total` is None if it is not known."""

    def __init__(self, label: str, total: int | None):
        from IPython.display import display  # loaded already, where there is a notebook

        self.label, self.total, self.done = label, total, 0
        self.handle = display(self, display_id=True)

    def advance(self) -> None:
        """One step more. The page is told a hundred times at most."""
        self.done += 1
        step = max(1, (self.total or 0) // 100)
        if self.done % step == 0:
            self.handle.update(self)

    def close(self, last: str = "") -> None:
        """Replace the bar by a line of text."""
        self.handle.update(_Line(last))

    def _repr_html_(self) -> str:
        known = f' value="{self.done}" max="{self.total}"' if self.total else ""
        return f"{html.escape(self.label)} <progress{known}></progress> {self._count()}"

    def __repr__(self):
        return f"{self.label}: {self._count()}"

    def _count(self) -> str:
        return f"{self.done:,}" + (f" of {self.total:,}" if self.total else "")


class _Line:
    def __init__(self, line: str):
        self.line = line

    def __repr__(self):
        return self.line
