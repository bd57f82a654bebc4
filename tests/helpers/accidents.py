"""Faults of the package while `jit` traces: `inspect` would give them as reasons of the user's.

An exception in a trace means that Python runs the function. Where no `raise` made it, and the last
frame is one of the package's own files, it is a fault of that file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from allograph.runtime.core.tracebacks import RAISE
from allograph.tracing.numpy_mode import jit_function

# They do what the user's code says.
OF_USERS = (
    "allograph.python_library.",
    "allograph.autograph.operators.",
    "allograph.runtime.numpy_protocol.samples",
    "allograph.tracing.numpy_mode.questions",
    "allograph.tracing.staged_values.traced_strings",
)
OF_CODE = re.compile(  # an argument that is no integer is the program's fault
    r"'(NoneType|function|method|module)' object(?! cannot be interpreted as an integer)"
    r"|not (subscriptable|callable)"
)


class AccidentError(BaseException):
    """A fault of the package, which no handler of a program catches."""


def accident_of(error: BaseException) -> str | None:
    """Where the package's own code made an exception by accident; None where it did not."""
    entry = error.__traceback__
    while entry is not None and entry.tb_next is not None:
        entry = entry.tb_next
    if entry is None:
        return None
    module, code = entry.tb_frame.f_globals.get("__name__") or "", entry.tb_frame.f_code
    if not module.startswith("allograph.") or code.co_code[entry.tb_lasti] == RAISE:
        return None
    is_fault = isinstance(error, (NameError, AssertionError))
    if not module.startswith(OF_USERS):
        is_fault |= isinstance(error, (AttributeError, KeyError))
        is_fault |= isinstance(error, TypeError) and OF_CODE.search(str(error)) is not None
    return f"{code.co_filename}:{entry.tb_lineno}: {error!r}" if is_fault else None


@contextmanager
def accidents_raised() -> Iterator[None]:
    """Have a fault of the package leave the call that traces."""
    reason_of = jit_function.reason_of_exception

    def checked(error: BaseException) -> str:
        accident = accident_of(error)
        if accident is not None:
            raise AccidentError(accident) from error
        return reason_of(error)

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ALLOGRAPH_FULL_TRACEBACK", "1")  # of hidden frames nobody knows the last one
        patch.setattr(jit_function, "reason_of_exception", checked)
        yield
