"""A NumPy function has one row, which all that have it by some name read."""

import numpy as np
import pytest

import allograph as ag
from allograph.runtime.numpy_protocol.registry import row_of

X = np.array([1.0, 4.0, 9.0])


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
