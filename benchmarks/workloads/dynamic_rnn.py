"""A tanh RNN over 200 steps that keeps every state: batch 32, 128 inputs, 128 units, float32.

Work: two products of [32, 128] and [128, 128] a step, 420 Mflop in all; the weights stay in cache.
Limit: the flops at the rate of matrix products. The products with the inputs need no state and can
be one large product before the loop.
"""

from __future__ import annotations

import numpy as np

SIZES = {
    "full": {"steps": 200, "batch": 32, "units": 128},
    "small": {"steps": 5, "batch": 3, "units": 8},
}
TOLERANCE = 1e-4
NOTES = {"torch": "unrolled while tracing", "numba": "one product for all inputs; polynomials"}


def inputs(steps, batch, units):
    rng = np.random.default_rng(0)

    def weights(*shape):
        return (rng.standard_normal(shape) / units**0.5).astype(np.float32)

    return {
        "x": rng.standard_normal((steps, batch, units), np.float32),
        "w": weights(units, units),
        "u": weights(units, units),
        "b": weights(units),
    }


def limit(steps, batch, units):
    return {"flops": 2 * 2 * steps * batch * units**2, "dtype": "float32"}


def graph(tf, size, **options):
    @tf.function(**options)
    def states(x, w, u, b):
        steps, batch, units = x.shape
        h = tf.zeros([batch, units])
        kept = tf.TensorArray(tf.float32, size=steps, element_shape=[batch, units])
        for step in tf.range(steps):
            h = tf.tanh(tf.matmul(x[step], w) + tf.matmul(h, u) + b)
            kept = kept.write(step, h)
        return kept.stack()

    return states


def numpy(size):
    def states(x, w, u, b):
        kept = np.empty_like(x)
        h = np.zeros_like(x[0])
        for step, x_t in enumerate(x):
            h = kept[step] = np.tanh(x_t @ w + h @ u + b)
        return kept

    return states


def numba(size):
    from numba import njit

    from .vector_math import MATHS, tanh

    @njit(**MATHS)
    def activate(projected, carried, b, out):
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                out[i, j] = tanh(projected[i, j] + carried[i, j] + b[j])

    @njit
    def states(x, w, u, b):
        steps, batch, units = x.shape
        projected = np.dot(x.reshape(-1, units), w).reshape(x.shape)
        kept = np.empty_like(x)
        h = np.zeros((batch, units), np.float32)
        carried = np.empty_like(h)
        for step in range(steps):
            np.dot(h, u, carried)
            h = kept[step]
            activate(projected[step], carried, b, h)
        return kept

    return states


def jax(size):
    import jax
    from jax import numpy as jnp

    @jax.jit
    def states(x, w, u, b):
        def step(h, x_t):
            h = jnp.tanh(x_t @ w + h @ u + b)
            return h, h

        return jax.lax.scan(step, jnp.zeros_like(x[0]), x)[1]

    return states


def torch(size):
    import torch

    @torch.compile(fullgraph=True)
    def states(x, w, u, b):
        h = torch.zeros_like(x[0])
        kept = []
        for x_t in x:
            h = torch.tanh(x_t @ w + h @ u + b)
            kept.append(h)
        return torch.stack(kept)

    return states
