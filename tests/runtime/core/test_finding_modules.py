"""The modules of the package are found by Python's own finders."""

import importlib
import os
import subprocess
import sys

import pytest

import allograph


def test_a_module_that_does_not_exist_is_an_error():
    with pytest.raises(ModuleNotFoundError, match="allograph.runtime.no_module"):
        importlib.import_module("allograph.runtime.no_module")


def test_a_module_can_be_loaded_again():
    module = importlib.import_module("allograph.runtime.core.axes")
    assert importlib.reload(module) is module
    assert os.path.samefile(
        module.__file__,
        os.path.join(os.path.dirname(allograph.__file__), "runtime", "core", "axes.py"),
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
