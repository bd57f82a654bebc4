"""Public names are found whatever is asked for first."""

import subprocess
import sys

import pytest
from public_objects import public_objects
from source_tree import ROOT

from allograph.runtime.core.public_names import PUBLIC, index, namespaces

INDEX = ROOT / "runtime/core/public_index.txt"


@pytest.mark.slow
def test_the_index_is_the_one_that_would_be_written_now():
    code = "from allograph import loading; print(loading.index(), end='')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert INDEX.read_text(encoding="utf-8") == done.stdout, "run: python -m allograph.tools.stubs"


def test_every_name_of_the_index_is_registered_by_its_module():
    assert None not in public_objects().values()
    assert {*PUBLIC} - {*index()} == {"version.VERSION", "version.GIT_VERSION"}


def test_the_prefixes_of_public_names_are_its_namespaces():
    prefixes = {name.rsplit(".", at)[0] for name in PUBLIC for at in range(1, name.count(".") + 1)}
    assert {
        *prefixes,
        "compat",
        "compat.v1",
        "compat.v2",
        "contrib",
        "contrib.eager",
    } == namespaces()


@pytest.mark.slow
def test_a_name_loads_the_module_that_registers_it_and_what_that_imports():
    assert not is_loaded("allograph.tracing", "allograph.constant")
    assert not is_loaded("allograph.library", "allograph.jit")
    assert not is_loaded("allograph.tracing.numpy_mode", "allograph.data.Dataset")
    assert not is_loaded("allograph.library.onnx", "allograph.keras.layers.Dense")
    assert is_loaded("allograph.library.keras.ops.numpy_functions", "allograph.keras.ops.add")


def test_the_names_are_listed_without_an_import():
    assert not is_loaded("allograph.runtime.tensors", "dir(allograph), dir(allograph.math)")


@pytest.mark.slow
def test_an_operation_loads_the_module_that_declares_it_and_what_that_imports():
    name = "from allograph.runtime.ir.op import TABLE; TABLE['matrix_solve']"
    assert is_loaded("allograph.library.linalg.solvers", name)
    assert not is_loaded("allograph.library.signal", name)


def is_loaded(module: str, name: str) -> bool:
    """Whether a program that uses a name has loaded a module."""
    code = f"import sys, allograph; {name}; print({module!r} in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout == "True\n"
