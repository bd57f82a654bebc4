"""What `inspect` and `explain_retraces` of functions of `jit` say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...extend.errors import SourceLocation
from ...extend.tracing import described_key, differences
from .shared_loops import loops_of

if TYPE_CHECKING:
    from ...extend.tracing import JitFunction

READS_AND_WRITES = {"random.state", "random.set_state"}  # the state of a generator, around draws
LONGEST_ARGUMENT = 60  # characters
OF_SEVERAL = "sizes are arguments of its machine code"
IS_CONSTANT = ": a constant of the trace, as it decides a shape or a number of iterations"


def inspected(function: JitFunction) -> str:
    """What runs for each combination of argument types: native code, or NumPy and why, with the
    line. Below native code are its loops that threads share, and those that they do not and why.
    """
    lines: list[str] = []
    for key, entry in list(function.jit_table.items()):
        count = function.calls_of(key)
        calls = f"{count:,} call{'' if count == 1 else 's'}"
        lines.append(f"({', '.join(map(_shortened, key))}): {_how(entry)}; {calls}")
        if entry.reason is not None:
            lines += [_shown(entry.where)] if entry.where is not None else []
        else:
            lines += [f"    {loop}" for loop in loops_of(entry.traced.executable)]
    return "\n".join(lines) or "not called yet"


def retraces_of(function: JitFunction) -> str:
    """Which argument made each trace after the first one necessary."""
    names = list(function.jit_signature.parameters)
    keys = [key for key, entry in function.jit_table.items() if entry.traced is not None]
    lines: list[str] = []
    for at, key in enumerate(keys):
        first, *others = function.jit_table.variants(key)
        before = min(keys[:at], key=lambda other: len(differences(other, key)), default=None)
        reasons = ["the first call"] if before is None else [
            f"'{names[min(place, len(names) - 1)]}' is {_shortened(key[place])}, and was "
            f"{_shortened(before[place])}{IS_CONSTANT if place in function.jit_static else ''}"
            for place in differences(before, key)
        ]  # fmt: skip
        reasons += [OF_SEVERAL] if _serves_other_shapes(first) else []
        lines.append("; ".join(reasons))
        for entry in others:
            changes = (f"{row.place} is {row.after}, and was {row.before}" for row in entry.changes)
            lines.append("; ".join(changes))
    numbered = (f"trace {number}: {line}" for number, line in enumerate(lines, 1))
    return "\n".join(numbered) or "not traced yet"


def _how(entry) -> str:
    if entry.reason is not None:
        return f"NumPy: {entry.reason}"
    called = ", ".join(functions_called(entry))
    places = dict.fromkeys(
        one.device.name for one in entry.traced.executable.kernels() if hasattr(one, "device")
    )
    how = " on ".join(["native code", *places]) + (f" that calls NumPy: {called}" if called else "")
    return f"{how}; {OF_SEVERAL}" if _serves_other_shapes(entry) else how


def _serves_other_shapes(entry) -> bool:
    """Whether other shapes share its machine code."""
    kernels = entry.traced.executable.kernels() if entry.traced is not None else ()
    return any(kernel.numbers is not None for kernel in kernels)


def functions_called(entry) -> list[str]:
    """The functions of NumPy that the native code of an entry calls."""
    return [name for name in dict.fromkeys(entry.traced.host_calls) if name not in READS_AND_WRITES]


def _shown(where: SourceLocation) -> str:
    return f"    {where.file_name}:{where.line}: {where.source_line().strip()}"


def _shortened(key) -> str:
    """The type or the value of an argument; the middle of a long one is left out.

    >>> _shortened((str, repr("x" * 300)))
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxx'"
    """
    shown = described_key(key)
    if len(shown) <= LONGEST_ARGUMENT:
        return shown
    half = (LONGEST_ARGUMENT - 3) // 2
    return f"{shown[: half + 1]}...{shown[-half - 1 :]}"
