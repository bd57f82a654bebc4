"""Densities, distribution functions and quantiles."""

import importlib
import inspect
import pkgutil

import numba_stats
import numpy as np

from . import attempt

RNG = np.random.default_rng(0)
VALUES = {"x": np.linspace(-2.0, 3.0, 21), "p": np.linspace(0.05, 0.95, 9), "k": np.arange(8)}
PARAMETERS = (2.5, 1.25, 0.75, 1.5, 2.0, 0.5, 3.0)


def use_distributions():
    for info in pkgutil.iter_modules(numba_stats.__path__):
        if info.name.startswith("_"):
            continue
        module = importlib.import_module(f"numba_stats.{info.name}")
        for name in ("pdf", "logpdf", "pmf", "logpmf", "cdf", "ppf", "density", "integral"):
            for dtype in (np.float64, np.float32):
                call_one(module, name, dtype)


def call_one(module, name, dtype):
    for function in (getattr(module, name, None), getattr(module, f"_{name}", None)):
        if function is None:
            continue
        own = getattr(function, "py_func", function)
        count = len(inspect.signature(own).parameters)
        first = VALUES["p" if name == "ppf" else "k" if "pm" in name else "x"].astype(dtype)
        attempt(function, first, *map(dtype, PARAMETERS[: count - 1]))


def use_scalars():
    for info in pkgutil.iter_modules(numba_stats.__path__):
        module = importlib.import_module(f"numba_stats.{info.name}")
        for name, function in list(vars(module).items()):
            if hasattr(function, "py_func") and name.startswith("_"):
                count = len(inspect.signature(function.py_func).parameters)
                attempt(function, *(0.5, *PARAMETERS)[:count])
                attempt(function, *map(np.float32, (0.5, *PARAMETERS)[:count]))


def use_bernstein():
    from numba_stats import bernstein

    attempt(bernstein.density, VALUES["x"], np.array([1.0, 2.0, 0.5]), -2.0, 3.0)
    attempt(bernstein.integral, VALUES["x"], np.array([1.0, 2.0, 0.5]), -2.0, 3.0)
