"""Records: which graphs a case has traced, and the texts of their stages as JSON lines."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import threading
from collections import Counter
from collections.abc import Iterator
from typing import TextIO
from unittest import mock

from replay.stages import (
    ConcreteFunction,
    Conversion,
    Executable,
    normalized,
    stages_of,
    without_compiler,
)

MOST_GRAPHS = 12  # of one case: the first ones
MOST_CONVERSIONS = 24


class Recorder:
    """Collects what is traced between two flushes, and writes the texts of all stages.

    `thorough` adds the stages that take long.
    """

    def __init__(self, file: TextIO, trees: tuple[str, ...] = (), thorough: bool = False):
        self.file = file
        self.trees = trees
        self.thorough = thorough
        self.graphs: list = []
        self.codes: list[str] = []
        self.counts: Counter = Counter()
        self.is_active = True
        self._written: set[str] = set()

    # ---- collecting ----------------------------------------------------------------------

    @contextlib.contextmanager
    def installed(self) -> Iterator[Recorder]:
        """While it is entered, every traced graph and every conversion is collected, and functions
        run on NumPy.
        """
        with (
            without_compiler(),
            _after(ConcreteFunction, "__init__", lambda made: self.add(made.frozen)),
            _after(Executable, "__init__", lambda made: self.add(made.source)),
            _after(Conversion, "__init__", self._add_conversion),
            mock.patch.object(Executable, "compile", _compile_on_plan(Executable.compile)),
        ):
            yield self

    def add(self, graph) -> None:
        """Note a graph, from the main thread: the order of others depends on time."""
        if not self.is_active or threading.current_thread() is not threading.main_thread():
            return
        if len(self.graphs) < MOST_GRAPHS and all(graph is not known for known in self.graphs):
            self.counts["number of graphs"] += 1
            self.graphs.append(graph)

    def _add_conversion(self, conversion) -> None:
        if not self.is_active or threading.current_thread() is not threading.main_thread():
            return
        if len(self.codes) < MOST_CONVERSIONS:
            self.counts["number of conversions"] += 1
            self.codes.append(conversion.emitted()[0])

    # ---- writing -------------------------------------------------------------------------

    def flush(self, case: str) -> None:
        """Write what was collected as the texts of one case."""
        self.is_active = False
        try:
            self._write_case(case)
        finally:
            self.graphs, self.codes, self.counts = [], [], Counter()
            self.is_active = True

    def _write_case(self, case: str) -> None:
        for what, count in self.counts.items():
            self.write(case, what, str(count))
        for number, text in enumerate(self.codes, 1):
            self.write(f"{case} | conversion {number}", "generated source", text)
        names: Counter = Counter()
        for graph in self.graphs:
            names[graph.name] += 1
            title = f"{case} | {graph.name} {names[graph.name]}"
            for stage, text in stages_of(graph, self.thorough):
                self.write(title, stage, text)

    def write(self, case: str, stage: str, text: str) -> None:
        """One line; a text that was written before is not repeated."""
        text = normalized(text, self.trees)
        digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]
        row = {"case": case, "stage": stage, "hash": digest}
        if digest not in self._written:
            self._written.add(digest)
            row["text"] = text
        self.file.write(json.dumps(row) + "\n")


@contextlib.contextmanager
def _after(owner: type, name: str, look) -> Iterator[None]:
    """While it is entered, `look` sees each object after its method `name`."""
    original = getattr(owner, name)

    @functools.wraps(original)
    def method(self, *args, **kwargs):
        result = original(self, *args, **kwargs)
        look(self)
        return result

    with mock.patch.object(owner, name, method):
        yield


def _compile_on_plan(original):
    """Writes the kernels of an executable, which goes on with NumPy."""

    def compile(executable) -> None:
        if threading.current_thread() is threading.main_thread():
            original(executable)
            executable._native = None

    return compile
