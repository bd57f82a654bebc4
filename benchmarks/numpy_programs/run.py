"""Compares `ag.jit` with NumPy and Numba on the programs of this folder, in samples.

    python benchmarks/numpy_programs/run.py [PROGRAM ...] [--rounds 3] [--small]
    python benchmarks/numpy_programs/run.py --document docs/performance.md \\
        --plot docs/numpy_programs.svg

Each call gets new copies of the arguments; making them is not measured. First calls are measured in
processes of their own: one with an empty cache of compiled code, and one that finds it filled.

With `--busy`, for a machine that other programs use, every engine has one thread, and of a call
counts the time in which that thread ran.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

BUSY = "--busy" in sys.argv
if BUSY:  # before NumPy is imported, which reads them
    os.environ.update(ALLOGRAPH_THREADS="1", OPENBLAS_NUM_THREADS="1")

import numpy as np  # noqa: E402 - reads what is set above

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from color_schemes import follow_color_scheme  # noqa: E402 - found by the line above

from numpy_programs import PROGRAMS, copied  # noqa: E402 - found by the line above

clock = time.thread_time if BUSY else time.perf_counter
MOST_CALLS = 50
SAMPLE_SECONDS = 0.05
# Where a page gets what, up to END.
ALL, ABOUT = "<!-- numpy programs -->", "<!-- about numpy programs -->"
TEN, END = "<!-- ten programs -->", "<!-- end -->"
SHOWN = (
    "seidel_2d", "edit_distance", "mandelbrot", "jacobi_2d", "wave_2d", "kernel_density", "lu",
    "breadth_first", "biquad", "pendulum",
)  # fmt: skip


def main() -> None:
    options = parsed()
    if options.first:
        print(first_call(options.programs[0], options.small))
        return
    results = options.results
    if options.render:
        rows = json.loads(results.read_text())
    else:
        rows = {}
        for name in options.programs or PROGRAMS:
            rows[name] = measured(name, options)
            print(row_of(name, rows[name]), flush=True)
        results.parent.mkdir(exist_ok=True)
        results.write_text(json.dumps(rows, indent=1) + "\n")
    print("\n" + summary(rows))
    for document in options.document:
        fill(document, rows)
    if options.plot:
        plot(options.plot, rows)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("programs", nargs="*")
    parser.add_argument("--rounds", type=int, default=3, help="samples of each engine")
    parser.add_argument("--small", action="store_true", help="sizes of the tests")
    parser.add_argument("--document", type=Path, nargs="*", default=(), help="pages to fill in")
    parser.add_argument("--plot", type=Path, help="draw the ratios, as SVG")
    parser.add_argument("--busy", action="store_true", help="other programs use the machine")
    parser.add_argument("--no-first", action="store_true", help="measure no first calls")
    parser.add_argument(
        "--results", type=Path, default=HERE.parent / "results" / "numpy_programs.json"
    )
    parser.add_argument("--render", action="store_true", help="the last results: run nothing")
    parser.add_argument("--first", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = set(options.programs) - set(PROGRAMS)
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    return options


def measured(name: str, options) -> dict:
    """Seconds of a call for each engine, seconds of first calls, and whether it is native."""
    import allograph as ag

    program = PROGRAMS[name]
    arguments = program.arguments(program.small if options.small else program.large)
    compiled = ag.jit(program.function)
    engines = {"allograph": compiled, "numpy": program.function, "numba": ported(program)}
    row: dict = {}
    start = time.perf_counter()
    if not works(engines["numba"], arguments):
        del engines["numba"]
    else:
        row["numba_first"] = time.perf_counter() - start
    samples: dict[str, list[float]] = {engine: [] for engine in engines}
    warm_up = compiled(*copied(arguments))
    del warm_up
    for _ in range(options.rounds):
        for engine, function in engines.items():
            samples[engine].append(sample(function, arguments))
    row.update({engine: min(times) for engine, times in samples.items()})
    row["native"] = "NumPy:" not in compiled.inspect()
    if not options.no_first:
        with tempfile.TemporaryDirectory() as cache:
            row["first"], row["again"] = (in_a_process(name, cache, options) for _ in range(2))
    return row


def ported(program):
    """The port, or the function itself, as Numba compiles it; None where it is not installed."""
    try:
        import numba
    except ImportError:
        return None
    return numba.njit(program.port or program.function)


def works(function, arguments: tuple) -> bool:
    if function is None:
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(*copied(arguments))
        except Exception:
            return False
    return True


def sample(function, arguments: tuple) -> float:
    """The least seconds of some calls: other programs of the machine only add to them."""
    seconds: list[float] = []
    end = time.perf_counter() + SAMPLE_SECONDS
    while not seconds or (len(seconds) < MOST_CALLS and time.perf_counter() < end):
        fresh = copied(arguments)
        start = clock()
        function(*fresh)
        seconds.append(clock() - start)
    return min(seconds)


def in_a_process(name: str, cache: str, options) -> float:
    command = [sys.executable, __file__, name, "--first", *["--small"] * options.small]
    variables = {**os.environ, "ALLOGRAPH_CACHE_DIR": cache}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)  # bytecode is cached, as it is for a user
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=True)
    return float(done.stdout)


def first_call(name: str, small: bool) -> float:
    """The seconds of the first call in this process, less those of a later one."""
    import allograph as ag

    program = PROGRAMS[name]
    arguments = program.arguments(program.small if small else program.large)
    compiled = ag.jit(program.function)
    times = []
    for _ in range(2):
        fresh = copied(arguments)
        start = time.perf_counter()
        compiled(*fresh)
        times.append(time.perf_counter() - start)
    return times[0] - times[1]


# ---- the table -------------------------------------------------------------------------------


def row_of(name: str, row: dict) -> str:
    own, numba = row["allograph"], row.get("numba")
    cells = [
        name,
        duration(own),
        f"{row['numpy'] / own:.3g}x",
        "-" if numba is None else f"{numba / own:.2g}x",
        duration(row["first"]) if "first" in row else "-",
        duration(row["again"]) if "again" in row else "-",
        duration(row["numba_first"]) if numba is not None else "-",
        "" if row["native"] else "NumPy runs it",
    ]
    return f"| {' | '.join(cells)} |"


def duration(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} us"


def table(rows: dict[str, dict]) -> str:
    head = [
        "| program | a call | faster than NumPy | than Numba | first call | in a second process "
        "| first call of Numba | |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    return "\n".join([*head, *(row_of(name, row) for name, row in rows.items())])


def summary(rows: dict[str, dict]) -> str:
    over_numpy = [row["numpy"] / row["allograph"] for row in rows.values()]
    over_numba = [row["numba"] / row["allograph"] for row in rows.values() if "numba" in row]
    lines = [
        f"{len(rows)} programs, {sum(row['native'] for row in rows.values())} of them native; "
        f"{mean(over_numpy):.1f} times as fast as NumPy (geometric mean), the slowest "
        f"{min(over_numpy):.2f} times",
    ]
    if over_numba:
        lines.append(
            f"{mean(over_numba):.2f} times as fast as the {len(over_numba)} that Numba compiles"
        )
    if all("first" in row for row in rows.values()):
        first, again = (statistics.median(row[key] for row in rows.values())
                        for key in ("first", "again"))  # fmt: skip
        lines.append(f"median first call {duration(first)}, in a second process {duration(again)}")
    return "; ".join(lines) + "."


def mean(ratios: list[float]) -> float:
    return float(np.exp(np.mean(np.log(ratios))))


def fill(document: Path, rows: dict[str, dict]) -> None:
    """Put the table and the summary between their markers in a page."""
    content = document.read_text(encoding="utf-8")
    made = {ALL: table(rows), ABOUT: summary(rows), TEN: before_and_after(rows)}
    for start, new in made.items():
        if start in content:
            head, rest = content.split(start, 1)
            content = f"{head}{start}\n\n{new}\n\n{END}{rest.split(END, 1)[1]}"
    document.write_text(content, encoding="utf-8")


def before_and_after(rows: dict[str, dict]) -> str:
    """The table of docs/numpy_to_native.md."""
    lines = ["| function | NumPy | `ag.jit` | times as fast |", "| --- | --- | --- | --- |"]
    for name in SHOWN:
        if name in rows:
            own, numpy = rows[name]["allograph"], rows[name]["numpy"]
            times = f"{numpy / own:.3g}"
            lines.append(f"| `{name}` | {duration(numpy)} | {duration(own)} | {times} |")
    return "\n".join(lines)


def plot(path: Path, rows: dict[str, dict]) -> None:
    """Draw how many times as fast as NumPy each program is, on a logarithmic scale, as SVG."""
    ordered = sorted(rows.items(), key=lambda item: item[1]["numpy"] / item[1]["allograph"])
    height, left, width, most = 14, 170, 420, 1e4
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 80}" '
        f'height="{height * (len(ordered) + 2)}" font-family="sans-serif" font-size="11">',
    ]

    def position(ratio: float) -> float:
        return left + width * np.log(max(ratio, 0.1) / 0.1) / np.log(most / 0.1)

    for tick in (0.1, 1, 10, 100, 1000, 10000):
        x = position(tick)
        lines.append(f'<path d="M{x:.1f} {height}V{height * (len(ordered) + 1)}" stroke="#ccc"/>')
        lines.append(f'<text x="{x:.1f}" y="11" text-anchor="middle">{tick:g}x</text>')
    for index, (name, row) in enumerate(ordered, 1):
        y = height * index
        end = position(row["numpy"] / row["allograph"])
        start = position(1.0)
        lines.append(f'<text x="{left - 6}" y="{y + 10}" text-anchor="end">{name}</text>')
        lines.append(
            f'<rect x="{min(start, end):.1f}" y="{y + 2}" height="{height - 4}" '
            f'width="{abs(end - start):.1f}" fill="#4477aa"/>'
        )
        if "numba" in row:
            x = position(row["numpy"] / row["numba"])
            lines.append(f'<path d="M{x:.1f} {y + 1}v{height - 2}" stroke="#cc3311"/>')
    path.write_text("\n".join([*lines, "</svg>"]) + "\n", encoding="utf-8")
    follow_color_scheme(path)


if __name__ == "__main__":
    main()
