"""Whether a debugger or coverage watches; Python's debuggers are taught that the frames between the
user's own are none to stop in.

`ALLOGRAPH_FULL_TRACEBACK=1` leaves them as they are.
"""

from __future__ import annotations

import sys
import types
from functools import partial, wraps

from ..runtime.core.tracebacks import shows_all_frames
from .conversion.display_names import OUTLINED

PACKAGE = (__package__ or "").split(".")[0]
LIBRARIES = {*sys.stdlib_module_names, "numpy"} - {"__main__"}
STARTS = {"breakpoint", "set_trace"}
WATCHING = ("debugpy", "pydevd")  # they may watch without a trace function


def is_debugged(code: types.CodeType) -> bool:
    """Whether a debugger watches this thread, or the code starts one. What it shows keeps objects
    alive a little longer, so code that nobody watches does without.
    """
    if sys.gettrace() is not None or not sys.modules.keys().isdisjoint(WATCHING):
        return True
    return _starts_debugger(code)


def _starts_debugger(code: types.CodeType) -> bool:
    inner = (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    return not STARTS.isdisjoint(code.co_names) or any(map(_starts_debugger, inner))


def is_measured() -> bool:
    """Whether coverage.py measures this program."""
    tracer = sys.gettrace()
    holder = getattr(tracer, "__self__", tracer)
    if type(holder).__module__.split(".")[0] == "coverage":
        return True
    monitoring = getattr(sys, "monitoring", None)
    return monitoring is not None and monitoring.get_tool(monitoring.COVERAGE_ID) == "coverage.py"


def teach_debugger() -> None:
    """Let the debugger that traces this thread, if it is a `bdb.Bdb`, step by the user's lines.

    It steps over the frames of this package, `where` and `up` leave them out, and it does not stop
    where a branch or loop body, a function of its own in converted code, is called or returns.
    """
    debugger = getattr(sys.gettrace(), "__self__", None)
    bdb = sys.modules.get("bdb")
    if debugger is not None and bdb is not None and isinstance(debugger, bdb.Bdb):
        _teach(debugger)


def before_breakpoint() -> None:
    """Have the debugger taught that `breakpoint()` or `pdb.set_trace()` starts next."""
    import bdb  # which these import

    original = bdb.Bdb.set_trace
    if hasattr(original, "__wrapped__"):
        return  # none has started since the last call

    @wraps(original)
    def set_trace(debugger, frame=None):
        bdb.Bdb.set_trace = original  # type: ignore[method-assign]
        _teach(debugger)
        return original(debugger, frame or sys._getframe().f_back)

    bdb.Bdb.set_trace = set_trace  # type: ignore[method-assign, assignment]


def _teach(debugger) -> None:
    if hasattr(debugger, "steps_by_users_lines"):
        return
    if shows_all_frames():
        return
    debugger.steps_by_users_lines = True
    debugger.stop_here = partial(_unless_internal, debugger.stop_here)
    debugger.user_line = partial(_unless_state, debugger.user_line)
    debugger.user_call = partial(_unless_outlined, debugger.user_call)
    debugger.user_return = partial(_unless_outlined, debugger.user_return)
    debugger.get_stack = partial(_without_internal_frames, debugger.get_stack)


def _unless_internal(stop_here, frame) -> bool:
    """`stop_here`, but not in this package and in the libraries that it calls."""
    return stop_here(frame) and not _is_below_the_package(frame)


def _unless_state(stop, frame):
    """`user_line`, but not in the functions that read and write the state of a statement."""
    if not OUTLINED.get(frame.f_code, "").startswith(("get_state", "set_state")):
        stop(frame)


def _unless_outlined(stop, frame, value):
    if not OUTLINED.get(frame.f_code):
        stop(frame, value)


def _without_internal_frames(get_stack, frame, traceback):
    stack, index = get_stack(frame, traceback)
    kept: list = []
    for entry in stack[: index + 1]:
        if kept and OUTLINED.get(entry[0].f_code):
            kept.pop()
        if not _is_internal(entry[0]):
            kept.append(entry)
    return [*kept, *stack[index + 1 :]], max(len(kept) - 1, 0)


def _is_below_the_package(frame) -> bool:
    """Whether a frame is internal, or of a library that an internal frame has called."""
    while frame is not None and not _is_internal(frame):
        root = _root(frame)
        if root not in LIBRARIES and not root.startswith("namedtuple_"):
            return False
        frame = frame.f_back
    return frame is not None


def _is_internal(frame) -> bool:
    generated = frame.f_code.co_filename.startswith(f"<{PACKAGE} ")
    return generated or _root(frame) in (PACKAGE, "contextlib")


def _root(frame) -> str:
    return (frame.f_globals.get("__name__") or "").split(".")[0]
