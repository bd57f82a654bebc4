"""What stands for `numba.jit`: each call of a decorated function, under `ag.jit` and beside Python.

A call from outside runs the Python function on the caller's arguments, and `ag.jit` on copies. Both
outcomes are compared. Decorated functions that the Python function calls are plain Python then;
their arguments are kept, and compared when the outer call has ended. Where Numba compiles a
function that calls decorated ones, it finds its own form of each.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator

import numpy as np

from allograph.tracing.functions.fronts import Called
from allograph.tracing.numpy_mode.jit_function import JitFunction
from allograph.tracing.numpy_mode.numpy_stager import is_numpy_trace

from .copies import NotCopiedError, copied
from .decorators import decorator
from .differences import differences, shown
from .limits import TimedOutError, limit
from .outcomes import Outcome, contents, outcome_of, outer_arrays, restore, set_states, states
from .reasons import internal_names, is_exception_of_tracing
from .unspecified import why_open

REPEATED = 3  # calls of one function with arguments of the same types
NESTED = 6  # calls of one function by others
ROUNDS = 3  # in which the engines take turns
SAMPLES = 4  # calls of an engine in a round
SECONDS_OF_A_CALL = 20


@dataclasses.dataclass
class Settings:
    """write      gets each record
    chosen     only functions with this in their names are compared
    times      whether calls are timed, under Numba too
    calls      most calls of one function that are compared
    """

    write: object = print
    chosen: str = ""
    times: bool = False
    calls: int = 60


class _State(threading.local):
    """mode   "outside": a call is compared; "python": Python runs it, and it is kept in the queue;
           "plain": Python runs it; "ours": `ag.jit` does
    queue  calls that a compared function has made: the probe, and its arguments
    """

    mode = "plain"  # of other threads than the main one
    queue: list


SETTINGS = Settings()
STATE = _State()
STATE.mode = "outside"
STATE.queue = []


@contextlib.contextmanager
def mode(name: str) -> Iterator[None]:
    before, STATE.mode = STATE.mode, name
    try:
        yield
    finally:
        STATE.mode = before


class Probe(JitFunction):
    """A function of `ag.jit` whose calls from outside are compared with Python's."""

    def __init__(self, function: Callable, compile_with_numba: Callable):
        super().__init__(function)
        self.compile_with_numba = compile_with_numba
        self.py_func = function
        self.seen: dict = {}
        self.compared = 0
        self.nested = 0
        self.is_timed = False
        self.entry = None

    def __call__(self, *args, **kwargs):
        if is_numpy_trace() or STATE.mode == "ours":
            return vars(self)["__call__"](*args, **kwargs)
        if STATE.mode == "outside":
            return _call_from_outside(self, args, kwargs)
        if STATE.mode == "python":
            self._keep(args, kwargs)
        return self.python_function(*args, **kwargs)

    def _keep(self, args: tuple, kwargs: dict) -> None:
        if self.nested < NESTED and self.takes(args, kwargs):
            self.nested += 1
            try:
                STATE.queue.append((self, copied((args, kwargs))))
            except NotCopiedError as error:
                note(self, "left out", str(error))

    def takes(self, args: tuple, kwargs: dict) -> bool:
        """Whether one more call with arguments of such types is compared."""
        if SETTINGS.chosen not in self.full_name or self.compared >= SETTINGS.calls:
            return False
        key = tuple(map(_type_of, [*args, *kwargs.values()]))
        self.seen[key] = self.seen.get(key, 0) + 1
        return self.seen[key] <= REPEATED

    def by_jit(self, *args, **kwargs):
        return vars(self)["__call__"](*args, **kwargs)  # what an instance is called through

    def as_called(self) -> Called:
        """What calls the function as it is called where no probe takes its place."""
        result = Called()
        result.__call__ = vars(self)["__call__"]
        return result

    @property
    def full_name(self) -> str:
        function = self.python_function
        return f"{function.__module__}:{function.__qualname__}"

    def _entry_for(self, args):
        self.entry = super()._entry_for(args)
        return self.entry

    @functools.cached_property
    def by_numba(self):
        """The function as Numba compiles it."""
        return self.compile_with_numba(self.python_function)

    @property
    def _numba_type_(self):
        from numba.core import types as numba_types

        return numba_types.Dispatcher(self.by_numba)

    @property
    def overloads(self):
        return _Overloads(self)

    def __getattr__(self, name: str):
        if name.startswith("__") or "compile_with_numba" not in self.__dict__:
            raise AttributeError(name)
        return getattr(self.by_numba, name)  # such as `signatures`, which tests read


class _Overloads:
    """`overloads` of a function, whose entry points are those of the probe."""

    def __init__(self, probe: Probe):
        self.probe = probe

    def __getitem__(self, signature):
        return _Overload(self.probe, signature)

    def __getattr__(self, name: str):
        return getattr(self.probe.by_numba.overloads, name)


class _Overload:
    def __init__(self, probe: Probe, signature):
        self.entry_point = probe
        self.signature = signature

    def __getattr__(self, name: str):
        return getattr(self.entry_point.by_numba.overloads[self.signature], name)


def _type_of(value):
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.strides
    if isinstance(value, (tuple, list)):
        return type(value), tuple(map(_type_of, value))
    return type(value)


# ---- decorators ------------------------------------------------------------------------------


def install() -> None:
    """Put the decorators in the places of Numba's."""
    import numba

    for name in ("jit", "njit"):  # `numba.core.decorators` keeps its own, which call each other
        setattr(numba, name, decorator(getattr(numba, name), Probe))


# ---- calls -----------------------------------------------------------------------------------


def note(probe: Probe, status: str, text: str = "", **more) -> None:
    """Write the record of a call."""
    code = probe.python_function.__code__
    SETTINGS.write(
        {
            "function": probe.full_name,
            "at": f"{code.co_filename}:{code.co_firstlineno}",
            "status": status,
            "text": text,
            **more,
        }
    )


def _call_from_outside(probe: Probe, args: tuple, kwargs: dict):
    kept = None
    try:
        kept = copied((args, kwargs)) if probe.takes(args, kwargs) else None
    except NotCopiedError as error:
        note(probe, "left out", str(error))
    if kept is None:
        with mode("plain"):
            return probe.python_function(*args, **kwargs)
    STATE.queue = queue = []
    try:
        python = compare(probe, (args, kwargs), kept)
        _compare_inner_calls(queue)
    finally:
        STATE.queue = []
    sys.stdout.write(python.output)
    if python.raised is not None:
        raise python.raised
    return iter(python.result) if python.is_generator else python.result


def _compare_inner_calls(queue: list) -> None:
    """Compare the calls that were kept, and those that they make."""
    before = states()
    for probe, kept in queue:  # it grows
        with contextlib.suppress(TimedOutError):
            compare(probe, copied(kept), kept)
    set_states(before)


def compare(probe: Probe, arguments: tuple, kept: tuple) -> Outcome:
    """What Python gives for the arguments; records what `ag.jit` gives for copies of `kept`."""
    function = probe.python_function
    outer = outer_arrays(function)
    saved, before = contents(outer), states()
    start = time.perf_counter()
    with mode("python"), limit(SECONDS_OF_A_CALL):
        python = outcome_of(function, arguments, outer)
    seconds = time.perf_counter() - start
    probe.compared += 1
    note(probe, "running", shown(kept))

    def as_before(name: str, call, given: tuple) -> Outcome:
        restore(outer, saved)
        set_states(before)
        with mode(name), limit(SECONDS_OF_A_CALL):
            return outcome_of(call, given, outer)

    try:
        _compare_ours(probe, python, kept, as_before, seconds)
    finally:
        restore(outer, python.outer)
        set_states(python.states)
    return python


def _compare_ours(probe: Probe, python: Outcome, kept: tuple, as_before, seconds: float) -> None:
    """Record a call under `ag.jit`: the first one, which traces, and a native one after it."""
    known, probe.entry = len(probe.jit_table), None
    record = {"arguments": shown(kept), "python": seconds}
    found: list = []
    status, text = "equal", ""
    for _ in range(2):
        start = time.perf_counter()
        try:
            ours = as_before("ours", probe.by_jit, copied(kept))
        except TimedOutError:
            status, text = "timed out", f"more than {SECONDS_OF_A_CALL} s"
            break
        except BaseException as error:
            status, text = "internal error", f"{type(error).__name__}: {error}"
            break
        if len(probe.jit_table) > known:
            record.setdefault("first", time.perf_counter() - start)
        if ours.error != python.error and _is_of_allograph(ours.error):
            status, text = "internal error", f"{ours.error[0].__name__}: {ours.error[1]}"
            break
        found = differences(python, ours)
        if found or (probe.entry is not None and probe.entry.traced is None):
            break
    record |= _entry_record(probe, python)
    if found:
        run = functools.partial(as_before, "plain", probe.python_function)
        rule = why_open(found, python, run, kept, probe.python_function.__code__.co_names)
        status, text = "open" if rule else "wrong", "; ".join(map(str, found[:3]))
        record["rule"] = rule
    elif status == "equal" and SETTINGS.times and record.get("native") and not probe.is_timed:
        probe.is_timed = True
        record["times"] = _times(probe, kept, as_before)
    note(probe, status, text, **record)


def _is_of_allograph(error: tuple[type, str] | None) -> bool:
    return error is not None and error[0].__module__.split(".")[0] == "allograph"


def _entry_record(probe: Probe, python: Outcome) -> dict:
    """Whether the arguments have native code, and why not."""
    entry = probe.entry
    if entry is None:  # the latest one has served the call
        entries = probe.jit_table.values()
        entry = next((one for one in entries if one.run in probe._direct[:1]), None)
    if entry is None:
        return {}
    called = list(entry.traced.host_calls) if entry.traced is not None else []
    if python.error is not None:  # what raises runs in Python, and Numba may refuse it
        return {"raises": python.error[0].__name__, **_internal(entry.reason, True)}
    record = {"native": entry.reason is None, "reason": entry.reason, "called": called}
    return record | _internal(entry.reason, False)


def _internal(reason: str | None, raises: bool) -> dict:
    """What is internal in the reason for NumPy of a call that raises, or does not."""
    if reason is None:
        return {}
    names = internal_names(reason)
    if not raises and is_exception_of_tracing(reason):
        names.append("an exception of tracing")
    return {"internal": names}


def _times(probe: Probe, kept: tuple, as_before) -> dict | None:
    """Seconds of a call under `ag.jit` and Numba, the least of a few, and of Numba's first call."""
    engines = {"ours": probe.as_called(), "numba": probe.by_numba}
    result: dict[str, float] = {}
    try:
        is_first = not probe.by_numba.signatures  # no caller's compilation has compiled it
        start = time.perf_counter()
        if as_before("plain", probe.by_numba, copied(kept)).error is not None:
            return None
        if is_first:
            result["first of Numba"] = time.perf_counter() - start
        for _ in range(ROUNDS):
            for name, engine in engines.items():
                with mode("ours" if name == "ours" else "plain"), limit(SECONDS_OF_A_CALL):
                    seconds = _least_seconds(engine, [copied(kept) for _ in range(SAMPLES)])
                result[name] = min(result.get(name, seconds), seconds)
    except (Exception, TimedOutError):
        return None
    return result


def _least_seconds(engine: Callable, arguments: list[tuple]) -> float:
    """Of calls that follow one another, as those of a loop do."""
    least = float("inf")
    for args, kwargs in arguments:
        start = time.perf_counter()
        engine(*args, **kwargs)
        least = min(least, time.perf_counter() - start)
    return least


# allograph inlines functions of `jit`, whose `__call__` is its own: that of a probe counts as such.
Probe.__call__ = types.FunctionType(  # type: ignore[method-assign]
    Probe.__call__.__code__, {**globals(), "__name__": JitFunction.__module__}
)
Probe.__module__ = JitFunction.__module__
