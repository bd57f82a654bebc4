"""A Kalman filter, 6 states and 6 measurements, 2000 steps, float64: small products and a solve.

Work: about 7 products of 6 x 6 matrices and one solve with 6 right-hand sides a step, 4 kflop;
8 Mflop in all, and each step needs the one before.
Limit: the flops at an eighth of the rate of matrix products: one core of two, and six columns do
not fill vectors. What is measured is what a small operation costs besides.
"""

from __future__ import annotations

import numpy as np

X64 = True
SIZES = {"full": {"steps": 2000}, "small": {"steps": 12}}
TOLERANCE = 1e-8
NOTES = {
    "torch": "one compiled step, called in a loop",
    "numba": "loops; elimination without pivots",
}


def inputs(steps):
    rng = np.random.default_rng(0)
    move = np.eye(6)
    move[:3, 3:] = 0.1 * np.eye(3)
    return {
        "seen": np.cumsum(0.1 * rng.standard_normal((steps, 6)), axis=0),
        "move": move,
        "view": np.eye(6) + 0.05 * rng.standard_normal((6, 6)),
        "drift": 0.01 * np.eye(6),
        "noise": 0.5 * np.eye(6),
    }


def limit(steps):
    return {"flops": 8 * 4000 * steps, "dtype": "float64"}


def graph(tf, size, **options):
    @tf.function(**options)
    def track(seen, move, view, drift, noise):
        steps = seen.shape[0]
        x = tf.zeros([6, 1], tf.float64)
        eye = tf.eye(6, dtype=tf.float64)
        p = eye
        path = tf.TensorArray(tf.float64, size=steps, element_shape=[6, 1])
        for step in tf.range(steps):
            x = move @ x
            p = move @ p @ tf.transpose(move) + drift
            shared = tf.matmul(p, view, transpose_b=True)
            spread = view @ shared + noise
            gain = tf.transpose(tf.linalg.solve(spread, tf.transpose(shared)))
            x = x + gain @ (seen[step][:, tf.newaxis] - view @ x)
            p = (eye - gain @ view) @ p
            path = path.write(step, x)
        return path.stack(), p

    return track


def numpy(size):
    def track(seen, move, view, drift, noise):
        x, p, eye = np.zeros(6), np.eye(6), np.eye(6)
        path = np.empty_like(seen)
        for step, measured in enumerate(seen):
            x = move @ x
            p = move @ p @ move.T + drift
            shared = p @ view.T
            gain = np.linalg.solve(view @ shared + noise, shared.T).T
            x = x + gain @ (measured - view @ x)
            p = (eye - gain @ view) @ p
            path[step] = x
        return path, p

    return track


def numba(size):
    from numba import njit

    fast = njit(fastmath=True, error_model="numpy")

    @fast
    def product(a, b, begin, out):
        """begin + a @ b"""
        for i in range(6):
            for j in range(6):
                out[i, j] = begin[i, j]
            for k in range(6):
                for j in range(6):
                    out[i, j] += a[i, k] * b[k, j]

    @fast
    def apply(a, x, out):
        for i in range(6):
            total = 0.0
            for k in range(6):
                total += a[i, k] * x[k]
            out[i] = total

    @fast
    def solve(a, b):
        """b becomes the solution; a is symmetric and positive definite, so pivots are safe."""
        for pivot in range(6):
            inverse = 1.0 / a[pivot, pivot]
            for j in range(pivot, 6):
                a[pivot, j] *= inverse
            for j in range(6):
                b[pivot, j] *= inverse
            for i in range(6):
                if i != pivot:
                    factor = a[i, pivot]
                    for j in range(pivot, 6):
                        a[i, j] -= factor * a[pivot, j]
                    for j in range(6):
                        b[i, j] -= factor * b[pivot, j]

    @fast
    def track(seen, move, view, drift, noise):
        zero, eye, p = np.zeros((6, 6)), np.eye(6), np.eye(6)
        move_back, view_back = np.ascontiguousarray(move.T), np.ascontiguousarray(view.T)
        work, shared, spread, solved = zero.copy(), zero.copy(), zero.copy(), zero.copy()
        x, moved, expected = np.zeros(6), np.zeros(6), np.zeros(6)
        path = np.empty_like(seen)
        for step in range(seen.shape[0]):
            apply(move, x, moved)
            product(move, p, zero, work)
            product(work, move_back, drift, p)
            product(p, view_back, zero, shared)
            product(view, shared, noise, spread)
            for i in range(6):
                for j in range(6):
                    solved[i, j] = shared[j, i]
            solve(spread, solved)
            apply(view, moved, expected)
            for i in range(6):
                total = moved[i]
                for k in range(6):
                    total += solved[k, i] * (seen[step, k] - expected[k])
                    shared[i, k] = -solved[k, i]
                x[i] = path[step, i] = total
            product(shared, view, eye, spread)
            product(spread, p, zero, work)
            p, work = work, p
        return path, p

    return track


def jax(size):
    import jax
    from jax import numpy as jnp

    @jax.jit
    def track(seen, move, view, drift, noise):
        eye = jnp.eye(6)

        def step(state, measured):
            x, p = state
            x = move @ x
            p = move @ p @ move.T + drift
            shared = p @ view.T
            gain = jnp.linalg.solve(view @ shared + noise, shared.T).T
            x = x + gain @ (measured - view @ x)
            return (x, (eye - gain @ view) @ p), x

        (_, p), path = jax.lax.scan(step, (jnp.zeros(6), eye), seen)
        return path, p

    return track


def torch(size):
    import torch

    eye = torch.eye(6, dtype=torch.float64)

    @torch.compile(fullgraph=True)
    def step(x, p, measured, move, view, drift, noise):
        x = move @ x
        p = move @ p @ move.T + drift
        shared = p @ view.T
        gain = torch.linalg.solve(view @ shared + noise, shared.T).T
        x = x + gain @ (measured - view @ x)
        return x, (eye - gain @ view) @ p

    def track(seen, *matrices):
        x, p = torch.zeros(6, dtype=torch.float64), eye
        path = []
        for measured in seen.unbind():
            x, p = step(x, p, measured, *matrices)
            path.append(x)
        return torch.stack(path), p

    return track
