"""A program of two files: `pi`."""

import pi_model

print(4 * pi_model.inside(pi_model.COUNT) / pi_model.COUNT)
