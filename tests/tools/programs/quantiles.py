"""A program of two files: `quantiles`."""

import random

from quantiles_model import summary

random.seed(11)
print(summary([random.gauss(0.0, 1.0) for _ in range(20_000)]))
