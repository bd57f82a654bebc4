"""Monte Carlo methods, with random numbers that are arguments or computed."""

import numpy as np

from .program import program


@program(lambda r, n: (r.random(n), r.random(n)), 20, 1_000_000)
def pi_points(x, y):
    return 4 * np.mean(x * x + y * y < 1)


@program(lambda r, n: (12345, n), 20, 100_000)
def pi_generator(seed, samples):
    inside = 0
    state = seed
    for _ in range(samples):
        state = (1103515245 * state + 12345) % 2147483648
        x = state / 2147483648
        state = (1103515245 * state + 12345) % 2147483648
        y = state / 2147483648
        if x * x + y * y < 1.0:
            inside += 1
    return 4 * inside / samples


@program(lambda r, n, t: (100.0, 105.0, 0.03, 0.2, r.normal(size=(t, n))), (6, 4), (20_000, 30))
def asian_option(start, strike, rate, volatility, noise):
    steps = noise.shape[0]
    dt = 1 / steps
    price = np.full(noise.shape[1], start)
    total = np.zeros_like(price)
    for t in range(steps):
        drift = (rate - 0.5 * volatility**2) * dt
        price *= np.exp(drift + volatility * np.sqrt(dt) * noise[t])
        total += price
    payoff = np.maximum(total / steps - strike, 0)
    return np.exp(-rate) * payoff.mean()


@program(
    lambda r, n, t: (2 * r.integers(0, 2, (n, n)) - 1, r.integers(0, n, (t, 2)), r.random(t), 0.44),
    (5, 20), (40, 20_000),
)  # fmt: skip
def ising(spins, sites, chances, beta):
    n = spins.shape[0]
    for t in range(sites.shape[0]):
        i, j = sites[t, 0], sites[t, 1]
        near = (
            spins[(i + 1) % n, j] + spins[(i - 1) % n, j]
            + spins[i, (j + 1) % n] + spins[i, (j - 1) % n]
        )  # fmt: skip
        change = 2 * spins[i, j] * near
        if change <= 0 or chances[t] < np.exp(-beta * change):
            spins[i, j] = -spins[i, j]
    return spins.sum()


def random_walk_port(steps):
    position, farthest = np.zeros(2), 0.0
    for t in range(steps.shape[0]):
        position[0] += steps[t, 0]
        position[1] += steps[t, 1]
        farthest = max(farthest, np.sqrt(position[0] ** 2 + position[1] ** 2))
    return position, farthest


@program(lambda r, n: (r.normal(size=(n, 2)),), 12, 40_000, random_walk_port)
def random_walk(steps):
    position = np.zeros(2)
    farthest = 0.0
    for step in steps:
        position += step
        distance = np.sqrt(np.sum(position**2))
        if distance > farthest:
            farthest = distance
    return position, farthest


@program(lambda r, n: (r.normal(size=n), r.random(n)), 15, 60_000)
def metropolis(proposals, chances):
    chain = np.empty_like(proposals)
    x, accepted = 0.0, 0
    for t in range(len(proposals)):
        new = x + proposals[t]
        if chances[t] < np.exp(0.5 * (x * x - new * new)):
            x = new
            accepted += 1
        chain[t] = x
    return chain, accepted / len(proposals)
