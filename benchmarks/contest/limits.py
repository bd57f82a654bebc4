"""What this machine can do at best, in a process of its own: prints one JSON line.

copy_gbps       bytes read and written a second by a copy; arrays of 16 MB and of 256 MB, the faster
float32_gflops  NumPy's product of matrices of 2048 x 2048; float64_gflops likewise
clock_ghz       a chain of integer products (three cycles) and exclusive ors (one)
"""

from __future__ import annotations

import json
import time

UNITS = {"bytes": "copy_gbps", "cycles": "clock_ghz"}
WORDS = {"bytes": "memory", "flops": "arithmetic", "cycles": "a chain"}


def seconds(bound: dict, machine: dict) -> float | None:
    """The time of a workload at the limit; None where there is none, or it was not measured."""
    for kind in ("bytes", "flops", "cycles"):
        if kind in bound:
            rate = machine.get(UNITS.get(kind) or f"{bound['dtype']}_gflops")
            return bound[kind] / rate / 1e9 if rate else None
    return None


def described(bound: dict) -> str:
    """`memory: 80 MB`, `arithmetic: 6.44 Gflop float32`, `a chain: 26 Mcycle`."""
    for kind, word in WORDS.items():
        if kind in bound:
            prefix, scale = ("M", 1e6) if bound[kind] < 1e9 else ("G", 1e9)
            unit = {"bytes": "B", "flops": f"flop {bound.get('dtype')}", "cycles": "cycle"}[kind]
            return f"{word}: {bound[kind] / scale:.3g} {prefix}{unit}"
    return "-"


def best(call, repeats=9) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def copy_gbps() -> float:
    import numpy as np
    from numba import njit, prange

    @njit(parallel=True)
    def on_threads(target, source):
        for i in prange(source.size):
            target[i] = source[i]

    rates = []
    for megabytes in (16, 256):
        source = np.ones(megabytes << 18, np.float32)
        target = np.empty_like(source)
        for copy in (np.copyto, on_threads):
            copy(target, source)
            rates.append(2 * source.nbytes / best(lambda: copy(target, source)) / 1e9)  # noqa: B023
    return max(rates)


def gflops(dtype: str) -> float:
    import numpy as np

    n = 2048
    matrix = np.random.default_rng(0).random((n, n)).astype(dtype)
    return 2 * n**3 / best(lambda: matrix @ matrix) / 1e9


def clock_ghz() -> float:
    from numba import njit

    @njit
    def chain(turns, x):
        for turn in range(turns):
            x = (x * 6364136223846793005) ^ turn  # sums instead could be unrolled together
        return x

    chain(1, 1)
    turns = 300_000  # short, so that some of the repeats are not interrupted
    return 4 * turns / best(lambda: chain(turns, 3), repeats=300) / 1e9


def measured() -> dict[str, float]:
    rates = {
        "copy_gbps": copy_gbps(),
        "float32_gflops": gflops("float32"),
        "float64_gflops": gflops("float64"),
        "clock_ghz": clock_ghz(),
    }
    return {name: round(rate, 2) for name, rate in rates.items()}


if __name__ == "__main__":
    print(json.dumps(measured()))
