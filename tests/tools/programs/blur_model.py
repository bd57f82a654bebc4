"""The model of `blur`."""

import numpy as np


def blurred(image, radius):
    rows, columns = image.shape
    result = np.empty_like(image)
    for i in range(rows):
        for j in range(columns):
            total, count = 0.0, 0
            for k in range(max(i - radius, 0), min(i + radius + 1, rows)):
                for m in range(max(j - radius, 0), min(j + radius + 1, columns)):
                    total += image[k, m]
                    count += 1
            result[i, j] = total / count
    return result
