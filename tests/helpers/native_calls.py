"""Whether functions of `jit` run as native code."""

from allograph.library.profiling.inspect_jit import READS_AND_WRITES


def is_native(function) -> bool:
    """Whether NumPy had nothing to do so far. `inspect` says so too, and looks at each loop."""
    return all(
        entry.reason is None and READS_AND_WRITES.issuperset(entry.traced.host_calls)
        for entry in function.table.values()
    )
