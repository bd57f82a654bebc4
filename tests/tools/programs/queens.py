"""A program of two files: `queens`."""

from queens_model import solutions

for n in range(1, 8):
    print(n, solutions(n))
