"""Runs the tests that packages ship, with `ag.jit` in place of Numba's `jit` and `njit`.

    .venv-world/bin/python benchmarks/world/suites.py quantecon mapclassify

Each suite runs in three processes: undecorated, under Numba, and under `ag.jit`. A line for each
says how many tests passed, and how many seconds of CPU they took, first calls included. Caches on
disk are empty at the start. Tests whose outcome under `ag.jit` is another than undecorated are
listed. With `--part 4`, every fourth test runs, in an order that looks random.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import shutil
import subprocess
import sys
import time
import types
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path[0] = str(HERE.parent)

from world.decorators import decorator  # noqa: E402 - found by the line above
from world.units import PACKAGES  # noqa: E402
from world.worker import load_numba, run_tests, shuffled  # noqa: E402

ENGINES = ("undecorated", "Numba", "jit")


# ---- the process of an engine ----------------------------------------------------------------


def replaced_by(engine: str, numbas):
    """A decorator with the signature of `numbas`, whose options it ignores."""
    import numba

    import allograph as ag

    class Decorated(ag.tracing.numpy_mode.jit_function.JitFunction if engine == "jit" else object):
        """A function that Numba's own functions may call, too."""

        def __init__(self, function, compile_with_numba):
            self.compile_with_numba = compile_with_numba
            self.py_func = function
            if engine == "jit":
                super().__init__(function)
            else:
                functools.update_wrapper(self, function)

        @functools.cached_property
        def by_numba(self):
            return self.compile_with_numba(self.py_func)

        @property
        def _numba_type_(self):
            return numba.core.types.Dispatcher(self.by_numba)

        def __getattr__(self, name: str):
            if name.startswith("__") or "compile_with_numba" not in self.__dict__:
                raise AttributeError(name)
            return getattr(self.by_numba, name)

    if engine == "jit":  # allograph inlines functions of classes of its own
        Decorated.__module__ = ag.tracing.numpy_mode.jit_function.__name__
    else:
        Decorated.__call__ = lambda self, *args, **kwargs: self.py_func(*args, **kwargs)
        Decorated.__get__ = lambda self, instance, owner=None: (
            self if instance is None else types.MethodType(self, instance)
        )

    return decorator(numbas, Decorated)


class Outcomes:
    """The plugin of pytest that chooses one test of `part`, and notes the outcome of each."""

    def __init__(self, path: Path, part: int):
        self.file = path.open("w", encoding="utf-8")
        self.part = part

    def pytest_collection_modifyitems(self, items):
        if self.part > 1:
            items[:] = shuffled(items, lambda item: item.nodeid)[:: self.part]

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            text = str(report.longrepr)[-600:] if report.failed else ""
            row = {"test": report.nodeid, "outcome": report.outcome, "text": text}
            self.file.write(json.dumps({**row, "seconds": report.duration}) + "\n")
            self.file.flush()

    def pytest_collectreport(self, report):
        if report.failed:
            row = {"test": report.nodeid, "outcome": "not loaded", "text": str(report.longrepr)}
            self.file.write(json.dumps(row) + "\n")


def run_engine(engine: str, package: str, path: Path, part: int) -> None:
    load_numba()
    import numba

    import allograph.tracing.numpy_mode.jit_function  # noqa: F401 - for `replaced_by`

    if engine != "Numba":
        for name in ("jit", "njit"):
            setattr(numba, name, replaced_by(engine, getattr(numba, name)))
    start = time.process_time()
    run_tests(PACKAGES[package], Outcomes(path, part))
    row = {"test": "", "outcome": "end", "seconds": time.process_time() - start}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")


# ---- all of them -----------------------------------------------------------------------------


def outcomes(engine: str, package: str, options) -> tuple[dict, float | None]:
    """The outcome of each test of a package, and the seconds of all; None if they did not end."""
    build = options.build
    shutil.rmtree(build / "caches", ignore_errors=True)
    path = build / f"{package}-{engine}.jsonl"
    environment = {
        **os.environ,
        "ALLOGRAPH_CACHE_DIR": str(build / "caches" / "ours"),
        "NUMBA_CACHE_DIR": str(build / "caches" / "numba"),
        "MPLBACKEND": "Agg",
        "PYTHONHASHSEED": "0",
    }
    command = [sys.executable, str(HERE / "suites.py"), package, "--engine", engine]
    command += ["--part", str(options.part)]
    with (build / f"{package}-{engine}.log").open("wb") as log:
        try:
            subprocess.run(
                [*command, "--path", str(path)], env=environment, cwd=build, stdout=log,
                stderr=log, timeout=options.seconds, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            pass
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    ends = [row["seconds"] for row in rows if row["outcome"] == "end"]
    return {row["test"]: row for row in rows if row["test"]}, ends[0] if ends else None


def compare(package: str, options) -> None:
    results = {engine: outcomes(engine, package, options) for engine in options.engines}
    for engine, (rows, taken) in results.items():
        counts = [row["outcome"] for row in rows.values()]
        parts = [f"{counts.count(name)} {name}" for name in dict.fromkeys(counts)]
        ended = "did not end" if taken is None else f"{taken:.1f} s"
        print(f"{package}, {engine}: {', '.join(sorted(parts, reverse=True))}; {ended}")
    expected, ours = (results.get(engine, ({}, None))[0] for engine in ("undecorated", "jit"))
    for test in sorted(expected.keys() | ours.keys()):
        pair = [rows.get(test, {}).get("outcome", "missing") for rows in (expected, ours)]
        if pair[0] != pair[1]:
            text = ours.get(test, {}).get("text", "")
            print(f"    {test}: {pair[0]} undecorated, {pair[1]} under jit: {text[-300:]}")
    sys.stdout.flush()


def main() -> None:
    tested = [name for name, modules in PACKAGES.items() if modules]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("packages", nargs="*", default=tested)
    parser.add_argument("--seconds", type=float, default=900, help="for each suite and engine")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "suites")
    parser.add_argument("--part", type=int, default=1, help="one test of how many")
    parser.add_argument("--engines", nargs="*", choices=ENGINES, default=ENGINES)
    parser.add_argument("--engine", choices=ENGINES, help=argparse.SUPPRESS)
    parser.add_argument("--path", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.engine:
        run_engine(options.engine, options.packages[0], options.path, options.part)
        return
    options.build.mkdir(parents=True, exist_ok=True)
    for package in options.packages:
        compare(package, options)


if __name__ == "__main__":
    main()
