"""The cell magic `%%allograph`: runs a cell, and shows the code generated for its functions."""

from __future__ import annotations

import types

from ...extend.errors import Error
from ...extend.registration import public
from ...extend.tracing import JitFunction, PolymorphicFunction, to_code
from .html_elements import Html, block, code, details, title


class Display:
    """What a cell shows: HTML in a notebook, text on a terminal."""

    def __init__(self, html: Html, plain: str):
        self.html = html
        self.plain = plain

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self):
        return self.plain


@public("load_ipython_extension")
def load_ipython_extension(ipython) -> None:
    """Register `%%allograph`. IPython calls it for `%load_ext allograph`.

    The magic runs its cell, and then shows the generated code of each function that the cell
    defined, decorated or not, and the graphs of those that it called.
    """
    ipython.register_magic_function(
        lambda line, cell: _run(ipython, cell), "cell", magic_name="allograph"
    )


def _run(ipython, cell: str) -> None:
    names = ipython.user_ns
    before = dict(names)
    ran = ipython.run_cell(cell, silent=False)
    if not ran.success:  # its error is shown already
        return
    from IPython.display import display  # it is there, since it called this function

    for name, value in list(names.items()):
        is_new = name not in before or before[name] is not value
        if is_new and not name.startswith("_") and _is_function(value):
            display(_shown(value))


def _is_function(value) -> bool:
    return isinstance(value, (types.FunctionType, PolymorphicFunction, JitFunction))


def _shown(function) -> Display:
    name = getattr(function, "__name__", "function")
    try:
        generated = to_code(function, laid_out=True)
    except (Error, OSError, TypeError) as error:
        return Display(block(title(name, "not converted"), code(str(error))), f"{name}: {error}")
    traces = getattr(function, "traces", {})
    graphs = [(type_, trace.frozen.as_text()) for type_, trace in traces.items()]
    shown = [details(f"graph of {type_}", code(printed), is_open=True) for type_, printed in graphs]
    html = block(title(name, "generated code"), code(generated), *shown)
    return Display(html, "\n".join([generated, *(printed for _, printed in graphs)]))
