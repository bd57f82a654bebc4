"""Draws what four programs compute: `python benchmarks/numpy_programs/pictures.py FILE.png`.

docs/numpy_to_native.md shows it. It needs matplotlib.
"""

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import allograph as ag
from numpy_programs import PROGRAMS


def compiled(name: str):
    return ag.jit(PROGRAMS[name].function)


def wave(size: int = 160) -> np.ndarray:
    """Two drops on a square of water."""
    x, y = np.meshgrid(np.linspace(-1, 1, size), np.linspace(-1, 1, size))
    drops = sum(np.exp(-200 * ((x - at) ** 2 + (y - 0.2) ** 2)) for at in (-0.4, 0.5))
    return compiled("wave_2d")(drops, drops.copy(), 0.25, 100)


def heat(size: int = 160) -> np.ndarray:
    """A plate that is warm at two edges."""
    plate = np.zeros((size, size))
    plate[0], plate[:, 0] = 1.0, 0.6
    compiled("jacobi_2d")(800, plate, plate.copy())
    return plate


def main() -> None:
    figure, axes = plt.subplots(1, 4, figsize=(12, 3.2), layout="constrained")
    panels = {
        "wave_2d": wave(),
        "jacobi_2d": heat(),
        "mandelbrot": compiled("mandelbrot")(200, 200, 60) ** 0.4,
    }
    for axis, (name, image) in zip(axes, panels.items(), strict=False):
        axis.imshow(image, cmap="magma")
        axis.set(title=name, xticks=[], yticks=[])
    path = compiled("pendulum")(3.0, 0.0, 0.01, 4000)
    axes[3].plot(path[:, 0], path[:, 1], linewidth=0.8)
    axes[3].set(title="pendulum", xlabel="angle", ylabel="speed")
    figure.savefig(sys.argv[1], dpi=80, metadata={"Software": None})


if __name__ == "__main__":
    main()
