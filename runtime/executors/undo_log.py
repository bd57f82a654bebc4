"""How arguments get their content back where a kernel that changed them fails."""

from __future__ import annotations

import numpy as np

from ..core.array_pool import new_array
from ..lowering.buffer_assignment import UndoLog


def new_log(log: UndoLog) -> list[np.ndarray]:
    """An empty undo log: its blocks, the number of them and theirs, and whether each is saved."""
    saved, blocks = new_array(log.saved), new_array(log.blocks)
    blocks[0] = 0
    return [saved, blocks, np.zeros(len(saved), np.bool_)]


def restore(array: np.ndarray, saved: np.ndarray, blocks: np.ndarray, _) -> None:
    """Write the saved blocks of a log back.

    >>> array, saved = np.arange(7), np.full((3, 3), -1)
    >>> restore(array, saved, np.array([2, 2, 0, 0]), None)
    >>> array.tolist()
    [-1, -1, -1, 3, 4, 5, -1]
    """
    size = saved.shape[1]
    count, whole = blocks[0], array.size // size
    elements, saved, blocks = array.reshape(-1), saved[:count], blocks[1 : count + 1]
    is_whole = blocks < whole
    elements[: whole * size].reshape(whole, size)[blocks[is_whole]] = saved[is_whole]
    for row in saved[~is_whole]:  # the last block is shorter
        elements[whole * size :] = row[: array.size % size]
