"""Softmax of the last axis, [8192, 1000] float32: maximum, exp(x - maximum), sum, quotient.

Work: 32.8 MB read and as much written if rows are fused; 8.2 million exponentials.
Limit: the 65.5 MB at the speed of a copy.
"""

from __future__ import annotations

import numpy as np

SIZES = {"full": {"rows": 8192, "columns": 1000}, "small": {"rows": 64, "columns": 100}}
NOTES = {"numba": "polynomials; the output is reused"}


def inputs(rows, columns):
    return {"x": 3 * np.random.default_rng(0).standard_normal((rows, columns), np.float32)}


def limit(rows, columns):
    return {"bytes": 2 * 4 * rows * columns}


def graph(tf, size, **options):
    @tf.function(**options)
    def softmax(x):
        e = tf.exp(x - tf.reduce_max(x, axis=-1, keepdims=True))
        return e / tf.reduce_sum(e, axis=-1, keepdims=True)

    return softmax


def numpy(size):
    def softmax(x):
        e = np.exp(x - x.max(axis=-1, keepdims=True))
        return e / e.sum(axis=-1, keepdims=True)

    return softmax


def numba(size, parallel=False):
    from numba import njit, prange

    from .vector_math import MATHS, exp, from_ordered, ordered

    @njit(**MATHS)
    def softmax_row(x, out):
        key = ordered(x[0])
        for j in range(x.size):
            key = max(key, ordered(x[j]))
        top = from_ordered(key)
        total = np.float32(0)
        for j in range(x.size):
            out[j] = exp(x[j] - top)
            total += out[j]
        share = np.float32(1) / total
        for j in range(x.size):
            out[j] *= share

    @njit(parallel=parallel)
    def fill(x, out):
        for i in prange(x.shape[0]):
            softmax_row(x[i], out[i])

    out = np.empty((size["rows"], size["columns"]), np.float32)

    def softmax(x):
        fill(x, out)
        return out

    return softmax


def jax(size):
    import jax
    from jax import numpy as jnp

    @jax.jit
    def softmax(x):
        e = jnp.exp(x - jnp.max(x, axis=-1, keepdims=True))
        return e / jnp.sum(e, axis=-1, keepdims=True)

    return softmax


def torch(size):
    import torch

    @torch.compile(fullgraph=True)
    def softmax(x):
        e = torch.exp(x - torch.amax(x, dim=-1, keepdim=True))
        return e / torch.sum(e, dim=-1, keepdim=True)

    return softmax
