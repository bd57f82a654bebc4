"""A program of two files: `ising`."""

import numpy as np
from ising_model import sweep

rng = np.random.default_rng(1)
spins = np.where(rng.random((40, 40)) < 0.5, 1, -1)
for beta in (0.2, 0.44, 0.8):
    flips = sweep(spins, beta, rng.random((20_000, 3)))
    print(f"beta {beta}: {flips} flips, magnetization {spins.sum()}")
