"""The model of `edges`."""

import numpy as np


def magnitudes(image):
    rows, columns = image.shape
    result = np.zeros((rows, columns))
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            gx = image[i - 1, j + 1] + 2 * image[i, j + 1] + image[i + 1, j + 1]
            gx -= image[i - 1, j - 1] + 2 * image[i, j - 1] + image[i + 1, j - 1]
            gy = image[i + 1, j - 1] + 2 * image[i + 1, j] + image[i + 1, j + 1]
            gy -= image[i - 1, j - 1] + 2 * image[i - 1, j] + image[i - 1, j + 1]
            result[i, j] = np.sqrt(gx * gx + gy * gy)
    return result
