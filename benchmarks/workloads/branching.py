"""A million iterations of if, elif and else that change three int64 counters.

Work: two remainders, two tests and one update per iteration, which may read another counter.
Limit: one addition to a counter per iteration, each dependent on the one before: a cycle.
TensorFlow's graph and torch's operator for loops get a hundredth of the iterations, scaled.
"""

from __future__ import annotations

import numpy as np

X64 = True
SIZES = {"full": {"n": 1_000_000}, "small": {"n": 200}, "tiny": {"n": 10_000}}
REDUCED = {"tensorflow": "tiny", "torch": "tiny"}
TOLERANCE = 0.0
NOTES = {"torch": "the operator `while_loop`, with selects"}


def inputs(n):
    return {"n": np.asarray(n, np.int64)}


def work(n):
    return n


def limit(n):
    return {"cycles": n}


def graph(tf, size, **options):
    @tf.function(**options)
    def count(n):
        a = b = c = tf.constant(0, tf.int64)
        for i in tf.range(n):
            if i % 3 == 0:
                a += i
            elif i % 5 == 0:
                b += a % 7
            else:
                c += i - b
        return a, b, c

    return count


def numpy(size):
    def count(n):
        a = b = c = 0
        for i in range(n):
            if i % 3 == 0:
                a += i
            elif i % 5 == 0:
                b += a % 7
            else:
                c += i - b
        return a, b, c

    return count


def numba(size):
    from numba import njit

    return njit(numpy(size))


def jax(size):
    import jax
    from jax import numpy as jnp

    @jax.jit
    def count(n):
        def step(i, counters):
            a, b, c = counters
            three = i % 3 == 0
            five = ~three & (i % 5 == 0)
            return (
                jnp.where(three, a + i, a),
                jnp.where(five, b + a % 7, b),
                jnp.where(three | five, c, c + i - b),
            )

        zero = np.int64(0)
        return jax.lax.fori_loop(zero, n, step, (zero, zero, zero))

    return count


def torch(size):
    import torch
    from torch._higher_order_ops.while_loop import while_loop

    @torch.compile(fullgraph=True)
    def count(n):
        def step(i, a, b, c):
            three = i % 3 == 0
            five = ~three & (i % 5 == 0)
            return (
                i + 1,
                torch.where(three, a + i, a),
                torch.where(five, b + a % 7, b),
                torch.where(three | five, c, c + i - b),
            )

        begin = tuple(torch.zeros_like(n) for _ in range(4))
        return while_loop(lambda i, a, b, c: i < n, step, begin)[1:]

    return count
