"""`annotate`: the source of a function, with how each line runs: native, NumPy, threads..."""

from __future__ import annotations

import html
import inspect
import os
import sys
import textwrap
from collections.abc import Callable
from types import MethodType
from typing import Any, NamedTuple

from ... import function as traced_function
from ...extend.errors import InvalidArgumentError
from ...extend.graphs import TOO_LITTLE, Graph
from ...extend.registration import public
from ...extend.tracing import ConcreteFunction, JitFunction, plain_function
from .explain import explain
from .shared_loops import loops_of

NATIVE, NUMPY, PYTHON, THREADS = "native", "NumPy", "Python", "threads"
COLORS = {NATIVE: "32", THREADS: "36", NUMPY: "33", PYTHON: "31"}  # of terminals
SHADES = {NATIVE: "#2da04433", THREADS: "#1b9aaa44", NUMPY: "#d9a40044", PYTHON: "#d0403044"}


class Line(NamedTuple):
    """A line of the source. `execution` says how it runs; "" where nothing is computed."""

    number: int
    source: str
    execution: str
    why: str


class Annotation:
    """The lines of a function, and how each runs. Printed, it is a listing; a notebook shows it in
    color, and `save` writes it as a page of HTML.
    """

    def __init__(self, title: str, lines: list[Line]):
        self.title, self.lines = title, lines

    def listing(self, colored: bool = False) -> str:
        """The listing as text, in the colors of a terminal or without."""
        return "\n".join([self.title, *(_listing_row(line, colored) for line in self.lines)])

    def __repr__(self):
        return self.listing(colored=sys.stdout.isatty() and "NO_COLOR" not in os.environ)

    def _repr_html_(self) -> str:
        rows = "".join(map(_as_row, self.lines))
        head = f"<div><b>{html.escape(self.title)}</b></div>"
        return f'{head}<table style="border-collapse:collapse;font-family:monospace">{rows}</table>'

    def save(self, path: str | os.PathLike) -> None:
        """Write the listing as a page of HTML."""
        page = (
            f'<!DOCTYPE html>\n<html lang="en"><meta charset="utf-8"><meta name="color-scheme" '
            f'content="light dark"><title>{html.escape(self.title)}</title>'
            f"{self._repr_html_()}</html>\n"
        )
        with open(path, "w", encoding="utf-8") as file:
            file.write(page)


@public("annotate")
def annotate(function: Callable, /, *args: Any, **kwargs: Any) -> Annotation:
    """The source of a function, and of each line whether it runs as native code, on threads, on
    NumPy or in Python, and why.

    `function` is one of `jit` or of tensors. Without arguments, it says so of its latest
    trace; with arguments, or a `TensorSpec` for each, those of a trace for them.

    >>> import numpy as np
    >>> import allograph as ag
    >>> @ag.jit
    ... def halves(a):
    ...     a = a / 2
    ...     return f"{a[0]}"
    >>> _ = halves(np.ones(3))
    >>> [line.execution for line in ag.annotate(halves).lines]
    ['', '', 'Python', 'Python']
    >>> ag.annotate(halves).lines[-1].why
    'a computed value is formatted as a string'

    Raises InvalidArgumentError where there is no trace yet, and no argument.
    """
    if isinstance(function, MethodType) and isinstance(function.__func__, JitFunction):
        args, function = ((function.__self__, *args) if args or kwargs else ()), function.__func__
    if isinstance(function, JitFunction):
        return _of_jit(function, args, kwargs)
    return _of_tensors(function, args, kwargs)


def _of_jit(function: JitFunction, args: tuple, kwargs: dict) -> Annotation:
    known = list(function.jit_table.values())
    if args or kwargs:
        entry = function.entry_for(*args, **kwargs)
    elif known:
        entry = known[-1]
    else:
        raise _without_trace(function.__name__)
    if entry.traced is None:
        place = entry.where.line if entry.where is not None else None
        title = f"{function.__name__}: Python and NumPy run it, since {entry.reason}"
        return Annotation(title, _in_python(function.python_function, place, entry.reason or ""))
    executions = _executions_of(entry.traced.executable.graph)
    for loop in loops_of(entry.traced.executable):
        execution = (
            THREADS if loop.why_not is None else executions.get(loop.where.line, (NATIVE, ""))[0]
        )
        why = f"one thread: {loop.why_not}" if loop.why_not else "threads share its iterations"
        executions[loop.where.line] = execution, why
    title = f"{function.__name__}: native code"
    return Annotation(title, _marked(function.python_function, executions))


def _of_tensors(function: Any, args: tuple, kwargs: dict) -> Annotation:
    decorated = hasattr(function, "get_concrete_function") or isinstance(function, ConcreteFunction)
    traced: Any = function if decorated else traced_function(function)
    concrete = traced
    if not isinstance(traced, ConcreteFunction):
        latest = list(getattr(traced, "traces", {}).values())
        if not (args or kwargs or latest):
            raise _without_trace(getattr(traced, "name", "the function"))
        has_arguments = bool(args or kwargs)
        concrete = traced.get_concrete_function(*args, **kwargs) if has_arguments else latest[-1]
    plain = plain_function(getattr(traced, "python_function", traced))
    return Annotation(concrete.name, _marked(plain, _executions_of(concrete.optimized_graph)))


def _without_trace(name: str) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"'{name}' has not been called, so that no line of it is known to be native",
        "Call it first, or give the arguments of a call.",
    )


def _executions_of(graph: Graph) -> dict[int, tuple[str, str]]:
    """How each line runs, and why: on NumPy where a part of the line runs there, unless that is
    little work before native code, such as a size.
    """
    little: dict[int, tuple[str, str]] = {}
    executions: dict[int, tuple[str, str]] = {}
    for row in explain(graph).rows:
        if row.node.where is None:
            continue
        line, called = row.node.where.line, row.node.attrs.get("function")
        if row.is_native:
            executions.setdefault(line, (NATIVE, ""))
        elif row.why == TOO_LITTLE:
            little[line] = NUMPY, TOO_LITTLE
        elif executions.get(line, (NATIVE,))[0] == NATIVE:
            name = getattr(called, "name", None)
            executions[line] = NUMPY, f"a call of {name}" if name else row.why or ""
    return {**little, **executions}


def _marked(plain: Any, executions: dict[int, tuple[str, str]]) -> list[Line]:
    return [Line(at, source, *executions.get(at, ("", ""))) for at, source in _source(plain)]


def _in_python(plain: Any, place: int | None, reason: str) -> list[Line]:
    """All lines as Python's, with the reason at its line."""
    lines, is_inside = [], False
    for at, source in _source(plain):
        execution = PYTHON if is_inside and source.strip() else ""
        is_inside = is_inside or source.rstrip().endswith(":")
        lines.append(Line(at, source, execution, reason if at == place else ""))
    return lines


def _source(plain: Any) -> list[tuple[int, str]]:
    block, first = inspect.getsourcelines(plain)
    return list(enumerate(textwrap.dedent("".join(block)).splitlines(), start=first))


def _listing_row(line: Line, colored: bool) -> str:
    why = f"  # {line.why}" if line.why else ""
    execution = f"{line.execution:>7}"
    if colored and line.execution:
        execution = f"\x1b[{COLORS[line.execution]}m{execution}\x1b[0m"
    return f"{execution} {line.number:>5} | {line.source}{why}".rstrip()


def _as_row(line: Line) -> str:
    shade = f"background:{SHADES[line.execution]};" if line.execution else ""
    cell = "padding:0 8px;text-align:left;white-space:pre;"
    faint = f"{cell}opacity:0.7;"
    why = html.escape(line.why)
    return (
        f'<tr style="{shade}"><td style="{faint}">{line.execution}</td>'
        f'<td style="{faint}text-align:right">{line.number}</td>'
        f'<td style="{cell}">{html.escape(line.source)}</td>'
        f'<td style="{faint}white-space:normal">{why}</td></tr>'
    )
