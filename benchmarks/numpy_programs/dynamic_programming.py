"""Dynamic programming: tables that are filled from their own entries."""

import numpy as np

from .program import program


def letters(r, n, kinds=4):
    return r.integers(0, kinds, n)


@program(lambda r, n: (letters(r, n), letters(r, n + 2)), 8, 250)
def edit_distance(one, other):
    n, m = len(one), len(other)
    table = np.zeros((n + 1, m + 1), dtype=np.int64)
    table[:, 0] = np.arange(n + 1)
    table[0, :] = np.arange(m + 1)
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if one[i - 1] == other[j - 1] else 1
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + cost)
    return table[n, m]


@program(lambda r, n: (letters(r, n), letters(r, n)), 8, 250)
def common_subsequence(one, other):
    n, m = one.size, other.size
    lengths = np.zeros((n + 1, m + 1), np.int32)
    for i in range(n):
        for j in range(m):
            if one[i] == other[j]:
                lengths[i + 1, j + 1] = lengths[i, j] + 1
            else:
                lengths[i + 1, j + 1] = max(lengths[i, j + 1], lengths[i + 1, j])
    return lengths[-1, -1], lengths


def knapsack_port(weights, values, capacity):
    best = np.zeros(capacity + 1, np.int64)
    for i in range(weights.shape[0]):
        for c in range(capacity, weights[i] - 1, -1):
            best[c] = max(best[c], best[c - weights[i]] + values[i])
    return best[capacity]


@program(
    lambda r, n, c: (r.integers(1, 9, n), r.integers(1, 50, n), c), (7, 20), (100, 1000),
    knapsack_port,
)  # fmt: skip
def knapsack(weights, values, capacity):
    best = np.zeros(capacity + 1, dtype=values.dtype)
    for weight, value in zip(weights, values):  # noqa: B905 - as users write it
        for c in range(capacity, weight - 1, -1):
            best[c] = max(best[c], best[c - weight] + value)
    return best[capacity]


@program(lambda r, n: (letters(r, n),), 12, 110)
def nussinov(sequence):
    n = sequence.shape[0]
    table = np.zeros((n, n), np.int32)
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            if j - 1 >= 0:
                table[i, j] = max(table[i, j], table[i, j - 1])
            if i + 1 < n:
                table[i, j] = max(table[i, j], table[i + 1, j])
            if j - 1 >= 0 and i + 1 < n:
                pair = 1 if sequence[i] + sequence[j] == 3 else 0
                inner = table[i + 1, j - 1]
                table[i, j] = max(table[i, j], inner + pair if i < j - 1 else inner)
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table


@program(lambda r, n: (letters(r, n), letters(r, n), 2.0, -1.0, -1.5), 8, 250)
def smith_waterman(one, other, match, mismatch, gap):
    n, m = len(one), len(other)
    score = np.zeros((n + 1, m + 1))
    best = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            diagonal = score[i - 1, j - 1] + (match if one[i - 1] == other[j - 1] else mismatch)
            score[i, j] = max(0.0, diagonal, score[i - 1, j] + gap, score[i, j - 1] + gap)
            if score[i, j] > best:
                best = score[i, j]
    return best, score


def viterbi_port(start, transition, emission, seen):
    steps, states = seen.shape[0], start.shape[0]
    score = np.zeros((steps, states))
    back = np.zeros((steps, states), np.int64)
    for s in range(states):
        score[0, s] = start[s] + emission[s, seen[0]]
    for t in range(1, steps):
        for s in range(states):
            best, where = -np.inf, 0
            for p in range(states):
                value = score[t - 1, p] + transition[p, s]
                if value > best:
                    best, where = value, p
            back[t, s] = where
            score[t, s] = best + emission[s, seen[t]]
    path = np.zeros(steps, np.int64)
    path[-1] = np.argmax(score[-1])
    for t in range(steps - 2, -1, -1):
        path[t] = back[t + 1, path[t + 1]]
    return path


@program(
    lambda r, k, n: (np.log(r.random(k)), np.log(r.random((k, k))), np.log(r.random((k, 5))),
                     r.integers(0, 5, n)),
    (3, 7), (12, 1000), viterbi_port,
)  # fmt: skip
def viterbi(start, transition, emission, seen):
    steps, states = len(seen), len(start)
    score = np.zeros((steps, states))
    back = np.zeros((steps, states), dtype=np.int64)
    score[0] = start + emission[:, seen[0]]
    for t in range(1, steps):
        candidates = score[t - 1][:, None] + transition
        back[t] = candidates.argmax(axis=0)
        score[t] = candidates.max(axis=0) + emission[:, seen[t]]
    path = np.zeros(steps, dtype=np.int64)
    path[-1] = score[-1].argmax()
    for t in range(steps - 2, -1, -1):
        path[t] = back[t + 1, path[t + 1]]
    return path


@program(lambda r, n: (r.integers(1, 30, n),), 6, 60)
def matrix_chain(sizes):
    n = len(sizes) - 1
    cost = np.zeros((n, n), dtype=np.int64)
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            cost[i, j] = np.iinfo(np.int64).max
            for k in range(i, j):
                total = cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                if total < cost[i, j]:
                    cost[i, j] = total
    return cost[0, n - 1]


@program(lambda r, n: (r.integers(0, 1000, n),), 12, 400)
def increasing_subsequence(values):
    lengths = np.ones(values.shape[0], dtype=np.int64)
    for i in range(1, values.shape[0]):
        for j in range(i):
            if values[j] < values[i] and lengths[j] + 1 > lengths[i]:
                lengths[i] = lengths[j] + 1
    return lengths.max()


@program(lambda r, n: (r.normal(size=n), r.normal(size=n + 3)), 8, 200)
def time_warping(one, other):
    n, m = one.shape[0], other.shape[0]
    cost = np.full((n + 1, m + 1), np.inf)
    cost[0, 0] = 0.0
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            distance = (one[i - 1] - other[j - 1]) ** 2
            cost[i, j] = distance + min(cost[i - 1, j], cost[i, j - 1], cost[i - 1, j - 1])
    return np.sqrt(cost[n, m])
