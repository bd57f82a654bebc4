"""A graph of 2000 operations on 16 float32, which a Python loop unrolls while tracing.

Work: 32 kflop, that is nothing: the time is what a node costs when it runs (a 2000th of a call),
and what it costs to trace and compile (a 2000th of the first call).
Limit: 2000 operations in a chain, 4 cycles each.
"""

from __future__ import annotations

import numpy as np

SIZES = {"full": {"n": 16, "operations": 2000}, "small": {"n": 4, "operations": 24}}
TOLERANCE = 1e-4


def inputs(n, operations):
    x, y = np.random.default_rng(0).uniform(-1, 1, (2, n)).astype(np.float32)
    return {"x": x, "y": y}


def limit(n, operations):
    return {"cycles": 4 * operations}


def factors(size):
    return [0.9 + 0.0001 * index for index in range(size["operations"] // 4)]


def graph(tf, size, **options):
    @tf.function(**options)
    def chain(x, y):
        for factor in factors(size):
            x = tf.minimum(tf.abs(x * factor + y), 3.0)
        return x

    return chain


def numpy(size):
    constants, three = [np.float32(factor) for factor in factors(size)], np.float32(3)

    def chain(x, y):
        for factor in constants:
            x = np.minimum(np.abs(x * factor + y), three)
        return x

    return chain


def numba(size):
    from numba import njit

    constants, three = np.array(factors(size), np.float32), np.float32(3)

    @njit(fastmath={"contract", "nnan", "nsz"})
    def run(x, y, constants):
        x = x.copy()
        for factor in constants:
            for j in range(x.size):
                x[j] = min(abs(x[j] * factor + y[j]), three)
        return x

    return lambda x, y: run(x, y, constants)


def jax(size):
    import jax
    from jax import numpy as jnp

    @jax.jit
    def chain(x, y):
        for factor in factors(size):
            x = jnp.minimum(jnp.abs(x * factor + y), 3.0)
        return x

    return chain


def torch(size):
    import torch

    @torch.compile(fullgraph=True)
    def chain(x, y):
        for factor in factors(size):
            x = torch.clamp(torch.abs(x * factor + y), max=3.0)
        return x

    return chain
