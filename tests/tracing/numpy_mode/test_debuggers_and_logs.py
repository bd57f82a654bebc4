"""`jit` in a debugger, and what the loggers below `allograph` get."""

import logging
import subprocess
import sys
import types

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.core.debug_output import log

IN_DEBUGGER = """
import numpy as np
import allograph as ag

@ag.jit
def total_of(a):
    total = 0.0
    for x in a:
        breakpoint()
        total += x
    return total

print(total_of(np.arange(3.0)))
"""


@pytest.mark.slow
def test_a_debugger_shows_that_a_value_is_one_of_a_trace(tmp_path):
    file = tmp_path / "program.py"
    file.write_text(IN_DEBUGGER, encoding="utf-8")
    words = "p total\np x\n" + "c\n" * 5
    command = [sys.executable, str(file)]
    done = subprocess.run(command, input=words, capture_output=True, text=True, check=True)
    assert done.stdout.count("<traced number: ag.debug(f)(...) stops with its value>") == 2
    assert done.stdout.splitlines()[-1].endswith("3.0")


@pytest.fixture
def messages():
    """What the logger `allograph` and those below it get: their names and messages."""
    found = []

    class Collecting(logging.Handler):
        def emit(self, record):
            found.append((record.name, record.getMessage()))

    handler, logger = Collecting(), logging.getLogger("allograph")
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield found
    logger.removeHandler(handler)
    logger.setLevel(logging.NOTSET)


def test_a_function_that_runs_on_numpy_is_logged(messages):
    @ag.jit
    def described(a):
        return f"{a.sum()}"

    described(np.ones(3))
    described(np.ones(3))
    (message,) = [said for name, said in messages if name == "allograph.fallback"]
    assert message.startswith("described runs on NumPy: a computed value is formatted as a string")
    assert "test_debuggers_and_logs.py:" in message


def test_kernels_that_are_compiled_are_logged(messages):
    ag.jit(lambda a: a * 3.5 - 17.25)(np.ones(1237))
    names = [name for name, _ in messages]
    assert {"allograph.cache", "allograph.compile"} == set(names)


def test_nothing_is_logged_while_logging_is_imported(monkeypatch):
    monkeypatch.setitem(sys.modules, "logging", types.ModuleType("logging"))
    log("cache", "compiled in another thread")


@pytest.mark.slow
def test_one_warning_tells_that_llvm_is_missing():
    code = """
import sys
sys.modules["llvmlite"] = None
import numpy as np, allograph as ag
for function in (lambda a: a * 3, lambda a: a - 2):
    for size in (3, 4):
        ag.jit(function)(np.ones(size))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.count("RuntimeWarning") == 1
    assert "pip install 'allograph[native]'" in done.stderr
