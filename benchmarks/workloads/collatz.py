"""The longest Collatz run that starts below a limit: two nested data-dependent loops, int64.

Work: 3.2 million steps (half of an even number, else 3x + 1), each of which needs the one before.
Limit: a step is a chain of three cycles (test, multiply-add or shift, select), on two cores.
TensorFlow's graph and torch's operator for loops get few numbers, scaled by steps.
"""

from __future__ import annotations

import numpy as np

X64 = True
SIZES = {"full": {"most": 30_000}, "small": {"most": 60}, "tiny": {"most": 300}}
REDUCED = {"tensorflow": "tiny", "torch": "tiny"}
TOLERANCE = 0.0
NOTES = {"torch": "the operator `while_loop`, with selects"}


def inputs(most):
    return {"most": np.asarray(most, np.int64)}


def work(most):
    """Steps in all."""
    lengths = {1: 0}
    for start in range(2, most + 1):
        x, path = start, 0
        while x >= start:
            x, path = (x // 2 if x % 2 == 0 else 3 * x + 1), path + 1
        lengths[start] = path + lengths[x]
    return sum(lengths.values())


def limit(most):
    return {"cycles": 3 * work(most) / 2}


def graph(tf, size, **options):
    @tf.function(**options)
    def longest(most):
        best = tf.constant(0, tf.int64)
        best_start = tf.constant(0, tf.int64)
        start = tf.constant(1, tf.int64)
        while start <= most:
            x = start
            steps = tf.constant(0, tf.int64)
            while x != 1:
                if x % 2 == 0:
                    x = x // 2
                else:
                    x = 3 * x + 1
                steps += 1
            if steps > best:
                best = steps
                best_start = start
            start += 1
        return best, best_start

    return longest


def numpy(size):
    def longest(most):
        best = best_start = 0
        for start in range(1, most + 1):
            x, steps = start, 0
            while x != 1:
                x = 3 * x + 1 if x % 2 else x // 2
                steps += 1
            if steps > best:
                best, best_start = steps, start
        return best, best_start

    return longest


def numba(size, parallel=False):
    from numba import njit, prange

    @njit
    def steps_from(x):
        steps = 0
        while x != 1:
            x = 3 * x + 1 if x & 1 else x >> 1
            steps += 1
        return steps

    @njit
    def on_one_thread(most):
        best, best_start = 0, 0
        for start in range(1, most + 1):
            steps = steps_from(start)
            if steps > best:
                best, best_start = steps, start
        return best, best_start

    @njit(parallel=True)
    def on_threads(most):
        lengths = np.empty(most, np.int64)
        for k in prange(most):
            lengths[k] = steps_from(k + 1)
        index = np.argmax(lengths)
        return lengths[index], index + 1

    return on_threads if parallel else on_one_thread


def jax(size):
    import jax
    from jax import lax
    from jax import numpy as jnp

    zero, one = np.int64(0), np.int64(1)

    def steps_from(start):
        def step(state):
            x, steps = state
            return jnp.where(x % 2 == 0, x // 2, 3 * x + 1), steps + 1

        return lax.while_loop(lambda state: state[0] != 1, step, (start, zero))[1]

    @jax.jit
    def longest(most):
        def try_next(state):
            start, best, best_start = state
            steps = steps_from(start)
            longer = steps > best
            return (
                start + 1,
                jnp.where(longer, steps, best),
                jnp.where(longer, start, best_start),
            )

        return lax.while_loop(lambda state: state[0] <= most, try_next, (one, zero, zero))[1:]

    return longest


def torch(size):
    import torch
    from torch._higher_order_ops.while_loop import while_loop

    def step(x, steps):
        return torch.where(x % 2 == 0, x // 2, 3 * x + 1), steps + 1

    @torch.compile(fullgraph=True)
    def longest(most):
        def try_next(start, best, best_start):
            state = start.clone(), torch.zeros_like(start)
            _, steps = while_loop(lambda x, steps: x != 1, step, state)
            longer = steps > best
            return (
                start + 1,
                torch.where(longer, steps, best),
                torch.where(longer, start, best_start),
            )

        begin = torch.ones_like(most), torch.zeros_like(most), torch.zeros_like(most)
        return while_loop(lambda start, best, best_start: start <= most, try_next, begin)[1:]

    return longest
