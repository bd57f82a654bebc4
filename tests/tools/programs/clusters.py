"""A program of two files: `clusters`."""

import numpy as np
from clusters_model import assigned, moved

points = np.random.default_rng(5).random((8000, 2))
centers, owner = points[:5].copy(), np.full(8000, -1)
rounds = 0
while assigned(points, centers, owner) > 0 and rounds < 12:
    moved(points, centers, owner)
    rounds += 1
print(rounds, centers.round(9).tolist())
