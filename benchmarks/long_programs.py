"""Programs of many steps and no loop around them: a step is some sums and products, and a branch.

Compared are the first call and later ones, in processes of their own, with empty caches. Engines
take turns, and the shortest of many runs counts. `python benchmarks/long_programs.py [STEPS ...]`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time

import numpy as np

STEPS = (8, 16, 100, 250, 1000)  # some 9 operations each
ENGINES = ("allograph", "numba", "python")
NUMBA_AT_MOST = 100  # steps: more take it long
EXTRA = ("", " * x", " - y", " + x * y")  # so that no step is like the one before


def source_of(steps: int) -> str:
    """A function of that many steps."""
    lines = ["def program(a):", "    x, y = a[0], a[1]"]
    for step in range(steps):
        lines += [
            f"    x = x + 0.01 * (1.5 * x - x * y{EXTRA[(step * step + step // 3) % 4]})",
            f"    if x > y + {step % 7}.5:",
            "        y = y + 0.125 * x",
            "    else:",
            "        y = 0.5 * y + x / (2.0 + y * y)",
        ]
    return "\n".join([*lines, "    return x + y"])


def function_of(engine: str, steps: int):
    """The function as an engine has it. The source is a file, which engines read."""
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(source_of(steps))
    names: dict = {}
    exec(compile(source_of(steps), file.name, "exec"), names)
    if engine == "allograph":
        import allograph

        return allograph.jit(names["program"])
    if engine == "numba":
        import numba

        return numba.njit(names["program"])
    return names["program"]


def measured(engine: str, steps: int) -> dict:
    """Seconds of processor time of the first call, and microseconds of one of the later ones."""
    argument = np.array([0.75, 0.5])
    function_of(engine, 1)(argument)  # loads what first calls share
    function = function_of(engine, steps)
    start = time.process_time()
    result = function(argument)
    first = time.process_time() - start
    shortest = float("inf")
    for _ in range(40):
        start = time.perf_counter()
        for _ in range(200):
            function(argument)
        shortest = min(shortest, (time.perf_counter() - start) / 200)
    return {"first": first, "call": shortest * 1e6, "result": float(result)}


def in_a_process(engine: str, steps: int) -> dict | None:
    if engine == "numba" and steps > NUMBA_AT_MOST:
        return None
    with tempfile.TemporaryDirectory() as folder:
        caches = {"ALLOGRAPH_CACHE_DIR": folder, "NUMBA_CACHE_DIR": folder}
        command = [sys.executable, "-P", __file__, "--measure", engine, str(steps)]
        done = subprocess.run(
            command, env=os.environ | caches, capture_output=True, text=True, check=True
        )
    return json.loads(done.stdout)


def main(numbers: list[int]) -> None:
    print("| steps | first call: `jit`, s | Numba, s | call: `jit`, us | Numba, us | Python, us |")
    print("|---|---|---|---|---|---|")
    for steps in numbers:
        rows = {engine: in_a_process(engine, steps) for engine in ENGINES}
        own, other, plain = (rows[engine] for engine in ENGINES)
        assert own and plain and np.isclose(own["result"], plain["result"], rtol=1e-9)
        first, call = (f"{other['first']:.2f}", f"{other['call']:.2f}") if other else ("-", "-")
        print(
            f"| {steps:,} | {own['first']:.2f} | {first} | {own['call']:.2f} | {call} "
            f"| {plain['call']:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measured(sys.argv[2], int(sys.argv[3]))))
    else:
        main([int(one) for one in sys.argv[1:]] or list(STEPS))
