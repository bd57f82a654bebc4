"""What this machine can do at best, in a process of its own: prints one JSON line.

copy_gbps       bytes read and written a second by a copy; arrays of 16 MB and of 256 MB, the faster
float32_gflops  NumPy's product of matrices of 2048 x 2048; float64_gflops likewise
clock_ghz       a chain of integer products (three cycles) and exclusive ors (one)
"""

from __future__ import annotations

import json
import os
import runpy
from pathlib import Path
from types import SimpleNamespace

RATES = Path(__file__).parents[2] / "library" / "profiling" / "roofline.py"
UNITS = {"bytes": "copy_gbps", "cycles": "clock_ghz"}
NAMES = {"bytes": "memory", "flops": "arithmetic", "cycles": "a chain"}


def seconds(bound: dict, machine: dict) -> float | None:
    """The time of a workload at the limit; None where there is none, or it was not measured."""
    for resource in ("bytes", "flops", "cycles"):
        if resource in bound:
            rate = machine.get(UNITS.get(resource) or f"{bound['dtype']}_gflops")
            return bound[resource] / rate / 1e9 if rate else None
    return None


def described(bound: dict) -> str:
    """`memory: 80 MB`, `arithmetic: 6.44 Gflop float32`, `a chain: 26 Mcycle`."""
    for resource, name in NAMES.items():
        if resource in bound:
            prefix, scale = ("M", 1e6) if bound[resource] < 1e9 else ("G", 1e9)
            unit = {"bytes": "B", "flops": f"flop {bound.get('dtype')}", "cycles": "cycle"}[
                resource
            ]
            return f"{name}: {bound[resource] / scale:.3g} {prefix}{unit}"
    return "-"


def clock_ghz(best_seconds) -> float:
    from numba import njit

    @njit
    def chain(iterations, x):
        for i in range(iterations):
            x = (x * 6364136223846793005) ^ i  # sums instead could be unrolled together
        return x

    chain(1, 1)
    iterations = 300_000  # short, so that some of the repeats are not interrupted
    return 4 * iterations / best_seconds(lambda: chain(iterations, 3), repeats=300) / 1e9


def measured() -> dict[str, float]:
    machine = SimpleNamespace(**runpy.run_path(str(RATES)))  # allograph need not be installed
    threads = int(os.environ["ALLOGRAPH_THREADS"])
    rates = {
        "copy_gbps": max(machine.copy_rate(size, threads) for size in (16, 256)) / 1e9,
        "float32_gflops": machine.product_rate("float32") / 1e9,
        "float64_gflops": machine.product_rate("float64") / 1e9,
        "clock_ghz": clock_ghz(machine.best_seconds),
    }
    return {name: round(rate, 2) for name, rate in rates.items()}


if __name__ == "__main__":
    print(json.dumps(measured()))
