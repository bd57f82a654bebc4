"""Tests as cases: what each test traces is recorded under its name."""

from __future__ import annotations

from collections import Counter

import pytest


class Plugin:
    """Flushes the recorder after each test."""

    def __init__(self, recorder):
        self.recorder = recorder
        self.outcomes: Counter = Counter()

    def pytest_collection_finish(self, session):
        self.recorder.flush(f"imports of {session.startpath.name}")

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item, nextitem):
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
    plugin = Plugin(recorder)
    status = pytest.main([part, "-q", "-p", "no:cacheprovider", "--tb=line"], plugins=[plugin])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise SystemExit(f"pytest ended with {status!r} for {part}")
    return ", ".join(f"{count} {name}" for name, count in sorted(plugin.outcomes.items()))
