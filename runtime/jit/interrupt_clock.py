"""The thread that lets kernels notice signals: while kernels run, it ticks (see `polls.py`).

It sleeps while there are none, and the entry of the next kernel with a loop wakes it.
"""

from __future__ import annotations

import _thread
import contextlib
import queue
import threading
import time

from ..core.locks import after_fork_in_child
from .loader.shared_words import CLOCK, MAIN_THREAD, RUNNING, TICK, WORDS, provide

SECONDS = 0.05  # between two ticks
IDLE_TICKS = 20  # without a kernel, after which it sleeps


class _Clock:
    """The thread, started when first needed."""

    def __init__(self) -> None:
        self.awaited: queue.SimpleQueue[None] = queue.SimpleQueue()
        self.is_started = False

    def start(self) -> None:
        """Start or wake the thread. The entries of kernels call it, with the GIL."""
        if not self.is_started:
            self.is_started = True
            # `Thread.start` would wait until the thread runs: 5 ms for each thread that wants the
            # GIL, at the first call of a function.
            with contextlib.suppress(RuntimeError):  # Python ends, and starts no more threads
                _thread.start_new_thread(self.run, ())
        else:
            self.awaited.put(None)
        WORDS[CLOCK.word] = 1

    def run(self) -> None:
        idle = 0
        while True:
            if idle < IDLE_TICKS:
                time.sleep(SECONDS)
                WORDS[TICK] += 1
            else:
                idle = 0
                if self.may_sleep():
                    self.awaited.get()
                    WORDS[CLOCK.word] = 1  # two threads may have woken it, the second later
            idle = 0 if WORDS[RUNNING] > 0 else idle + 1

    def may_sleep(self) -> bool:
        """Announce sleep. A kernel that has been entered meanwhile has not seen the word."""
        WORDS[CLOCK.word] = 0
        if WORDS[RUNNING] > 0:
            WORDS[CLOCK.word] = 1
            return False
        return True


_CLOCK = _Clock()
provide(CLOCK, _CLOCK.start)


@after_fork_in_child
def _restart() -> None:
    """A child process has no clock, and runs no kernel; it may have another main thread."""
    WORDS[[TICK, RUNNING, CLOCK.word]] = 0
    WORDS[MAIN_THREAD] = threading.main_thread().ident or 0
    _CLOCK.__init__()  # type: ignore[misc]


_restart()
