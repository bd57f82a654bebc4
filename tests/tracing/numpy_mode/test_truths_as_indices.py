"""A bool of NumPy is no index of a sequence, and no bound of a slice, also one of two types."""

import numpy as np
import pytest

import allograph as ag

ITEMS = {
    "a tuple": lambda y, a: (1, 2, 3)[y],
    "a tuple of arrays": lambda y, a: (a, a)[y],
    "a list of arrays": lambda y, a: [a, a][y],
    "a slice": lambda y, a: a[y:],
    "the end of a slice": lambda y, a: a[:y],
}


@pytest.mark.parametrize("item", ITEMS.values(), ids=ITEMS)
def test_a_truth_of_numpy_is_no_index(item):
    compiled = ag.jit(lambda x, n, a: item(x if n else 1, a))
    with pytest.raises(TypeError, match="indices must be integers"):
        compiled(np.True_, 1, np.arange(4))


@pytest.mark.parametrize("item", ITEMS.values(), ids=ITEMS)
def test_a_bool_of_python_is_an_index(item):
    compiled = ag.jit(lambda x, n, a: item(x if n else 1, a))
    expected = item(True, np.arange(4))
    np.testing.assert_array_equal(compiled(True, 1, np.arange(4)), expected)
