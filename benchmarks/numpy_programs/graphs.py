"""Algorithms on graphs: matrices of distances, and lists of edges."""

import numpy as np

from .program import program


def edges(r, n, degree):
    """The graph in compressed rows: offsets and neighbors."""
    return np.arange(0, n * degree + 1, degree), r.integers(0, n, n * degree)


def floyd_warshall_port(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                d[i, j] = min(d[i, j], d[i, k] + d[k, j])


@program(lambda r, n: (r.random((n, n)),), 8, 150, floyd_warshall_port)
def floyd_warshall(d):
    for k in range(d.shape[0]):
        d[:] = np.minimum(d, d[:, k][:, None] + d[k, :][None, :])


@program(lambda r, n: (*edges(r, n, 4), 0), 10, 10_000)
def breadth_first(offsets, neighbors, start):
    n = len(offsets) - 1
    distance = np.full(n, -1)
    queue = np.zeros(n, dtype=np.int64)
    distance[start] = 0
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        node = queue[head]
        head += 1
        for k in range(offsets[node], offsets[node + 1]):
            other = neighbors[k]
            if distance[other] < 0:
                distance[other] = distance[node] + 1
                queue[tail] = other
                tail += 1
    return distance


def page_rank_port(offsets, neighbors, damping, steps):
    n = offsets.shape[0] - 1
    rank, new = np.ones(n) / n, np.zeros(n)
    for _ in range(steps):
        for node in range(n):
            new[node] = (1 - damping) / n
        for node in range(n):
            share = damping * rank[node] / (offsets[node + 1] - offsets[node])
            for k in range(offsets[node], offsets[node + 1]):
                new[neighbors[k]] += share
        rank[:] = new
    return rank


@program(lambda r, n, t: (*edges(r, n, 5), 0.85, t), (8, 3), (2000, 5), page_rank_port)
def page_rank(offsets, neighbors, damping, steps):
    n = len(offsets) - 1
    rank = np.full(n, 1 / n)
    for _ in range(steps):
        new = np.full(n, (1 - damping) / n)
        for node in range(n):
            share = damping * rank[node] / (offsets[node + 1] - offsets[node])
            for k in range(offsets[node], offsets[node + 1]):
                new[neighbors[k]] += share
        rank = new
    return rank


@program(
    lambda r, n: (r.integers(0, n, 4 * n), r.integers(0, n, 4 * n), r.random(4 * n), n, 0),
    8, 1500,
)  # fmt: skip
def bellman_ford(sources, targets, weights, nodes, start):
    distance = np.full(nodes, np.inf)
    distance[start] = 0
    for _ in range(nodes - 1):
        changed = False
        for e in range(len(weights)):
            through = distance[sources[e]] + weights[e]
            if through < distance[targets[e]]:
                distance[targets[e]] = through
                changed = True
        if not changed:
            break
    return distance


def minimum_tree_port(weights):
    n = weights.shape[0]
    inside, nearest = np.zeros(n, np.bool_), np.full(n, np.inf)
    nearest[0] = 0.0
    total = 0.0
    for _ in range(n):
        node, best = 0, np.inf
        for i in range(n):
            if not inside[i] and nearest[i] < best:
                node, best = i, nearest[i]
        inside[node] = True
        total += best
        for i in range(n):
            nearest[i] = min(nearest[i], weights[node, i])
    return total


@program(lambda r, n: (r.random((n, n)),), 7, 500, minimum_tree_port)
def minimum_tree(weights):
    n = weights.shape[0]
    inside = np.zeros(n, dtype=bool)
    nearest = np.full(n, np.inf)
    nearest[0] = 0.0
    total = 0.0
    for _ in range(n):
        node = np.argmin(np.where(inside, np.inf, nearest))
        inside[node] = True
        total += nearest[node]
        nearest = np.minimum(nearest, weights[node])
    return total


@program(lambda r, n: (r.integers(0, n, (n, 2)), n), 12, 20_000)
def components(pairs, nodes):
    parent = np.arange(nodes)
    for e in range(pairs.shape[0]):
        a, b = pairs[e, 0], pairs[e, 1]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a != b:
            parent[a] = b
    count = 0
    for i in range(nodes):
        if parent[i] == i:
            count += 1
    return count


@program(lambda r, n: (r.random((n, n)) < 0.2,), 8, 70)
def count_triangles(adjacent):
    n = adjacent.shape[0]
    count = 0
    for i in range(n):
        for j in range(i + 1, n):
            if adjacent[i, j]:
                for k in range(j + 1, n):
                    if adjacent[i, k] and adjacent[j, k]:
                        count += 1
    return count
