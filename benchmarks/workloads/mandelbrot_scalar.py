"""Escape counts of the Mandelbrot set, one point at a time: 400 x 400 points, at most 200 steps.

Work: two nested loops over float64 scalars, 8 million inner steps of 8 flops, each of which needs
the one before; the points are independent.
Limit: the chain of two multiply-adds, 8 cycles a step, on two cores. Several points at a time in
the lanes of a vector go below it.
TensorFlow's graph gets 20 x 20 points, scaled by steps.
"""

from __future__ import annotations

import numpy as np

from .mandelbrot_vec import differ as differ

X64 = True
SIZES = {
    "full": {"n": 400, "most": 200},
    "small": {"n": 6, "most": 20},
    "tiny": {"n": 20, "most": 200},
}
REDUCED = {"tensorflow": "tiny"}
TOLERANCE = 1e-3


def inputs(n, most):
    return {
        "across": np.linspace(-2.0, 0.6, n),
        "down": np.linspace(-1.3, 1.3, n),
        "most": np.asarray(most, np.int32),
    }


def work(n, most):
    """Inner steps."""
    return int(numpy({})(**inputs(n, most)).sum())


def limit(n, most):
    return {"cycles": 8 * work(n, most) / 2}


def graph(tf, size, **options):
    @tf.function(**options)
    def escape(across, down, most):
        width = across.shape[0]
        points = width * down.shape[0]
        counts = tf.TensorArray(tf.int32, size=points, element_shape=())
        for point in tf.range(points):
            real, imaginary = across[point % width], down[point // width]
            x = tf.constant(0.0, tf.float64)
            y = tf.constant(0.0, tf.float64)
            steps = 0
            while steps < most and x * x + y * y <= 4.0:
                x, y = x * x - y * y + real, 2.0 * x * y + imaginary
                steps += 1
            counts = counts.write(point, steps)
        return counts.stack()

    return escape


def numpy(size):
    def escape(across, down, most):
        points = [(x, y) for y in down.tolist() for x in across.tolist()]
        counts = np.empty(len(points), np.int32)
        for point, (real, imaginary) in enumerate(points):
            x = y = 0.0
            steps = 0
            while steps < most and x * x + y * y <= 4.0:
                x, y = x * x - y * y + real, 2.0 * x * y + imaginary
                steps += 1
            counts[point] = steps
        return counts

    return escape


def numba(size, parallel=False):
    from numba import njit, prange

    @njit(parallel=parallel, fastmath={"contract"})
    def escape(across, down, most):
        width = across.size
        counts = np.empty(width * down.size, np.int32)
        for point in prange(counts.size):
            real, imaginary = across[point % width], down[point // width]
            x, y, xx, yy = 0.0, 0.0, 0.0, 0.0
            steps = 0
            while steps < most and xx + yy <= 4.0:
                y = 2.0 * x * y + imaginary
                x = xx - yy + real
                xx, yy = x * x, y * y
                steps += 1
            counts[point] = steps
        return counts

    return escape


def jax(size):
    import jax
    from jax import lax
    from jax import numpy as jnp

    @jax.jit
    def escape(across, down, most):
        width = across.size

        def steps_of(real, imaginary):
            def goes_on(state):
                x, y, steps = state
                return (steps < most) & (x * x + y * y <= 4.0)

            def step(state):
                x, y, steps = state
                return x * x - y * y + real, 2.0 * x * y + imaginary, steps + 1

            zero = np.float64(0)
            return lax.while_loop(goes_on, step, (zero, zero, np.int32(0)))[2]

        def visit(point, counts):
            return counts.at[point].set(steps_of(across[point % width], down[point // width]))

        points = width * down.size
        return lax.fori_loop(0, points, visit, jnp.zeros(points, np.int32))

    return escape


def torch(size):
    from contest.engines import MissingError

    raise MissingError("a nested data-dependent loop with indexed writes cannot be compiled")
