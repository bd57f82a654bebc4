"""Statistics: moments, fits and clusters."""

import numpy as np

from .program import program


def covariance_port(data):
    n, k = data.shape
    for j in range(k):
        mean = 0.0
        for i in range(n):
            mean += data[i, j]
        for i in range(n):
            data[i, j] -= mean / n
    out = np.zeros((k, k))
    for i in range(k):
        for j in range(i, k):
            total = 0.0
            for row in range(n):
                total += data[row, i] * data[row, j]
            out[i, j] = out[j, i] = total / (n - 1)
    return out


@program(lambda r, n, k: (r.random((n, k)),), (9, 5), (300, 120), covariance_port)
def covariance(data):
    data -= np.mean(data, axis=0)
    k = data.shape[1]
    out = np.zeros((k, k), dtype=data.dtype)
    for i in range(k):
        out[i:k, i] = data[:, i] @ data[:, i:k] / (data.shape[0] - 1.0)
        out[i, i:k] = out[i:k, i]
    return out


@program(lambda r, n, k: (r.random((n, k)),), (9, 4), (500, 200))
def correlation(data):
    mean = np.mean(data, axis=0)
    deviation = np.std(data, axis=0)
    deviation[deviation <= 0.1] = 1.0
    data -= mean
    data /= np.sqrt(data.shape[0]) * deviation
    out = data.T @ data
    for i in range(out.shape[0]):
        out[i, i] = 1.0
    return out


@program(lambda r, n: (r.normal(size=n),), 12, 100_000)
def welford(values):
    mean, squares, count = 0.0, 0.0, 0
    for value in values:
        count += 1
        delta = value - mean
        mean += delta / count
        squares += delta * (value - mean)
    return mean, squares / (count - 1)


def density_port(samples, points, width):
    out = np.zeros(points.shape[0])
    for i in range(points.shape[0]):
        total = 0.0
        for j in range(samples.shape[0]):
            z = (points[i] - samples[j]) / width
            total += np.exp(-0.5 * z * z)
        out[i] = total / (samples.shape[0] * width * np.sqrt(2 * np.pi))
    return out


@program(lambda r, n: (r.normal(size=n), np.linspace(-3, 3, n), 0.3), 9, 600, density_port)
def kernel_density(samples, points, width):
    z = (points[:, None] - samples[None, :]) / width
    scale = len(samples) * width * np.sqrt(2 * np.pi)
    return np.exp(-0.5 * z**2).sum(axis=1) / scale


@program(lambda r, n, t: (r.random((n, 4)), r.random(n), 0.05, t), (9, 4), (2000, 100))
def gradient_descent(x, y, rate, steps):
    w = np.zeros(x.shape[1])
    for _ in range(steps):
        error = x @ w - y
        w -= rate * (x.T @ error) / len(y)
    return w, np.mean((x @ w - y) ** 2)


def k_means_port(points, centers, steps):
    n, k = points.shape[0], centers.shape[0]
    label = np.zeros(n, np.int64)
    for _ in range(steps):
        total, count = np.zeros_like(centers), np.zeros(k)
        for i in range(n):
            best = np.inf
            for c in range(k):
                square = 0.0
                for d in range(points.shape[1]):
                    square += (points[i, d] - centers[c, d]) ** 2
                if square < best:
                    best, label[i] = square, c
            count[label[i]] += 1
            for d in range(points.shape[1]):
                total[label[i], d] += points[i, d]
        for c in range(k):
            if count[c] > 0:
                for d in range(points.shape[1]):
                    centers[c, d] = total[c, d] / count[c]
    return label


@program(
    lambda r, n, k, t: (r.random((n, 3)), r.random((k, 3)), t), (20, 3, 3), (3000, 8, 15),
    k_means_port,
)  # fmt: skip
def k_means(points, centers, steps):
    label = np.zeros(points.shape[0], dtype=np.int64)
    for _ in range(steps):
        square = ((points[:, None, :] - centers[None, :, :]) ** 2).sum(axis=2)
        label = np.argmin(square, axis=1)
        for c in range(centers.shape[0]):
            mask = label == c
            count = mask.sum()
            if count > 0:
                centers[c] = (points * mask[:, None]).sum(axis=0) / count
    return label


@program(lambda r, n, w: (r.normal(size=n), w), (20, 4), (20_000, 30))
def moving_deviation(values, window):
    out = np.empty(len(values) - window + 1)
    for i in range(len(out)):
        out[i] = np.std(values[i : i + window])
    return out


def histogram_port(values, low, high, bins):
    counts = np.zeros(bins, np.int64)
    for i in range(values.shape[0]):
        if low <= values[i] <= high:
            counts[min(int((values[i] - low) / (high - low) * bins), bins - 1)] += 1
    return counts


@program(lambda r, n: (r.normal(size=n), -2.0, 2.0, 16), 30, 60_000, histogram_port)
def histogram(values, low, high, bins):
    counts = np.zeros(bins, dtype=np.int64)
    for value in values:
        if low <= value <= high:
            slot = int((value - low) / (high - low) * bins)
            counts[min(slot, bins - 1)] += 1
    return counts
