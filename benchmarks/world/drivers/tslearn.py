"""Distances between time series, and their averages."""

import importlib
import pkgutil

import numpy as np
import tslearn
from tslearn import barycenters, metrics

from . import attempt, call_all

RNG = np.random.default_rng(0)
ONE, OTHER = RNG.normal(size=(12, 2)), RNG.normal(size=(15, 2))


def use_metrics():
    for name in ("dtw", "dtw_path", "dtw_limited_warping_length", "lcss", "lcss_path", "frechet",
                 "frechet_path", "soft_dtw", "soft_dtw_alignment", "gak", "ctw", "lb_envelope",
                 "dtw_subsequence_path", "lr_dtw"):  # fmt: skip
        function = getattr(metrics, name, None)
        if function is not None:
            attempt(function, ONE, OTHER)
            attempt(function, ONE[:, :1], OTHER[:, :1])
    for constraint in ("itakura", "sakoe_chiba"):
        attempt(metrics.dtw, ONE, OTHER, global_constraint=constraint)
        attempt(metrics.lcss, ONE, OTHER, global_constraint=constraint)
    for name in (
        "cdist_dtw",
        "cdist_soft_dtw",
        "cdist_gak",
        "cdist_frechet",
        "cdist_normalized_cc",
    ):
        attempt(getattr(metrics, name, None), RNG.normal(size=(4, 9, 2)))
    attempt(metrics.lb_keogh, ONE[:, :1], ONE[::-1, :1].copy(), radius=2)


def use_modules():
    for info in pkgutil.iter_modules(tslearn.metrics.__path__):
        module = attempt(importlib.import_module, f"tslearn.metrics.{info.name}")
        if module is not None:
            call_all(module, ONE, OTHER)
            call_all(module, ONE, OTHER, np.ones((12, 15), bool))
            call_all(module, RNG.random((12, 15)))
            call_all(module, RNG.random((12, 15)), 0.5)
            call_all(module, RNG.random((12, 15)), np.ones((12, 15), bool))


def use_averages():
    data = RNG.normal(size=(4, 10, 1))
    attempt(barycenters.softdtw_barycenter, data, max_iter=3)
    attempt(barycenters.dtw_barycenter_averaging, data, max_iter=3)
    attempt(barycenters.dtw_barycenter_averaging_subgradient, data, max_iter=3)


def use_models():
    from tslearn.clustering import KShape, TimeSeriesKMeans
    from tslearn.piecewise import (
        OneD_SymbolicAggregateApproximation,
        SymbolicAggregateApproximation,
    )

    data = RNG.normal(size=(8, 12, 1))
    attempt(TimeSeriesKMeans(2, metric="softdtw", max_iter=2, random_state=0).fit, data)
    attempt(TimeSeriesKMeans(2, metric="dtw", max_iter=2, random_state=0).fit, data)
    attempt(KShape(2, max_iter=3, random_state=0).fit, data)
    for model in (
        SymbolicAggregateApproximation(4, 3),
        OneD_SymbolicAggregateApproximation(4, 3, 3),
    ):
        symbols = attempt(model.fit_transform, data)
        attempt(model.inverse_transform, symbols)
        attempt(model.distance_sax, symbols[0], symbols[1]) if symbols is not None else None
