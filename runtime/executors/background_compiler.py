"""The thread that compiles native code while NumPy programs go on running."""

from __future__ import annotations

import atexit
import queue
import threading
import warnings
import weakref
from typing import Protocol

from ..core.errors import Error
from ..core.locks import Lock, after_fork_in_child
from ..lowering.not_native import NotNativeError

# Why there is no native code: nothing else is expected.
EXPECTED = (Error, ImportError, NotNativeError)


class Compilable(Protocol):
    """What is queued: `compile` lets native code take over, or raises one of EXPECTED."""

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
    except Exception as error:  # a bug of the compiler is no reason to end the program
        executable.why_not_native = f"{type(error).__name__}: {error}"
        warnings.warn(f"allograph: compiling failed: {error!r}", RuntimeWarning, stacklevel=1)


COMPILER = BackgroundCompiler()
atexit.register(COMPILER.stop)
after_fork_in_child(COMPILER.restart)


def compile_in_background(executable: Compilable) -> None:
    """Queue an executable for compilation; it takes over by itself when it is ready."""
    COMPILER.add(executable)
