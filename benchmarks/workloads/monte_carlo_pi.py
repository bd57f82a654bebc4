"""An estimate of pi from ten million random points: a loop over 100 batches, each with a seed.

Work: 20 million uniform float32 and 10 million tests. A counter-based generator takes 50 to 100
integer operations for two to four numbers.
Limit: 20 integer operations a number, eight numbers a vector, two vectors a cycle, two cores.
Every engine has its own generator, so results agree in the first digits only.
"""

from __future__ import annotations

import numpy as np

SIZES = {
    "full": {"batches": 100, "batch": 100_000},
    "small": {"batches": 4, "batch": 100_000},
}
TOLERANCE = 1e-2  # four standard deviations at the small size, twenty at full size
NOTES = {
    "numpy": "one generator with a state",
    "numba": "a short hash of a counter: a weaker generator",
    "torch": "one generator with a state; a compiled step, called in a loop",
}


def inputs(batches, batch):
    return {"batches": np.asarray(batches, np.int32)}


def limit(batches, batch):
    return {"cycles": 20 * 2 * batches * batch / 8 / 2 / 2}


def differ(got, expected):
    """The distance from pi."""
    return abs(float(got[0].reshape(-1)[0]) - np.pi)


def graph(tf, size, **options):
    batch = size["batch"]

    @tf.function(**options)
    def estimate(batches):
        hits = tf.constant(0)
        for step in tf.range(batches):
            x = tf.random.stateless_uniform([2, batch], seed=tf.stack([step, 7]))
            inside = x[0] * x[0] + x[1] * x[1] <= 1.0
            hits += tf.reduce_sum(tf.cast(inside, tf.int32))
        return 4.0 * tf.cast(hits, tf.float32) / tf.cast(batches * batch, tf.float32)

    return estimate


def numpy(size):
    batch = size["batch"]

    def estimate(batches):
        rng, hits = np.random.default_rng(0), 0
        for _ in range(batches):
            x, y = rng.random((2, batch), np.float32)
            hits += np.count_nonzero(x * x + y * y <= 1)
        return 4.0 * hits / (batches * batch)

    return estimate


def numba(size, parallel=False):
    from numba import njit, prange

    batch = size["batch"]
    u4, one, unit = np.uint32, np.float32(1), np.float32(2.0**-24)
    step, first, second = u4(0x9E3779B9), u4(0x7FEB352D), u4(0x846CA68B)

    @njit(inline="always")
    def uniform(counter):
        """24 bits of a hash: multiplications by odd numbers, each after a shift."""
        x = u4(u4(counter) * step)
        x = u4((x ^ (x >> u4(16))) * first)
        x = u4((x ^ (x >> u4(15))) * second)
        x = u4(x ^ (x >> u4(16)))
        return np.float32(np.int32(x >> u4(8))) * unit

    @njit(fastmath=True)
    def hits_of(begin):
        hits = np.int32(0)
        for i in range(batch):
            counter = u4(begin + u4(2) * u4(i))
            x, y = uniform(counter), uniform(counter + u4(1))
            hits += np.int32(x * x + y * y <= one)
        return hits

    @njit(parallel=parallel)
    def estimate(batches):
        hits = 0
        for step in prange(batches):
            hits += hits_of(u4(2 * batch * step))
        return 4.0 * hits / (batches * batch)

    return estimate


def jax(size):
    import jax
    from jax import numpy as jnp

    batch, key = size["batch"], jax.random.key(7)

    @jax.jit
    def estimate(key, batches):
        def step(index, hits):
            x, y = jax.random.uniform(jax.random.fold_in(key, index), (2, batch))
            return hits + jnp.sum(x * x + y * y <= 1.0, dtype=np.int32)

        hits = jax.lax.fori_loop(0, batches, step, np.int32(0))
        return 4.0 * hits.astype(np.float32) / (batches * batch)

    return lambda batches: estimate(key, batches)


def torch(size):
    import torch

    batch = size["batch"]

    @torch.compile(fullgraph=True)
    def step(hits):
        x, y = torch.rand(2, batch)
        return hits + torch.sum(x * x + y * y <= 1.0)

    def estimate(batches):
        hits = torch.zeros((), dtype=torch.int64)
        for _ in range(size["batches"]):
            hits = step(hits)
        return 4.0 * hits / (size["batches"] * batch)

    return estimate
