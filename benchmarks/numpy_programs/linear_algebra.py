"""Linear algebra: factorizations, solvers and products."""

import numpy as np

from .program import program


def positive_definite(r, n):
    a = r.random((n, n))
    return a @ a.T + n * np.eye(n)


def lu_port(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[k, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            for k in range(i):
                a[i, j] -= a[i, k] * a[k, j]


@program(lambda r, n: (positive_definite(r, n),), 8, 100, lu_port)
def lu(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]


def cholesky_port(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        for k in range(i):
            a[i, i] -= a[i, k] * a[i, k]
        a[i, i] = np.sqrt(a[i, i])


@program(lambda r, n: (positive_definite(r, n),), 8, 130, cholesky_port)
def cholesky(a):
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, a.shape[0]):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])


def forward_substitution_port(lower, b):
    x = np.zeros_like(b)
    for i in range(b.shape[0]):
        total = b[i]
        for k in range(i):
            total -= lower[i, k] * x[k]
        x[i] = total / lower[i, i]
    return x


@program(
    lambda r, n: (np.tril(positive_definite(r, n)), r.random(n)), 9, 800,
    forward_substitution_port,
)  # fmt: skip
def forward_substitution(lower, b):
    x = np.zeros_like(b)
    for i in range(b.shape[0]):
        x[i] = (b[i] - lower[i, :i] @ x[:i]) / lower[i, i]
    return x


@program(lambda r, n: tuple(r.random(n) + 1 for _ in range(4)), 10, 50_000)
def tridiagonal(lower, diagonal, upper, right):
    n = diagonal.shape[0]
    for i in range(1, n):
        factor = lower[i] / diagonal[i - 1]
        diagonal[i] -= factor * upper[i - 1]
        right[i] -= factor * right[i - 1]
    x = np.empty(n)
    x[n - 1] = right[n - 1] / diagonal[n - 1]
    for i in range(n - 2, -1, -1):
        x[i] = (right[i] - upper[i] * x[i + 1]) / diagonal[i]
    return x


@program(lambda r, n: (1.5, 1.2, *(r.random((n, n)) for _ in range(3))), 7, 300)
def scaled_product(alpha, beta, c, a, b):
    c[:] = alpha * (a @ b) + beta * c


@program(lambda r, n: (r.random((n, n)), *(r.random(n) for _ in range(4))), 7, 700)
def two_products(a, x1, x2, y1, y2):
    x1 += a @ y1
    x2 += a.T @ y2


def gram_schmidt_port(a):
    m, n = a.shape
    q, r = np.zeros((m, n)), np.zeros((n, n))
    for k in range(n):
        norm = 0.0
        for i in range(m):
            norm += a[i, k] * a[i, k]
        r[k, k] = np.sqrt(norm)
        for i in range(m):
            q[i, k] = a[i, k] / r[k, k]
        for j in range(k + 1, n):
            for i in range(m):
                r[k, j] += q[i, k] * a[i, j]
            for i in range(m):
                a[i, j] -= q[i, k] * r[k, j]
    return q, r


@program(lambda r, n: (r.random((n + 3, n)),), 6, 130, gram_schmidt_port)
def gram_schmidt(a):
    q = np.zeros_like(a)
    r = np.zeros((a.shape[1], a.shape[1]))
    for k in range(a.shape[1]):
        norm = np.dot(a[:, k], a[:, k])
        r[k, k] = np.sqrt(norm)
        q[:, k] = a[:, k] / r[k, k]
        for j in range(k + 1, a.shape[1]):
            r[k, j] = np.dot(q[:, k], a[:, j])
            a[:, j] -= q[:, k] * r[k, j]
    return q, r


@program(lambda r, n, t: (positive_definite(r, n), r.random(n), t), (8, 4), (300, 30))
def conjugate_gradient(a, b, steps):
    x = np.zeros_like(b)
    residual = b - a @ x
    direction = residual.copy()
    rho = residual @ residual
    for _ in range(steps):
        product = a @ direction
        alpha = rho / (direction @ product)
        x += alpha * direction
        residual -= alpha * product
        new = residual @ residual
        if np.sqrt(new) < 1e-12:
            break
        direction = residual + (new / rho) * direction
        rho = new
    return x, rho


@program(lambda r, n, t: (positive_definite(r, n), t), (8, 5), (300, 40))
def power_iteration(a, steps):
    v = np.ones(a.shape[0]) / np.sqrt(a.shape[0])
    value = 0.0
    for _ in range(steps):
        w = a @ v
        value = v @ w
        v = w / np.linalg.norm(w)
    return value, v


@program(lambda r, n: (positive_definite(r, n), r.random(n)), 8, 110)
def gauss_pivoting(a, b):
    n = a.shape[0]
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[best, k]):
                best = i
        if best != k:
            for j in range(n):
                kept = a[k, j]
                a[k, j] = a[best, j]
                a[best, j] = kept
            kept = b[k]
            b[k] = b[best]
            b[best] = kept
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            for j in range(k, n):
                a[i, j] -= factor * a[k, j]
            b[i] -= factor * b[k]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            b[i] -= a[i, j] * b[j]
        b[i] /= a[i, i]
    return b
