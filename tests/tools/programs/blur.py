"""A program of two files: `blur`."""

import numpy as np
from blur_model import blurred

image = np.random.default_rng(9).random((80, 80))
print(repr(blurred(image, 2)[40, 40]), repr(blurred(image, 1).max()))
