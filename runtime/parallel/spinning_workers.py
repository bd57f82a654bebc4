"""Threads of the pool that have just worked stand by for the next loop, awake, for a moment.

To wake a thread takes longer than the work of a small loop. A thread that has ended its work
watches a *board* therefore, a few words of memory, where a kernel posts what is to be done; after a
moment without work it goes back to sleep. Nothing here needs the interpreter's lock.

A kernel owns the board from posting to taking down. The number of the posting is odd in between. A
thread counts itself in before it looks whether the number is still the one it saw, and the kernel
changes the number before it waits until nobody is in; so nobody works on what is over.
"""

from __future__ import annotations

import functools
import itertools
import time
from collections.abc import Callable

import numpy as np

from .mailbox import BOARD

LINGER = 300e-6  # seconds
CALIBRATION = 500  # turns
_WORKED = itertools.count()  # how often a thread has ended its work

TEXT = """
def kernel(board, turns):
    linger(board.ctypes.data, turns)
    return ()
"""


def linger() -> None:
    """Take part in what is posted, until nothing has been for a moment.

    Not after the first work of a process: to compile what watches would hold up its first result.
    """
    if not next(_WORKED):
        return
    run, turns = _compiled()
    run(BOARD, turns)


def _scope() -> dict[str, object]:
    """What TEXT calls."""
    from .parallel_for import functions  # loads LLVM, which a stored kernel does without

    return functions()


@functools.cache
def _compiled() -> tuple[Callable, np.int64]:
    """What watches the board, and how many turns of it make a moment."""
    from ..jit.cache import compiled
    from ..jit.kernel_types import INT64, ArrayKind

    run = compiled(TEXT, (ArrayKind(INT64, BOARD.shape), INT64), (), _scope).function

    def seconds() -> float:
        start = time.perf_counter()
        run(BOARD, np.int64(CALIBRATION))
        return time.perf_counter() - start

    least = min(seconds() for _ in range(5))  # others may have interrupted some of them
    return run, np.int64(CALIBRATION * LINGER / least)
