"""Random numbers by threads of a grid: the streams of NumPy's Philox generator.

Each block of the generator follows from its number. A thread computes one, and the uniform numbers
that it holds.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from ...jit.loop_hints import kernel_function
from ...kernels.random.philox_blocks import philox_block, unit32, unit64
from .grid_calls import numbers_of_block


@functools.cache
def functions() -> dict[str, Callable]:
    """`philox_uniform_TYPE(out, block, key0, key1, counter, low, high)`: the numbers of a block."""
    return {f"philox_uniform_f{8 * real().itemsize}": _uniform(real) for real in REALS}


REALS = (np.float32, np.float64)


def _uniform(real):
    bits = 8 * real().itemsize
    word, unit = (np.uint32, unit32) if bits == 32 else (np.uint64, unit64)
    count = numbers_of_block(bits)

    @kernel_function
    def fill(out, block, key0, key1, counter, low, high):
        width, last, up = real(high - low), real(np.nextafter(high, low)), low < high
        words = np.empty(count, word)
        philox_block(words, 1, key0, key1, np.uint64(block + 1), counter)
        first = block * count
        for index in range(min(count, out.size - first)):
            drawn = unit(words[index])
            if not (low == 0 and high == 1):
                drawn = real(real(drawn * width) + low)
                beyond = drawn >= high if up else drawn <= high
                drawn = last if beyond else drawn
            out[first + index] = drawn

    return fill
