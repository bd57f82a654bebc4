"""Three products of 1024 x 1024 matrices with relu between them, float32.

Work: 3 x 2 x 1024**3 = 6.44 Gflop on 20 MB.
Limit: the flops at the rate of matrix products.
"""

from __future__ import annotations

import numpy as np

SIZES = {"full": {"n": 1024}, "small": {"n": 24}}
TOLERANCE = 1e-4
NOTES = {"numba": "relu in place; products are reused"}


def inputs(n):
    rng = np.random.default_rng(0)
    matrices = (rng.standard_normal((4, n, n)) / n**0.5).astype(np.float32)
    return dict(zip("xabc", matrices, strict=True))


def limit(n):
    return {"flops": 6 * n**3, "dtype": "float32"}


def graph(tf, size, **options):
    @tf.function(**options)
    def chain(x, a, b, c):
        x = tf.nn.relu(tf.matmul(x, a))
        x = tf.nn.relu(tf.matmul(x, b))
        return tf.matmul(x, c)

    return chain


def numpy(size):
    zero = np.float32(0)

    def chain(x, a, b, c):
        x = np.maximum(x @ a, zero)
        x = np.maximum(x @ b, zero)
        return x @ c

    return chain


def numba(size):
    from numba import njit

    @njit
    def product_and_clip(x, w, out):
        np.dot(x, w, out)
        for i in range(out.shape[0]):
            for j in range(out.shape[1]):
                out[i, j] = max(out[i, j], np.float32(0))

    @njit
    def fill(x, a, b, c, first, second):
        product_and_clip(x, a, first)
        product_and_clip(first, b, second)
        np.dot(second, c, first)

    first, second = np.empty((2, size["n"], size["n"]), np.float32)

    def chain(x, a, b, c):
        fill(x, a, b, c, first, second)
        return first

    return chain


def jax(size):
    import jax

    relu = jax.nn.relu
    return jax.jit(lambda x, a, b, c: relu(relu(x @ a) @ b) @ c)


def torch(size):
    import torch

    relu = torch.relu
    return torch.compile(lambda x, a, b, c: relu(relu(x @ a) @ b) @ c, fullgraph=True)
