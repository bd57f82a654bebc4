"""Remove the noise from an image that does not fit into memory.

    python examples/denoise_large.py [SIZE [FOLDER]]

The image has SIZE by SIZE pixels, 20000 by default: 1.6 GB in FOLDER (demo-output), and as much
for the result. Dask reads a block at a time, with a margin of the blocks around it, and calls one
decorated function for all of them. A progress bar shows how far it is. The last line is the largest
amount of memory that the program has used.
"""

import resource
import sys
from pathlib import Path

import dask.array as da
import numpy as np
from dask.diagnostics import ProgressBar

import allograph as ag

STEPS = 30
BLOCK = 1000
FIDELITY = 11.0


def neighbor_differences(image):
    """The differences of each pixel to the pixels below and on the right; 0 at the border."""
    down = ag.pad(image[1:] - image[:-1], [[0, 1], [0, 0]])
    right = ag.pad(image[:, 1:] - image[:, :-1], [[0, 0], [0, 1]])
    return down, right


@ag.function(jit_compile=True)
def denoised(noisy):
    """Total-variation denoising by steps of gradient descent, for an image of any size."""
    image = noisy
    for _ in ag.range(STEPS):
        down, right = neighbor_differences(image)
        strength = ag.sqrt(down * down + right * right + 1e-3)
        down, right = down / strength, right / strength
        flow = down - ag.pad(down[:-1], [[1, 0], [0, 0]])
        flow += right - ag.pad(right[:, :-1], [[0, 0], [1, 0]])
        image = image - 0.005 * (FIDELITY * (image - noisy) - flow)
    return image


class Pixels:
    """The array in a file, which is open only while a part of it is read or written."""

    def __init__(self, path):
        self.path = path
        array = np.load(path, mmap_mode="r")
        self.shape, self.dtype, self.ndim = array.shape, array.dtype, array.ndim

    def __getitem__(self, part):
        return np.array(np.load(self.path, mmap_mode="r")[part])

    def __setitem__(self, part, pixels):
        np.load(self.path, mmap_mode="r+")[part] = pixels


def picture(rows, columns, size):
    """Rings around the middle, between 0 and 1."""
    x, y = columns / size - 0.5, rows / size - 0.5
    return (np.sin(40 * np.hypot(x, y)) > 0).astype(np.float32)


def write_noisy(path, size):
    """Write the picture with noise, some rows at a time."""
    np.lib.format.open_memmap(path, "w+", np.float32, (size, size)).flush()
    image = Pixels(path)
    generator = np.random.default_rng(7)
    columns = np.arange(size)[None]
    for start in range(0, size, 500):
        rows = np.arange(start, min(start + 500, size))[:, None]
        noise = 0.3 * generator.standard_normal((len(rows), size), np.float32)
        image[start : start + len(rows)] = picture(rows, columns, size) + noise
    return image


def error(image, size):
    """The root of the mean squared distance from the picture, over every 50th row."""
    columns = np.arange(size)[None]
    rows = range(0, size, 50)
    squares = [np.mean((image[row] - picture(row, columns, size)) ** 2) for row in rows]
    return float(np.sqrt(np.mean(squares)))


def main(size: int | str = 20000, folder="demo-output"):
    size, folder = int(size), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    before, after = folder / "large-noisy.npy", folder / "large-denoised.npy"
    noisy = write_noisy(before, size)
    np.lib.format.open_memmap(after, "w+", np.float32, noisy.shape).flush()
    result = Pixels(after)

    block = min(BLOCK, size)
    blocks = da.from_array(noisy, chunks=(block, block))
    cleaned = ag.distribute.map_overlap(denoised, blocks, depth=STEPS, boundary="nearest")
    with ProgressBar():
        da.store(cleaned, result, lock=False)

    print(f"{size} by {size} pixels in {blocks.npartitions} blocks: the error was ", end="")
    print(f"{error(noisy, size):.3f}, it is {error(result, size):.3f}.")
    traces = denoised.experimental_get_tracing_count()
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{traces} traces; at most {used:.0f} MB of memory.")


if __name__ == "__main__":
    main(*sys.argv[1:])
