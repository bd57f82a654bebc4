"""Stencils: each cell of a grid is computed from its neighbors."""

import numpy as np

from .program import program


def jacobi_1d_port(steps, a, b):
    n = a.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            b[i] = (a[i - 1] + a[i] + a[i + 1]) / 3
        for i in range(1, n - 1):
            a[i] = (b[i - 1] + b[i] + b[i + 1]) / 3


@program(lambda r, n, t: (t, r.random(n), r.random(n)), (30, 4), (4000, 400), jacobi_1d_port)
def jacobi_1d(steps, a, b):
    for _ in range(steps):
        b[1:-1] = (a[:-2] + a[1:-1] + a[2:]) / 3
        a[1:-1] = (b[:-2] + b[1:-1] + b[2:]) / 3


def jacobi_2d_port(steps, a, b):
    rows, columns = a.shape
    for _ in range(1, steps):
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                b[i, j] = 0.2 * (a[i, j] + a[i, j - 1] + a[i, j + 1] + a[i + 1, j] + a[i - 1, j])
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                a[i, j] = 0.2 * (b[i, j] + b[i, j - 1] + b[i, j + 1] + b[i + 1, j] + b[i - 1, j])


@program(
    lambda r, n, t: (t, r.random((n, n)), r.random((n, n))), (12, 4), (250, 60), jacobi_2d_port
)
def jacobi_2d(steps, a, b):
    for _ in range(1, steps):
        b[1:-1, 1:-1] = 0.2 * (
            a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1]
        )
        a[1:-1, 1:-1] = 0.2 * (
            b[1:-1, 1:-1] + b[1:-1, :-2] + b[1:-1, 2:] + b[2:, 1:-1] + b[:-2, 1:-1]
        )


def heat_3d_port(steps, a, b):
    n, m, k = a.shape
    for _ in range(steps):
        for x in range(1, n - 1):
            for y in range(1, m - 1):
                for z in range(1, k - 1):
                    here = a[x, y, z]
                    b[x, y, z] = (
                        here
                        + 0.125 * (a[x + 1, y, z] - 2.0 * here + a[x - 1, y, z])
                        + 0.125 * (a[x, y + 1, z] - 2.0 * here + a[x, y - 1, z])
                        + 0.125 * (a[x, y, z + 1] - 2.0 * here + a[x, y, z - 1])
                    )
        a[:] = b


@program(
    lambda r, n, t: (t, r.random((n, n, n)), np.zeros((n, n, n))), (8, 3), (48, 20),
    heat_3d_port,
)  # fmt: skip
def heat_3d(steps, a, b):
    for _ in range(steps):
        inner = a[1:-1, 1:-1, 1:-1]
        b[1:-1, 1:-1, 1:-1] = (
            inner
            + 0.125 * (a[2:, 1:-1, 1:-1] - 2.0 * inner + a[:-2, 1:-1, 1:-1])
            + 0.125 * (a[1:-1, 2:, 1:-1] - 2.0 * inner + a[1:-1, :-2, 1:-1])
            + 0.125 * (a[1:-1, 1:-1, 2:] - 2.0 * inner + a[1:-1, 1:-1, :-2])
        )
        a[:] = b


@program(lambda r, n, t: (t, r.random((n, n))), (9, 3), (120, 10))
def seidel_2d(steps, a):
    rows, columns = a.shape
    for _ in range(steps):
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                a[i, j] = (a[i - 1, j] + a[i, j - 1] + a[i, j] + a[i, j + 1] + a[i + 1, j]) / 5.0


def wave_2d_port(u, v, courant, steps):
    rows, columns = u.shape
    for _ in range(steps):
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                spread = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j]
                v[i, j] = 2 * u[i, j] - v[i, j] + courant * spread
        u, v = v, u
    return u


@program(
    lambda r, n, t: (r.random((n, n)), np.zeros((n, n)), 0.1, t), (11, 5), (250, 60), wave_2d_port
)
def wave_2d(u, v, courant, steps):
    for _ in range(steps):
        spread = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
        v[1:-1, 1:-1] = 2 * u[1:-1, 1:-1] - v[1:-1, 1:-1] + courant * spread
        u, v = v, u
    return u


def fdtd_2d_port(steps, ex, ey, hz, source):
    rows, columns = hz.shape
    for t in range(steps):
        for j in range(columns):
            ey[0, j] = source[t]
        for i in range(1, rows):
            for j in range(columns):
                ey[i, j] -= 0.5 * (hz[i, j] - hz[i - 1, j])
        for i in range(rows):
            for j in range(1, columns):
                ex[i, j] -= 0.5 * (hz[i, j] - hz[i, j - 1])
        for i in range(rows - 1):
            for j in range(columns - 1):
                hz[i, j] -= 0.7 * (ex[i, j + 1] - ex[i, j] + ey[i + 1, j] - ey[i, j])


@program(
    lambda r, n, t: (t, r.random((n, n)), r.random((n, n)), r.random((n, n)), r.random(t)),
    (9, 4), (220, 60), fdtd_2d_port,
)  # fmt: skip
def fdtd_2d(steps, ex, ey, hz, source):
    for t in range(steps):
        ey[0, :] = source[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])


def life_port(cells, steps):
    rows, columns = cells.shape
    for _ in range(steps):
        new = np.zeros_like(cells)
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                near = -cells[i, j]
                for di in range(-1, 2):
                    for dj in range(-1, 2):
                        near += cells[i + di, j + dj]
                new[i, j] = near == 3 or (near == 2 and cells[i, j] == 1)
        cells = new
    return cells


@program(lambda r, n, t: (r.integers(0, 2, (n, n)), t), (10, 3), (200, 40), life_port)
def life(cells, steps):
    for _ in range(steps):
        near = np.zeros_like(cells)
        near[1:-1, 1:-1] = (
            cells[:-2, :-2] + cells[:-2, 1:-1] + cells[:-2, 2:] + cells[1:-1, :-2]
            + cells[1:-1, 2:] + cells[2:, :-2] + cells[2:, 1:-1] + cells[2:, 2:]
        )  # fmt: skip
        new = np.zeros_like(cells)
        new[(near == 3) | ((near == 2) & (cells == 1))] = 1
        new[0], new[-1], new[:, 0], new[:, -1] = 0, 0, 0, 0
        cells = new
    return cells


def advection_port(u, speed, steps):
    n = u.shape[0]
    for _ in range(steps):
        last = u[n - 1]
        for i in range(n - 1, 0, -1):
            u[i] -= speed * (u[i] - u[i - 1])
        u[0] -= speed * (u[0] - last)
    return u.sum()


@program(lambda r, n, t: (r.random(n), 0.4, t), (20, 5), (4000, 500), advection_port)
def advection(u, speed, steps):
    for _ in range(steps):
        u -= speed * (u - np.roll(u, 1))
    return u.sum()
