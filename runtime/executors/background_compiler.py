"""The thread that compiles native code while NumPy programs go on running."""

from __future__ import annotations

import atexit
import queue
import threading


class BackgroundCompiler:
    """The one thread that compiles. It ends with the process, between two kernels.

    What is queued has a method `compile` and an attribute `why_not_native`.
    """

    def __init__(self):
        self.waiting: queue.SimpleQueue = queue.SimpleQueue()
        self.stopping = False
        self.thread: threading.Thread | None = None
        self.lock = threading.Lock()

    def add(self, executable) -> None:
        with self.lock:
            if self.thread is None:
                self.thread = threading.Thread(
                    target=self.run, name="allograph compiler", daemon=True
                )
                self.thread.start()
                atexit.register(self.stop)
        self.waiting.put(executable)

    def run(self) -> None:
        while not self.stopping:
            executable = self.waiting.get()
            if executable is None or self.stopping:
                return
            if isinstance(executable, threading.Event):
                executable.set()
                continue
            try:
                executable.compile()
            except Exception as error:  # the plan goes on; the reason is kept to be asked for
                executable.why_not_native = f"{type(error).__name__}: {error}"
            finally:
                executable = None

    def wait(self) -> None:
        """Until everything queued so far is compiled."""
        if self.thread is None:
            return  # nothing was ever queued
        done = threading.Event()
        self.waiting.put(done)
        done.wait()

    def stop(self) -> None:
        self.stopping = True
        self.waiting.put(None)
        self.thread.join(timeout=30)


COMPILER = BackgroundCompiler()


def compile_in_background(executable) -> None:
    """Queue an executable for compilation; it takes over by itself when it is ready."""
    COMPILER.add(executable)
