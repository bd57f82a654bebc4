"""GELU (its tanh form) and then layer normalization of the last axis, [4096, 1024] float32.

Work: 16.8 MB read and as much written if rows are fused; about 25 flops an element.
Limit: the 33.6 MB at the speed of a copy.
"""

from __future__ import annotations

import math

import numpy as np

SIZES = {"full": {"rows": 4096, "columns": 1024}, "small": {"rows": 32, "columns": 64}}
NOTES = {"numba": "polynomials; the output is reused"}
ROOT, CUBIC, EPSILON = math.sqrt(2 / math.pi), 0.044715, 1e-5


def inputs(rows, columns):
    rng = np.random.default_rng(0)
    return {
        "x": rng.standard_normal((rows, columns), np.float32),
        "scale": rng.uniform(0.5, 1.5, columns).astype(np.float32),
        "shift": rng.uniform(-0.5, 0.5, columns).astype(np.float32),
    }


def limit(rows, columns):
    return {"bytes": 2 * 4 * rows * columns}


def graph(tf, size, **options):
    @tf.function(**options)
    def block(x, scale, shift):
        y = 0.5 * x * (1.0 + tf.tanh(ROOT * (x + CUBIC * x * x * x)))
        y = y - tf.reduce_mean(y, axis=-1, keepdims=True)
        variance = tf.reduce_mean(tf.square(y), axis=-1, keepdims=True)
        return y * tf.math.rsqrt(variance + EPSILON) * scale + shift

    return block


def numpy(size):
    half, one, root = np.float32(0.5), np.float32(1), np.float32(ROOT)
    cubic, epsilon = np.float32(CUBIC), np.float32(EPSILON)

    def block(x, scale, shift):
        y = half * x * (one + np.tanh(root * (x + cubic * x * x * x)))
        y -= y.mean(axis=-1, keepdims=True)
        variance = np.square(y).mean(axis=-1, keepdims=True)
        return y / np.sqrt(variance + epsilon) * scale + shift

    return block


def numba(size, parallel=False):
    from numba import njit, prange

    from .vector_math import MATHS, tanh

    half, one, root = np.float32(0.5), np.float32(1), np.float32(ROOT)
    cubic, epsilon = np.float32(CUBIC), np.float32(EPSILON)

    @njit(**MATHS)
    def normalize_row(x, scale, shift, out):
        count = np.float32(x.size)
        total = squares = np.float32(0)
        for j in range(x.size):
            y = half * x[j] * (one + tanh(root * (x[j] + cubic * x[j] * x[j] * x[j])))
            out[j] = y
            total += y
        mean = total / count
        for j in range(x.size):
            squares += (out[j] - mean) * (out[j] - mean)
        factor = one / np.sqrt(squares / count + epsilon)
        for j in range(x.size):
            out[j] = (out[j] - mean) * factor * scale[j] + shift[j]

    @njit(parallel=parallel)
    def fill(x, scale, shift, out):
        for i in prange(x.shape[0]):
            normalize_row(x[i], scale, shift, out[i])

    out = np.empty((size["rows"], size["columns"]), np.float32)

    def block(x, scale, shift):
        fill(x, scale, shift, out)
        return out

    return block


def jax(size):
    import jax
    from jax import numpy as jnp

    @jax.jit
    def block(x, scale, shift):
        y = 0.5 * x * (1.0 + jnp.tanh(ROOT * (x + CUBIC * x * x * x)))
        y = y - jnp.mean(y, axis=-1, keepdims=True)
        variance = jnp.mean(jnp.square(y), axis=-1, keepdims=True)
        return y * jax.lax.rsqrt(variance + EPSILON) * scale + shift

    return block


def torch(size):
    import torch

    @torch.compile(fullgraph=True)
    def block(x, scale, shift):
        y = 0.5 * x * (1.0 + torch.tanh(ROOT * (x + CUBIC * x * x * x)))
        y = y - torch.mean(y, dim=-1, keepdim=True)
        variance = torch.mean(torch.square(y), dim=-1, keepdim=True)
        return y * torch.rsqrt(variance + EPSILON) * scale + shift

    return block
