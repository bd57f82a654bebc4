"""The Mandelbrot set in characters: a loop on arrays that stops when every point has escaped.

python examples/mandelbrot.py [WIDTH]
"""

import sys

import numpy as np

import allograph as ag

SHADES = " .:-=+*#%@"


@ag.function
def escape_counts(real, imaginary, max_steps):
    """For each point, the number of steps until its orbit leaves the circle of radius 2."""
    x = ag.zeros_like(real)
    y = ag.zeros_like(real)
    counts = ag.zeros_like(real)
    for _ in ag.range(max_steps):
        inside = x * x + y * y <= 4.0
        if not ag.reduce_any(inside):
            break
        counts += ag.cast(inside, counts.dtype)
        new_x = x * x - y * y + real
        y = ag.where(inside, 2.0 * x * y + imaginary, y)
        x = ag.where(inside, new_x, x)
    return counts


def main(width=78):
    columns = np.linspace(-2.1, 0.7, width)
    rows = np.linspace(-1.2, 1.2, width // 3)
    real, imaginary = np.meshgrid(columns, rows)
    max_steps = 60
    counts = escape_counts(ag.constant(real), ag.constant(imaginary), max_steps).numpy()
    levels = np.sqrt(counts / max_steps) * (len(SHADES) - 1)
    for line in levels.astype(int):
        print("".join(SHADES[level] for level in line).rstrip())


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
