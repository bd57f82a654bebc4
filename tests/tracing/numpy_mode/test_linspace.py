"""`np.linspace` between numbers that the graph computes."""

import numpy as np
import pytest

import allograph as ag

ENDS = [
    (-2.0, 0.5, 12), (1, 7, 4), (-3.7, -1.2, 9), (2.0, 2.0, 3), (0.0, 1.0, 1), (True, 3, 4),
    (np.float32(0.1), np.float32(0.7), 4), (np.float32(0.1), 2.0, 5), (np.int8(3), np.int8(100), 4),
    (1j, 2.0, 3), (0.0, 1.0, 0),
]  # fmt: skip


@pytest.mark.parametrize("dtype", [None, np.float64, np.float32, int, np.int16], ids=str)
@pytest.mark.parametrize("ends", ENDS, ids=str)
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_linspace_gives_what_numpy_gives(ends, dtype):
    def f(start, stop, count):
        return np.linspace(start, stop, count, dtype=dtype)

    try:
        expected = f(*ends)
    except TypeError:
        with pytest.raises(TypeError):
            ag.jit(f)(*ends)
        return
    found = ag.jit(f)(*ends)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
