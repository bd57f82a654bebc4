"""Two chemicals react and spread: the model of Gray and Scott grows patterns like those of corals.

    python examples/gallery/reaction_diffusion.py [FOLDER [STEPS [SIZE]]]

Method: J. E. Pearson, "Complex Patterns in a Simple System", Science 261 (1993).
"""

import sys
import time
from pathlib import Path

import numpy as np

import allograph as ag


@ag.jit
def react(u, v, steps, feed, kill):
    """Changes the concentrations `u` and `v`, arrays of float64, in place."""
    rows, columns = u.shape
    for _ in range(steps):
        spread_u = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * u[1:-1, 1:-1]
        spread_v = v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:] - 4.0 * v[1:-1, 1:-1]
        reaction = u[1:-1, 1:-1] * v[1:-1, 1:-1] ** 2
        u[1:-1, 1:-1] += 0.16 * spread_u - reaction + feed * (1.0 - u[1:-1, 1:-1])
        v[1:-1, 1:-1] += 0.08 * spread_v + reaction - (feed + kill) * v[1:-1, 1:-1]
        u[0, :], u[rows - 1, :], v[0, :], v[rows - 1, :] = u[1, :], u[-2, :], v[1, :], v[-2, :]
        u[:, 0], u[:, columns - 1] = u[:, 1], u[:, -2]
        v[:, 0], v[:, columns - 1] = v[:, 1], v[:, -2]


def start(size):
    """A square of the second chemical in a bath of the first, with a little noise."""
    noise = np.random.default_rng(0).uniform(0.0, 0.05, (2, size, size))
    u, v = np.ones((size, size)) - noise[0], noise[1]
    middle = slice(size // 2 - size // 12, size // 2 + size // 12)
    u[middle, middle], v[middle, middle] = 0.5, 0.25
    return u, v


def main(folder=".", steps="6000", size="200"):
    import matplotlib.pyplot as plt

    u, v = start(int(size))
    begin = time.perf_counter()
    react(u, v, int(steps), 0.0545, 0.062)
    print(f"{int(steps):,} steps took {time.perf_counter() - begin:.2f} s")
    assert np.isfinite(v).all() and v.max() > 0.1, "the pattern has died"
    path = Path(folder) / "reaction_diffusion.png"
    plt.imsave(path, v, cmap="magma")
    print(f"the picture is in {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
