"""Tests as cases: what each test traces is recorded under its name."""

from __future__ import annotations

import random
from collections import Counter
from unittest import mock

import numpy as np
import pytest
from hypothesis import seed
from hypothesis.internal.conjecture import providers

# Slow files that trace little: their subject comes after the source of kernels, or beside it.
PASSED_OVER = {
    "test_checkpoint.py",
    "test_function_memory.py",
    "test_native_stacks.py",
    "test_workers.py",
    "test_type_index.py",
    "test_vectors.py",
    "test_vector_math.py",
}


class Plugin:
    """Flushes the recorder after each test of a part."""

    def __init__(self, recorder, part: str):
        self.recorder = recorder
        self.part = part
        self.outcomes: Counter = Counter()

    def pytest_ignore_collect(self, collection_path):
        """Those files are passed over in folders, and run where they are asked for by name."""
        is_asked_for = collection_path.name == self.part.rpartition("/")[2]
        return True if collection_path.name in PASSED_OVER and not is_asked_for else None

    def pytest_collection_finish(self, session):
        self.recorder.flush(f"imports of {session.startpath.name}")

    def pytest_itemcollected(self, item):
        """Examples do not depend on the source of a test, which may be edited."""
        function = getattr(item, "function", None)
        if getattr(function, "is_hypothesis_test", False):
            seed(0)(function)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item, nextitem):
        random.seed(0)  # random numbers that tracing makes constants are the same each time
        np.random.seed(0)
        yield
        self.recorder.flush(case_of(item))

    def pytest_runtest_logreport(self, report):
        if report.when == "call" or report.outcome != "passed":
            self.outcomes[report.outcome] += 1


def case_of(item) -> str:
    """The name of a test, with its file and without its folder, which may change."""
    return f"{item.path.name}::{item.nodeid.partition('::')[2]}"


def record_tests(recorder, part: str) -> str:
    """Run the tests of a file or folder; says how they went."""
    plugin = Plugin(recorder, part)
    with _no_constants_of_the_package():
        status = pytest.main([part, "-q", "-p", "no:cacheprovider", "--tb=line"], plugins=[plugin])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise SystemExit(f"pytest ended with {status!r} for {part}")
    return ", ".join(f"{count} {name}" for name, count in sorted(plugin.outcomes.items()))


def _no_constants_of_the_package():
    """Hypothesis draws constants that it finds in the source of the package, which may be edited.

    Where it has another name for that, some examples differ after a change.
    """
    name = "_get_local_constants"
    made = getattr(providers, "Constants", tuple)()
    return mock.patch.object(providers, name, lambda: made, create=True)
