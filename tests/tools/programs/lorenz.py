"""A program of two files: `lorenz`."""

import numpy as np
from lorenz_model import trajectory

path = np.zeros((30_000, 3))
print(trajectory(30_000, 0.005, path))
print(path[::6000].tolist())
