"""Indicators, signals, returns and portfolios of prices."""

import inspect

import numpy as np
import pandas as pd
import vectorbt as vbt
from vectorbt.base import combine_fns
from vectorbt.generic import nb as generic
from vectorbt.indicators import nb as indicators
from vectorbt.labels import nb as labels
from vectorbt.records import nb as records
from vectorbt.returns import nb as returns
from vectorbt.signals import nb as signals
from vectorbt.utils import array_, math_

from . import attempt, call_all

RNG = np.random.default_rng(0)
PRICES = np.exp(np.cumsum(RNG.normal(0, 0.02, (40, 3)), axis=0))
WITH_GAPS = np.where(RNG.random((40, 3)) < 0.1, np.nan, PRICES)
FRAME = pd.DataFrame(PRICES, pd.date_range("2020-01-01", periods=40), ["a", "b", "c"])
BY_NAME = {
    "a": WITH_GAPS, "arr": WITH_GAPS, "close": PRICES, "high": PRICES * 1.01, "ts": PRICES,
    "low": PRICES * 0.99, "volume": PRICES * 100, "window": 5, "n": 2, "minp": 2, "ddof": 1,
    "span": 5, "adjust": True, "ewm": False, "wait": 1, "value": 0.5, "returns": PRICES - 1.0,
    "ann_factor": 252.0, "benchmark_rets": PRICES[::-1] - 1.0, "rets": PRICES - 1.0,
    "start_value": 1.0, "risk_free": 0.01, "required_return": 0.0, "cutoff": 0.05, "seed": 1,
    "pos_th": 0.02, "neg_th": 0.02, "mask": PRICES > 1.0, "init_value": 1.0, "levy_alpha": 2.0,
    "axis": 0, "fill_value": 0.0, "shape": (20, 2), "factor": 1.0, "prob": 0.3, "k_window": 5,
    "d_window": 3, "d_ewm": False, "fast_window": 3, "slow_window": 6, "signal_window": 3,
    "macd_ewm": False, "signal_ewm": False, "alpha": 2.0, "entries": PRICES > 1.05,
    "exits": PRICES < 0.98, "entry_first": True, "stop": 0.05, "trailing": True,
}  # fmt: skip


def by_names(module) -> None:
    """Call each function of a module with arguments of the names of its parameters."""
    for name, function in list(vars(module).items()):
        if not hasattr(function, "py_func"):
            continue
        own = inspect.signature(function.py_func).parameters
        if not own.keys() <= BY_NAME.keys():
            continue
        values = [BY_NAME[key] for key in own]
        if "_1d_" in name:
            values = [one[:, 0] if np.ndim(one) == 2 else one for one in values]
        attempt(function, *values)


def use_generic():
    by_names(generic)
    call_all(generic, WITH_GAPS)
    call_all(generic, WITH_GAPS[:, 0])
    call_all(generic, WITH_GAPS, 3)


def use_indicators():
    by_names(indicators)
    for name in ("MA", "MSTD", "BBANDS", "RSI", "MACD"):
        attempt(getattr(vbt, name).run, FRAME, window=[5]) or attempt(getattr(vbt, name).run, FRAME)
    attempt(vbt.ATR.run, FRAME * 1.01, FRAME * 0.99, FRAME)
    attempt(vbt.STOCH.run, FRAME * 1.01, FRAME * 0.99, FRAME)
    attempt(vbt.OBV.run, FRAME, FRAME * 100)


def use_returns():
    by_names(returns)
    call_all(returns, PRICES - 1.0)
    attempt(FRAME.vbt.to_returns().vbt.returns.stats)


def use_labels():
    by_names(labels)
    for name in ("FMEAN", "FSTD", "FMIN", "FMAX", "FIXLB", "MEANLB", "LEXLB", "TRENDLB", "BOLB"):
        attempt(getattr(vbt, name).run, FRAME, 3) or attempt(
            getattr(vbt, name).run, FRAME, 0.1, 0.1
        )


def use_signals():
    by_names(signals)
    entries = FRAME > FRAME.rolling(3).mean()
    for name in ("rank", "pos_rank", "partition_pos_rank", "first", "nth", "between_ranges",
                 "partition_ranges", "norm_avg_index", "stats"):  # fmt: skip
        attempt(getattr(entries.vbt.signals, name, None))
    attempt(entries.vbt.signals.clean, ~entries)
    attempt(vbt.RAND.run, n=3, input_shape=(20, 2), seed=1)
    attempt(vbt.STX.run, entries, FRAME, 0.05)


def use_portfolios():
    entries = FRAME > FRAME.rolling(3).mean()
    for options in ({}, {"fees": 0.01, "slippage": 0.01}, {"group_by": True, "cash_sharing": True}):
        portfolio = attempt(
            vbt.Portfolio.from_signals, FRAME, entries, ~entries, freq="1D", **options
        )
        if portfolio is not None:
            attempt(portfolio.stats)
            attempt(portfolio.trades.stats)
            attempt(portfolio.drawdowns.stats)
    attempt(vbt.Portfolio.from_orders, FRAME, 1.0, freq="1D")
    attempt(vbt.Portfolio.from_signals, FRAME, entries, ~entries, sl_stop=0.05, tp_stop=0.1)


def use_records():
    drawdowns = FRAME.vbt.drawdowns
    for name in ("mean", "max", "min", "median", "std", "idxmax", "describe", "value_counts",
                 "to_pd", "top_n_mask", "cumsum"):  # fmt: skip
        attempt(getattr(attempt(lambda: drawdowns.duration), name, None))
    attempt(drawdowns.stats)
    call_all(records, np.array([0, 0, 1, 2, 2]))
    call_all(records, np.array([0, 0, 1, 2, 2]), 3)


def use_utilities():
    call_all(array_, np.array([3, 1, 2]))
    call_all(array_, 5)
    call_all(math_, 0.1, 0.2)
    call_all(math_, 0.1 + 0.2, 0.3)
    call_all(combine_fns, 3)
