"""Nearest neighbors, and each distance between vectors."""

import numpy as np
import pynndescent
from pynndescent import distances, optimal_transport, sparse, utils

from . import attempt, call_all, call_on_sparse_vectors

RNG = np.random.default_rng(0)
POINTS = RNG.random((60, 5)).astype(np.float32)


def use_distances():
    for one, other in ((POINTS[0], POINTS[1]), (POINTS[0] > 0.5, POINTS[1] > 0.5),
                       (POINTS[2].round(), POINTS[3].round())):  # fmt: skip
        call_all(distances, one, other)
    call_all(distances, POINTS[0])
    attempt(distances.minkowski, POINTS[0], POINTS[1], 3.0)
    attempt(distances.weighted_minkowski, POINTS[0], POINTS[1], POINTS[2], 3.0)
    attempt(distances.mahalanobis, POINTS[0], POINTS[1], np.eye(5, dtype=np.float32))
    attempt(distances.standardised_euclidean, POINTS[0], POINTS[1], POINTS[2] + 1)
    attempt(distances.haversine, POINTS[0, :2], POINTS[1, :2])


def use_sparse_distances():
    call_on_sparse_vectors(sparse)


def use_transport():
    x, y = POINTS[0] / POINTS[0].sum(), POINTS[1] / POINTS[1].sum()
    cost = RNG.random((5, 5))
    call_all(optimal_transport, x.astype(float), y.astype(float), cost)
    call_all(optimal_transport, x.astype(float), y.astype(float))
    attempt(distances.kantorovich, x, y, cost)
    attempt(distances.sinkhorn, x, y, cost)


def use_heaps():
    state = np.array([1, 2, 3], dtype=np.int64)
    for _ in range(3):
        call_all(utils, state)
    call_all(utils, 5, 10, state)
    heap = attempt(utils.make_heap, 6, 3)
    for at in range(12):
        d = np.float32(RNG.random())
        attempt(utils.checked_heap_push, heap[1][at % 6], heap[0][at % 6], d, np.int32(at))
        attempt(utils.simple_heap_push, heap[1][at % 6], heap[0][at % 6], d, np.int32(at))
    attempt(utils.deheap_sort, heap[0], heap[1])


def use_index():
    for metric in ("euclidean", "cosine", "manhattan"):
        index = attempt(pynndescent.NNDescent, POINTS, metric, n_neighbors=5, random_state=1,
                        n_jobs=1)  # fmt: skip
        if index is not None:
            attempt(index.query, POINTS[:5], k=3)
