"""The undo log of an array that a kernel changes: the blocks of elements that it has written to, as
they were before.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

from ..jit.loop_hints import kernel_function


@functools.cache
def functions() -> dict[str, Callable]:
    """The functions that kernels call."""
    return {"save_block": save_block, "save_blocks": save_blocks}


@kernel_function(inline=True)
def save_block(array, saved, blocks, is_saved, block):
    """Save a block of an array of rank 1, unless it is saved."""
    if not is_saved[block]:
        append_block(array, saved, blocks, is_saved, block)


@kernel_function(inline=True, vectors=False, unrolled=False)
def save_blocks(array, saved, blocks, is_saved, first, last):
    """Save the blocks from `first` to `last`."""
    for block in range(first, last + 1):
        if not is_saved[block]:
            append_block(array, saved, blocks, is_saved, block)


@kernel_function(inline=False, unrolled=False)
def append_block(array, saved, blocks, is_saved, block):
    """Save a block as the next row of `saved`. `blocks` has the number of saved blocks first, then
    theirs.
    """
    is_saved[block] = True
    count, size = blocks[0], saved.shape[1]
    blocks[0] = count + 1
    blocks[count + 1] = block
    start = block * size
    if start + size <= len(array):
        for i in range(size):
            saved[count, i] = array[start + i]
    else:
        for i in range(len(array) - start):
            saved[count, i] = array[start + i]
