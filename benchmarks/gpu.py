"""Functions on a GPU beside CUDA by hand, JAX and PyTorch: loops that data ends, each in one run.

    python benchmarks/gpu.py                          # on a card; peers that are installed
    python benchmarks/gpu.py --engines allograph,hand --only tanh --json F
    ALLOGRAPH_DEVICE=emulated python benchmarks/gpu.py --small        # whether all of it runs

Arguments and results stay on the device. Each program of each engine runs in a process of its own,
which ends after some seconds; what it takes is written as soon as it is known. `first` is the
first call, compilation included, where nothing is stored on disk, and `stored` where it is; `time`
is the median of the later ones, each until its result is there. With `--small` the results of each
of our programs are those of the CPU, or it is an error.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from of_gpu import ENGINES, SMALL, Sizes, Work, names  # noqa: E402 - from this folder

START = 30.0  # seconds that a process has for imports and the start of the device


def main() -> None:
    options = parsed()
    if options.row:
        print(json.dumps(timed_here(*options.row, options)), flush=True)
        return
    until = time.monotonic() + options.total
    table = Table(options.json)
    print(f"{'':24s} {'':10s} {'first':>12s} {'stored':>12s} {'time':>12s}  milliseconds")
    with tempfile.TemporaryDirectory() as cache:
        refused: dict[str, str] = {}
        for name in chosen(options):
            for engine in options.engines.split(","):
                if engine in refused:
                    continue
                result = timed(engine, name, options, until, cache)
                if result.pop("unavailable", False):
                    refused[engine] = result["error"]
                    print(f"{engine} is left out: {result['error']}", flush=True)
                elif result:
                    table.add(name, engine, result)
    if any("error" in row for row in table.rows.values()):
        sys.exit(1)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="few elements, and compare results")
    parser.add_argument("--engines", default=",".join(ENGINES), help="those of these names")
    parser.add_argument("--only", default="", metavar="WORDS", help="programs with one in the name")
    parser.add_argument("--rounds", type=int, default=5, help="calls that are timed at most")
    parser.add_argument("--seconds", type=float, default=8, help="of the calls of one program")
    parser.add_argument("--total", type=float, default=240, help="seconds of the whole run")
    parser.add_argument("--json", metavar="FILE", help="written after each program")
    parser.add_argument("--row", nargs=2, metavar=("ENGINE", "NAME"), help=argparse.SUPPRESS)
    parser.add_argument("--first-only", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = set(options.engines.split(",")) - set(ENGINES)
    if unknown:
        parser.error(f"--engines: {', '.join(sorted(unknown))}; there are {', '.join(ENGINES)}")
    if not options.row and not chosen(options):
        parser.error(f"--only: no program has this in its name: {', '.join(names(Sizes()))}")
    if options.rounds < 1 or options.seconds <= 0 or options.total <= 0:
        parser.error("--rounds, --seconds and --total are positive")
    return options


def chosen(options) -> list[str]:
    """The names of the programs to be timed."""
    words = options.only.split(",")
    return [name for name in names(sizes(options)) if any(word in name for word in words)]


def sizes(options) -> Sizes:
    return SMALL if options.small else Sizes()


class Table:
    """What is known so far, in a file too."""

    def __init__(self, path: str | None):
        self.path = path
        self.rows: dict[str, dict] = {}

    def add(self, name: str, engine: str, result: dict) -> None:
        self.rows[f"{name} | {engine}"] = result
        if "error" in result:
            print(f"{name:24s} {engine:10s} {result['error']}", flush=True)
        else:
            columns = [result.get(column) for column in ("first", "stored", "time")]
            texts = ["" if one is None else f"{one * 1e3:.4f}" for one in columns]
            print(f"{name:24s} {engine:10s} {' '.join(f'{one:>12s}' for one in texts)}", flush=True)
        if self.path:
            target = Path(self.path)
            target.with_suffix(".part").write_text(json.dumps(self.rows, indent=1))
            target.with_suffix(".part").replace(target)


# ---- processes -----------------------------------------------------------------------------------


def timed(engine: str, name: str, options, until: float, cache: str) -> dict:
    """What a program takes: ours twice, so that its kernels are stored the second time."""
    if engine != "allograph":
        return process(engine, name, options, until, cache)
    before = process(engine, name, options, until, cache, "--first-only")
    if "error" in before or not before:
        return before
    after = process(engine, name, options, until, cache)
    return {**after, "stored": after["first"], **before} if "first" in after else after


def process(engine: str, name: str, options, until: float, cache: str, *more: str) -> dict:
    """What a process of its own says; nothing where no time is left."""
    limit = min(START + 4 * options.seconds, until - time.monotonic())
    if limit < 1:
        return {"error": f"not run: the {options.total:g} seconds are over"}
    command = [sys.executable, str(Path(__file__).resolve()), "--row", engine, name, *more]
    command += ["--rounds", str(options.rounds), "--seconds", str(options.seconds)]
    command += ["--small"] if options.small else []
    environment = {
        "XLA_PYTHON_CLIENT_PREALLOCATE": "false", **os.environ,
        "ALLOGRAPH_CACHE_DIR": cache, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
    }  # fmt: skip
    try:
        told = subprocess.run(
            command, capture_output=True, text=True, timeout=limit, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        return {"error": f"ended after {limit:.0f} seconds"}
    lines = told.stdout.splitlines()
    if told.returncode or not lines:
        lines = told.stderr.strip().splitlines()[-1:] or [f"status {told.returncode}"]
        return {"error": lines[0], "details": told.stderr[-2000:]}
    return json.loads(lines[-1])


# ---- in that process -----------------------------------------------------------------------------


def timed_here(engine: str, name: str, options) -> dict:
    """What the calls of a program take, or why there are none."""
    try:
        module = importlib.import_module(f"of_gpu.{ENGINES[engine]}")
        device = module.prepare()
        rows = module.rows(sizes(options))
    except (ImportError, RuntimeError) as error:
        return {"error": f"{type(error).__name__}: {error}", "unavailable": True}
    if name not in rows:
        return {}
    work: Work = rows[name]()
    start = time.perf_counter()
    work.wait(work.call())
    first = time.perf_counter() - start
    if options.first_only:
        if options.small and hasattr(module, "check"):
            module.check(name, sizes(options))
        return {"first": first}
    times = later_calls(work, options)
    return {
        "device": device, "first": first, "time": statistics.median(times),
        "best": min(times), "calls": len(times),
    }  # fmt: skip


def later_calls(work: Work, options) -> list[float]:
    times: list[float] = []
    until = time.monotonic() + options.seconds
    while len(times) < options.rounds and (time.monotonic() < until or len(times) < 1):
        start = time.perf_counter()
        for _ in range(work.repeated):
            result = work.call()
        work.wait(result)
        times.append((time.perf_counter() - start) / work.repeated)
    return times


if __name__ == "__main__":
    main()
