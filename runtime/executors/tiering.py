"""Tiering: when code that runs on NumPy is compiled, and how much of it; the thread that does so.

Every threshold of the executors is here. They were chosen with the benchmark problems on a 2-core
AMD EPYC (Zen 3), where LLVM takes tens of milliseconds for a small kernel.
"""

from __future__ import annotations

import atexit
import queue
import threading
import time
import traceback
import warnings
import weakref
from collections.abc import Callable
from typing import Protocol

from ..core.classes import NamedTuple
from ..core.errors import Error
from ..core.locks import Lock, after_fork_in_child
from ..core.source_locations import depth_of_user
from ..lowering.not_native import NotNativeError


class FunctionPolicy(NamedTuple):
    """When a function, or one specialization of it, is compiled.

    It is hot after more than `hot_seconds` on NumPy, or more than `hot_calls` calls: by then NumPy
    has cost about as much as compiling will. A function whose first call is estimated to take more
    than `slow_seconds` is compiled before that call.
    """

    hot_seconds: float
    hot_calls: int
    slow_seconds: float


class LoopPolicy(NamedTuple):
    """When a loop is compiled while it runs.

    The loop has run for `hot_seconds`, and the remaining iterations are estimated to take longer
    on NumPy than compiling them: `compile_seconds`, and `compile_seconds_each` for each operation
    of the body. Where nothing tells the number of iterations, it has run for `unknown_seconds`.

    The clock is read about every `check_seconds`, and after `most_iterations` at the latest.

    Then the NumPy program waits for native code: most of compiling is Python code, which runs twice
    as long beside a thread that wants the GIL too. It waits no longer than the remaining iterations
    would take, or until the process has used `longest_wait` times the estimate for compiling: the
    first compilation of a process, which loads LLVM, takes several times the estimate. If that was
    too short, it goes on, and leaves the compiler `largest_share` times the time that it takes
    itself. Times of compiling are CPU time, or that share of what has passed.
    """

    hot_seconds: float
    unknown_seconds: float
    compile_seconds: float
    compile_seconds_each: float
    check_seconds: float
    most_iterations: int
    longest_wait: float
    largest_share: float
    most_shapes: int  # that are compiled of one loop: others stay on NumPy


class ShapePolicy(NamedTuple):
    """How many specializations a function with unknown dimensions has.

    `kept` at a time, `compiled` in all: a function called with ever new sizes stays on NumPy. An
    integer input of more than `largest_value` elements is data, and not a size.
    """

    kept: int
    compiled: int
    largest_value: int


FUNCTIONS = FunctionPolicy(hot_seconds=0.02, hot_calls=50, slow_seconds=0.15)
LOOPS = LoopPolicy(
    hot_seconds=0.01,
    unknown_seconds=0.02,
    compile_seconds=0.05,
    compile_seconds_each=0.005,
    check_seconds=0.001,
    most_iterations=1024,
    longest_wait=4.0,
    largest_share=8.0,
    most_shapes=16,
)
SHAPES = ShapePolicy(kept=16, compiled=64, largest_value=8)


class HotCounter:
    """The cost of a function so far. It becomes hot once, and then counts no more.

    >>> counter = HotCounter()
    >>> counter.add(0.5), counter.add(0.5)
    (True, False)
    """

    __slots__ = ("calls", "counting", "seconds")

    def __init__(self, counting: bool = True):
        self.counting = counting
        self.calls = 0
        self.seconds = 0.0

    def add(self, seconds: float) -> bool:
        """Count a call. True when this call has made the function hot."""
        self.calls += 1
        self.seconds += seconds
        is_cold = self.seconds <= FUNCTIONS.hot_seconds and self.calls <= FUNCTIONS.hot_calls
        if not self.counting or is_cold:
            return False
        self.counting = False
        return True

    def run(self, function: Callable, arrays, when_hot: Callable[[], None]):
        """Call `function` and count the call; `when_hot` is called when that makes it hot."""
        start = time.perf_counter()
        result = function(*arrays)
        if self.add(time.perf_counter() - start):
            when_hot()
        return result


# ---- in the background -------------------------------------------------------------------------


# Why there is no native code: anything else is a fault of the compiler.
EXPECTED = (Error, ImportError, NotNativeError)
FAULTS: set[str] = set()  # those of this process


def note_fault(error: Exception) -> str:
    """Why a function is not native that met a fault of the compiler; a warning tells it once."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    fault = f"{type(error).__name__}: {error} ({place.filename}, line {place.lineno})"
    if fault not in FAULTS:
        FAULTS.add(fault)
        message = f"compiling failed, and NumPy runs it: a fault of allograph, {fault}"
        warnings.warn(message, RuntimeWarning, stacklevel=depth_of_user())
    return fault


class Compilable(Protocol):
    """A queued compilation: `compile` lets native code take over, or raises one of EXPECTED."""

    why_not_native: str | None

    def compile(self) -> object: ...


class BackgroundCompiler:
    """The one thread that compiles in the background. What is no longer in use when it is taken
    from the queue is not compiled.
    """

    def __init__(self) -> None:
        self.waiting: queue.SimpleQueue[weakref.ref | threading.Event | None] = queue.SimpleQueue()
        self.pending: list[weakref.ref] = []  # queued, and the one that is being compiled
        self.stopping = False
        self.thread: threading.Thread | None = None
        self.lock = Lock()

    def add(self, executable: Compilable) -> None:
        with self.lock:
            if self.thread is None:
                thread = threading.Thread(target=self.run, name="allograph compiler", daemon=True)
                thread.start()
                self.thread = thread
        waiting = weakref.ref(executable)
        self.pending.append(waiting)
        self.waiting.put(waiting)

    def run(self) -> None:
        while not self.stopping:
            item = self.waiting.get()
            if item is None or self.stopping:
                return
            if isinstance(item, threading.Event):
                item.set()
                continue
            executable = item()
            if executable is not None:
                _compile(executable)
            self.pending.remove(item)
            del executable  # it is not kept alive while the queue is empty

    def wait(self) -> None:
        """Wait until everything queued so far is compiled."""
        if self.thread is None:
            return  # nothing was ever queued
        done = threading.Event()
        self.waiting.put(done)
        done.wait()

    def stop(self) -> None:
        """Compile nothing more. The process does not wait: it ends when LLVM is at rest."""
        self.stopping = True
        self.waiting.put(None)

    def restart(self) -> None:
        """Begin again in a child process, which does not have the thread."""
        pending = self.pending
        self.__init__()  # type: ignore[misc]
        for waiting in pending:
            executable = waiting()
            if executable is not None:
                self.add(executable)


def _compile(executable: Compilable) -> None:
    """Compile. On failure the NumPy program goes on, and the reason is kept."""
    try:
        executable.compile()
    except EXPECTED as error:
        executable.why_not_native = f"{type(error).__name__}: {error}"
    except Exception as error:
        executable.why_not_native = note_fault(error)


COMPILER = BackgroundCompiler()
atexit.register(COMPILER.stop)
after_fork_in_child(COMPILER.restart)


def compile_in_background(executable: Compilable) -> None:
    """Queue an executable for compilation; it takes over by itself when it is ready."""
    COMPILER.add(executable)
