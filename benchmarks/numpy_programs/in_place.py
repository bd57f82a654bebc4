"""Arguments that change in loops over elements, as in Fortran, C and Numba."""

import numpy as np

from .program import program


@program(lambda r, n: (r.random(n), r.random(n), n, 0.5), 40, 1_000_000)
def add_scaled(x, y, n, factor):
    for i in range(n):
        y[i] += factor * x[i]


@program(lambda r, n: (r.random((n, n)), np.zeros((n, n)), n, n), 12, 800)
def relax(source, target, rows, columns):
    for i in range(1, rows - 1):
        for j in range(1, columns - 1):
            around = source[i - 1, j] + source[i + 1, j] + source[i, j - 1] + source[i, j + 1]
            target[i, j] = 0.25 * around


@program(lambda r, n: (r.random(n),), 41, 1_000_000)
def turn_around(values):
    i, j = 0, len(values) - 1
    while i < j:
        values[i], values[j] = values[j], values[i]
        i += 1
        j -= 1


@program(lambda r, n: (r.random(n), 0.5), 40, 1_000_000)
def keep_above(values, limit):
    kept = 0
    for i in range(len(values)):
        if values[i] > limit:
            values[kept] = values[i]
            kept += 1
    return kept


@program(lambda r, n: (r.random(n),), 40, 50_000)
def heap_sort(values):
    n = len(values)
    for start in range(n // 2 - 1, -1, -1):
        root, end = start, n
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and values[child] < values[child + 1]:
                child += 1
            if values[root] >= values[child]:
                break
            values[root], values[child] = values[child], values[root]
            root = child
    for end in range(n - 1, 0, -1):
        values[0], values[end] = values[end], values[0]
        root = 0
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and values[child] < values[child + 1]:
                child += 1
            if values[root] >= values[child]:
                break
            values[root], values[child] = values[child], values[root]
            root = child


@program(lambda r, n: (np.ones(n, np.bool_),), 60, 1_000_000)
def cross_out(prime):
    prime[:2] = False
    for i in range(2, len(prime)):
        if prime[i]:
            for j in range(i * i, len(prime), i):
                prime[j] = False


@program(lambda r, n: (np.sort(r.random(n)), r.random(n)), 50, 100_000)
def bisect(sorted_values, targets):
    for k in range(len(targets)):
        low, high = 0, len(sorted_values)
        while low < high:
            middle = (low + high) // 2
            if sorted_values[middle] < targets[k]:
                low = middle + 1
            else:
                high = middle
        targets[k] = low
