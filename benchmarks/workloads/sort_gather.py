"""A million distinct float32 in descending order: a payload in that order, the first 100 indices.

Work: a sort of 4 MB of keys with their indices, 4 MB read at random, 4 MB written.
Limit: three passes of a radix sort over pairs of key and index, 48 MB, and a cache line for each
random read, 64 MB, at the speed of a copy.
"""

from __future__ import annotations

import numpy as np

SIZES = {"full": {"n": 1_000_000, "top": 100}, "small": {"n": 500, "top": 10}}
TOLERANCE = 0.0
NOTES = {"numba": "radix sort, three digits of 11 bits, one thread"}


def inputs(n, top):
    rng = np.random.default_rng(0)
    keys = (rng.permutation(n) - n // 2).astype(np.float32) / np.float32(n)
    return {"keys": keys, "payload": rng.standard_normal(n, np.float32)}


def limit(n, top):
    return {"bytes": 3 * 2 * 8 * n + 64 * n}


def graph(tf, size, **options):
    top = size["top"]

    @tf.function(**options)
    def ranked(keys, payload):
        order = tf.argsort(keys, direction="DESCENDING")
        return tf.gather(payload, order), order[:top]

    return ranked


def numpy(size):
    top = size["top"]

    def ranked(keys, payload):
        order = np.argsort(-keys)
        return payload[order], order[:top]

    return ranked


def numba(size):
    from numba import njit

    top, digits = size["top"], 3
    u8, low = np.uint64, np.uint64(0xFFFFFFFF)

    @njit
    def histograms(pairs):
        counts = np.zeros((digits, 2048), np.int64)
        for pair in pairs:
            for digit in range(digits):
                counts[digit, (pair >> u8(32 + 11 * digit)) & u8(2047)] += 1
        return counts

    @njit
    def scatter(source, target, counts, digit):
        positions = np.cumsum(counts) - counts
        shift = u8(32 + 11 * digit)
        for pair in source:
            value = (pair >> shift) & u8(2047)
            target[positions[value]] = pair
            positions[value] += 1

    @njit
    def ranked(keys, payload):
        bits = keys.view(np.uint32)
        pairs = np.empty(keys.size, np.uint64)
        for i in range(keys.size):
            # Bits of negative numbers ascend as the numbers fall; the others have to be inverted.
            key = bits[i] if bits[i] >> 31 else bits[i] ^ np.uint32(0x7FFFFFFF)
            pairs[i] = (u8(key) << u8(32)) | u8(i)
        counts = histograms(pairs)
        others = np.empty_like(pairs)
        for digit in range(digits):
            scatter(pairs, others, counts[digit], digit)
            pairs, others = others, pairs
        gathered = np.empty_like(payload)
        for i in range(pairs.size):
            gathered[i] = payload[pairs[i] & low]
        return gathered, (pairs[:top] & low).astype(np.int32)

    return ranked


def jax(size):
    import jax
    from jax import numpy as jnp

    top = size["top"]

    @jax.jit
    def ranked(keys, payload):
        order = jnp.argsort(keys, descending=True, stable=False)
        return payload[order], order[:top]

    return ranked


def torch(size):
    import torch

    top = size["top"]

    @torch.compile(fullgraph=True)
    def ranked(keys, payload):
        order = torch.argsort(keys, descending=True)
        return payload[order], order[:top]

    return ranked
