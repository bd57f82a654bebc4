"""Names of the rooms above that tensors use, each loaded when it is first needed.

This module alone imports upward. NumPy's protocols are looked up by NumPy on the tensor itself, but
most programs never use them, and loading them takes several milliseconds.
"""

from __future__ import annotations

from importlib import import_module

from ..ir.op import TABLE
from ..ir.rich_display import provide_html, provide_wait

MODULES = {
    "apply_ufunc": "..numpy_protocol.ufuncs",
    "apply_function": "..numpy_protocol.traced_implementations",
    "set_item": "..ops.array.slicing",
    "stack": "..ops.array.joining",
    "python_type": ".python_numbers",
    "round_": "..numpy_protocol.sorting_and_selection",
    "html_of": "...library.notebook.displays",  # what notebooks show
    "shown_when_long": "...library.progress_bars",
}


class _Late:
    """Each name in MODULES as an attribute, which stays once it is loaded."""

    def __getattr__(self, name: str):
        if name not in MODULES:
            raise AttributeError(name)
        value = getattr(import_module(MODULES[name], __package__), name)
        setattr(self, name, value)
        return value


late = _Late()
provide_html(lambda thing: late.html_of(thing))  # noqa: PLW0108 - it is loaded when called
provide_wait(lambda what: late.shown_when_long(what))  # noqa: PLW0108 - likewise


def load_operations() -> None:
    """Register every operation in the table of operations."""
    import_module("..ops.on_demand", __package__)
    import_module("...backends.numba.functions.numba_calls", __package__)


TABLE.load_on_demand = load_operations
