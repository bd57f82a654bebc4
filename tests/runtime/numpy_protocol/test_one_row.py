"""A NumPy function has one row, which all that have it by some name read."""

import importlib

import numpy as np
import pytest

import allograph as ag
from allograph.library.numpy_functions import shape_functions
from allograph.runtime.numpy_protocol.registry import ABSENT, of_numpy, row_of, traces

X = np.array([1.0, 4.0, 9.0])


def test_what_the_program_registers_stays_when_the_file_of_the_function_is_loaded(monkeypatch):
    mine = lambda x: x * 2  # noqa: E731
    mine.__module__ = "mine"
    row = row_of(np.fliplr)
    for fact in ("implementation", "accepted", "result"):
        monkeypatch.setattr(row, fact, getattr(row, fact))  # which is set back
    traces(np.fliplr, result="new")(mine)
    importlib.reload(shape_functions)
    assert row.implementation is mine


def test_the_index_has_functions_that_this_version_of_numpy_lacks():
    assert of_numpy("no_such_function") == ()
    assert ABSENT.pop("np.no_such_function") == __name__


def through_a_standard_array(x):
    return ag.array_api.diff(ag.array_api.asarray(x)).tensor


WAYS = {
    "a function of tensors": ag.function(lambda x: np.diff(x), autograph=False),
    "experimental.numpy": ag.function(lambda x: ag.experimental.numpy.diff(x)),
    "keras.ops": ag.function(lambda x: ag.keras.ops.diff(x)),
    "array_api": ag.function(through_a_standard_array),
    "jit": ag.jit(lambda x: np.diff(x)),
}


@pytest.mark.parametrize("way", WAYS)
def test_all_ways_to_a_numpy_function_read_its_row(way, monkeypatch):
    row, calls = row_of(np.diff), []
    implementation = row.implementation

    def counting(a, n=1, axis=-1, **others):
        calls.append(way)
        return implementation(a, n, axis, **others)

    monkeypatch.setattr(row, "implementation", counting)
    argument = X if way == "jit" else ag.constant(X)
    assert np.asarray(WAYS[way](argument)).tolist() == [3.0, 5.0]
    assert calls
