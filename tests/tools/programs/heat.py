"""A program of two files: `heat`."""

import sys

import numpy as np
from heat_model import relax

rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 25
plate = np.zeros((60, 60))
plate[0] = 100.0
relax(plate, rounds)
print(plate[1, 30], plate[30, 30], plate.mean().round(9))
