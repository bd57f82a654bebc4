"""The model of `bootstrap`."""

import numpy as np


def means(sample, indices):
    rounds, size = indices.shape
    result = np.empty(rounds)
    for r in range(rounds):
        total = 0.0
        for k in range(size):
            total += sample[indices[r, k]]
        result[r] = total / size
    return result
