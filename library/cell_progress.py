"""A progress bar in the output of a cell."""

from __future__ import annotations

import html
import sys


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook, which shows HTML."""
    module = sys.modules.get("IPython")
    shell = module.get_ipython() if module is not None else None
    return shell is not None and hasattr(shell, "kernel")


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

    def close(self, last: str) -> None:
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
