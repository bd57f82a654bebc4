"""The modules of the package are found as Python finds them, in less time."""

import importlib
import importlib.machinery
import os
import pkgutil
import subprocess
import sys

import pytest

import allograph
from allograph import loading

ROOMS = [f"allograph.{room}" for room in loading.ROOMS]
MODULES = [
    one.name
    for room in ROOMS
    for one in pkgutil.walk_packages(importlib.import_module(room).__path__, f"{room}.")
    if "tests" not in one.name
]


def own_spec(name):
    """The specification of a module as the package finds it."""
    return loading.SourceFiles.find_spec(name)


def pythons_spec(name):
    """The specification of a module as Python's finder of files finds it."""
    parent = name.rpartition(".")[0]
    return importlib.machinery.PathFinder.find_spec(name, sys.modules[parent].__path__)


@pytest.mark.parametrize("name", ROOMS + MODULES[:: len(MODULES) // 50])
def test_a_module_is_the_file_that_python_finds(name):
    parent = name.rpartition(".")[0]
    importlib.import_module(parent)
    own, pythons = own_spec(name), pythons_spec(name)
    assert own.origin == pythons.origin
    assert own.cached == pythons.cached
    assert own.submodule_search_locations == pythons.submodule_search_locations
    assert type(own.loader) is type(pythons.loader)


@pytest.mark.parametrize(
    "name",
    [
        "allograph.no_room",
        "allograph.runtime.no_module",
        "allograph.runtime.Core",  # one file where the system ignores case, and not the module
        "allograph.keras.layers",  # a namespace, which is no file
        "numpy.linalg",
        "runtime.core",
    ],
)
def test_what_is_no_file_of_the_package_is_left_to_other_finders(name):
    assert own_spec(name) is None


def test_a_module_that_does_not_exist_is_an_error():
    with pytest.raises(ModuleNotFoundError, match="allograph.runtime.no_module"):
        importlib.import_module("allograph.runtime.no_module")


def test_finders_that_a_program_puts_first_are_asked_first():
    """Those of coverage tools, type checkers at run time, and pytest."""
    python = sys.meta_path.index(importlib.machinery.PathFinder)
    assert sys.meta_path.index(loading.SourceFiles) == python - 1


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
