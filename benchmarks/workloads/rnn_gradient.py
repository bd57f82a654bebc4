"""The gradients of a tanh RNN by its inputs and weights: 100 steps, batch 32, 128 units, float32.

Work: six products of [32, 128] and [128, 128] a step, two forwards and four backwards, 630 Mflop in
all, and 410,000 tanhs.
Limit: the flops at the rate of matrix products. Only two of the six wait for the step before.
"""

from __future__ import annotations

import numpy as np

from .dynamic_rnn import inputs  # noqa: F401 - the same arrays

SIZES = {
    "full": {"steps": 100, "batch": 32, "units": 128},
    "small": {"steps": 4, "batch": 3, "units": 8},
}
TOLERANCE = 1e-3


def limit(steps, batch, units):
    return {"flops": 6 * 2 * steps * batch * units * units, "dtype": "float32"}


def graph(tf, size, **options):
    @tf.function(**options)
    def gradients(x, w, u, b):
        steps, batch, units = x.shape
        with tf.GradientTape() as tape:
            tape.watch([x, w, u, b])
            h = tf.zeros([batch, units])
            for step in tf.range(steps):
                h = tf.tanh(x[step] @ w + h @ u + b)
            loss = tf.reduce_sum(h * h)
        return tape.gradient(loss, [x, w, u, b])

    return gradients


def numpy(size):
    def gradients(x, w, u, b):
        states = [np.zeros_like(x[0])]
        for x_t in x:
            states.append(np.tanh(x_t @ w + states[-1] @ u + b))
        by_x, by_w, by_u, by_b = map(np.zeros_like, (x, w, u, b))
        by_h = 2 * states[-1]
        for step in range(len(x) - 1, -1, -1):
            inside = by_h * (1 - states[step + 1] ** 2)
            by_x[step] = inside @ w.T
            by_w += x[step].T @ inside
            by_u += states[step].T @ inside
            by_b += inside.sum(0)
            by_h = inside @ u.T
        return by_x, by_w, by_u, by_b

    return gradients


def jax(size):
    import jax
    from jax import numpy as jnp

    def loss(x, w, u, b):
        def step(h, x_t):
            return jnp.tanh(x_t @ w + h @ u + b), None

        h, _ = jax.lax.scan(step, jnp.zeros_like(x[0]), x)
        return jnp.sum(h * h)

    return jax.jit(jax.grad(loss, argnums=(0, 1, 2, 3)))
