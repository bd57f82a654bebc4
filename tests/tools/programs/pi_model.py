"""The model of `pi`."""


def inside(count):
    state, hits = 42, 0
    for _ in range(count):
        state = (state * 16807) % 2147483647
        x = state / 2147483647
        state = (state * 16807) % 2147483647
        y = state / 2147483647
        if x * x + y * y <= 1.0:
            hits += 1
    return hits


COUNT = 100_000
