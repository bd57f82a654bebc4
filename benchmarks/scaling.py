"""How time, compilation and memory grow with size: `python benchmarks/scaling.py`.

    python benchmarks/scaling.py [PROBLEM ...] [--document docs/performance.md] [--plot PATH.svg]
    python benchmarks/scaling.py --render ...   # tables and plots of the last results, nothing runs

time      each problem of `workloads/` at sizes over several decades, allograph (jit_compile=True)
          and NumPy one after the other in one process. The least time of a call counts.
compile   straight-line programs of 10 to 10,000 operations: trace and passes, lowering and kernel.
memory    the peak of a process after its first call, less that of the smallest size.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from color_schemes import follow_color_scheme
from contest.engines import ENGINES, build, difference, expected, load, prepare
from contest.memory import peak_mb
from contest.report import about, commit, described_machine, lines_of, write_sections
from harness import duration

HERE = Path(__file__).parent
ENGINE_NAMES = ("allograph_jit", "numpy")
SECONDS = 0.2  # of calls at each size
LONGEST_CALL = 2.0  # seconds: an engine that needs longer is not measured at larger sizes
OPERATIONS = (10, 30, 100, 300, 1000, 3000, 10_000)
MEMORY = ("gelu_chain", "reduction", "black_scholes", "sort_gather", "matmul_chain")


class Growth(NamedTuple):
    """The sizes of one problem: the arguments of its `inputs` for each, and what is counted."""

    counted: str
    count: Callable[[int], float]
    size: Callable[[int], dict]
    values: tuple[int, ...]


def along(name: str, values: tuple[int, ...], counted: str = "", count=float, **fixed) -> Growth:
    return Growth(counted or name, count, lambda value: {name: value, **fixed}, values)


VECTOR = (10, 100, 1000, 10_000, 100_000, 1_000_000)
SIDES = (4, 12, 40, 120, 400, 1200)
STEPS = (1, 10, 100, 1000, 10_000, 100_000)
GROWTHS = {
    "call_overhead": along("n", VECTOR, "elements"),
    "collatz": along("most", (3, 30, 300, 3000, 30_000, 300_000), "numbers"),
    "newton": Growth("iterations", float, lambda n: {"damping": 24.97 / n}, VECTOR[1:]),
    "mandelbrot_vec": along("n", SIDES, "points", lambda n: n * n, steps=50),
    "mandelbrot_scalar": along("n", SIDES, "points", lambda n: n * n, most=50),
    "black_scholes": along("n", VECTOR, "options"),
    "gelu_chain": along("rows", STEPS, "elements", lambda n: 10 * n, columns=10),
    "dynamic_rnn": along("steps", STEPS[:-1], batch=32, units=64),
    "lstm_step_loop": along("steps", STEPS[:-1], batch=16, units=64),
    "mlp_train_step": along(
        "batch", (1, 10, 100, 1000, 10_000), "rows", pixels=784, units=64, classes=10
    ),
    "while_gradient": along("n", VECTOR, "elements", steps=20),
    "conv2d": along(
        "n", (7, 14, 28, 56, 112, 224), "pixels", lambda n: n * n, channels=16, filters=16
    ),
    "matmul_chain": along("n", (4, 12, 40, 120, 400, 1024), "elements", lambda n: n * n),
    "reduction": along("rows", STEPS, "elements", lambda n: 10 * n, columns=10),
    "branching": along("n", VECTOR, "iterations"),
    "sort_gather": along("n", VECTOR, "elements", top=10),
    "kalman": along("steps", STEPS[:-1]),
    "unrolled_graph": along("n", VECTOR, "elements", operations=20),
    "monte_carlo_pi": along(
        "batches", (1, 10, 100, 1000), "points", lambda n: 100_000 * n, batch=100_000
    ),
}  # fmt: skip


# ---- measurements ----------------------------------------------------------------------------


def times(name: str) -> list[dict]:
    """Seconds per call of each engine, size by size. Raises AssertionError for a wrong result."""
    growth, workload = GROWTHS[name], importlib.import_module(f"workloads.{name}")
    rows, running = [], list(ENGINE_NAMES)
    for value in growth.values:
        row: dict = {"count": growth.count(value)}
        for engine_name in tuple(running):
            call = checked(engine_name, workload, growth.size(value))
            row[engine_name] = least_seconds(call)
            if row[engine_name] > LONGEST_CALL:
                running.remove(engine_name)
        rows.append(row)
    return rows


def checked(engine_name: str, workload, size: dict) -> Callable:
    """The call of an engine, whose first result is that of NumPy."""
    engine = ENGINES[engine_name]
    module = load(engine)
    prepare(engine, module, workload, threads=2)
    call, read = build(engine, module, workload, size)
    if engine_name != "numpy":
        error = difference(workload, read(call()), expected(workload, size))
        tolerance = getattr(workload, "TOLERANCE", 1e-5)
        assert error <= tolerance, f"{workload.__name__} {size}: off by {error:.3g}"
    return call


def least_seconds(call: Callable) -> float:
    """The least time of a call, of as many as fit into SECONDS, in batches of at least 20 us."""
    begin = start = time.perf_counter()
    call()
    once = time.perf_counter() - start
    batch = max(1, int(20e-6 / once))
    while time.perf_counter() - begin < SECONDS:
        start = time.perf_counter()
        for _ in range(batch):
            call()
        once = min(once, (time.perf_counter() - start) / batch)
    return once


def compile_times() -> list[dict]:
    """CPU seconds until the trace is made and until native code is, by number of operations."""
    import allograph as ag

    workload = importlib.import_module("workloads.unrolled_graph")
    rows = []
    for operations in (OPERATIONS[0], *OPERATIONS):  # the first loads the compiler
        size = {"n": 16, "operations": operations}
        arguments = [ag.constant(value) for value in workload.inputs(**size).values()]
        f = workload.graph(ag, size)
        start = time.process_time()
        concrete = f.get_concrete_function(*arguments)
        traced = time.process_time()
        concrete.executable.precompile()
        rows.append(
            {
                "count": operations,
                "trace": traced - start,
                "compile": time.process_time() - traced,
            }
        )
    return rows[1:]


def memory(name: str) -> list[dict]:
    """Peak megabytes of a process for each size."""
    growth = GROWTHS[name]
    rows = []
    for value in growth.values:
        row: dict = {"count": growth.count(value)}
        for engine in ENGINE_NAMES:
            command = [sys.executable, __file__, "--peak", engine, name, str(value)]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            row[engine] = float(done.stdout)
        rows.append(row)
    return rows


def peak_of(engine_name: str, name: str, value: int) -> float:
    engine, workload = ENGINES[engine_name], importlib.import_module(f"workloads.{name}")
    module = load(engine)
    prepare(engine, module, workload, threads=2)
    call, _ = build(engine, module, workload, GROWTHS[name].size(value))
    result = call()
    peak = peak_mb()
    del result
    return peak


# ---- tables and plots ------------------------------------------------------------------------


def crossover(rows: list[dict]) -> float | None:
    """The count from which on allograph is at least as fast as NumPy; None where it never is."""
    both = [row for row in rows if all(name in row for name in ENGINE_NAMES)]
    slower = [i for i, row in enumerate(both) if row["allograph_jit"] > row["numpy"]]
    if not slower:
        return both[0]["count"]
    return both[slower[-1] + 1]["count"] if slower[-1] + 1 < len(both) else None


def per_count(rows: list[dict], engine: str) -> float | None:
    """Seconds for each element at the largest size that was measured."""
    last = [row for row in rows if engine in row][-1:]
    return last[0][engine] / last[0]["count"] if last else None


def time_table(record: dict) -> str:
    body = []
    for name, rows in record["time"].items():
        first = crossover(rows)
        ours, numpy = (per_count(rows, engine) for engine in ENGINE_NAMES)
        cells = [duration(one) if one else "-" for one in (ours, numpy)]
        begin = f"{first:,.0f}" if first else "-"
        sizes = f"{rows[0]['count']:,.0f} to {rows[-1]['count']:,.0f} {GROWTHS[name].counted}"
        body.append([name, sizes, begin, *cells])
    header = ["problem", "sizes", "as fast as NumPy from", "allograph, for each", "NumPy, for each"]
    return lines_of(header, body)


def compile_table(record: dict) -> str:
    body = [
        [
            f"{row['count']:,}",
            *(duration(row[stage]) for stage in ("trace", "compile")),
            duration((row["trace"] + row["compile"]) / row["count"]),
        ]
        for row in record["compile"]
    ]
    return lines_of(["operations", "trace", "native code", "both, for each operation"], body)


def memory_table(record: dict) -> str:
    """Bytes for each element that is counted, at the largest size."""
    body = []
    for name, rows in record["memory"].items():
        cells = [
            f"{(rows[-1][engine] - rows[0][engine]) * 1e6 / rows[-1]['count']:.1f}"
            for engine in ENGINE_NAMES
        ]
        body.append([name, f"{rows[-1]['count']:,.0f} {GROWTHS[name].counted}", *cells])
    return lines_of(["problem", "size", "allograph, bytes for each", "NumPy, bytes for each"], body)


TABLES = {
    "scaling about": about,
    "scaling time": time_table,
    "scaling compile": compile_table,
    "scaling memory": memory_table,
}


def draw(record: dict, path: Path) -> None:
    """A panel for each problem: time of a call against size; and one for the compilation."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "allograph"})
    from matplotlib import pyplot

    count = len(record["time"]) + 1
    figure, grid = pyplot.subplots(-(-count // 4), 4, figsize=(11, 2.1 * -(-count // 4)))
    panels = iter(grid.flat)
    for name, rows in record["time"].items():
        axes = next(panels)
        for engine, color in zip(ENGINE_NAMES, ("black", "C1"), strict=True):
            points = [(row["count"], row[engine]) for row in rows if engine in row]
            axes.plot(*zip(*points, strict=True), "o-", color=color, markersize=2.5, linewidth=1)
        axes.set(xscale="log", yscale="log")
        axes.set_title(f"{name}: s, {GROWTHS[name].counted}", fontsize=8)
    axes = next(panels)
    for stage, color in (("trace", "C0"), ("compile", "C3")):
        points = [(row["count"], row[stage]) for row in record["compile"]]
        axes.plot(*zip(*points, strict=True), "o-", color=color, markersize=2.5, linewidth=1)
    axes.set(xscale="log", yscale="log")
    axes.set_title("trace (blue), native code (red): s, operations", fontsize=8)
    for rest in panels:
        rest.set_axis_off()
    for axes in grid.flat:
        axes.tick_params(labelsize=6)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    if path.suffix == ".svg":
        follow_color_scheme(path)
    pyplot.close(figure)


# ---- the command -----------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("problems", nargs="*", help=f"of: {', '.join(GROWTHS)}")
    parser.add_argument("--peak", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path, default=HERE / "results" / "scaling.json")
    parser.add_argument("--document", type=Path, help="write the tables into this page")
    parser.add_argument("--plot", type=Path, help="draw the time against the size")
    parser.add_argument("--render", action="store_true", help="run nothing")
    options = parser.parse_args(arguments)
    if options.peak:
        engine, name, value = options.problems
        print(peak_of(engine, name, int(value)))
        return
    record = json.loads(options.output.read_text("utf-8")) if options.output.exists() else {}
    if not options.render:
        record = measured(options.problems or list(GROWTHS), record)
        options.output.parent.mkdir(parents=True, exist_ok=True)
        options.output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if options.document:
        write_sections(options.document, {name: table(record) for name, table in TABLES.items()})
    if options.plot:
        draw(record, options.plot)


def measured(problems: list[str], record: dict) -> dict:
    """The record with these problems measured again, and compilation if all are."""
    record = {"time": {}, "compile": [], "memory": {}} | record
    run = {"machine": described_machine(), "run": commit(), "small": False}
    record.update(run, threads=2)
    for name in problems:
        print(name, flush=True)
        record["time"][name] = times(name)
    if set(problems) == {*GROWTHS} or not record["compile"]:
        print("compilation and memory", flush=True)
        record["compile"] = compile_times()
        record["memory"] = {name: memory(name) for name in MEMORY}
    return record


if __name__ == "__main__":
    main()
