"""A convolution of [1, 200, 200, 100] with 100 filters of 3 x 3, without padding, float32.

Work: 198 x 198 x 100 results of 900 multiply-adds, 7.06 Gflop, on 32 MB.
Limit: the flops at the rate of matrix products.
"""

from __future__ import annotations

import numpy as np

SIZES = {
    "full": {"n": 200, "channels": 100, "filters": 100},
    "small": {"n": 9, "channels": 3, "filters": 4},
}
TOLERANCE = 1e-4
NOTES = {"numpy": "nine shifted products", "numba": "windows of some lines, then products"}


def inputs(n, channels, filters):
    rng = np.random.default_rng(0)
    return {
        "image": rng.standard_normal((1, n, n, channels), np.float32),
        "kernel": rng.standard_normal((3, 3, channels, filters), np.float32),
    }


def limit(n, channels, filters):
    return {"flops": 2 * (n - 2) ** 2 * 9 * channels * filters, "dtype": "float32"}


def graph(tf, size, **options):
    @tf.function(**options)
    def convolve(image, kernel):
        return tf.nn.conv2d(image, kernel, strides=[1, 1, 1, 1], padding="VALID")

    return convolve


def numpy(size):
    n = size["n"] - 2

    def convolve(image, kernel):
        shifts = [(i, j) for i in range(3) for j in range(3)]
        return sum(image[:, i : i + n, j : j + n] @ kernel[i, j] for i, j in shifts)

    return convolve


def numba(size):
    from numba import njit

    n, channels, filters = size["n"] - 2, size["channels"], size["filters"]
    lines = 18
    out = np.empty((1, n, n, filters), np.float32)
    windows = np.empty((lines, n, 3, 3 * channels), np.float32)

    @njit
    def fill(image, kernel, windows, out):
        # Three neighbours of a line are one stretch of memory.
        flat = image.reshape(n + 2, (n + 2) * channels)
        width = 9 * channels
        for top in range(0, n, lines):
            count = min(lines, n - top)
            for line in range(count):
                for column in range(n):
                    begin = column * channels
                    for i in range(3):
                        near = flat[top + line + i, begin : begin + 3 * channels]
                        windows[line, column, i] = near
            patches = windows[:count].reshape(count * n, width)
            target = out[0, top : top + count].reshape(count * n, filters)
            np.dot(patches, kernel.reshape(width, filters), target)

    def convolve(image, kernel):
        fill(image, kernel, windows, out)
        return out

    return convolve


def jax(size):
    import jax

    @jax.jit
    def convolve(image, kernel):
        layout = ("NHWC", "HWIO", "NHWC")
        return jax.lax.conv_general_dilated(
            image, kernel, (1, 1), "VALID", dimension_numbers=layout
        )

    return convolve


def torch(size):
    import torch

    last = torch.channels_last
    compiled = torch.compile(torch.nn.functional.conv2d, fullgraph=True)
    packed = {}

    def convolve(image, kernel):
        # Torch names channels first; the memory is the same, and the filters are laid out once.
        if "kernel" not in packed:
            packed["kernel"] = kernel.permute(3, 2, 0, 1).contiguous(memory_format=last)
            packed["image"] = image.permute(0, 3, 1, 2)
        return compiled(packed["image"], packed["kernel"])

    return convolve, lambda out: out.permute(0, 2, 3, 1)
