"""Neural networks: layers, and steps of training."""

import numpy as np

from .program import program


def f32(array):
    return array.astype(np.float32)


def softmax_port(x):
    out = np.empty_like(x)
    for i in range(x.shape[0]):
        top = x[i, 0]
        for j in range(x.shape[1]):
            top = max(top, x[i, j])
        total = np.float32(0.0)
        for j in range(x.shape[1]):
            out[i, j] = np.exp(x[i, j] - top)
            total += out[i, j]
        for j in range(x.shape[1]):
            out[i, j] /= total
    return out


@program(lambda r, n: (f32(r.normal(size=(n, n))),), 7, 700, softmax_port)
def softmax(x):
    shifted = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return shifted / np.sum(shifted, axis=-1, keepdims=True)


def relu(x):
    return np.maximum(x, 0)


@program(
    lambda r, n, k: (f32(r.normal(size=(n, k))), f32(r.normal(size=(k, k))), f32(r.random(k)),
                     f32(r.normal(size=(k, 10))), f32(r.random(10))),
    (4, 5), (256, 256),
)  # fmt: skip
def mlp(x, w1, b1, w2, b2):
    hidden = relu(x @ w1 + b1)
    logits = hidden @ w2 + b2
    shifted = np.exp(logits - np.max(logits, axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def conv2d_port(image, weights):
    n, rows, columns, inner = image.shape
    size, _, _, outer = weights.shape
    out = np.zeros((n, rows - size + 1, columns - size + 1, outer), np.float32)
    for b in range(n):
        for i in range(out.shape[1]):
            for j in range(out.shape[2]):
                for di in range(size):
                    for dj in range(size):
                        for c in range(inner):
                            for o in range(outer):
                                out[b, i, j, o] += (
                                    image[b, i + di, j + dj, c] * weights[di, dj, c, o]
                                )
    return out


@program(
    lambda r, b, n, c: (f32(r.random((b, n, n, c))), f32(r.random((3, 3, c, 2 * c)))),
    (2, 6, 2), (4, 24, 8), conv2d_port,
)  # fmt: skip
def conv2d(image, weights):
    size = weights.shape[0]
    n, height, width = image.shape[0], image.shape[1] - size + 1, image.shape[2] - size + 1
    out = np.empty((n, height, width, weights.shape[3]), dtype=np.float32)
    for i in range(height):
        for j in range(width):
            out[:, i, j, :] = np.sum(
                image[:, i : i + size, j : j + size, :, np.newaxis] * weights[np.newaxis],
                axis=(1, 2, 3),
            )
    return out


@program(lambda r, b, n: (f32(r.random((b, n, n, 3))),), (2, 6), (8, 64))
def max_pool(x):
    out = np.empty((x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]), dtype=x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            out[:, i, j, :] = np.max(x[:, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, :], axis=(1, 2))
    return out


@program(lambda r, n, k: (r.normal(size=(n, k)), np.ones(k), np.zeros(k), 1e-5), (5, 4), (800, 300))
def layer_norm(x, gain, shift, epsilon):
    mean = x.mean(axis=1, keepdims=True)
    variance = x.var(axis=1, keepdims=True)
    return gain * (x - mean) / np.sqrt(variance + epsilon) + shift


@program(
    lambda r, n, d: (f32(r.normal(size=(n, d))), f32(r.normal(size=(n, d))),
                     f32(r.normal(size=(n, d)))),
    (5, 4), (256, 64),
)  # fmt: skip
def attention(query, key, value):
    score = query @ key.T / np.float32(np.sqrt(query.shape[1]))
    score -= score.max(axis=1, keepdims=True)
    weight = np.exp(score)
    weight /= weight.sum(axis=1, keepdims=True)
    return weight @ value


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@program(
    lambda r, t, n: (r.normal(size=(t, n)), r.normal(size=(n, 4 * n)) / n,
                     r.normal(size=(n, 4 * n)) / n, np.zeros(4 * n)),
    (4, 3), (200, 32),
)  # fmt: skip
def lstm(inputs, w, u, b):
    n = u.shape[0]
    h, c = np.zeros(n), np.zeros(n)
    outputs = np.zeros((inputs.shape[0], n))
    for t in range(inputs.shape[0]):
        gates = inputs[t] @ w + h @ u + b
        i, f = sigmoid(gates[:n]), sigmoid(gates[n : 2 * n])
        g, o = np.tanh(gates[2 * n : 3 * n]), sigmoid(gates[3 * n :])
        c = f * c + i * g
        h = o * np.tanh(c)
        outputs[t] = h
    return outputs


@program(
    lambda r, n, t: (r.normal(size=n), np.zeros(n), np.zeros(n), r.normal(size=n), t),
    (9, 3), (20_000, 50),
)  # fmt: skip
def adam(w, m, v, target, steps):
    for t in range(1, steps + 1):
        gradient = 2 * (w - target)
        m *= 0.9
        m += 0.1 * gradient
        v *= 0.999
        v += 0.001 * gradient**2
        w -= 0.01 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return np.mean((w - target) ** 2)
