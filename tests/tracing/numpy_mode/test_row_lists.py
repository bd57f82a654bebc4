"""`jit`: lists of lists that grow, as those of the neighbors of nodes."""

import heapq
from collections import deque

import numpy as np
import pytest
from test_jit import check, outcome

import allograph as ag

pytestmark = pytest.mark.slow
random = np.random.default_rng(0)
EDGES, WEIGHTS = random.integers(0, 60, (150, 2)), random.random(150)


def distances(edges, count):
    neighbors = [[] for _ in range(count)]
    for one, other in edges:
        neighbors[one].append(other)
        neighbors[other].append(one)
    found = np.full(count, -1)
    found[0] = 0
    queue = deque([0])
    while queue:
        one = queue.popleft()
        for other in neighbors[one]:
            if found[other] < 0:
                found[other] = found[one] + 1
                queue.append(other)
    return found


def shortest(edges, count, weights):
    neighbors = [[] for _ in range(count)]
    for k in range(len(edges)):
        neighbors[edges[k, 0]].append((edges[k, 1], weights[k]))
    found = np.full(count, np.inf)
    found[0] = 0
    heap = [(0.0, 0)]
    while heap:
        distance, one = heapq.heappop(heap)
        if distance > found[one]:
            continue
        for other, weight in neighbors[one]:
            if distance + weight < found[other]:
                found[other] = distance + weight
                heapq.heappush(heap, (found[other], other))
    return found


def in_buckets(values, count):
    buckets = [[] for _ in range(count)]
    for value in values:
        buckets[int(value * count)].append(value)
    out = []
    for i in range(count):
        row = buckets[i]
        for j in range(1, len(row)):
            value, k = row[j], j - 1
            while k >= 0 and row[k] > value:
                row[k + 1] = row[k]
                k -= 1
            row[k + 1] = value
        for value in row:
            out.append(value)
    return np.array(out)


def of_rows(count):
    rows = [[] for _ in range(count)]
    for i in range(300):
        j = (i * i + 3) % count
        if i % 3 == 0 and rows[j]:
            rows[j].pop()
        else:
            rows[j].append(i)
    total = 0
    for row in rows:
        total = total * 3 + len(row)
    for i in range(count):
        if rows[i]:
            total = (total * 31 + rows[i][0] - rows[i][-1]) % 1000003
    return total, len(rows)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (distances, (EDGES, 60)),
        (shortest, (EDGES, 60, WEIGHTS)),
        (in_buckets, (random.random(200), 10)),
        (of_rows, (30,)),
    ],
)
def test_lists_of_lists_are_native(function, args):
    check(function, *args)


def beyond_the_end(count):
    rows = [[] for _ in range(count)]
    for i in range(count + 1):
        rows[i].append(i)
    return len(rows)


def used_after_the_loop(count):
    rows = [[] for _ in range(count)]
    for i in range(count):
        row = rows[i]
        row.append(i)
    return len(row), row[0]


def returned(count):
    rows = [[] for _ in range(count)]
    for i in range(300):
        rows[i % count].append(i)
    return rows


def another_row(count):
    rows = [[] for _ in range(count)]
    for i in range(count):
        rows[i] = [i, i + 1]
    return len(rows[3])


@pytest.mark.parametrize("function", [beyond_the_end, used_after_the_loop, returned, another_row])
def test_of_other_lists_python_computes(function):
    compiled = ag.jit(function)
    for _ in range(2):
        assert outcome(compiled, (30,))[0] == outcome(function, (30,))[0]
