"""A Dormand-Prince solver with adaptive steps, of a Van der Pol oscillator, about 5000 steps.

Times and states go to arrays of unknown length. Work: 7 evaluations of the slope and 30 sums of
vectors of 2 elements a step, 0.2 kflop; each step needs the one before.
"""

from __future__ import annotations

import numpy as np

SIZES = {"full": {"end": 700.0}, "small": {"end": 20.0}}
TOLERANCE = 1e-3
ROWS = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)


def differ(results, expected):
    """Whether a step is accepted depends on the last digit: the numbers of steps differ a little,
    the curves do not.
    """
    times, states = results
    right_times, right = expected
    found = np.interp(right_times[:-1], times, states.reshape(-1, 2)[:, 0])
    close = np.abs(found - right.reshape(-1, 2)[:-1, 0]).max()
    return max(close / 20, abs(len(times) / len(right_times) - 1))


def inputs(end):
    return {"start": np.array([2.0, 0.0]), "end": np.array(end)}


def graph(tf, size, **options):
    def slope(y):
        return tf.stack([y[1], (1.0 - y[0] * y[0]) * y[1] - y[0]])

    @tf.function(**options)
    def solve(start, end):
        times = tf.TensorArray(tf.float64, size=0, dynamic_size=True, element_shape=[])
        states = tf.TensorArray(tf.float64, size=0, dynamic_size=True, element_shape=[2])
        t, h, y = tf.constant(0.0, tf.float64), tf.constant(0.01, tf.float64), start
        first, count = slope(start), 0
        while t < end:
            slopes = [first]
            for row in ROWS:
                moved = y
                for factor, one in zip(row, slopes):  # noqa: B905 - TensorFlow converts no keywords
                    moved = moved + (h * factor) * one
                slopes.append(slope(moved))
            error = tf.zeros([2], tf.float64)
            for factor, one in zip(ERROR, slopes):  # noqa: B905
                error = error + (h * factor) * one
            scale = 1e-6 + 1e-6 * tf.maximum(tf.abs(y), tf.abs(moved))
            size = tf.sqrt(tf.reduce_mean((error / scale) ** 2))
            if size <= 1.0:
                times = times.write(count, t)
                states = states.write(count, y)
                count += 1
                t, y, first = t + h, moved, slopes[6]
            h = h * tf.clip_by_value(0.9 * size**-0.2, 0.2, 5.0)
        return times.stack(), states.stack()

    return solve


def numpy(size):
    def slope(y):
        return np.array([y[1], (1.0 - y[0] * y[0]) * y[1] - y[0]])

    def solve(start, end):
        times, states = [], []
        t, h, y, first = 0.0, 0.01, start, slope(start)
        while t < end:
            slopes = [first]
            for row in ROWS:
                moved = y
                for factor, one in zip(row, slopes, strict=True):
                    moved = moved + (h * factor) * one
                slopes.append(slope(moved))
            error = sum((h * factor) * one for factor, one in zip(ERROR, slopes, strict=True))
            scale = 1e-6 + 1e-6 * np.maximum(np.abs(y), np.abs(moved))
            size = np.sqrt(np.mean((error / scale) ** 2))
            if size <= 1.0:
                times.append(t)
                states.append(y)
                t, y, first = t + h, moved, slopes[6]
            h = h * min(max(0.9 * size**-0.2, 0.2), 5.0)
        return np.array(times), np.array(states)

    return solve
