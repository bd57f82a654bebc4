"""What a call of a small function costs under `jit`, `function`, Numba where it is installed, and
in plain Python.

Engines take turns, and the shortest of many runs counts.
"""

from __future__ import annotations

import argparse
import pickle
import time
from collections.abc import Callable

import numpy as np

import allograph as ag

try:
    from numba import njit
except ImportError:
    njit = None

A, B = np.arange(4.0), np.arange(4.0)
PICKLED = pickle.loads(pickle.dumps(A))  # its data type is another object, as in worker processes
CALLS = 200  # of one run


def added(x):
    return x + 1.0


def in_place(x):
    for i in range(len(x)):
        x[i] += 1.0


def of_five(x, y, n, scale=2.0, k=3):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i] * scale + k * n
    return total


def of_numbers(a, b, c):
    return a * b + c


def of_pair(parameters, x):
    a, b, c = parameters
    return a * x + b + c


def combined(x, y):
    return x * 2.0 + y


CASES: dict[str, tuple[Callable, tuple]] = {
    "one array, a new one": (added, (A,)),
    "one array, in place": (in_place, (np.zeros(4),)),
    "the same, after np.seterr": (in_place, (np.zeros(4),)),
    "one array, from a pickle": (in_place, (PICKLED,)),
    "five arguments, two by default": (of_five, (A, B, 4)),
    "three numbers": (of_numbers, (1.0, 2.0, 3.0)),
    "a tuple of floats and a number": (of_pair, ((1.0, 2.0, 3.0), 2.0)),
}
TENSORS = {
    "one tensor": (added, (ag.constant(A),)),
    "two tensors": (combined, (ag.constant(A), ag.constant(B))),
}


def nanoseconds(function: Callable, args: tuple) -> float:
    start = time.perf_counter()
    for _ in range(CALLS):
        function(*args)
    return (time.perf_counter() - start) / CALLS * 1e9


def engines(function: Callable, args: tuple, decorators: dict[str, Callable]) -> dict:
    """The decorated functions, called until they are native, and the undecorated one."""
    made = {name: decorate(function) for name, decorate in decorators.items()}
    for one in made.values():
        for _ in range(20):
            one(*args)
    return {**made, "python": function}


def measured(rounds: int) -> dict[tuple[str, str], float]:
    """Nanoseconds of a call, by the case and the engine."""
    of_arrays = {"jit": ag.jit, **({"numba": njit} if njit is not None else {})}
    of_tensors = {"function": ag.function(jit_compile=True)}
    rows = [(name, args, engines(one, args, of_arrays)) for name, (one, args) in CASES.items()]
    rows += [(name, args, engines(one, args, of_tensors)) for name, (one, args) in TENSORS.items()]
    time.sleep(1)  # a first process compiles what all calls share
    best: dict[tuple[str, str], float] = {}
    for _ in range(rounds):
        for name, args, functions in rows:
            state = np.seterr(divide="warn") if "seterr" in name else None
            for engine, function in functions.items():
                key = name, engine
                best[key] = min(best.get(key, np.inf), nanoseconds(function, args))
            if state is not None:
                np.seterr(**state)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    best = measured(parser.parse_args().rounds)
    for name in dict.fromkeys(name for name, _ in best):
        columns = [f"{engine} {best[row, engine]:6.0f} ns" for row, engine in best if row == name]
        print(f"{name:32} {', '.join(columns)}")


if __name__ == "__main__":
    main()
