"""Namespaces of public names are modules, which import statements find."""

import importlib
import inspect
import pickle
import subprocess
import sys

import pytest

import allograph as ag


@pytest.mark.parametrize(
    "name", ["keras", "keras.layers", "experimental.numpy", "compat.v1", "nn", "data"]
)
def test_an_import_statement_finds_a_namespace(name):
    module = importlib.import_module(f"allograph.{name}")
    assert inspect.ismodule(module)
    found = ag
    for part in name.split("."):
        found = getattr(found, part)
    assert found is module


def test_names_are_imported_from_it():
    from allograph.autograph.experimental import do_not_convert
    from allograph.experimental.numpy.linalg import norm
    from allograph.keras import layers
    from allograph.keras.layers import Dense

    assert layers.Dense is Dense is ag.keras.layers.Dense
    assert do_not_convert is ag.autograph.experimental.do_not_convert
    assert float(norm(ag.constant([3.0, 4.0]))) == 5.0


@pytest.mark.slow
def test_it_may_be_the_first_import():
    code = "import allograph.keras.layers as layers; print(layers.Dense(2).units)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "2\n"


def test_also_under_another_name_of_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "otherflow", ag)
    try:
        from otherflow.keras.layers import Dense
    finally:
        for name in [name for name in sys.modules if name.startswith("otherflow.")]:
            del sys.modules[name]
    assert Dense is ag.keras.layers.Dense


def test_the_version_of_the_vocabulary_is_that_of_its_mirror_for_libraries_that_read_it(
    monkeypatch, tmp_path
):
    assert ag.compat.v2.__version__ == ag.compat.v1.__version__ == ag.version.VERSION
    assert ag.__version__ != ag.version.VERSION
    (tmp_path / "some_library.py").write_text(
        "import tensorflow as tf\n"
        "from tensorflow.keras import layers\n"
        "IS_NEW = tuple(map(int, tf.__version__.split('.')[:2])) >= (2, 10)\n"
        "def root(x):\n"
        "    return tf.function(lambda x: tf.sqrt(x))(tf.constant(x))\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setitem(sys.modules, "tensorflow", ag.compat.v2)
    try:
        library = importlib.import_module("some_library")
    finally:
        for name in [name for name in sys.modules if name.startswith("tensorflow.")]:
            del sys.modules[name]
    assert library.IS_NEW
    assert library.layers.Dense is ag.keras.layers.Dense
    assert float(library.root(4.0)) == 2.0


def test_what_is_no_namespace_is_not_found():
    with pytest.raises(ModuleNotFoundError, match="allograph.nonsense"):
        importlib.import_module("allograph.nonsense")
    with pytest.raises(ModuleNotFoundError, match="allograph.constant"):
        importlib.import_module("allograph.constant")
    with pytest.raises(ImportError, match="cannot import name 'nonsense'"):
        exec("from allograph.keras import nonsense")


def test_functions_that_name_one_are_pickled_by_name():
    assert pickle.loads(pickle.dumps(ag.keras.layers.Dense)) is ag.keras.layers.Dense
