"""Data types as arguments of NumPy's functions mean in `jit` what they mean in NumPy."""

import linecache
import warnings

import numpy as np
import pytest

import allograph as ag

pytestmark = pytest.mark.slow

CALLS = [
    "np.cumsum(a, dtype={})", "np.cumprod(a, dtype={})", "np.sum(a, dtype={})",
    "a.sum(dtype={})", "a.mean(dtype={})", "np.mean(a, 0, {})", "np.prod(a, dtype={})",
    "np.std(a, dtype={})", "np.var(a, dtype={})", "np.trace(a, dtype={})", "np.nansum(a, dtype={})",
    "np.add.reduce(a, dtype={})", "np.add.accumulate(a, dtype={})", "a.cumsum(1, {})",
    "np.array(a, dtype={})", "np.asarray(a, dtype={})", "np.ascontiguousarray(a, dtype={})",
    "a.astype({})", "np.zeros(3, {})", "np.ones((2, 2), dtype={})", "np.full(3, 1, dtype={})",
    "np.arange(5, dtype={})", "np.eye(3, dtype={})", "np.identity(3, {})", "np.tri(3, dtype={})",
    "np.zeros_like(a, dtype={})", "np.full_like(a, 2, dtype={})", "np.linspace(0, 1, 4, dtype={})",
    "np.concatenate([a, a], dtype={}, casting='unsafe')", "np.stack([a, a], dtype={})",
    "np.add(a, a, dtype={})", "np.sqrt(a, dtype={})", "np.dtype({}) == a.dtype",
]  # fmt: skip
TYPES = ["float", "int", "complex", "bool", "np.float32", "'f4'", "np.int16", "np.dtype(float)"]
ARRAYS = [np.linspace(0.1, 2, 12).reshape(3, 4), np.arange(12).reshape(3, 4)]


def defined(expression: str):
    source, name = f"def f(a):\n    return {expression}\n", f"<{expression}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    names = {"np": np}
    exec(compile(source, name, "exec"), names)
    return names["f"]


def outcome(f, array):
    with warnings.catch_warnings(action="ignore"):
        try:
            return f(array.copy())
        except (TypeError, ValueError) as error:
            return type(error)


@pytest.mark.parametrize("call", CALLS)
def test_a_dtype_argument_is_that_of_numpy(call):
    for dtype in TYPES:
        for array in ARRAYS:
            f = defined(call.format(dtype))
            expected = outcome(f, array)
            found = outcome(ag.jit(f, kernel_compiler="python"), array)
            assert type(found) is type(expected), (dtype, array.dtype)
            if isinstance(expected, (np.ndarray, np.generic)):
                assert found.dtype == expected.dtype, (dtype, array.dtype)
                tolerance = 1e-12 if expected.dtype.itemsize >= 8 else 1e-6
                np.testing.assert_allclose(found, expected, rtol=tolerance)
            else:
                assert found == expected, (dtype, array.dtype)
