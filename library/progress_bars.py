"""Progress bars, in the output of a cell and on a terminal."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
import threading
from collections.abc import Iterable, Iterator

PATIENCE = 1.0  # seconds after which a wait is shown


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook, which shows HTML."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return shell is not None and hasattr(shell, "kernel")


def is_watched() -> bool:
    """Whether a bar can be shown: in a notebook, or on a terminal with the package rich.

    The environment variable ALLOGRAPH_PROGRESS=0 says that none is wanted.
    """
    if os.environ.get("ALLOGRAPH_PROGRESS") == "0":
        return False
    on_terminal = sys.stdout is not None and sys.stdout.isatty()
    return in_notebook() or (on_terminal and importlib.util.find_spec("rich") is not None)


def new_bar(label: str, total: int | None) -> NotebookBar | TerminalBar:
    """The bar of where this process shows its output."""
    return NotebookBar(label, total) if in_notebook() else TerminalBar(label, total)


class LongWait:
    """Shows that work goes on once it has taken a while: a bar without an end, which vanishes.

    Inside of another wait nothing is shown.
    """

    is_inside = False  # of a wait of the main thread, the only one that is shown
    bar: NotebookBar | TerminalBar | None = None
    lock: contextlib.AbstractContextManager = contextlib.nullcontext()

    def __init__(self, what: str):
        self.what = what
        self.timer: threading.Timer | None = None
        self.has_ended = False

    def __enter__(self) -> LongWait:
        if is_watched() and not LongWait.is_inside:
            from ..extend.state import Lock  # most waits are not watched

            LongWait.is_inside = True
            self.lock = Lock()
            self.timer = threading.Timer(PATIENCE, self.show)
            self.timer.daemon = True
            self.timer.start()
        return self

    def __exit__(self, *error) -> None:
        if self.timer is None:
            return
        LongWait.is_inside = False
        self.timer.cancel()
        with self.lock:  # the bar may be being made
            self.has_ended = True
        if self.bar is not None:
            self.bar.close()

    def show(self) -> None:
        """Show the bar, on the thread of the timer."""
        with self.lock, contextlib.suppress(Exception):  # a picture of work must not end the work
            if not self.has_ended:
                self.bar = NotebookBar(self.what) if in_notebook() else TerminalBar(self.what)


def shown_when_long(what: str) -> LongWait:
    """The context of work that may take long."""
    return LongWait(what)


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
    """A bar in the last line of a terminal.

    `total` is None if it is not known, and 0 where there is nothing to count.
    """

    def __init__(self, label: str, total: int | None = 0):
        # rich is optional, and takes 50 ms to load
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
        )

        title = TextColumn("{task.description}", markup=False)
        progress = TimeElapsedColumn() if total == 0 else MofNCompleteColumn()
        total = total or None
        self.progress = Progress(title, BarColumn(), progress, transient=True)
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
    """A bar that a cell shows and updates; `total` is that of a bar on a terminal."""

    def __init__(self, label: str, total: int | None = 0):
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
        import html  # its table of entities takes 2 ms, and only notebooks need it

        return f"{html.escape(self.label)} <progress{known}></progress> {self._count()}"

    def __repr__(self):
        return f"{self.label}: {self._count()}"

    def _count(self) -> str:
        if self.total == 0:
            return "..."
        return f"{self.done:,}" + (f" of {self.total:,}" if self.total else "")


class _Line:
    def __init__(self, line: str):
        self.line = line

    def __repr__(self):
        return self.line
