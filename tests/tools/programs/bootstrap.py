"""A program of two files: `bootstrap`."""

import numpy as np
from bootstrap_model import means

rng = np.random.default_rng(3)
sample = rng.normal(10.0, 2.0, 200)
found = np.sort(means(sample, rng.integers(0, 200, (600, 200))))
print(found[15], found[300], found[-15])
