"""The words of memory through which kernels and the threads of the pool reach each other."""

from __future__ import annotations

import numpy as np

WAKE, WAIT, COUNT, BOARD_AT = range(4)  # indices into the table that every parallel kernel gets
LINE = 128  # bytes between the words of the board: no two are in one line of the cache
# The words of the board, as distances from its beginning.
OWNED, POSTED, INSIDE, ROOM, AWAKE, PART, TABLE = range(0, 7 * LINE, LINE)
BOARD = np.zeros(8 * LINE // 8, np.int64)


def word(place: int) -> int:
    """What a word of the board holds."""
    return int(BOARD[place // 8])


def clear() -> None:
    """A child process has no threads that could watch."""
    BOARD[:] = 0
