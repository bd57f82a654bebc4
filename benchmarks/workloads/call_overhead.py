"""What one call costs: x * 2 + 1 on a float32 vector of 4.

Work: 8 flops on 32 bytes, that is nothing: the time is handling of arguments, dispatch, one output.
Limit: none but Python's own call of a compiled function, some 50 ns.
"""

from __future__ import annotations

import numpy as np

SIZES = {"full": {"n": 4}, "small": {"n": 4}}


def inputs(n):
    return {"x": np.arange(n, dtype=np.float32)}


def limit(n):
    return {}


def graph(tf, size, **options):
    @tf.function(**options)
    def scaled(x):
        return x * 2.0 + 1.0

    return scaled


def numpy(size):
    def scaled(x):
        return x * np.float32(2) + np.float32(1)

    return scaled


def numba(size):
    from numba import njit

    two, one = np.float32(2), np.float32(1)

    @njit
    def scaled(x):
        out = np.empty_like(x)
        for i in range(x.size):
            out[i] = x[i] * two + one
        return out

    return scaled


def jax(size):
    import jax

    return jax.jit(lambda x: x * 2.0 + 1.0)


def torch(size):
    import torch

    return torch.compile(lambda x: x * 2.0 + 1.0, fullgraph=True)
