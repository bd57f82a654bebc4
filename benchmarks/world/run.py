"""Runs programs that others wrote for Numba under `ag.jit`, and compares each call with Python's.

    make world                                       # all; SECONDS=600 bounds the time
    make world ARGS="quantecon test_indexing"        # one package, one file of Numba's tests
    make world ARGS="aeon --function dtw"            # functions with this in their names
    make world ARGS="--baseline build/before.json"   # what has changed since an earlier run

The programs are the tests of Numba itself, from its wheel, and eighteen packages that use it. What
a difference may be is in `unspecified.py`. Results are stored in benchmarks/results/world.json.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[0] = str(HERE.parent)

from world.report import changes, summary  # noqa: E402 - found by the line above
from world.units import Unit, units  # noqa: E402

SECONDS_WITHOUT_A_RECORD = 300
MOST_STARTS = 30  # of a unit whose tests end the process
LEAST_SECONDS = 5


class Worker:
    """The process of a unit; a test that ends it is left out when it starts again."""

    def __init__(self, unit: Unit, options, seconds: float):
        self.unit = unit
        self.options = options
        self.records = options.build / "records" / f"{unit.group}-{unit.modules[0]}.jsonl"
        self.records.parent.mkdir(parents=True, exist_ok=True)
        self.records.write_text("")
        self.skip: list[str] = []
        self.start = time.monotonic()
        self.end = self.start + seconds
        self.starts = 0
        self.launch()

    def launch(self) -> None:
        self.starts += 1
        options = self.options
        command = [sys.executable, str(HERE / "worker.py"), self.unit.kind, self.unit.name]
        command += [*self.unit.modules, "--records", str(self.records)]
        command += ["--seconds", str(max(self.end - time.monotonic(), 0.0))]
        command += ["--function", options.function, "--calls", str(options.calls)]
        is_timed = (
            self.unit.kind != "numba" if options.times == "packages" else options.times == "all"
        )
        command += ["--times"] * is_timed
        command += ["--skip", *self.skip]
        log = self.records.with_suffix(".log").open("wb")
        self.process = subprocess.Popen(
            command, env=environment(options.build), cwd=options.build, stdout=log, stderr=log
        )
        self.lines, self.latest = 0, time.monotonic()

    def has_ended(self) -> bool:
        """Whether the unit is complete; starts it again where a call has ended its process."""
        code = self.process.poll()
        size = self.records.stat().st_size
        if size != self.lines:
            self.lines, self.latest = size, time.monotonic()
        if code is None:
            if time.monotonic() - self.latest < SECONDS_WITHOUT_A_RECORD:
                return False
            self.process.kill()
            code = self.process.wait()
        records = read(self.records)
        if records and records[-1]["status"] == "end":
            return True
        last = next((one for one in reversed(records) if one["status"] != "test"), {})
        test = records[-1]["test"] if records else ""
        is_call = records[-1:] and records[-1]["status"] == "running"
        status = "crash" if is_call else "not loaded"
        text = self.records.with_suffix(".log").read_text(errors="replace")[-2000:]
        row = {**last, "status": status, "test": test, "text": f"exit status {code}: {text}"}
        with self.records.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"function": "", **row}) + "\n")
        if not test or test in self.skip or self.starts >= MOST_STARTS:
            return True
        self.skip += list(dict.fromkeys(one["test"] for one in records if one["test"]))
        self.launch()
        return False


def main() -> None:
    options = parsed()
    options.build.mkdir(parents=True, exist_ok=True)
    chosen = units(options.units, options.build)
    if not chosen:
        sys.exit(f"nothing is called {' '.join(options.units)}")
    rows = run(chosen, options)
    results = {"units": rows, "records": notable(chosen, options)}
    options.results.parent.mkdir(parents=True, exist_ok=True)
    options.results.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print("\n" + summary(results))
    if options.baseline:
        print("\n" + changes(json.loads(options.baseline.read_text("utf-8")), results))
    failed = sum(row["wrong"] + row["crash"] + row["internal"] for row in rows.values())
    sys.exit(bool(failed))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("units", nargs="*", help="packages, files of Numba's tests, or `numba`")
    parser.add_argument("--seconds", type=float, default=3600, help="for all units together")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--function", default="", help="only functions with this in their names")
    parser.add_argument("--calls", type=int, default=60, help="most calls of one function")
    parser.add_argument(
        "--times", choices=("packages", "all", "none"), default="packages",
        help="which calls are timed beside Numba, which has to compile them",
    )  # fmt: skip
    parser.add_argument("--baseline", type=Path, help="results of an earlier run, to compare with")
    parser.add_argument("--results", type=Path, default=HERE.parent / "results" / "world.json")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "world")
    return parser.parse_args()


def environment(build: Path) -> dict[str, str]:
    """Of a worker: caches of its own, and no window."""
    return {
        **os.environ,
        "PYTHONPATH": str(build),
        "ALLOGRAPH_CACHE_DIR": str(build / "cache"),
        "NUMBA_CACHE_DIR": str(build / "numba_cache"),
        "MPLBACKEND": "Agg",
        "PYTHONHASHSEED": "0",
        "SUBPROC_TEST": "1",  # Numba's tests that want a process of their own have one
    }


def run(chosen: list[Unit], options) -> dict[str, dict]:
    """The counts of each unit, which are shown as they come."""
    end = time.monotonic() + options.seconds
    waiting, working, rows = collections.deque(chosen), [], {}
    try:
        while waiting or working:
            while waiting and len(working) < options.jobs:
                left = max(end - time.monotonic(), 0.0) * options.jobs
                share = max(2 * left / (len(waiting) + len(working)), LEAST_SECONDS)
                working.append(Worker(waiting.popleft(), options, share))
            for worker in [one for one in working if one.has_ended()]:
                working.remove(worker)
                row = counts(read(worker.records))
                rows[f"{worker.unit.group}: {worker.unit.modules[0]}"] = row
                print(progress(worker, row, len(rows), len(chosen)), flush=True)
            time.sleep(0.2)
    finally:
        for worker in working:
            worker.process.kill()
    return rows


def progress(worker: Worker, row: dict, done: int, total: int) -> str:
    seconds = time.monotonic() - worker.start
    parts = [f"{row['functions']} functions", f"{row['calls']} calls", f"{row['wrong']} wrong"]
    parts += [f"{row[key]} {key}" for key in ("open", "internal", "crash") if row[key]]
    name = f"{worker.unit.group} {worker.unit.modules[0].rpartition('.')[2]}"
    return f"[{done}/{total}] {name}: {', '.join(parts)}; {seconds:.0f} s"


def read(path: Path) -> list[dict]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.endswith("}")]


COMPARED = ("equal", "open", "wrong", "internal error", "crash", "timed out")


def counts(records: list[dict]) -> dict:
    """What the records of a unit add up to."""
    by_status = collections.Counter(one["status"] for one in records)
    calls = [one for one in records if one["status"] in COMPARED]
    native = [one["native"] for one in calls if "native" in one]
    functions: dict[tuple, bool] = {}  # whether all calls are native that raise nothing
    for one in calls:
        if "native" in one:
            key = one["function"], one["at"]
            functions[key] = functions.get(key, True) and one["native"]
    internal = [one for one in calls if one.get("internal") or one["status"] == "internal error"]
    times = [one["times"] for one in calls if one.get("times")]
    return {
        "functions": len({(one["function"], one["at"]) for one in calls if one.get("at")}),
        "calls": len(calls),
        **{key: by_status[key] for key in ("equal", "open", "wrong", "crash", "timed out")},
        "internal": len(internal),
        "left out": by_status["left out"],
        "not loaded": by_status["not loaded"] + by_status["driver failed"],
        "native": sum(native),
        "not native": len(native) - sum(native),
        "native functions": sum(functions.values()),
        "functions that return": len(functions),
        "tests without time": by_status["no time"],
        "over Numba": [one["numba"] / one["ours"] for one in times],
        "first over Numba": [
            one["times"]["first of Numba"] / one["first"]
            for one in calls
            if one.get("first") and "first of Numba" in (one.get("times") or ())
        ],
    }


def notable(chosen: list[Unit], options) -> list[dict]:
    """The records that say more than that a call was right and native."""
    rows = []
    for unit in chosen:
        path = options.build / "records" / f"{unit.group}-{unit.modules[0]}.jsonl"
        for one in read(path):
            is_call = one["status"] not in ("running", "test", "end", "equal")
            if is_call or one.get("reason") or one.get("called"):
                rows.append({"unit": unit.group, **one})
    return rows


if __name__ == "__main__":
    main()
