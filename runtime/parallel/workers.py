"""The worker threads that share loops with the threads of kernels.

A worker runs machine code alone, without the GIL (`work` in `parallel_for.py`). It spin-waits for
the next job for a moment after its work, since waking a thread takes longer than a small loop, and
then sleeps on a lock of its own. Kernels wake as many workers as they need.

The environment variable ALLOGRAPH_SPIN_WAIT=0 turns spin-waiting off.
"""

from __future__ import annotations

import ctypes
import functools
import os
import threading
import time
from collections.abc import Callable

from ..core.locks import Lock, after_fork_in_child
from ..jit.cache.compilation import library, provide_library
from ..jit.loader import shared_words
from . import mailbox
from .mailbox import MAILBOX

# Covers the Python code between two kernels of most programs. To wait longer gains little on a core
# of its own. Beside another program, the thread would use up its share of a core, and the system
# would let it wait when its next chunk comes.
SPIN_SECONDS = 50e-6
CALIBRATION = 500  # iterations
VARIABLE = "ALLOGRAPH_SPIN_WAIT"
FUNCTIONS = ("work", "spin_wait")  # of the library that kernels share


class Workers:
    """The threads. They are started by the first kernel that shares a loop."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.wanted = 0
        self.started = 0
        mailbox.put(mailbox.NAP, _held_lock())

    def want(self, number: int) -> None:
        """Set how many workers there are to be. The next kernel starts those that are missing."""
        self.wanted = min(number, mailbox.MOST_WORKERS)
        shared_words.WORDS[shared_words.WORKERS.word] = self.wanted <= self.started

    def start(self) -> None:
        """Start the workers that are missing. The entries of kernels call it, with the GIL."""
        with self.lock:
            while self.started < self.wanted:
                name = f"allograph worker {self.started + 1}"
                try:
                    threading.Thread(target=self.run, name=name, daemon=True).start()
                except RuntimeError:  # Python ends, and starts no more threads
                    break
                self.started += 1
            shared_words.WORDS[shared_words.WORKERS.word] = 1

    def run(self) -> None:
        """The life of a worker."""
        work, iterations = _work()
        with self.lock:
            number = mailbox.word(mailbox.WORKERS)
            line = mailbox.FIRST_WORKER + number * mailbox.LINE
            mailbox.put(line + mailbox.LOCK, _held_lock())
            mailbox.put(mailbox.WORKERS, number + 1)
        work(MAILBOX.ctypes.data, MAILBOX.ctypes.data + line, iterations)


def _held_lock() -> int:
    """The address of a new lock of Python's C interface, which is taken. It is never freed."""
    python = ctypes.pythonapi
    python.PyThread_allocate_lock.restype = ctypes.c_void_p
    python.PyThread_acquire_lock.argtypes = [ctypes.c_void_p, ctypes.c_int]
    lock = python.PyThread_allocate_lock()
    python.PyThread_acquire_lock(lock, 1)
    return lock


def _library() -> str:
    from .parallel_for import written  # loads LLVM, which a stored library does without

    return written()


provide_library("parallel", _library)


@functools.cache
def _work() -> tuple[Callable, int]:
    """The function that a worker runs, and the number of iterations that it spin-waits."""
    shared = library("parallel", _library)
    integers = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3)
    work, spin_wait = (integers(shared.address(f"shared.parallel.{key}") or 0) for key in FUNCTIONS)
    if os.environ.get(VARIABLE) == "0":
        return work, 0

    def seconds() -> float:
        start = time.perf_counter()
        spin_wait(MAILBOX.ctypes.data, 0, CALIBRATION)
        return time.perf_counter() - start

    shortest = min(seconds() for _ in range(5))  # other processes may interrupt some of them
    return work, int(CALIBRATION * SPIN_SECONDS / shortest)


POOL = Workers()
shared_words.provide(shared_words.WORKERS, POOL.start)


@after_fork_in_child
def _restart() -> None:
    """A child process has none of its parent's threads."""
    wanted = POOL.wanted
    mailbox.clear()
    POOL.__init__()  # type: ignore[misc]
    POOL.want(wanted)
