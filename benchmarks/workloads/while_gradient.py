"""The gradient through a loop whose trip count is dynamic: 200 times x = sin(x) * w + b.

Vectors of 64 float32; the gradients of the sum of the last x, for x, w and b.
Work: 12,800 sines forward and as many cosines backward; the 200 states are 51 KB.
Limit: the chain of a sine and a multiply-add, about 60 cycles a step forward, and 8 backward.
"""

from __future__ import annotations

import numpy as np

SIZES = {"full": {"n": 64, "steps": 200}, "small": {"n": 8, "steps": 5}}
TOLERANCE = 1e-4
MOST = 256
NOTES = {
    "jax": "a scan over 256 masked steps: its while loop has no reverse mode",
    "xla": "needs a static bound, 256",
    "numba": "gradients by hand; polynomials",
    "torch": "unrolled while tracing",
}


def inputs(n, steps):
    rng = np.random.default_rng(0)
    ranges = {"x": (-1, 1), "w": (0.8, 1.0), "b": (-0.1, 0.1)}
    vectors = {name: rng.uniform(*bounds, n).astype(np.float32) for name, bounds in ranges.items()}
    return vectors | {"steps": np.asarray(steps, np.int32)}


def limit(n, steps):
    return {"cycles": 68 * steps}


def graph(tf, size, **options):
    @tf.function(**options)
    def gradients(x, w, b, steps):
        sources = [x, w, b]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            step = 0
            while step < steps:
                tf.autograph.experimental.set_loop_options(maximum_iterations=MOST)
                x = tf.sin(x) * w + b
                step += 1
            total = tf.reduce_sum(x)
        return tape.gradient(total, sources)

    return gradients


def numpy(size):
    def gradients(x, w, b, steps):
        states = []
        for _ in range(steps):
            states.append(x)
            x = np.sin(x) * w + b
        gradient_x, gradient_w, gradient_b = np.ones_like(x), np.zeros_like(w), np.zeros_like(b)
        for x in reversed(states):
            gradient_w += gradient_x * np.sin(x)
            gradient_b += gradient_x
            gradient_x = gradient_x * w * np.cos(x)
        return gradient_x, gradient_w, gradient_b

    return gradients


def numba(size):
    from numba import njit

    from .vector_math import sine_and_cosine

    @njit(fastmath=True)
    def gradients(x, w, b, steps):
        sines = np.empty((steps, x.size), np.float32)
        cosines = np.empty_like(sines)
        x = x.copy()
        for step in range(steps):
            for j in range(x.size):
                sine, cosine = sine_and_cosine(x[j])
                sines[step, j] = sine
                cosines[step, j] = cosine
                x[j] = sine * w[j] + b[j]
        gradient_x, gradient_w, gradient_b = np.ones_like(x), np.zeros_like(w), np.zeros_like(b)
        for step in range(steps - 1, -1, -1):
            for j in range(x.size):
                gradient_w[j] += gradient_x[j] * sines[step, j]
                gradient_b[j] += gradient_x[j]
                gradient_x[j] *= w[j] * cosines[step, j]
        return gradient_x, gradient_w, gradient_b

    return gradients


def jax(size):
    import jax
    from jax import numpy as jnp

    def total(x, w, b, steps):
        def step(x, index):
            return jnp.where(index < steps, jnp.sin(x) * w + b, x), None

        return jnp.sum(jax.lax.scan(step, x, jnp.arange(MOST))[0])

    return jax.jit(jax.grad(total, argnums=(0, 1, 2)))


def torch(size):
    import torch

    @torch.compile
    def total(x, w, b):
        for _ in range(size["steps"]):
            x = torch.sin(x) * w + b
        return torch.sum(x)

    def gradients(x, w, b, steps):
        sources = [value.requires_grad_() for value in (x, w, b)]
        return torch.autograd.grad(total(*sources), sources)

    return gradients
