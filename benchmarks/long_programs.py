"""Programs of many steps and no loop around them: a step is some sums and products, and a branch.

Compared are the first call and later ones, in processes of their own, with empty caches. Engines
take turns, and the shortest of many runs counts.

    python benchmarks/long_programs.py [STEPS ...] [--plot docs/long_programs.svg]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

STEPS = (8, 16, 50, 100, 250, 500, 1000, 1250)
OPERATIONS = 8  # of a step
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
    time.sleep(1.0)  # what shortens later calls is compiled behind the first one
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


def main(numbers: list[int], path: Path | None) -> None:
    print("| steps | first call: `jit`, s | Numba, s | call: `jit`, us | Numba, us | Python, us |")
    print("|---|---|---|---|---|---|")
    seconds = {}
    for steps in numbers:
        rows = {engine: in_a_process(engine, steps) for engine in ENGINES}
        own, other, plain = (rows[engine] for engine in ENGINES)
        assert own and plain and np.isclose(own["result"], plain["result"], rtol=1e-9)
        first, call = (f"{other['first']:.2f}", f"{other['call']:.2f}") if other else ("-", "-")
        seconds[steps] = own["first"]
        print(
            f"| {steps:,} | {own['first']:.2f} | {first} | {own['call']:.2f} | {call} "
            f"| {plain['call']:.2f} |",
            flush=True,
        )
    if path is not None:
        plot(path, seconds)


def plot(path: Path, seconds: dict[int, float]) -> None:
    """Draw the seconds of first calls by operations, as SVG. The line is that of the most steps."""
    left, width, height = 60, 420, 220
    most = max(seconds)
    scale = height / (1.1 * seconds[most])

    def point(steps: float, value: float) -> str:
        return f"{left + width * steps / most:.1f} {20 + height - scale * value:.1f}"

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 60}" '
        f'height="{height + 70}" font-family="sans-serif" font-size="11">',
        f'<path d="M{left} 20v{height}h{width}" fill="none" stroke="#888"/>',
        f'<path d="M{point(0, 0)}L{point(most, seconds[most])}" stroke="#cc3311"/>',
        f'<text x="{left + width / 2}" y="{height + 60}" text-anchor="middle">operations</text>',
        f'<text x="{left}" y="12" text-anchor="middle">seconds of the first call</text>',
    ]
    for steps, value in seconds.items():
        x, y = point(steps, value).split()
        lines.append(f'<circle cx="{x}" cy="{y}" r="3.5" fill="#4477aa"/>')
        if steps >= most / 6:
            label = f"{steps * OPERATIONS:,}"
            lines.append(f'<text x="{x}" y="{height + 38}" text-anchor="middle">{label}</text>')
            lines.append(f'<text x="{left - 6}" y="{y}" text-anchor="end">{value:.1f}</text>')
    path.write_text("\n".join([*lines, "</svg>"]) + "\n", encoding="utf-8")
    from color_schemes import follow_color_scheme  # of this folder, which is no package

    follow_color_scheme(path)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measured(sys.argv[2], int(sys.argv[3]))))
    else:
        parser = argparse.ArgumentParser(description=__doc__)
        parser.add_argument("steps", type=int, nargs="*", default=STEPS)
        parser.add_argument("--plot", type=Path, help="draw the first calls, as SVG")
        options = parser.parse_args()
        main(options.steps, options.plot)
