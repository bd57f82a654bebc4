"""Remove the noise from a photograph: total-variation denoising, written as plain Python.

    python examples/denoise.py [FOLDER]       (FOLDER defaults to demo-output)

The loop minimizes an energy: the total variation of the image plus its distance from the noisy
image. A step that increases the energy is rejected, and the step size halved. The loop ends when a
step gains little. It needs a `while` with a data-dependent condition, an `if` and a `break`.
"""

import sys
import time
from pathlib import Path

import matplotlib
import matplotlib.cbook
import matplotlib.image
import numpy as np

import allograph as ag

FIDELITY = 11.0
TOLERANCE = 5e-5
MAX_STEPS = 200


def neighbor_differences(image):
    """The differences of each pixel to the pixels below and on the right; 0 at the border."""
    down = ag.pad(image[1:] - image[:-1], [[0, 1], [0, 0], [0, 0]])
    right = ag.pad(image[:, 1:] - image[:, :-1], [[0, 0], [0, 1], [0, 0]])
    return down, right


def energy_and_slope(image, noisy):
    """The energy, and its derivative with respect to each pixel."""
    down, right = neighbor_differences(image)
    strength = ag.sqrt(down * down + right * right + 1e-4)
    error = image - noisy
    energy = ag.reduce_mean(strength + 0.5 * FIDELITY * error * error)
    down = down / strength
    right = right / strength
    flow_down = down - ag.pad(down[:-1], [[1, 0], [0, 0], [0, 0]])
    flow_right = right - ag.pad(right[:, :-1], [[0, 0], [1, 0], [0, 0]])
    return energy, FIDELITY * error - flow_down - flow_right


def denoise(noisy):
    """The denoised image, the energy after each step, and the number of steps.

    `noisy` is float32 of shape (height, width, channels), with values between 0 and 1.
    """
    image = noisy
    energy, slope = energy_and_slope(image, noisy)
    history = ag.zeros([MAX_STEPS])
    rate = ag.constant(0.05)
    gain = ag.constant(1.0)
    step = ag.constant(0)
    while gain > TOLERANCE:
        if step == MAX_STEPS:
            break
        trial = image - rate * slope
        trial_energy, trial_slope = energy_and_slope(trial, noisy)
        if trial_energy < energy:
            gain = (energy - trial_energy) / energy
            image, energy, slope = trial, trial_energy, trial_slope
            rate = rate * 1.1
        else:
            rate = rate * 0.5
        history = ag.where(ag.range(MAX_STEPS) == step, energy, history)
        step += 1
    return image, history, step


def photograph():
    """A photograph that is part of matplotlib, as float32 between 0 and 1."""
    path = matplotlib.cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)
    pixels = matplotlib.image.imread(path)
    return pixels.astype(np.float32) / 255


def with_noise(picture, deviation=0.1):
    noise = np.random.default_rng(7).standard_normal(picture.shape, np.float32)
    return np.clip(picture + deviation * noise, 0, 1)


def quality(picture, reference):
    """The peak signal-to-noise ratio in decibels; higher is better."""
    return -10 * np.log10(np.mean((np.asarray(picture) - reference) ** 2))


def timed(call, *arguments):
    """The result of a call, and its time in seconds."""
    start = time.perf_counter()
    result = call(*arguments)
    return result, time.perf_counter() - start


def best_of(count, call, *arguments):
    return min(timed(call, *arguments)[1] for _ in range(count))


def save_pictures(folder, noisy, cleaned, energies):
    """`before.png`, `after.png`, `before-after.png` and `convergence.png`."""
    matplotlib.use("Agg")
    from matplotlib import pyplot

    cleaned = np.clip(cleaned, 0, 1)
    matplotlib.image.imsave(folder / "before.png", noisy)
    matplotlib.image.imsave(folder / "after.png", cleaned)
    matplotlib.image.imsave(folder / "before-after.png", np.hstack([noisy, cleaned]))
    figure, axes = pyplot.subplots(figsize=(6, 3.5))
    axes.plot(range(1, len(energies) + 1), energies)
    axes.set(xlabel="step", ylabel="energy", title="The loop ends when a step gains little")
    figure.savefig(folder / "convergence.png", dpi=150, bbox_inches="tight")
    pyplot.close(figure)


def show_code(function):
    """Print the inner `if` and the end of the generated source, with lines of at most 100."""
    lines = ag.autograph.to_code(function).splitlines()
    first_if = next(i for i, line in enumerate(lines) if "def if_body_1" in line)
    end_if = next(i for i, line in enumerate(lines) if i > first_if and "ag__.if_stmt" in line)
    end = next(i for i, line in enumerate(lines) if "def loop_test" in line)
    shown = [lines[0], "    ...", *lines[first_if : end_if + 1], "    ...", *lines[end:]]
    print("\n".join(line if len(line) <= 100 else line[:97] + "..." for line in shown))


def main(folder="demo-output"):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    reference = photograph()
    noisy = ag.constant(with_noise(reference))
    print(f"A photograph of {noisy.shape[0]} by {noisy.shape[1]} pixels, with noise.\n")

    print("Part of the code that allograph writes for denoise():\n")
    show_code(denoise)

    numpy_program = ag.function(denoise, kernel_compiler="none")
    native = ag.function(denoise, jit_compile=True)
    (image, history, steps), first = timed(native, noisy)
    concrete = native.get_concrete_function(noisy)
    before, after = (sum(1 for _ in g.walk()) for g in (concrete.frozen, concrete.optimized_graph))
    print(f"\nThe graph has {before} operations, {after} after the passes.")

    steps = int(steps)
    print(
        f"Converged after {steps} steps: quality {quality(noisy, reference):.1f} dB before, ",
        end="",
    )
    print(f"{quality(image, reference):.1f} dB after.\n")

    numpy_program(noisy)
    seconds = {
        "undecorated: operation by operation": best_of(2, denoise, noisy),
        "the graph as a NumPy plan": best_of(2, numpy_program, noisy),
        "the graph as native code": best_of(3, native, noisy),
    }
    slowest = max(seconds.values())
    for name, value in seconds.items():
        print(f"  {name:<40} {value:6.2f} s  {slowest / value:4.1f}x")
    print(f"  (first native call, traced and compiled: {first:.2f} s)\n")

    save_pictures(folder, noisy.numpy(), image.numpy(), history.numpy()[:steps])
    print(f"Pictures: {folder}/before-after.png, {folder}/convergence.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
