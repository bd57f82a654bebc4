"""The model of `fractal`."""

import numpy as np


def counts(rows, columns, most):
    result = np.zeros((rows, columns), np.int64)
    for i in range(rows):
        for j in range(columns):
            cx, cy = -2.0 + 3.0 * j / columns, -1.0 + 2.0 * i / rows
            x = y = 0.0
            n = 0
            while x * x + y * y < 4.0 and n < most:
                x, y = x * x - y * y + cx, 2.0 * x * y + cy
                n += 1
            result[i, j] = n
    return result
