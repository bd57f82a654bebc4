"""`jit`: windows that are clipped at the borders of an array, put in order or in one row."""

import numpy as np
import pytest
from test_jit import check

pytestmark = pytest.mark.slow
random = np.random.default_rng(0)
IMAGE = random.random((12, 14))


def medians(image):
    height, width = image.shape
    out = np.empty_like(image)
    for y in range(height):
        for x in range(width):
            out[y, x] = np.median(
                image[max(0, y - 1) : min(height, y + 2), max(0, x - 1) : min(width, x + 2)]
            )
    return out


def medians_of_a_width(image, width):
    radius = width // 2
    out = np.zeros_like(image)
    for y in range(image.shape[0]):
        low, high = max(0, y - radius), min(image.shape[0], y + radius + 1)
        for x in range(image.shape[1]):
            left, right = max(x - radius, 0), min(x + radius + 1, image.shape[1])
            out[y, x] = np.median(image[low:high, left:right])
    return out


def middles(image):
    out = image.copy()
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            row = np.sort(image[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2].flatten())
            out[y, x] = row[len(row) // 2]
    return out


def rows(image):
    total = 0.0
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            row = image[max(y - 1, 0) : y + 2, max(x - 2, 0) : x + 2].ravel()
            total += row[0] - row[-1] * row[len(row) // 3]
    return total


def most_frequent(image):
    out = np.zeros_like(image)
    for y in range(image.shape[0]):
        for x in range(image.shape[1]):
            window = image[max(0, y - 1) : y + 2, max(0, x - 1) : x + 2]
            values, counts = np.unique(window, return_counts=True)
            out[y, x] = values[np.argmax(counts)]
    return out


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (medians, (IMAGE,)),
        (medians_of_a_width, (IMAGE, 3)),
        (medians_of_a_width, (IMAGE, 5)),
        (middles, ((IMAGE * 255).astype(np.uint8),)),
        (rows, (IMAGE,)),
        (most_frequent, ((IMAGE * 4).astype(int),)),
    ],
)
def test_a_clipped_window_has_memory_for_its_elements(function, args):
    check(function, *args)


def from_the_end(values, first):
    total = 0.0
    for i in range(first, len(values)):
        total += np.median(values[max(i, 0) : i + 3])
    return total


def test_a_window_with_a_bound_from_the_end_has_all_its_elements():
    check(from_the_end, random.random(100), -5)


# ---- np.unique -------------------------------------------------------------------------------


def numbers_of_values(table):
    return sum([len(np.unique(table[i])) for i in range(table.shape[0])])


def entropies(table):
    out = np.zeros(len(table))
    for i in range(len(table)):
        values, counts = np.unique(table[i], return_counts=True)
        shares = counts / counts.sum()
        out[i] = -(shares * np.log(shares)).sum() + len(values)
    return out


def means_of_groups(labels, values):
    groups = np.unique(labels)
    out = np.zeros(len(groups))
    for at, group in enumerate(groups):
        count = 0
        for i in range(len(labels)):
            if labels[i] == group:
                out[at] += values[i]
                count += 1
        out[at] /= count
    return groups, out


WITH_NANS = np.where(IMAGE > 0.7, np.nan, (IMAGE * 5).round())


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (numbers_of_values, ((IMAGE * 4).astype(int),)),
        (numbers_of_values, (WITH_NANS,)),
        (entropies, (WITH_NANS,)),
        (means_of_groups, (random.integers(0, 6, 200), random.random(200))),
    ],
)
def test_unique_is_native_where_loops_are(function, args):
    check(function, *args)
