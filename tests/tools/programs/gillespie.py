"""A program of two files: `gillespie`."""

from gillespie_model import decay

for seed in range(4):
    print(decay(20_000, 0.5, seed))
