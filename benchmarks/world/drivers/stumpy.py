"""Matrix profiles of time series."""

import numpy as np
import stumpy

from . import attempt, call_all

RNG = np.random.default_rng(0)
SERIES = np.cumsum(RNG.normal(size=72))
OTHER = np.cumsum(RNG.normal(size=60))


def use_matrix_profiles():
    attempt(stumpy.stump, SERIES, 8)
    attempt(stumpy.stump, SERIES, 8, OTHER, ignore_trivial=False)
    attempt(stumpy.stump, SERIES, 8, k=3)
    attempt(stumpy.aamp, SERIES, 8)
    attempt(stumpy.aamp, SERIES, 8, p=1.0)
    attempt(stumpy.scrump(SERIES, 8, percentage=0.5).update)
    attempt(stumpy.scraamp(SERIES, 8, percentage=0.5).update)


def use_incremental_profiles():
    for make in (stumpy.stumpi, stumpy.aampi):
        stream = attempt(make, SERIES, 8, egress=False)
        for value in OTHER[:4]:
            attempt(stream.update, value)


def use_several_dimensions():
    attempt(stumpy.mstump, np.stack([SERIES[:60], OTHER]), 8)
    attempt(stumpy.maamp, np.stack([SERIES[:60], OTHER]), 8)
    attempt(stumpy.ostinato, [SERIES[:50], OTHER[:50]], 8)


def use_patterns():
    attempt(stumpy.mass, SERIES[10:20], SERIES)
    attempt(stumpy.match, SERIES[10:20], SERIES)
    attempt(stumpy.motifs, SERIES, stumpy.stump(SERIES, 8)[:, 0])
    attempt(stumpy.allc, stumpy.stump(SERIES, 8)[:, 2], stumpy.stump(SERIES, 8)[:, 3])
    attempt(stumpy.mpdist, SERIES, OTHER, 8)
    attempt(stumpy.stimp(SERIES, 4, 10).update)
    attempt(stumpy.snippets, SERIES, 8, 2)
    with_gaps = SERIES.copy()
    with_gaps[[3, 40]] = np.nan
    attempt(stumpy.stump, with_gaps, 8)


def use_core():
    call_all(stumpy.core, SERIES)
    call_all(stumpy.core, SERIES[:8], SERIES)
    call_all(stumpy.core, SERIES, 8)
