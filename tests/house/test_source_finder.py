"""The package finds and loads its own modules, as Python would, in less time."""

import importlib.machinery
import os
import py_compile
import sys

import pytest

import allograph as ag
from allograph import loading

NAMES = (
    f"{ag.__name__}.runtime.ops",
    f"{ag.__name__}.runtime.ops.math.elementwise",
    f"{ag.__name__}.tracing.functions.tracer",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_module_is_found_where_python_finds_it(name):
    parent = importlib.import_module(name.rpartition(".")[0])
    own = loading.SourceFinder.find_spec(name, parent.__path__)
    found = importlib.machinery.PathFinder.find_spec(name, parent.__path__)
    assert (own.name, own.origin, own.cached) == (found.name, found.origin, found.cached)
    assert own.submodule_search_locations == found.submodule_search_locations
    assert own.has_location


def test_other_packages_and_files_that_came_later_are_left_to_python(tmp_path):
    finder = loading.SourceFinder
    assert finder.find_spec("numpy.linalg", [str(tmp_path)]) is None
    assert finder.find_spec("allograph.late", [str(tmp_path)]) is None
    (tmp_path / "late.py").write_text("")
    assert finder.find_spec("allograph.late", [str(tmp_path)]) is None
    assert finder.find_spec("allograph.late", [str(tmp_path / "absent")]) is None


def test_it_is_asked_just_before_the_finder_of_python():
    if loading.SourceFinder not in sys.meta_path:
        pytest.skip("byte code is elsewhere in this process")
    names = [getattr(one, "__name__", "") for one in sys.meta_path]
    assert names.index("PathFinder") - names.index("SourceFinder") == 1


def test_byte_code_is_run_only_if_it_is_that_of_the_source(tmp_path):
    source = tmp_path / "module.py"
    source.write_text("answer = 1\n")
    py_compile.compile(str(source), doraise=True)
    spec = loading.SourceFinder.find_spec("allograph.module", [str(tmp_path)])
    assert answer(spec) == 1
    assert spec.loader._stored_code() is not None

    source.write_text("answer = 23\n")  # of another size
    assert spec.loader._stored_code() is None
    assert answer(spec) == 23

    source.write_text("answer = 45\n")
    os.utime(source, (1e9, 1e9))  # of another time
    assert answer(spec) == 45

    moved = tmp_path / "moved"
    moved.mkdir()
    py_compile.compile(str(source), doraise=True)
    (tmp_path / "__pycache__").rename(moved / "__pycache__")
    source.rename(moved / "module.py")
    spec = loading.SourceFinder.find_spec("allograph.module", [str(moved)])
    assert spec.loader._stored_code() is None  # it names the file where it was
    assert spec.loader.get_code("allograph.module").co_filename == str(moved / "module.py")


def answer(spec) -> int:
    namespace: dict = {}
    exec(spec.loader.get_code(spec.name), namespace)
    return namespace["answer"]
