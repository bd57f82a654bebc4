"""Public names are found whatever is asked for first."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from allograph import loading
from allograph.runtime.core.public_names import NAMESPACES, PUBLIC

ROOT = Path(__file__).parents[2]
EXPOSING = [
    path
    for room in ("library", "runtime", "tracing")
    for path in sorted((ROOT / room).rglob("*.py"))
    if re.search(r"^(@public\(|expose\(|@op$)", path.read_text(encoding="utf-8"), re.MULTILINE)
]


@pytest.mark.parametrize("path", EXPOSING, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_module_that_enters_names_is_loaded_with_the_vocabulary(path):
    importlib.import_module("allograph.loading").names()
    parts = path.relative_to(ROOT).with_suffix("").parts
    name = ".".join(part for part in ("allograph", *parts) if part != "__init__")
    assert name in sys.modules


def test_the_prefixes_of_public_names_are_its_namespaces():
    loading.names()
    prefixes = {name.rsplit(".", at)[0] for name in PUBLIC for at in range(1, name.count(".") + 1)}
    assert prefixes == NAMESPACES


@pytest.mark.slow
def test_a_name_loads_no_more_than_the_modules_before_it():
    assert not is_loaded("allograph.tracing", "allograph.constant")


@pytest.mark.slow
def test_a_namespace_inside_another_loads_no_more_than_the_modules_before_it():
    assert not is_loaded("allograph.library.onnx", "allograph.keras.layers.Dense")
    assert is_loaded("allograph.library.keras.ops.numpy_functions", "allograph.keras.ops.add")


def is_loaded(module: str, name: str) -> bool:
    """Whether a program that uses a name has loaded a module."""
    code = f"import sys, allograph; {name}; print({module!r} in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout == "True\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["math.tanh", "saved_model.save", "data.Dataset", "summary.scalar"]
)
def test_a_namespace_asked_for_first_has_all_its_names(name):
    code = f"import allograph; allograph.{name}; print(len(dir(allograph.{name.split('.')[0]})))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loading.names()
    import allograph

    assert int(done.stdout) == len(dir(getattr(allograph, name.split(".")[0])))
