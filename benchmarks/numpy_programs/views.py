"""Elements of views that change in loops, and few elements of large arrays."""

import numpy as np

from .program import program


@program(lambda r, n: (r.random(n), 16), 64, 100_000)
def sums_in_blocks(values, size):
    for start in range(0, len(values), size):
        block = values[start : start + size]
        for i in range(1, len(block)):
            block[i] += block[i - 1]


@program(lambda r, n: (r.random(n),), 50, 20_000)
def merge_sort(values):
    n, width = len(values), 1
    source, target = values, np.empty(n)
    while width < n:
        for start in range(0, n, 2 * width):
            middle, end = min(start + width, n), min(start + 2 * width, n)
            left, right, merged = source[start:middle], source[middle:end], target[start:end]
            i = j = 0
            for k in range(end - start):
                if i < len(left) and (j >= len(right) or left[i] <= right[j]):
                    merged[k] = left[i]
                    i += 1
                else:
                    merged[k] = right[j]
                    j += 1
        source, target = target, source
        width *= 2
    return source.copy()


@program(lambda r, n: (r.random(n),), 64, 200_000)
def exchange_halves(values):
    first, last = values[: len(values) // 2], values[len(values) // 2 :]
    for i in range(len(first)):
        first[i], last[i] = last[i], first[i]


@program(lambda r, n: (r.random((n, n)),), 12, 300)
def erode(image):
    inner, result = image[1:-1, 1:-1], image.copy()
    for i in range(1, inner.shape[0] - 1):
        for j in range(1, inner.shape[1] - 1):
            result[i, j] = inner[i - 1 : i + 2, j - 1 : j + 2].min()
    return result


@program(lambda r, n, k: (np.arange(n), r.integers(0, n, (k, 2))), (50, 20), (1_000_000, 200))
def join_few(parents, pairs):
    joined = 0
    for k in range(len(pairs)):
        x, y = pairs[k, 0], pairs[k, 1]
        while parents[x] != x:
            parents[x] = parents[parents[x]]
            x = parents[x]
        while parents[y] != y:
            parents[y] = parents[parents[y]]
            y = parents[y]
        if x != y:
            parents[x] = y
            joined += 1
    return joined


@program(lambda r, n, steps: (r.random(n), np.zeros(n), steps), (30, 3), (20_000, 10))
def steps_between_two(values, other, steps):
    grids = values, other
    for step in range(steps):
        source, target = grids[step % 2], grids[1 - step % 2]
        for i in range(1, len(source) - 1):
            target[i] = 0.25 * source[i - 1] + 0.5 * source[i] + 0.25 * source[i + 1]
