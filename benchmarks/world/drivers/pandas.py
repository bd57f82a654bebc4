"""The kernels that pandas compiles where `engine="numba"` is asked for: windows and groups."""

import numpy as np
import pandas as pd

import allograph as ag

from . import attempt

for package in ("pandas.core._numba", "pandas.core.window.numba_", "pandas.core.groupby.numba_"):
    ag.autograph.convert_package(package)  # functions of pandas are Python's otherwise

RNG = np.random.default_rng(0)
NUMBERS = pd.DataFrame(RNG.standard_normal((40, 3)), columns=list("abc"))
GAPS = NUMBERS.mask(NUMBERS > 0.8)
INTEGERS = pd.DataFrame(RNG.integers(-9, 9, (40, 2)), columns=list("ab"))
KEYS = RNG.integers(0, 5, 40)
NAMES = "sum", "mean", "var", "std", "min", "max"


def use_windows():
    for table in (NUMBERS, GAPS, INTEGERS):
        for windows in (table.rolling(5, min_periods=2), table.expanding(2)):
            for name in NAMES:
                attempt(getattr(windows, name), engine="numba")


def use_windows_that_go_back():
    class Backward(pd.api.indexers.BaseIndexer):
        def get_window_bounds(
            self, num_values=0, min_periods=None, center=None, closed=None, step=None
        ):
            end = np.arange(num_values, 0, -1, dtype=np.int64)
            return np.maximum(end - 4, 0), end

    for name in NAMES[:4]:
        attempt(getattr(GAPS.rolling(Backward(), min_periods=1), name), engine="numba")


def use_groups():
    for table in (NUMBERS, GAPS, INTEGERS):
        groups = table.groupby(KEYS)
        for name in NAMES:
            attempt(getattr(groups, name), engine="numba")


def use_weights():
    for table in (NUMBERS, GAPS):
        for adjust in (True, False):
            weights = table.ewm(alpha=0.3, adjust=adjust)
            attempt(weights.mean, engine="numba")
            attempt(weights.sum, engine="numba")
        attempt(table.ewm(alpha=0.3, method="table").mean, engine="numba")


def span(values):
    return values.max() - values.min()


def scaled(values, index):
    return values / (np.abs(values).sum() + len(index))


def largest(values, index):
    return values.max()


def use_functions_of_the_user():
    attempt(NUMBERS.rolling(6).apply, span, raw=True, engine="numba")
    attempt(GAPS.rolling(4, min_periods=1).apply, span, raw=True, engine="numba")
    attempt(NUMBERS.apply, span, raw=True, engine="numba")
    attempt(NUMBERS.apply, span, raw=True, axis=1, engine="numba")
    groups = NUMBERS.groupby(KEYS)
    attempt(groups.agg, largest, engine="numba")
    attempt(groups.transform, scaled, engine="numba")


def use_tables():
    windows = NUMBERS.rolling(5, method="table", min_periods=1)
    for name in NAMES:
        attempt(getattr(windows, name), engine="numba")
    attempt(windows.apply, lambda rows: rows.sum(axis=0), raw=True, engine="numba")
