"""What a call of another compiler's function costs in an iteration of a native loop.

Each loop is a chain: an iteration waits for the one before. The cost is the difference to a loop
with the formula in place of the call. Loops take turns, and the shortest of many runs counts.
"""

from __future__ import annotations

import argparse
import ctypes
import ctypes.util
import time

import cffi
import numpy as np
from numba import njit

import allograph as ag

STEPS = 200_000


@njit
def damped(x):
    return x * 0.5 + 1.0


@njit
def damped_with_list(x):
    """The same, but Numba's runtime allocates a list where x is not positive, which it never is."""
    if x > 0.0:
        return x * 0.5 + 1.0
    return [x, x * 2][1]


def functions() -> dict:
    """The bodies of the loops, by name: what is called, and what the loop without a call does."""
    ffi = cffi.FFI()
    ffi.cdef("double fabs(double);")
    math = ctypes.util.find_library("m")
    absolute = ctypes.CDLL(math).fabs
    absolute.argtypes, absolute.restype = [ctypes.c_double], ctypes.c_double
    by_cffi = ag.numba_op(ffi.dlopen(math).fabs, stateful=False)
    by_ctypes = ag.numba_op(absolute, stateful=False)
    return {
        "no call": lambda x: x * 0.5 + 1.0,
        "@njit, inlined": damped,
        "@njit with a list, by address": damped_with_list,
        "ctypes, by address": lambda x: by_ctypes(x) * 0.5 + 1.0,
        "cffi, by address": lambda x: by_cffi(x) * 0.5 + 1.0,
    }


def looped(body):
    """A function that applies a body many times."""

    @ag.function(jit_compile=True)
    def loop(x, steps):
        for _ in ag.range(steps):
            x = body(x)
        return x

    return loop


def shortest(rounds: int) -> dict[str, float]:
    """Nanoseconds of an iteration, by the name of the body."""
    x, steps = ag.constant(3.0, ag.float64), ag.constant(STEPS)
    calls = {name: looped(body) for name, body in functions().items()}
    for call in calls.values():
        np.testing.assert_allclose(float(call(x, steps)), 2.0)
    best = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            call(x, steps)
            best[name] = min(best[name], (time.perf_counter() - start) / STEPS * 1e9)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    best = shortest(parser.parse_args().rounds)
    without = best["no call"]
    for name, nanoseconds in best.items():
        print(f"{name:32} {nanoseconds:6.2f} ns, {nanoseconds - without:+6.2f} ns")


if __name__ == "__main__":
    main()
