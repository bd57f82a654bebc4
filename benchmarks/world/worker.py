"""Runs one unit in a process of its own, and writes a line of JSON for each call.

python benchmarks/world/worker.py KIND NAME MODULE... --records FILE [--seconds 60]
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import importlib
import io
import json
import random
import sys
import time
import unittest
import warnings
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
sys.path[0] = str(HERE.parent)

from world import probe  # noqa: E402 - found by the line above
from world.limits import TimedOutError, limit  # noqa: E402

SECONDS_OF_A_TEST = 20


class Run:
    """The records of a unit, its time, and the tests that are left out."""

    def __init__(self, options):
        self.file = options.records.open("a", encoding="utf-8")
        self.seconds = options.seconds
        self.end = None  # counted from the first test on
        self.skipped = set(options.skip)
        self.test = ""
        self.lines = 0

    def write(self, record: dict) -> None:
        self.file.write(json.dumps({"test": self.test, **record}, default=str) + "\n")
        self.file.flush()

    def begins(self, test: str) -> bool:
        """Whether a test is to run: it has not ended a process, and there is time."""
        if test in self.skipped:
            return False
        if self.end is None:
            self.end = time.monotonic() + self.seconds
        if time.monotonic() > self.end:
            if self.test != "no time":
                self.test = "no time"
                self.write({"status": "no time", "function": "", "text": test})
            return False
        self.test = test
        self.write({"status": "test", "function": "", "text": ""})
        random.seed(0)
        np.random.seed(0)
        return True


def main() -> None:
    options = parsed()
    run = Run(options)
    probe.SETTINGS.write = run.write
    probe.SETTINGS.chosen = options.function
    probe.SETTINGS.times = options.times
    probe.SETTINGS.calls = options.calls
    load_numba()
    probe.install()
    warnings.simplefilter("ignore")
    {"numba": run_unittests, "tests": run_pytest, "driver": run_driver}[options.kind](
        run, options.modules
    )
    run.write({"status": "end", "function": "", "text": ""})


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind")
    parser.add_argument("name")
    parser.add_argument("modules", nargs="+")
    parser.add_argument("--records", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--skip", nargs="*", default=())
    parser.add_argument("--function", default="")
    parser.add_argument("--calls", type=int, default=60)
    parser.add_argument("--times", action="store_true")
    return parser.parse_args()


def load_numba() -> None:
    """Import what Numba defines with its own decorators, before they are replaced."""
    for name in ("numba", "numba.typed", "numba.experimental", "numba.testing", "numba.extending"):
        importlib.import_module(name)


def shuffled(tests: list, name_of) -> list:
    """In an order that looks random and is always the same, so that a part is of all kinds."""
    return sorted(tests, key=lambda test: hashlib.md5(name_of(test).encode()).hexdigest())


# ---- Numba's tests ---------------------------------------------------------------------------


def run_unittests(run: Run, modules: list[str]) -> None:
    for name in modules:
        try:
            module = importlib.import_module(name)
        except unittest.SkipTest as error:
            run.write({"status": "not loaded", "function": name, "text": str(error)})
            continue
        suite = unittest.defaultTestLoader.loadTestsFromModule(module)
        for case in shuffled(list(cases_of(suite)), unittest.TestCase.id):
            if run.begins(case.id()):
                with contextlib.suppress(TimedOutError), limit(SECONDS_OF_A_TEST), silent():
                    case.run(unittest.TestResult())


def cases_of(suite):
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from cases_of(one)
        else:
            yield one


@contextlib.contextmanager
def silent():
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        yield output


# ---- tests of packages -----------------------------------------------------------------------


class Plugin:
    """Runs the tests that there is time for, each with a limit."""

    def __init__(self, run: Run):
        self.run = run

    def pytest_collection_modifyitems(self, items):
        items[:] = shuffled(items, lambda item: item.nodeid)

    def pytest_runtest_protocol(self, item):
        return None if self.run.begins(item.nodeid) else True

    def pytest_pyfunc_call(self, pyfuncitem):
        import pytest

        arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
        try:
            with limit(SECONDS_OF_A_TEST):
                pyfuncitem.obj(**arguments)
        except TimedOutError:
            pytest.skip("too long")
        return True


class PackageOptions:
    """The options of pytest that packages define in a file that their wheels leave out."""

    def pytest_addoption(self, parser):
        parser.addoption("--seed", type=int, default=0)  # numpy-groupies


def run_tests(modules: list[str], plugin):
    """The exit status of pytest for the tests that modules of a package ship."""
    import pytest

    settings = Path("pytest.ini")  # not those of a folder above the environment
    settings.write_text("[pytest]\n", encoding="utf-8")
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:warnings", "--import-mode=importlib"]
    options += ["--continue-on-collection-errors", "-c", str(settings)]
    folders = [str(Path(importlib.util.find_spec(name).origin).parent) for name in modules]
    plugins = [PackageOptions(), plugin]
    return pytest.main([*options, "--rootdir", folders[0], *folders], plugins=plugins)


def run_pytest(run: Run, modules: list[str]) -> None:
    import pytest

    with silent() as output:
        status = run_tests(modules, Plugin(run))
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        run.write({"status": "not loaded", "function": modules[0], "text": output.getvalue()})


def run_driver(run: Run, modules: list[str]) -> None:
    """Run the functions of drivers whose names begin with `use_`."""
    for name in modules:
        module = importlib.import_module(f"world.drivers.{name}")
        uses = [value for key, value in vars(module).items() if key.startswith("use_")]
        for use in uses:
            if run.begins(f"{name}.{use.__name__}"):
                try:
                    with limit(6 * SECONDS_OF_A_TEST), silent():
                        use()
                except (Exception, TimedOutError) as error:
                    text = f"{type(error).__name__}: {error}"
                    run.write({"status": "driver failed", "function": use.__name__, "text": text})


if __name__ == "__main__":
    main()
