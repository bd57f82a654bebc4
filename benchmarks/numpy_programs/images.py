"""Images: filters, warps and fractals."""

import numpy as np

from .program import program


def blur_port(image, kernel):
    rows, columns = image.shape
    size = kernel.shape[0]
    out = np.zeros((rows - size + 1, columns - size + 1))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = 0.0
            for di in range(size):
                for dj in range(size):
                    total += image[i + di, j + dj] * kernel[di, dj]
            out[i, j] = total
    return out


@program(lambda r, n: (r.random((n, n)), r.random((5, 5))), 12, 400, blur_port)
def blur(image, kernel):
    size = kernel.shape[0]
    rows, columns = image.shape[0] - size + 1, image.shape[1] - size + 1
    out = np.zeros((rows, columns))
    for i in range(size):
        for j in range(size):
            out += kernel[i, j] * image[i : i + rows, j : j + columns]
    return out


def sobel_port(image):
    rows, columns = image.shape
    out = np.zeros_like(image)
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            x = (
                image[i - 1, j + 1] + 2 * image[i, j + 1] + image[i + 1, j + 1]
                - image[i - 1, j - 1] - 2 * image[i, j - 1] - image[i + 1, j - 1]
            )  # fmt: skip
            y = (
                image[i + 1, j - 1] + 2 * image[i + 1, j] + image[i + 1, j + 1]
                - image[i - 1, j - 1] - 2 * image[i - 1, j] - image[i - 1, j + 1]
            )  # fmt: skip
            out[i, j] = np.sqrt(x * x + y * y)
    return out


@program(lambda r, n: (r.random((n, n)),), 10, 600, sobel_port)
def sobel(image):
    x = image[:, 2:] - image[:, :-2]
    y = image[2:, :] - image[:-2, :]
    across = x[:-2] + 2 * x[1:-1] + x[2:]
    along = y[:, :-2] + 2 * y[:, 1:-1] + y[:, 2:]
    out = np.zeros_like(image)
    out[1:-1, 1:-1] = np.sqrt(across**2 + along**2)
    return out


@program(lambda r, n: (r.integers(0, 255, (n, n)).astype(np.uint8),), 8, 200)
def median_3x3(image):
    out = image.copy()
    window = np.empty(9, dtype=image.dtype)
    for i in range(1, image.shape[0] - 1):
        for j in range(1, image.shape[1] - 1):
            window[:] = image[i - 1 : i + 2, j - 1 : j + 2].ravel()
            window.sort()
            out[i, j] = window[4]
    return out


def equalize_port(image, levels):
    counts = np.zeros(levels, np.int64)
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            counts[image[i, j]] += 1
    total = np.cumsum(counts)
    out = np.empty(image.shape)
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            out[i, j] = total[image[i, j]] / image.size
    return out


@program(lambda r, n: (r.integers(0, 255, (n, n)), 256), 8, 500, equalize_port)
def equalize(image, levels):
    counts = np.bincount(image.ravel(), minlength=levels)
    share = np.cumsum(counts) / image.size
    return share[image]


@program(lambda r, n: (r.random((n, n)), n * 2, n * 2 - 1), 5, 90)
def resize_bilinear(image, height, width):
    rows, columns = image.shape
    out = np.zeros((height, width))
    for i in range(height):
        y = i * (rows - 1) / (height - 1)
        top = min(int(y), rows - 2)
        for j in range(width):
            x = j * (columns - 1) / (width - 1)
            left = min(int(x), columns - 2)
            dy, dx = y - top, x - left
            out[i, j] = (
                image[top, left] * (1 - dy) * (1 - dx)
                + image[top, left + 1] * (1 - dy) * dx
                + image[top + 1, left] * dy * (1 - dx)
                + image[top + 1, left + 1] * dy * dx
            )
    return out


def dilate_port(mask, rounds):
    for _ in range(rounds):
        new = mask.copy()
        for i in range(mask.shape[0]):
            for j in range(mask.shape[1]):
                if i > 0:
                    new[i, j] |= mask[i - 1, j]
                if i + 1 < mask.shape[0]:
                    new[i, j] |= mask[i + 1, j]
                if j > 0:
                    new[i, j] |= mask[i, j - 1]
                if j + 1 < mask.shape[1]:
                    new[i, j] |= mask[i, j + 1]
        mask = new
    return mask


@program(lambda r, n, t: (r.random((n, n)) < 0.02, t), (12, 2), (400, 20), dilate_port)
def dilate(mask, rounds):
    for _ in range(rounds):
        new = mask.copy()
        new[1:, :] |= mask[:-1, :]
        new[:-1, :] |= mask[1:, :]
        new[:, 1:] |= mask[:, :-1]
        new[:, :-1] |= mask[:, 1:]
        mask = new
    return mask


def mandelbrot_port(width, height, limit):
    out = np.zeros((height, width), np.int64)
    for row in range(height):
        for column in range(width):
            cx, cy = -2 + 2.5 * column / width, -1.25 + 2.5 * row / height
            x = y = 0.0
            count = 0
            while x * x + y * y <= 4 and count < limit:
                x, y = x * x - y * y + cx, 2 * x * y + cy
                count += 1
            out[row, column] = count
    return out


@program(lambda r, n, t: (n, n, t), (7, 12), (80, 60), mandelbrot_port)
def mandelbrot(width, height, limit):
    out = np.zeros((height, width), dtype=int)
    for row in range(height):
        for column in range(width):
            cx, cy = -2 + 2.5 * column / width, -1.25 + 2.5 * row / height
            x = y = 0.0
            count = 0
            while x * x + y * y <= 4 and count < limit:
                x, y = x * x - y * y + cx, 2 * x * y + cy
                count += 1
            out[row, column] = count
    return out


@program(lambda r, n: (r.random((n, n, 3)).astype(np.float32), 1.3, np.float32(0.1)), 6, 500)
def color_balance(image, contrast, lift):
    gray = 0.299 * image[..., 0] + 0.587 * image[..., 1] + 0.114 * image[..., 2]
    mean = gray.mean()
    return np.clip((image - mean) * contrast + mean + lift, 0.0, 1.0)
