"""What every test shares: an own kernel cache, repeatable random programs, golden pages."""

import gc
import os
import re
import shutil
import sys
import tempfile

import pytest
from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=28)
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=20)
settings.register_profile("fuzz", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile("repeatable")


def pytest_addoption(parser):
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the golden pages from what is true now",
    )
    parser.addoption(
        "--compile-at-once",
        action="store_true",
        help="native code from the second call on; a fault of the compiler is an error",
    )


def pytest_configure(config):
    """The cache folder is set before anything imports the package; subprocesses inherit it.

    The workers of pytest-xdist are among them, so a kernel is compiled once in a run.
    """
    config.allograph_cache = None
    if not hasattr(config, "workerinput"):
        config.allograph_cache = tempfile.mkdtemp(prefix="allograph-tests-")
        os.environ["ALLOGRAPH_CACHE_DIR"] = config.allograph_cache
        os.environ["ALLOGRAPH_KEY_FILE"] = os.path.join(config.allograph_cache, "key")


def pytest_unconfigure(config):
    if config.allograph_cache:
        shutil.rmtree(config.allograph_cache, ignore_errors=True)


def pytest_sessionstart(session):
    if session.config.getoption("--compile-at-once"):
        from helpers.compile_at_once import compile_at_once

        compile_at_once()


SLOW_FILE = re.compile(r"^pytestmark = (\[\s*)?pytest\.mark\.slow\b", re.MULTILINE)


def pytest_ignore_collect(collection_path, config):
    """Where slow tests are left out, files that have no others are not even imported."""
    if config.option.markexpr != "not slow" or collection_path.suffix != ".py":
        return None
    return SLOW_FILE.search(collection_path.read_text(encoding="utf-8")) is not None or None


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collected tests are no garbage and live as long as the run: the collector never walks them.

    Afterwards it runs less often than in other programs, since tests leave little behind.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 10, 10)
        gc.enable()


@pytest.fixture(autouse=True, scope="module")
def what_other_files_left_is_not_searched_for_garbage():
    """Modules, kernels and caches pile up: a collection that a test asks for took a second."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def no_compilation_ends_in_a_fault():
    """A fault of the compiler fails the test, whose program goes on without native code."""
    yield
    tiering = sys.modules.get("allograph.runtime.executors.tiering")
    faults = set() if tiering is None else {*tiering.FAULTS}
    if faults:
        tiering.FAULTS.clear()
    assert not faults


@pytest.fixture(autouse=True)
def each_test_is_a_program_of_its_own():
    """What one test decorates does not count as decorated again in the next one."""
    history = sys.modules.get("allograph.tracing.functions.retrace_history")
    if history is not None:
        history.FRESH = type(history.FRESH)()


@pytest.fixture
def golden_update(request) -> bool:
    """Whether golden pages are to be rewritten instead of compared."""
    return request.config.getoption("--update-golden")
