"""The shared words of memory through which kernels and worker threads reach each other.

The *mailbox* holds one job at a time. It keeps these invariants:

1.  A kernel posts a job only after it has changed OWNED from 0 to 1, and it sets OWNED back to 0
    only after invariant 5 holds. So there is one job, and one writer of REGION, ARGUMENTS, SEATS.
2.  POSTED is odd while a job is posted, and even otherwise. It only grows. So an odd number names
    one job for the lifetime of the process.
3.  REGION, ARGUMENTS and SEATS are written before POSTED becomes odd. A thread that reads an odd
    POSTED reads the words of that job.
4.  A thread adds 1 to INSIDE before it compares POSTED with the number that it has seen, and
    subtracts 1 when it is done. It runs the job only if the numbers are equal, and if SEATS was
    positive before it subtracted 1.
5.  The kernel makes POSTED even before it waits for INSIDE to become 0. A thread that comes later
    finds another number and leaves. So nobody runs a job after its kernel has returned.
6.  SPINNING is the number of threads that spin-wait. It is only a hint of how many will take part:
    a kernel does not wait for a thread that has not entered.
7.  A worker sleeps on its LOCK after it has set its ASLEEP to 1 and has found no new job. Whoever
    changes ASLEEP back to 0 decides: the worker itself goes on; a kernel releases LOCK once, and
    the worker takes it once.

All accesses are atomic and sequentially consistent.
"""

from __future__ import annotations

import numpy as np

# Indices into the control block that every kernel with parallel regions gets.
COUNT, MAILBOX_AT = range(2)
LINE = 128  # bytes between the words of the mailbox: no two are in one cache line
# The words of the mailbox, as offsets in bytes. NAP is a lock that is never free.
WORDS = range(0, 9 * LINE, LINE)
OWNED, POSTED, INSIDE, SEATS, SPINNING, REGION, ARGUMENTS, NAP, WORKERS = WORDS
# The lines of the workers follow. These are offsets inside the line of a worker.
FIRST_WORKER, MOST_WORKERS = len(WORDS) * LINE, 256
ASLEEP, LOCK = 0, 8
MAILBOX = np.zeros((FIRST_WORKER + MOST_WORKERS * LINE) // 8, np.int64)


def word(offset: int) -> int:
    """The value of a word of the mailbox."""
    return int(MAILBOX[offset // 8])


def put(offset: int, value: int) -> None:
    """Write a word of the mailbox."""
    MAILBOX[offset // 8] = value


def clear() -> None:
    """Reset the mailbox in a child process, which has none of the threads of its parent."""
    MAILBOX[:] = 0
