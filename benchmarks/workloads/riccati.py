"""A Riccati recursion of a linear control problem, 500 steps of `scan`, 8 states and 3 controls.

Work: 6 products of 8 x 8 matrices, a Cholesky decomposition and two solves with its factor a step,
4 kflop; each step needs the one before.
"""

from __future__ import annotations

import numpy as np

SIZES = {"full": {"steps": 500}, "small": {"steps": 12}}
TOLERANCE = 1e-8


def inputs(steps):
    rng = np.random.default_rng(0)
    return {
        "move": np.eye(8) + 0.05 * rng.standard_normal((8, 8)),
        "control": rng.standard_normal((8, 3)),
        "weights": rng.uniform(0.5, 1.5, (steps, 8)),
        "effort": np.eye(3) + 0.1,
    }


def graph(tf, size, **options):
    @tf.function(**options)
    def recursion(move, control, weights, effort):
        def step(value, weight):
            by = tf.matmul(value, control)
            factor = tf.linalg.cholesky(effort + tf.matmul(control, by, transpose_a=True))
            right = tf.matmul(by, move, transpose_a=True)
            half = tf.linalg.triangular_solve(factor, right)
            gain = tf.linalg.triangular_solve(factor, half, adjoint=True)
            moved = tf.matmul(move, tf.matmul(value, move), transpose_a=True)
            value = tf.linalg.diag(weight) + moved - tf.matmul(right, gain, transpose_a=True)
            return 0.5 * (value + tf.transpose(value))

        return tf.scan(step, weights, tf.eye(8, dtype=tf.float64))

    return recursion


def numpy(size):
    def recursion(move, control, weights, effort):
        value, found = np.eye(8), []
        for weight in weights:
            by = value @ control
            factor = np.linalg.cholesky(effort + control.T @ by)
            right = by.T @ move
            gain = np.linalg.solve(factor.T, np.linalg.solve(factor, right))
            value = np.diag(weight) + move.T @ (value @ move) - right.T @ gain
            value = 0.5 * (value + value.T)
            found.append(value)
        return np.array(found)

    return recursion
