"""A program of two files: `dice`."""

from dice_model import game

print([game(seed, 40_000) for seed in (1, 2, 3)])
