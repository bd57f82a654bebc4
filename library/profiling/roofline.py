"""The roofline of this machine: its rates of copying memory and of multiplying matrices.

It needs only NumPy, so that a process without the package can run it as a script.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

COPIES = (0.25, 4, 64)  # megabytes: in a cache of a core, in the last cache, in memory


class Rates(NamedTuple):
    """Rates per second: operations of matrix products by data type, and bytes read and written by
    copies, by the size of both arrays.
    """

    products: dict[str, float]
    copies: dict[float, float]

    def copying(self, size: float) -> float:
        """The rate of a copy that reads and writes `size` bytes."""
        fitting = (rate for copied, rate in self.copies.items() if copied >= size)
        return next(fitting, self.copies[max(self.copies)])


@functools.cache
def machine_rates(threads: int) -> Rates:
    """The rates with `threads` threads, measured once in a process, which takes about 0.2 s."""
    return Rates(
        {dtype: product_rate(dtype, size=768) for dtype in ("float32", "float64")},
        {size * 2**21: copy_rate(size, threads, repeats=5) for size in COPIES},
    )


def best_seconds(call: Callable[[], object], repeats: int = 9) -> float:
    """The shortest time of a call."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def copy_rate(megabytes: float, threads: int, repeats: int = 9) -> float:
    """Bytes per second that a copy of an array reads and writes, by one thread or by all."""
    source = np.ones(int(megabytes * 2**18), np.float32)
    target = np.empty_like(source)
    np.copyto(target, source)  # touches the pages
    times = [best_seconds(lambda: np.copyto(target, source), repeats)]
    if threads > 1:
        parts = [np.array_split(array, threads) for array in (target, source)]
        with ThreadPoolExecutor(threads) as pool:
            times.append(best_seconds(lambda: list(pool.map(np.copyto, *parts)), repeats))
    return 2 * source.nbytes / min(times)


def product_rate(dtype: str, size: int = 2048, repeats: int = 9) -> float:
    """Multiplications and additions per second of NumPy's product of two square matrices."""
    matrix = np.random.default_rng(0).random((size, size)).astype(dtype)
    return 2 * size**3 / best_seconds(lambda: matrix @ matrix, repeats)
