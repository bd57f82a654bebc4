"""Where a ball is, from measurements with noise: a Kalman filter whose noise is learned.

    python examples/gallery/kalman_filter.py [FOLDER [STEPS]]

The filter is a loop in a function; its likelihood is differentiated through the loop.
"""

import sys
from pathlib import Path

import numpy as np

import allograph as ag

STEP = 0.04  # seconds
MOVE = np.array([[1.0, STEP], [0.0, 1.0]])  # position and velocity after a step
GRAVITY = -9.81 * np.array([0.5 * STEP**2, STEP])


@ag.function
def filtered(measured, log_noise):
    """The estimated positions, and minus the logarithm of the likelihood of the measurements.

    `measured` has shape (steps,), `log_noise` is the logarithm of the standard deviation.
    """
    move, noise = ag.constant(MOVE), ag.exp(2.0 * log_noise)
    state, spread = ag.zeros([2], ag.float64), 100.0 * ag.eye(2, dtype=ag.float64)
    steps, loss = ag.shape(measured)[0], ag.constant(0.0, ag.float64)
    positions = ag.TensorArray(ag.float64, size=steps)
    for step in ag.range(steps):
        state = ag.linalg.matvec(move, state) + GRAVITY
        spread = move @ spread @ ag.transpose(move) + 1e-4 * ag.eye(2, dtype=ag.float64)
        surprise, width = measured[step] - state[0], spread[0, 0] + noise
        gain = spread[:, 0] / width
        state += gain * surprise
        spread -= gain[:, None] * spread[None, 0]
        loss += 0.5 * (ag.math.log(width) + surprise**2 / width)
        positions = positions.write(step, state[0])
    return positions.stack(), loss


def thrown(steps):
    """The true positions of a ball, and measurements that are wrong by 0.4 m on average."""
    seconds = STEP * np.arange(1, steps + 1)
    true = 12.0 * seconds - 0.5 * 9.81 * seconds**2
    return seconds, true, true + 0.4 * np.random.default_rng(3).normal(size=steps)


def main(folder=".", steps="60"):
    import matplotlib.pyplot as plt

    seconds, true, measured = thrown(int(steps))
    log_noise = ag.Variable(np.log(2.0))
    for _ in range(80):
        with ag.GradientTape() as tape:
            positions, loss = filtered(ag.constant(measured), log_noise)
        log_noise.assign_sub(0.01 * tape.gradient(loss, log_noise))
    found, better = np.exp(log_noise.numpy()), np.abs(positions.numpy() - true).mean()
    print(f"noise: true 0.40 m, learned {found:.2f} m; error {better:.2f} m")
    assert better < np.abs(measured - true).mean(), "the filter makes it worse"
    figure, axes = plt.subplots(figsize=(7, 4))
    axes.plot(seconds, measured, ".", label="measured", alpha=0.6)
    axes.plot(seconds, true, label="true")
    axes.plot(seconds, positions, "--", label="filtered")
    axes.set(xlabel="time in s", ylabel="height in m")
    axes.legend()
    path = Path(folder) / "kalman_filter.png"
    figure.savefig(path, dpi=80)
    print(f"the picture is in {path}")


if __name__ == "__main__":
    main(*sys.argv[1:])
