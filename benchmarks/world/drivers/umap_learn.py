"""Embeddings of few points, and each distance between vectors."""

import numpy as np
import umap
from umap import distances, layouts, sparse, utils, validation

from . import attempt, call_all, call_on_sparse_vectors

RNG = np.random.default_rng(0)
POINTS = RNG.random((40, 6))


def use_distances():
    for dtype in (np.float64, np.float32):
        points = POINTS.astype(dtype)
        call_all(distances, points[0], points[1])
        call_all(distances, points[0] > 0.5, points[1] > 0.5)
        call_all(distances, points[0])
    call_all(distances, POINTS[0, :2], POINTS[1, :2])
    call_all(distances, POINTS[0], POINTS[1], POINTS[2] + 1.0)
    call_all(distances, POINTS[0], POINTS[1], np.eye(6))
    call_all(distances, POINTS[0], POINTS[1], 3.0)
    call_all(distances, 3.0)
    call_all(distances, 3.0, 2.0)
    attempt(distances.weighted_minkowski, POINTS[0], POINTS[1], POINTS[2], 3.0)


def use_sparse_distances():
    call_on_sparse_vectors(sparse)
    call_all(sparse, 2.5)
    call_all(sparse, 2.5, 1.5)


def use_utilities():
    call_all(utils, np.array([1, 2, 3], dtype=np.int64))
    call_all(utils, POINTS[0])
    call_all(utils, POINTS, 3)
    call_all(layouts, 5.0)
    call_all(layouts, -2.5)
    call_all(layouts, POINTS[0], POINTS[1])


def use_embedding():
    for options in ({}, {"metric": "manhattan"}, {"densmap": True}):
        fitted = attempt(
            umap.UMAP(n_neighbors=5, n_epochs=5, random_state=1, **options).fit, POINTS
        )
        if fitted is not None:
            attempt(fitted.transform, POINTS[:3])
    attempt(umap.UMAP(n_neighbors=5, n_epochs=5, random_state=1).fit, POINTS, np.arange(40) % 3)
    attempt(validation.trustworthiness_vector, POINTS, POINTS[:, :2], 4)
