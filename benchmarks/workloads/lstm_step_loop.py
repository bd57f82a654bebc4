"""An LSTM over 100 steps, the last states only: batch 16, 64 inputs, 64 units, float32.

Work: one product of [16, 128] and [128, 256] a step, 105 Mflop in all, and 5120 sigmoids and tanhs
a step; the weights stay in cache.
Limit: the flops at the rate of matrix products.
"""

from __future__ import annotations

import numpy as np

SIZES = {
    "full": {"steps": 100, "batch": 16, "units": 64},
    "small": {"steps": 4, "batch": 3, "units": 8},
}
TOLERANCE = 1e-4
NOTES = {"torch": "unrolled while tracing", "numba": "one product for all inputs; polynomials"}


def inputs(steps, batch, units):
    rng = np.random.default_rng(0)
    weights = rng.standard_normal((2 * units, 4 * units)) / (2 * units) ** 0.5
    return {
        "x": rng.standard_normal((steps, batch, units), np.float32),
        "w": weights.astype(np.float32),
        "b": rng.standard_normal(4 * units, np.float32),
    }


def limit(steps, batch, units):
    return {"flops": 2 * steps * batch * 2 * units * 4 * units, "dtype": "float32"}


def graph(tf, size, **options):
    @tf.function(**options)
    def last_states(x, w, b):
        steps, batch, units = x.shape
        h = tf.zeros([batch, units])
        c = tf.zeros([batch, units])
        for step in tf.range(steps):
            gates = tf.matmul(tf.concat([x[step], h], axis=1), w) + b
            enter, keep, new, show = tf.split(gates, 4, axis=1)
            c = tf.sigmoid(keep) * c + tf.sigmoid(enter) * tf.tanh(new)
            h = tf.sigmoid(show) * tf.tanh(c)
        return h, c

    return last_states


def numpy(size):
    one = np.float32(1)

    def sigmoid(x):
        return one / (one + np.exp(-x))

    def last_states(x, w, b):
        h = c = np.zeros_like(x[0])
        for x_t in x:
            gates = np.concatenate([x_t, h], axis=1) @ w + b
            enter, keep, new, show = np.split(gates, 4, axis=1)
            c = sigmoid(keep) * c + sigmoid(enter) * np.tanh(new)
            h = sigmoid(show) * np.tanh(c)
        return h, c

    return last_states


def numba(size):
    from numba import njit

    from .vector_math import MATHS, sigmoid, tanh

    @njit(**MATHS)
    def cell(projected, carried, b, h, c):
        units = h.shape[1]
        for i in range(h.shape[0]):
            gates = projected[i], carried[i]
            for j in range(units):
                k, m, n = j + units, j + 2 * units, j + 3 * units
                enter = sigmoid(gates[0][j] + gates[1][j] + b[j])
                keep = sigmoid(gates[0][k] + gates[1][k] + b[k])
                new = tanh(gates[0][m] + gates[1][m] + b[m])
                show = sigmoid(gates[0][n] + gates[1][n] + b[n])
                c[i, j] = keep * c[i, j] + enter * new
                h[i, j] = show * tanh(c[i, j])

    @njit
    def last_states(x, w, b):
        steps, batch, units = x.shape
        projected = np.dot(x.reshape(-1, units), w[:units]).reshape(steps, batch, 4 * units)
        h = np.zeros((batch, units), np.float32)
        c = np.zeros_like(h)
        carried = np.empty_like(projected[0])
        for step in range(steps):
            np.dot(h, w[units:], carried)
            cell(projected[step], carried, b, h, c)
        return h, c

    return last_states


def jax(size):
    import jax
    from jax import numpy as jnp

    @jax.jit
    def last_states(x, w, b):
        def step(state, x_t):
            h, c = state
            gates = jnp.concatenate([x_t, h], axis=1) @ w + b
            enter, keep, new, show = jnp.split(gates, 4, axis=1)
            c = jax.nn.sigmoid(keep) * c + jax.nn.sigmoid(enter) * jnp.tanh(new)
            h = jax.nn.sigmoid(show) * jnp.tanh(c)
            return (h, c), None

        zero = jnp.zeros_like(x[0])
        return jax.lax.scan(step, (zero, zero), x)[0]

    return last_states


def torch(size):
    import torch

    @torch.compile(fullgraph=True)
    def last_states(x, w, b):
        h = c = torch.zeros_like(x[0])
        for x_t in x:
            gates = torch.cat([x_t, h], dim=1) @ w + b
            enter, keep, new, show = torch.chunk(gates, 4, dim=1)
            c = torch.sigmoid(keep) * c + torch.sigmoid(enter) * torch.tanh(new)
            h = torch.sigmoid(show) * torch.tanh(c)
        return h, c

    return last_states
