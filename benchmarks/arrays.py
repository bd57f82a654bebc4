"""Whole arrays: a chain of element-wise operations, which memory alone should bound."""

import numpy as np
from harness import Workload

import allograph as ag

SIZE = 8_000_000


@ag.function(jit_compile=True)
def chain(x):
    y = x * 2.0 + 1.0
    y = ag.maximum(y - x * x, 0.5)
    return (y + x) * (y - 3.0) + 0.25


def chain_in_numpy(x):
    y = x * np.float32(2) + np.float32(1)
    y = np.maximum(y - x * x, np.float32(0.5))
    return (y + x) * (y - np.float32(3)) + np.float32(0.25)


def workloads():
    array = np.random.default_rng(0).random(SIZE, np.float32)
    tensor = ag.constant(array)
    np.testing.assert_allclose(chain(tensor).numpy(), chain_in_numpy(array), rtol=1e-5, atol=1e-6)
    yield Workload(
        "element-wise chain, 8 M float32",
        {
            "allograph": lambda: chain(tensor),
            "numpy copy": array.copy,
            "numpy": lambda: chain_in_numpy(array),
        },
        reference="numpy copy",
        limit=1.5,
    )
