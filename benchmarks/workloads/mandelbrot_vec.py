"""Escape counts of the Mandelbrot set, whole arrays at a time: 400 x 400 points, 200 steps.

Work: 9 float64 flops and 2 selects a point and step, 288 Mflop; the state stays in cache.
Limit: the flops at half of the rate of matrix products, since few pair up to multiply-adds.
Loops by hand stop a block of points when all of it has escaped, which saves three quarters.
"""

from __future__ import annotations

import numpy as np

X64 = True
SIZES = {"full": {"n": 400, "steps": 200}, "small": {"n": 24, "steps": 30}}
TOLERANCE = 1e-3
NOTES = {"torch": "one compiled step, called in a loop", "numba": "blocks stop when all escaped"}


def inputs(n, steps):
    across, down = np.meshgrid(np.linspace(-2.0, 0.6, n), np.linspace(-1.3, 1.3, n))
    return {"across": across, "down": down, "steps": np.asarray(steps, np.int32)}


def limit(n, steps):
    return {"flops": 2 * 9 * n * n * steps, "dtype": "float64"}


def differ(got, expected):
    """How many of the counts are wrong: points on the edge hang on rounding."""
    return float(np.mean(got[0].reshape(-1) != expected[0].reshape(-1)))


def graph(tf, size, **options):
    @tf.function(**options)
    def escape(across, down, steps):
        x, y = tf.zeros_like(across), tf.zeros_like(down)
        counts = tf.zeros_like(across, tf.int32)
        for _ in tf.range(steps):
            xx, yy = x * x, y * y
            inside = xx + yy <= 4.0
            counts = counts + tf.cast(inside, tf.int32)
            y = tf.where(inside, 2.0 * x * y + down, y)
            x = tf.where(inside, xx - yy + across, x)
        return counts

    return escape


def numpy(size):
    def escape(across, down, steps):
        x, y = np.zeros_like(across), np.zeros_like(down)
        counts = np.zeros(across.shape, np.int32)
        for _ in range(steps):
            xx, yy = x * x, y * y
            inside = xx + yy <= 4.0
            counts += inside
            y = np.where(inside, 2.0 * x * y + down, y)
            x = np.where(inside, xx - yy + across, x)
        return counts

    return escape


def numba(size, parallel=False):
    from numba import njit, prange

    lanes = 32

    @njit(fastmath=True)
    def block(across, down, steps, counts):
        x, y, seen = np.zeros(lanes), np.zeros(lanes), np.zeros(lanes)
        for _ in range(steps):
            alive = 0.0
            for k in range(lanes):
                xx, yy = x[k] * x[k], y[k] * y[k]
                inside = xx + yy <= 4.0
                one = 1.0 if inside else 0.0
                alive += one
                seen[k] += one
                moved = 2.0 * x[k] * y[k] + down[k]
                x[k] = xx - yy + across[k] if inside else x[k]
                y[k] = moved if inside else y[k]
            if alive == 0.0:
                break
        for k in range(lanes):
            counts[k] = np.int32(seen[k])

    @njit(parallel=parallel)
    def escape(across, down, steps):
        across, down = across.reshape(-1), down.reshape(-1)
        counts = np.empty(across.size, np.int32)
        blocks = across.size // lanes
        for first in prange(40):
            for b in range(first, blocks, 40):
                lanes_slice = slice(b * lanes, (b + 1) * lanes)
                block(across[lanes_slice], down[lanes_slice], steps, counts[lanes_slice])
        return counts

    return escape


def jax(size):
    import jax
    from jax import numpy as jnp

    @jax.jit
    def escape(across, down, steps):
        def step(_, state):
            x, y, counts = state
            xx, yy = x * x, y * y
            inside = xx + yy <= 4.0
            return (
                jnp.where(inside, xx - yy + across, x),
                jnp.where(inside, 2.0 * x * y + down, y),
                counts + inside.astype(np.int32),
            )

        zero = jnp.zeros_like(across)
        start = zero, zero, jnp.zeros(across.shape, np.int32)
        return jax.lax.fori_loop(0, steps, step, start)[2]

    return escape


def torch(size):
    import torch

    @torch.compile(fullgraph=True)
    def step(across, down, x, y, counts):
        xx, yy = x * x, y * y
        inside = xx + yy <= 4.0
        return (
            torch.where(inside, xx - yy + across, x),
            torch.where(inside, 2.0 * x * y + down, y),
            counts + inside.to(torch.int32),
        )

    def escape(across, down, steps):
        x, y = torch.zeros_like(across), torch.zeros_like(down)
        counts = torch.zeros(across.shape, dtype=torch.int32)
        for _ in range(size["steps"]):
            x, y, counts = step(across, down, x, y, counts)
        return counts

    return escape
