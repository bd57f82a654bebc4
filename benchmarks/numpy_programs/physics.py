"""Physics: particles, fluids and fields in time."""

import numpy as np

from .program import program


def nbody_port(position, velocity, mass, dt, steps):
    n = mass.shape[0]
    force = np.zeros((n, 3))
    for _ in range(steps):
        for i in range(n):
            for d in range(3):
                force[i, d] = 0.0
            for j in range(n):
                square = 0.01
                for d in range(3):
                    square += (position[j, d] - position[i, d]) ** 2
                scale = mass[j] * square**-1.5
                for d in range(3):
                    force[i, d] += scale * (position[j, d] - position[i, d])
        for i in range(n):
            for d in range(3):
                velocity[i, d] += dt * force[i, d]
                position[i, d] += dt * velocity[i, d]


@program(
    lambda r, n, t: (r.normal(size=(n, 3)), r.normal(size=(n, 3)), r.random(n), 0.01, t),
    (6, 3), (120, 20), nbody_port,
)  # fmt: skip
def nbody(position, velocity, mass, dt, steps):
    for _ in range(steps):
        apart = position[None, :, :] - position[:, None, :]
        square = (apart**2).sum(axis=2) + 0.01
        force = (apart * (mass[None, :] * square**-1.5)[:, :, None]).sum(axis=1)
        velocity += dt * force
        position += dt * velocity


@program(lambda r, n: (r.random((n, 3)) * 5, np.zeros((n, 3))), 6, 120)
def lennard_jones(position, force):
    n = position.shape[0]
    energy = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            dx = position[i, 0] - position[j, 0]
            dy = position[i, 1] - position[j, 1]
            dz = position[i, 2] - position[j, 2]
            square = dx * dx + dy * dy + dz * dz + 0.1
            sixth = 1.0 / square**3
            energy += 4.0 * sixth * (sixth - 1.0)
            scale = 24.0 * sixth * (2.0 * sixth - 1.0) / square
            force[i, 0] += scale * dx
            force[i, 1] += scale * dy
            force[i, 2] += scale * dz
            force[j, 0] -= scale * dx
            force[j, 1] -= scale * dy
            force[j, 2] -= scale * dz
    return energy


def pendulum_slope(angle, speed):
    return speed, -9.81 * np.sin(angle) - 0.1 * speed


def pendulum_port(angle, speed, dt, steps):
    trace = np.zeros((steps, 2))
    for t in range(steps):
        a1, s1 = speed, -9.81 * np.sin(angle) - 0.1 * speed
        a, s = angle + dt / 2 * a1, speed + dt / 2 * s1
        a2, s2 = s, -9.81 * np.sin(a) - 0.1 * s
        a, s = angle + dt / 2 * a2, speed + dt / 2 * s2
        a3, s3 = s, -9.81 * np.sin(a) - 0.1 * s
        a, s = angle + dt * a3, speed + dt * s3
        a4, s4 = s, -9.81 * np.sin(a) - 0.1 * s
        angle += dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        speed += dt / 6 * (s1 + 2 * s2 + 2 * s3 + s4)
        trace[t, 0], trace[t, 1] = angle, speed
    return trace


@program(lambda r, t: (1.0, 0.0, 0.01, t), 10, 20_000, pendulum_port)
def pendulum(angle, speed, dt, steps):
    trace = np.zeros((steps, 2))
    for t in range(steps):
        a1, s1 = pendulum_slope(angle, speed)
        a2, s2 = pendulum_slope(angle + dt / 2 * a1, speed + dt / 2 * s1)
        a3, s3 = pendulum_slope(angle + dt / 2 * a2, speed + dt / 2 * s2)
        a4, s4 = pendulum_slope(angle + dt * a3, speed + dt * s3)
        angle += dt / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        speed += dt / 6 * (s1 + 2 * s2 + 2 * s3 + s4)
        trace[t, 0] = angle
        trace[t, 1] = speed
    return trace


@program(lambda r, t: (r.random(3), 0.005, t), 12, 20_000)
def lorenz(state, dt, steps):
    x, y, z = state[0], state[1], state[2]
    path = np.empty((steps + 1, 3))
    path[0] = state
    for i in range(steps):
        dx = 10.0 * (y - x)
        dy = x * (28.0 - z) - y
        dz = x * y - 8.0 / 3.0 * z
        x, y, z = x + dt * dx, y + dt * dy, z + dt * dz
        path[i + 1, 0], path[i + 1, 1], path[i + 1, 2] = x, y, z
    return path


def pressure_port(p, b, dx, dy, rounds):
    rows, columns = p.shape
    old = np.empty_like(p)
    for _ in range(rounds):
        old[:] = p
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                p[i, j] = (
                    (old[i, j + 1] + old[i, j - 1]) * dy**2
                    + (old[i + 1, j] + old[i - 1, j]) * dx**2
                ) / (2 * (dx**2 + dy**2)) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[i, j]
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0


@program(
    lambda r, n, t: (np.zeros((n, n)), r.random((n, n)), 0.05, 0.04, t), (9, 4), (150, 60),
    pressure_port,
)  # fmt: skip
def pressure_poisson(p, b, dx, dy, rounds):
    old = np.empty_like(p)
    for _ in range(rounds):
        old[:] = p.copy()
        p[1:-1, 1:-1] = (
            (old[1:-1, 2:] + old[1:-1, 0:-2]) * dy**2 + (old[2:, 1:-1] + old[0:-2, 1:-1]) * dx**2
        ) / (2 * (dx**2 + dy**2)) - dx**2 * dy**2 / (2 * (dx**2 + dy**2)) * b[1:-1, 1:-1]
        p[:, -1] = p[:, -2]
        p[0, :] = p[1, :]
        p[:, 0] = p[:, 1]
        p[-1, :] = 0


WEIGHTS = (4 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 9, 1 / 36, 1 / 36, 1 / 36, 1 / 36)
ACROSS = (0, 1, 0, -1, 0, 1, -1, -1, 1)
ALONG = (0, 0, 1, 0, -1, 1, 1, -1, -1)


@program(lambda r, n, t: (1 + 0.1 * r.random((9, n, n)), 0.6, t), (6, 2), (60, 20))
def lattice_boltzmann(f, tau, steps):
    for _ in range(steps):
        for k in range(9):
            f[k] = np.roll(np.roll(f[k], ACROSS[k], axis=0), ALONG[k], axis=1)
        density = f.sum(axis=0)
        u = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) / density
        v = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) / density
        square = u * u + v * v
        for k in range(9):
            flow = ACROSS[k] * u + ALONG[k] * v
            balance = WEIGHTS[k] * density * (1 + 3 * flow + 4.5 * flow**2 - 1.5 * square)
            f[k] += (balance - f[k]) / tau
    return f


@program(lambda r, n, t: (r.random(n), np.zeros(n), 0.5, 0.02, t), (8, 4), (2000, 500))
def spring_chain(x, v, stiffness, dt, steps):
    for _ in range(steps):
        stretch = np.diff(x)
        force = np.zeros_like(x)
        force[:-1] += stiffness * stretch
        force[1:] -= stiffness * stretch
        v += dt * force
        x += dt * v
    return 0.5 * np.sum(v**2) + 0.5 * stiffness * np.sum(np.diff(x) ** 2)
