"""Whether functions of `jit` run as native code."""

from allograph.library.profiling.inspect_jit import functions_called


def is_native(function) -> bool:
    """Whether NumPy had nothing to do so far. `inspect` says so too, and looks at each loop."""
    entries = function.jit_table.values()
    return all(entry.reason is None and not functions_called(entry) for entry in entries)
