"""Programs without sources, LLVM or rooms of the package, and what PyInstaller is told."""

import compileall
import os
import runpy
import subprocess
import sys
import tomllib
import types
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest

from allograph.loading import SUBPACKAGES, Submodules
from allograph.runtime.core.places import object_at
from allograph.tools.pyinstaller_hooks.places import folders

ROOT = Path(__file__).parents[2]
PROGRAM = """
import numpy as np

import allograph as ag


@ag.jit
def halved(x):
    while x > 1:
        x = x / 2
    return x


print(halved(48.0), halved(48.0))
print(halved.inspect())
"""


def run(script, **variables):
    return subprocess.run(
        [sys.executable, script],
        env={**os.environ, **variables}, capture_output=True, text=True, check=True,
    )  # fmt: skip


@pytest.mark.slow
def test_a_package_of_compiled_files_alone_runs_on_numpy_with_one_warning(tmp_path):
    unwanted = ignore_patterns(".*", "__pycache__", "build", "benchmarks", "docs", "tests", "site")
    copytree(ROOT, tmp_path / "allograph", ignore=unwanted)
    compileall.compile_dir(tmp_path / "allograph", quiet=2, legacy=True)
    for path in (tmp_path / "allograph").rglob("*.py"):
        path.unlink()
    (tmp_path / "script.py").write_text(PROGRAM, "utf-8")
    done = run(tmp_path / "script.py", PYTHONPATH=str(tmp_path))
    numbers, how, *_ = done.stdout.splitlines()
    assert numbers == "0.75 0.75"
    assert how.startswith("(float): NumPy: native code needs the source file ")
    assert done.stderr.count("Warning") == 1
    assert "native code needs the source files of allograph" in done.stderr


@pytest.mark.slow
def test_inspect_counts_calls_without_llvm(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(f'import sys\n\nsys.modules["llvmlite"] = None\n{PROGRAM}', "utf-8")
    numbers, how, *_ = run(script).stdout.splitlines()
    assert numbers == "0.75 0.75"
    assert how.startswith("(float): NumPy: native code needs llvmlite")
    assert how.endswith("2 calls")


@pytest.mark.parametrize("room", SUBPACKAGES)
def test_a_room_that_was_left_out_is_not_looked_for_again(room):
    """Otherwise its import asks for the table of public names, whose import asks for the room."""
    assert Submodules.find_spec(f"allograph.{room}") is None


def test_pyinstaller_finds_the_hook():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    module, _, name = project["entry-points"]["pyinstaller40"]["hook-dirs"].partition(":")
    assert object_at(f"{module.removeprefix('allograph.')}:{name}") is folders
    assert all((Path(folder) / "hook-allograph.py").is_file() for folder in folders())


def test_the_hook_collects_all_modules_data_and_sources(monkeypatch):
    hooks = types.ModuleType("PyInstaller.utils.hooks")
    hooks.collect_submodules = lambda package, on_error: [f"{package}.all_modules", on_error]
    hooks.collect_data_files = lambda package: [f"{package}.data"]
    for name in ("PyInstaller", "PyInstaller.utils", hooks.__name__):
        monkeypatch.setitem(sys.modules, name, hooks)
    hook = runpy.run_path(str(Path(folders()[0]) / "hook-allograph.py"))
    assert hook["hiddenimports"] == ["allograph.all_modules", "ignore"]
    assert hook["datas"] == ["allograph.data"]
    assert hook["module_collection_mode"] == {"allograph": "pyz+py"}
