"""The modules of the package are found by Python's own finders."""

import gc
import importlib
import os
import subprocess
import sys

import pytest

import allograph
from allograph import loading


def test_a_module_that_does_not_exist_is_an_error():
    with pytest.raises(ModuleNotFoundError, match="allograph.runtime.no_module"):
        importlib.import_module("allograph.runtime.no_module")


def test_a_module_can_be_loaded_again():
    module = importlib.import_module("allograph.runtime.core.parsing")
    assert importlib.reload(module) is module
    assert os.path.samefile(
        module.__file__,
        os.path.join(os.path.dirname(allograph.__file__), "runtime", "core", "parsing.py"),
    )


@pytest.mark.parametrize(
    "first", ["ag.autograph; x = ag.constant([1, 2])", "x = ag.constant([1, 2]); ag.autograph"]
)
def test_converted_code_knows_tensors_in_whatever_order_they_are_loaded(first, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        f"""
import allograph as ag
{first}
def put(x):
    x[0] = 5
    return x
print(ag.autograph.to_graph(put)(x).numpy())
"""
    )
    run = subprocess.run([sys.executable, program], capture_output=True, text=True)
    assert run.stdout == "[5 2]\n", run.stderr


def collector_after(program: str) -> str:
    """What a new process prints that looks a public name up after `program`."""
    program += """
generations = []
gc.callbacks.append(lambda phase, about: generations.append(about["generation"]))
import allograph as ag
ag.jit
print(len(generations), gc.isenabled(), gc.get_freeze_count())
"""
    run = subprocess.run(
        [sys.executable, "-c", "import gc, numpy\n" + program], capture_output=True, text=True
    )
    return run.stdout.strip() or run.stderr


def test_python_does_not_look_for_garbage_while_a_public_name_is_imported():
    assert collector_after("") == "0 True 0"


def test_a_collector_that_is_switched_off_stays_so():
    assert collector_after("gc.disable()") == "0 False 0"


def test_objects_that_a_program_has_frozen_stay_frozen():
    collections, is_enabled, frozen = collector_after("gc.freeze()").split()
    assert (collections, is_enabled) == ("0", "True")
    assert int(frozen) > 1000


def test_frozen_objects_are_counted_once(monkeypatch):
    """A server that freezes what it has loaded has millions, and counting visits each."""
    counts = []
    monkeypatch.setattr(loading, "frozen", [])
    monkeypatch.setattr(gc, "get_freeze_count", lambda: counts.append(0) or 5)
    gc.enable()  # which a test that interrupts at any call may have left disabled
    for _ in range(3):
        loading.without_collecting(int)
    assert len(counts) == 1
