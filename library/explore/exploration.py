"""`ag.explore`: the page of a function, in a browser, a notebook or a file."""

from __future__ import annotations

import html
import os
import pathlib
import tempfile
import time
import webbrowser
from collections.abc import Callable
from types import MethodType
from typing import Any

from ... import TypeSpec, convert_to_tensor
from ... import function as traced_function
from ...extend import nest
from ...extend.registration import public
from ...extend.tracing import ConcreteFunction, JitFunction


class Exploration:
    """The page of a function. A notebook shows it; `save` writes it, and `show` opens a browser.

    `data` is what the page shows, as dictionaries and lists.
    """

    def __init__(self, data: dict[str, Any], other: dict[str, Any] | None = None):
        self.data = data
        self.other = other  # of the version that the page shows beside it

    def beside(self, other: Exploration) -> Exploration:
        """One page with this version on the left and another on the right.

        Lines that the other side does not have are marked.
        """
        return Exploration(self.data, other.data)

    @property
    def page(self) -> str:
        """The page as HTML, which needs nothing from elsewhere."""
        return self.html()

    def html(self, live: str = "") -> str:
        """The page; with the address of a stream of events, it loads again at each of them."""
        from .page import page_of, page_of_two  # reads the files of the page

        if self.other is not None:
            return page_of_two(self.data, self.other, live)
        return page_of(self.data, live)

    def save(self, path: str | os.PathLike) -> None:
        """Write the page to a file."""
        pathlib.Path(path).write_text(self.page, encoding="ascii", errors="xmlcharrefreplace")

    def show(self) -> str:
        """Open the page in the browser, from a file in a new temporary folder; returns its path."""
        path = pathlib.Path(tempfile.mkdtemp(prefix="allograph-explore-"), "page.html")
        self.save(path)
        webbrowser.open(path.as_uri())
        return str(path)

    def _repr_html_(self) -> str:
        page = html.escape(self.page, quote=True)
        return (
            f'<iframe sandbox="allow-scripts" title="{html.escape(self.data["title"])}" '
            f'style="width:100%;height:48em;border:1px solid #888" srcdoc="{page}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Exploration of {self.data['title']}: .save(path) writes its page>"


@public("explore")
def explore(function: Callable, /, *args: Any, **kwargs: Any) -> Exploration:
    """One page that links a function's source with what becomes of it.

    Beside each other stand the source, the generated code, the graph, the program with its
    schedule, the kernels and their machine code. Pointing at a line or an operation lights up what
    belongs to it everywhere. Each operation tells its shape, data type, whether it runs natively or
    on NumPy and why, and what it costs.

    The arguments are those of a call, or a `TensorSpec` for each tensor. With tensors alone, the
    steps are timed too; operations with side effects are not run. A concrete function needs no
    arguments; a layer or a model is a function too. A function of `jit` is traced for its arrays.

    >>> import allograph as ag
    >>> @ag.function
    ... def energy(x):
    ...     return ag.reduce_sum(x * x)
    >>> exploration = ag.explore(energy, ag.TensorSpec([100], ag.float32))
    >>> [step["title"] for step in exploration.data["steps"]]
    ['as traced']
    >>> exploration.page.startswith("<!DOCTYPE html>")
    True

    Raises what tracing the function raises.
    """
    from .page_data import page_data  # loads the compiler

    since = time.time()
    if isinstance(function, MethodType) and isinstance(function.__func__, JitFunction):
        args, function = (function.__self__, *args), function.__func__
    traced, concrete = _traced(function, args, kwargs)
    given = nest.flatten([args, kwargs])
    arrays = None
    is_trace_alone = traced is concrete and not given and bool(concrete.inputs)
    if not is_trace_alone and not any(isinstance(one, TypeSpec) for one in given):
        tensors = map(convert_to_tensor, concrete.flat_arguments(args, kwargs))
        arrays = [*(tensor.numpy() for tensor in tensors), *concrete.captured_arrays]
    return Exploration(page_data(traced, concrete, arrays, since))


def _traced(function: Any, args: tuple, kwargs: dict[str, Any]) -> tuple[Any, ConcreteFunction]:
    """The decorated function, and its trace for these arguments; a trace is both."""
    if isinstance(function, ConcreteFunction):
        return function, function
    decorated = hasattr(function, "get_concrete_function")
    traced: Any = function if decorated else traced_function(function)
    return traced, traced.get_concrete_function(*args, **kwargs)
