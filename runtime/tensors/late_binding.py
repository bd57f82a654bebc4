"""Names of the rooms above that tensors use, each loaded when it is first needed.

This module alone imports upward. NumPy's protocols are looked up by NumPy on the tensor itself, but
most programs never use them, and loading them takes several milliseconds.
"""

from __future__ import annotations

from ..core.places import object_at
from ..ir.rich_display import provide_html, provide_wait

MODULES = {
    "apply_ufunc": "runtime.numpy_protocol.ufuncs",
    "apply_function": "runtime.numpy_protocol.registry",
    "set_item": "runtime.ops.array.slicing",
    "stack": "runtime.ops.array.joining",
    "python_type": "runtime.tensors.python_numbers",
    "round_": "library.numpy_functions.sorting_and_selection",
    "advice_of": "library.missing_members",
    "note_draw": "library.random.traced_draws",
    "note_unrolled": "library.profiling.unroll_warning",
    "html_of": "library.notebook.displays",  # what notebooks show
    "shown_when_long": "library.progress_bars",
    "explain": "library.profiling.explain",  # what people ask of functions
    "pass_effects": "library.profiling.pass_effects",
    "jit_trace": "library.profiling.jit_traces",
    "graph_of_jit": "backends.c.jit_functions",
    "as_graph_def": "library.tensorboard.graph_definitions",
    "as_function_def": "library.tensorboard.graph_definitions",
    "inspected": "library.profiling.inspect_jit",
    "retraces_of": "library.profiling.inspect_jit",
    "iterator_of": "library.numpy_functions.orders_of_items",
    "called_in_graph": "library.recursion.array_calls",
    "pull_recursive_call": "library.recursion.gradients",
    "RecursiveRecord": "library.recursion.gradients",
}


class LateBinding:
    """Each name in MODULES as an attribute, which stays once it is loaded."""

    def __getattr__(self, name: str):
        if name not in MODULES:
            raise AttributeError(name)
        value = object_at(f"{MODULES[name]}:{name}")
        setattr(self, name, value)
        return value


late = LateBinding()
provide_html(lambda thing: late.html_of(thing))  # noqa: PLW0108 - it is loaded when called
provide_wait(lambda what: late.shown_when_long(what))  # noqa: PLW0108 - likewise
