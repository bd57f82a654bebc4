"""Spheres on a floor, drawn by walking along the ray of each pixel until it meets something.

    python examples/gallery/ray_marcher.py [FOLDER [WIDTH]]

Method: J. C. Hart, "Sphere Tracing", The Visual Computer 12 (1996).
"""

import sys
import time
from pathlib import Path

import numpy as np

import allograph as ag


@ag.jit
def distance(x, y, z):
    """How far a point is from the nearest surface: a floor, and spheres in a grid without end."""
    across, along = (x + 2.0) % 4.0 - 2.0, (z + 2.0) % 4.0 - 2.0
    sphere = np.sqrt(across * across + (y - 1.0) * (y - 1.0) + along * along) - 1.0
    return min(sphere, y)


@ag.jit
def march(picture, height, tilt):
    """Fills `picture` (rows, columns) with the brightness seen from `height` above the floor."""
    rows, columns = picture.shape
    for row in range(rows):
        for column in range(columns):
            dx = (column - 0.5 * columns) / columns
            dy = (0.5 * rows - row) / columns - tilt
            length = np.sqrt(dx * dx + dy * dy + 1.0)
            dx, dy, dz = dx / length, dy / length, 1.0 / length
            t, gap, steps = 0.0, 1.0, 0
            while gap > 0.001 and t < 60.0 and steps < 200:
                gap = distance(0.7 + t * dx, height + t * dy, t * dz)
                t += gap
                steps += 1
            light = 0.0
            if t < 60.0:
                x, y, z, tiny = 0.7 + t * dx, height + t * dy, t * dz, 0.001
                nx = distance(x + tiny, y, z) - distance(x - tiny, y, z)
                ny = distance(x, y + tiny, z) - distance(x, y - tiny, z)
                nz = distance(x, y, z + tiny) - distance(x, y, z - tiny)
                norm = np.sqrt(nx * nx + ny * ny + nz * nz) + 1e-12
                light = max(0.0, (0.5 * nx + 0.7 * ny - 0.5 * nz) / norm)
                light = (0.15 + 0.85 * light) * np.exp(-0.05 * t) / (1.0 + 0.01 * steps)
            picture[row, column] = light


def main(folder=".", width="640"):
    import matplotlib.pyplot as plt

    picture = np.zeros((int(width) * 9 // 16, int(width)))
    begin = time.perf_counter()
    march(picture, 2.2, 0.15)
    print(f"{picture.size:,} rays took {time.perf_counter() - begin:.2f} s")
    path = Path(folder) / "ray_marcher.png"
    plt.imsave(path, picture, cmap="bone", vmin=0.0)
    print(f"the picture is in {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
