"""Threads of the pool spin-wait for the next job, for a moment after their work.

Waking a thread takes longer than a small loop. A thread that has finished its work therefore
watches the mailbox, where a kernel posts the next job (`mailbox.py`). After a moment without a job
it goes to sleep. It does not need the GIL.

The environment variable ALLOGRAPH_SPIN_WAIT=0 turns this off: threads sleep until they are woken.
"""

from __future__ import annotations

import functools
import itertools
import os
import time
from collections.abc import Callable

import numpy as np

from .mailbox import MAILBOX

SPIN_SECONDS = 300e-6  # covers the Python code between two kernels of a program
CALIBRATION = 500  # iterations
VARIABLE = "ALLOGRAPH_SPIN_WAIT"
_FINISHED = itertools.count()  # how often a thread has finished its work

SOURCE = """
def kernel(mailbox, iterations):
    spin_wait(mailbox.ctypes.data, iterations)
    return ()
"""


def spin_wait() -> None:
    """Take part in posted jobs, until there has been none for a moment.

    Not after the first job of a process: compiling the loop would delay its result.
    """
    if not next(_FINISHED) or os.environ.get(VARIABLE) == "0":
        return
    run, iterations = _compiled()
    run(MAILBOX, iterations)


def _scope() -> dict[str, object]:
    """The globals of SOURCE."""
    from .parallel_for import functions  # loads LLVM, which a stored kernel does without

    return functions()


@functools.cache
def _compiled() -> tuple[Callable, np.int64]:
    """The function that watches the mailbox, and the number of its iterations in a moment."""
    from ..jit.cache import compiled
    from ..jit.kernel_types import INT64, ArrayType

    run = compiled(SOURCE, (ArrayType(INT64, MAILBOX.shape), INT64), (), _scope).function

    def seconds() -> float:
        start = time.perf_counter()
        run(MAILBOX, np.int64(CALIBRATION))
        return time.perf_counter() - start

    shortest = min(seconds() for _ in range(5))  # other processes may interrupt some of them
    return run, np.int64(CALIBRATION * SPIN_SECONDS / shortest)
