"""Compares allograph with TensorFlow, JAX, torch, Numba and NumPy: `make peers`.

    python benchmarks/peers.py [WORKLOAD ...] [--engines jax,numba] [--rounds 9] [--small]
    python benchmarks/peers.py --python tensorflow=/path/to/python --python all=/other/python
    python benchmarks/peers.py --render     # tables and plot of the last results, nothing is run

Each engine runs each workload in a separate process. The processes start one after the other, so
that imports and first calls do not compete. Then the engines are timed in rounds: at rest, without
rests between the engines, and beside a process that keeps one core busy. Engines that are not
installed are left out. docs/performance.md describes the measurements and contains the tables.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import workloads
from contest import charts, contestant, limits, report
from contest.engines import ENGINES, OURS, USUAL

FIRST_CALL_SECONDS = 300.0
SAMPLE_SECONDS = 120.0
REST_SECONDS = 0.3
LONGEST_SETTLING_OF_SMALL_ONES = 1.0


def main(arguments: list[str] | None = None) -> None:
    options = parsed(arguments)
    store = report.Store(options.output)
    if not options.render:
        store.start(options)
        engines = available(options)
        for python in {engines[name] for name in OURS if name in engines}:
            contestant.compile_checkout(python)
        if not options.small:
            store.machine(machine_limits(options))
        for name in options.workloads or workloads.NAMES:
            results = run(name, engines, options)
            store.add(name, results)
            print(f"\n{name}\n" + report.summary(results), flush=True)
        if options.history:
            store.append(options.history)
    if options.document and store.record:
        report.fill(options.document, store.record)
    if options.plot:
        charts.draw(options.document, options.plot)


def parsed(arguments=None) -> argparse.Namespace:
    here = Path(__file__).parent
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("workloads", nargs="*", help=f"of: {', '.join(workloads.NAMES)}")
    parser.add_argument("--engines", default=",".join(USUAL), help=f"of: {', '.join(ENGINES)}")
    parser.add_argument("--rounds", type=int, default=9, help="samples of each engine")
    parser.add_argument("--seconds", type=float, default=0.1, help="of a sample")
    parser.add_argument("--small", action="store_true", help="sizes of the tests, to try it out")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--python", action="append", default=[], metavar="MODULE=PATH")
    parser.add_argument("--output", type=Path, default=here / "results" / "peers.json")
    parser.add_argument("--history", type=Path, help="append one line a run to this file")
    parser.add_argument("--document", type=Path, help="put the tables between its markers")
    parser.add_argument("--plot", type=Path, help="draw the charts of DOCUMENT, as SVG or PNG")
    parser.add_argument("--render", action="store_true", help="run nothing")
    options = parser.parse_args(arguments)
    if options.plot and not options.document:
        parser.error("--plot draws the tables of --document")
    unknown = {*options.workloads} - {*workloads.NAMES} | {*options.engines.split(",")} - {*ENGINES}
    if unknown:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    return options


def available(options) -> dict[str, str]:
    """The interpreter of each engine that is asked for and installed."""
    table = contestant.interpreters(options.python)
    interpreters_by_engine = {}
    for name in options.engines.split(","):
        module = ENGINES[name].module
        python = contestant.python_for(module, table)
        if contestant.installed(module, python):
            interpreters_by_engine[name] = python
        else:
            print(f"{ENGINES[name].title} is not installed for {python}")
    return interpreters_by_engine


def machine_limits(options) -> dict:
    """Rates of the machine, measured by the interpreter that has Numba."""
    python = contestant.python_for("numba", contestant.interpreters(options.python))
    with tempfile.TemporaryDirectory() as caches:
        done = subprocess.run(
            [python, limits.__file__],
            env=contestant.environment(options.threads, Path(caches)),
            capture_output=True,
            text=True,
            check=False,
        )
    return json.loads(done.stdout) if done.returncode == 0 else {}


def run(name: str, engines: dict[str, str], options) -> dict[str, dict]:
    """Run one workload; returns the results by engine."""
    size = "small" if options.small else "full"
    running, results = {}, {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            for engine, python in engines.items():
                arguments = python, engine, name, size, options.threads, Path(folder) / engine
                running[engine] = contestant.Contestant(*arguments)
                results[engine] = running[engine].answer(FIRST_CALL_SECONDS)
                settle(results[engine], running[engine], options)
                if engine.startswith("allograph") and "first_call_ms" in results[engine]:
                    results[engine]["warm"] = warm(arguments)
            ready = [engine for engine in running if "first_call_ms" in results[engine]]
            time_all({engine: running[engine] for engine in ready}, results, options)
        finally:
            for other in running.values():
                other.close()
    return results


def settle(result: dict, process, options) -> None:
    """Check the result, and call the function until its speed is steady."""
    if "first_call_ms" not in result:
        return
    limit = LONGEST_SETTLING_OF_SMALL_ONES if options.small else 60.0
    result.update(process.ask("check", SAMPLE_SECONDS))
    result.update(process.ask(f"settle {limit}", SAMPLE_SECONDS))


def warm(arguments) -> dict:
    """What the start costs when the disk caches are warm."""
    second = contestant.Contestant(*arguments)
    try:
        answer = second.answer(FIRST_CALL_SECONDS)
        return {key: answer.get(key) for key in ("import_ms", "first_call_ms", "peak_mb")}
    finally:
        second.close()


def time_all(processes: dict, results: dict[str, dict], options) -> None:
    """Time all engines at rest, without rests, and beside a process that keeps one core busy."""
    rest = 0 if options.small else REST_SECONDS
    for engine, time_us in medians(processes, results, options, rest).items():
        results[engine]["steady_us"] = time_us
    without_rests = medians(processes, results, options, 0)
    with busy_core():
        beside_busy_core = medians(processes, results, options, rest)
    for condition, times in zip(report.CONDITIONS, (without_rests, beside_busy_core), strict=True):
        for engine, time_us in times.items():
            results[engine].setdefault("contention", {})[condition] = time_us


def medians(processes: dict, results: dict[str, dict], options, rest: float) -> dict[str, float]:
    """Microseconds per call, by engine. Each round starts with a different engine.

    There are `rest` seconds before each sample: threads of libraries spin for a while after their
    work, on a core that the next engine needs.
    """
    samples: dict[str, list[float]] = {engine: [] for engine in processes}
    for round_index in range(options.rounds):
        names = [engine for engine in processes if "failed" not in results[engine]]
        first = round_index % max(len(names), 1)
        for engine in names[first:] + names[:first]:
            time.sleep(rest)
            answer = processes[engine].ask(f"sample {options.seconds}", SAMPLE_SECONDS)
            if isinstance(answer, dict):
                results[engine].update(answer)
            else:
                samples[engine].append(answer)
    scales = {engine: 1.0 if options.small else results[engine]["scale"] for engine in samples}
    return {
        engine: statistics.median(values) * scales[engine]
        for engine, values in samples.items()
        if values
    }


@contextlib.contextmanager
def busy_core() -> Iterator[None]:
    """A process that computes all the time, as a neighbor would."""
    neighbor = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        neighbor.kill()
        neighbor.wait()


if __name__ == "__main__":
    main()
