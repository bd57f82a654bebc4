"""A cloud of stars falls together: each of N bodies attracts each other one.

python examples/gallery/n_body.py [FOLDER [BODIES [STEPS]]]
"""

import sys
import time
from pathlib import Path

import numpy as np

import allograph as ag


@ag.jit
def simulate(position, velocity, mass, trace, step):
    """Moves the bodies with the leapfrog method; row `k` of `trace` gets the positions at step k.

    `position` and `velocity` have shape (N, 2), `trace` has shape (steps, N, 2).
    """
    count = len(mass)
    force = np.zeros_like(position)
    for k in range(len(trace)):
        position += 0.5 * step * velocity
        for i in range(count):
            x, y = 0.0, 0.0
            for j in range(count):
                dx = position[j, 0] - position[i, 0]
                dy = position[j, 1] - position[i, 1]
                near = dx * dx + dy * dy + 0.01
                pull = mass[j] / (near * np.sqrt(near))
                x += pull * dx
                y += pull * dy
            force[i, 0], force[i, 1] = x, y
        velocity += step * force
        position += 0.5 * step * velocity
        trace[k] = position


def disk(count):
    """Bodies on a disk that turns."""
    generator = np.random.default_rng(1)
    radius = np.sqrt(generator.uniform(0.02, 1.0, count))
    angle = generator.uniform(0.0, 2.0 * np.pi, count)
    position = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], 1)
    velocity = 0.6 * np.stack([-position[:, 1], position[:, 0]], 1)
    return position, velocity, np.full(count, 1.0 / count)


def main(folder=".", bodies="400", steps="300"):
    import matplotlib.pyplot as plt

    position, velocity, mass = disk(int(bodies))
    momentum = mass @ velocity
    trace = np.zeros((int(steps), int(bodies), 2))
    begin = time.perf_counter()
    simulate(position, velocity, mass, trace, 0.01)
    pairs = int(steps) * int(bodies) ** 2
    print(f"{pairs:,} forces took {time.perf_counter() - begin:.2f} s")
    assert np.allclose(mass @ velocity, momentum, atol=1e-9), "momentum is not conserved"
    figure, axes = plt.subplots(figsize=(6, 6), facecolor="black")
    axes.plot(*trace[-40:].transpose(2, 0, 1), color="white", alpha=0.15, linewidth=0.5)
    axes.scatter(*trace[-1].T, s=2, color="gold", zorder=3)
    axes.set(aspect="equal", xlim=(-1.5, 1.5), ylim=(-1.5, 1.5))
    axes.axis("off")
    path = Path(folder) / "n_body.png"
    figure.savefig(path, dpi=80)
    print(f"the picture is in {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
