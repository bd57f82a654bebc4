"""A square root by damped Newton steps until the residual is small: one loop over float64 scalars.

Work: a million steps of x - damping * (x * x - a) / (2 x), each of which needs the one before.
Limit: the chain of a multiply, a subtraction, a division and a multiply-subtract: 26 cycles a step.
TensorFlow's graph and torch's operator for loops get a hundredth of the steps, scaled.
"""

from __future__ import annotations

import math

import numpy as np

X64 = True
SIZES = {"full": {"damping": 2.6e-5}, "small": {"damping": 2.6e-2}, "tiny": {"damping": 2.6e-3}}
REDUCED = {"tensorflow": "tiny", "torch": "tiny"}
TOLERANCE = 1e-9
NOTES = {"torch": "the operator `while_loop`"}


def inputs(damping):
    values = {"a": 2.0, "x": 3.0, "damping": damping, "tolerance": 1e-10}
    return {name: np.asarray(value) for name, value in values.items()}


def work(damping):
    """Steps: the residual shrinks from 7 to the tolerance by a factor of about 1 - damping."""
    return math.log(7.0 / 1e-10) / damping


def limit(damping):
    return {"cycles": 26 * work(damping)}


def differ(got, expected):
    """The root counts; the last of the many steps may hang on rounding."""
    root, steps = (abs(float(a / b) - 1) for a, b in zip(got, expected, strict=True))
    return max(root, steps * 1e-4)


def graph(tf, size, **options):
    @tf.function(**options)
    def root(a, x, damping, tolerance):
        steps = tf.constant(0)
        while tf.abs(x * x - a) > tolerance:
            x = x - damping * (x * x - a) / (2.0 * x)
            steps += 1
        return x, steps

    return root


def numpy(size):
    def root(a, x, damping, tolerance):
        steps = 0
        while abs(x * x - a) > tolerance:
            x = x - damping * (x * x - a) / (2.0 * x)
            steps += 1
        return x, steps

    return root


def numba(size):
    from numba import njit

    @njit(error_model="numpy")
    def root(a, x, damping, tolerance):
        steps = 0
        half = damping / 2
        rest = x * x - a
        while abs(rest) > tolerance:
            x -= half * (rest / x)
            rest = x * x - a
            steps += 1
        return x, steps

    return root


def jax(size):
    import jax
    from jax import lax
    from jax import numpy as jnp

    @jax.jit
    def root(a, x, damping, tolerance):
        def goes_on(state):
            return jnp.abs(state[0] * state[0] - a) > tolerance

        def step(state):
            x, steps = state
            return x - damping * (x * x - a) / (2.0 * x), steps + 1

        return lax.while_loop(goes_on, step, (x, np.int32(0)))

    return root


def torch(size):
    import torch
    from torch._higher_order_ops.while_loop import while_loop

    @torch.compile(fullgraph=True)
    def root(a, x, damping, tolerance):
        def goes_on(x, steps):
            return torch.abs(x * x - a) > tolerance

        def step(x, steps):
            return x - damping * (x * x - a) / (2.0 * x), steps + 1

        return while_loop(goes_on, step, (x.clone(), torch.zeros((), dtype=torch.int64)))

    return root
