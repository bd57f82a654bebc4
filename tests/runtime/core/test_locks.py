"""A forked child process waits for no lock of its parent."""

import importlib
import os
import re
import sys
import threading
import tomllib
from pathlib import Path

import pytest

from allograph.runtime.core.locks import (
    PACKAGES,
    Event,
    Lock,
    RLock,
    after_fork_in_child,
    hold_during_fork,
)

ROOT = Path(__file__).parents[3]
ROOMS = ("runtime", "autograph", "tracing", "extend", "library", "tools")
needs_fork = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


def in_child(test) -> bool:
    """Whether a test holds in a forked child process."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if test() else 1
        finally:
            os._exit(status)
    return os.waitpid(child, 0)[1] == 0


class Elsewhere:
    """Meanwhile another thread has entered something."""

    def __init__(self, entered):
        self.entered = entered
        self.ready, self.done = threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.run)

    def run(self):
        with self.entered:
            self.ready.set()
            self.done.wait()

    def __enter__(self):
        self.thread.start()
        self.ready.wait()

    def __exit__(self, *error):
        self.done.set()
        self.thread.join()


@pytest.mark.parametrize("make", [Lock, RLock])
class TestLocks:
    pytestmark = needs_fork

    @pytest.mark.slow
    def test_a_lock_that_another_thread_holds_is_free_in_a_child(self, make):
        lock = make()
        with Elsewhere(lock):
            assert in_child(lambda: lock.acquire(blocking=False))
            assert not lock.acquire(blocking=False)

    def test_a_free_lock_is_free_in_a_child(self, make):
        lock = make()
        assert in_child(lambda: lock.acquire(blocking=False))


class TestForks:
    pytestmark = needs_fork

    def test_the_thread_that_forks_keeps_what_it_holds(self):
        lock = RLock()
        with lock:
            inner = lock.lock
            assert in_child(lambda: lock.lock is inner and lock.release() is None)

    def test_an_event_stays_as_it_is(self):
        is_set, is_not = Event(), Event()
        is_set.set()
        with Elsewhere(is_not.event._cond):
            assert in_child(lambda: is_set.wait(0) and not is_not.wait(0) and not is_not.set())

    def test_what_a_lock_protects_is_at_rest(self):
        lock, steps = hold_during_fork(RLock()), []

        def work():
            for _ in range(200):
                with lock:
                    steps.append("begin")
                    steps.append("end")

        thread = threading.Thread(target=work)
        thread.start()
        while thread.is_alive():
            assert in_child(lambda: len(steps) % 2 == 0)

    def test_functions_are_called_in_the_child_alone(self):
        calls = []
        after_fork_in_child(lambda: calls.append(1))
        assert in_child(lambda: calls == [1])
        assert not calls

    @pytest.mark.parametrize("package", ["platformdirs", "gast", "json"])
    def test_a_module_that_another_thread_imports_is_whole(self, package, tmp_path, monkeypatch):
        name = f"{package}.imported_slowly"
        begun, may_end = threading.Event(), threading.Event()
        monkeypatch.setitem(sys.modules, "slow_import_events", (begun, may_end))
        source = "begun, may_end = __import__('sys').modules['slow_import_events']\n"
        source += "begun.set()\nmay_end.wait()\nend = True\n"
        (tmp_path / "imported_slowly.py").write_text(source)
        outer = importlib.import_module(package)
        monkeypatch.setattr(outer, "__path__", [str(tmp_path)], raising=False)
        thread = threading.Thread(target=importlib.import_module, args=(name,))
        thread.start()
        begun.wait()
        threading.Timer(0.2, may_end.set).start()
        assert in_child(lambda: hasattr(sys.modules[name], "end"))
        thread.join()
        sys.modules.pop(name)


def files_with(pattern):
    """The files of the package in which a pattern is found."""
    files = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    found = [path for path in files if re.search(pattern, path.read_text(encoding="utf-8"))]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def test_there_are_no_other_locks():
    found = files_with(r"threading\.(Lock|RLock|Condition|Semaphore)\(")
    assert found == ["tools/explore_server.py"]  # which serves a page from a process of its own


def test_no_property_holds_a_lock_while_it_is_computed():
    """Until Python 3.11 those of functools hold one, which a child process inherits."""
    found = files_with(r"functools(\.| import.*)cached_property")
    assert found == ["autograph/operators/changes_by_calls.py"]


@pytest.mark.slow
def test_all_source_is_parsed_where_a_second_parser_in_another_thread_is_no_error():
    found = files_with(r"\bast\.parse\(")
    # The last is a command, which has one thread.
    assert found == ["runtime/core/parsing.py", "tools/findings.py"]


def test_a_fork_waits_for_the_packages_that_this_one_needs():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = declared["optional-dependencies"]
    needed = [
        one
        for name in ("native", "numba", "cli", "bfloat16", "onnx", "image", "dask")
        for one in extras[name]
    ]
    names = {re.split(r"\W", one)[0] for one in [*declared["dependencies"], *needed]}
    imported_as = {"pillow": "PIL"}
    assert {imported_as.get(name, name) for name in names} <= PACKAGES
