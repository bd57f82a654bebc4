"""The constants of the Philox generator, and how many blocks are computed at once: see
`philox_blocks`.
"""

from __future__ import annotations

import numpy as np

from ...jit.cpu import vector_registers

MULTIPLIERS = np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157)
WEYL = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B)
WORDS = 4  # integers of a block
ROUNDS = 10
BEGUN = 2  # rounds that have few products
VECTORS, SINGLES = 3, ROUNDS - BEGUN  # of a step: vectors, and single blocks
MOST_BLOCKS = 128  # of a group


def vector_blocks() -> int:
    """The blocks of a vector."""
    return vector_registers()[0] // 8


def step_blocks() -> int:
    """The blocks of a step: 14, 20 or 32."""
    return VECTORS * vector_blocks() + SINGLES


def group_blocks() -> int:
    """The blocks of a group, which are computed at once: whole steps."""
    return MOST_BLOCKS // step_blocks() * step_blocks()


def group_size(item_bytes: int) -> int:
    """The uniform numbers of a group."""
    return group_blocks() * WORDS * 8 // item_bytes
