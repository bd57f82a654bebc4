"""The model of `ising`."""

import numpy as np


def sweep(spins, beta, draws):
    n = spins.shape[0]
    flips = 0
    for k in range(draws.shape[0]):
        i = int(draws[k, 0] * n)
        j = int(draws[k, 1] * n)
        around = spins[(i + 1) % n, j] + spins[i - 1, j] + spins[i, (j + 1) % n] + spins[i, j - 1]
        cost = 2 * spins[i, j] * around
        if cost <= 0 or draws[k, 2] < np.exp(-beta * cost):
            spins[i, j] = -spins[i, j]
            flips += 1
    return flips
