"""Four million call and put options by Black and Scholes: exp, log, sqrt and erf, float32.

Work: three inputs and two outputs of 16 MB; about 70 flops an option if exp, log and erf count as
the polynomials that they are.
Limit: the 80 MB at the speed of a copy.
"""

from __future__ import annotations

import numpy as np

SIZES = {"full": {"n": 4_000_000}, "small": {"n": 4_000}}
NOTES = {"numba": "polynomials; outputs are reused", "numpy": "erf from SciPy"}
INTEREST, VOLATILITY = 0.02, 0.3
DRIFT = INTEREST + VOLATILITY**2 / 2
ROOT_HALF = 0.5**0.5


def inputs(n):
    rng = np.random.default_rng(0)
    ranges = {"spot": (10, 50), "strike": (10, 50), "years": (0.2, 2)}
    return {name: rng.uniform(*bounds, n).astype(np.float32) for name, bounds in ranges.items()}


def limit(n):
    return {"bytes": 5 * 4 * n}


def graph(tf, size, **options):
    @tf.function(**options)
    def price(spot, strike, years):
        spread = VOLATILITY * tf.sqrt(years)
        high = (tf.math.log(spot / strike) + DRIFT * years) / spread
        low = high - spread
        chance = 0.5 + 0.5 * tf.math.erf(ROOT_HALF * high)
        exercised = 0.5 + 0.5 * tf.math.erf(ROOT_HALF * low)
        discounted = strike * tf.exp(-INTEREST * years)
        call = spot * chance - discounted * exercised
        return call, call - spot + discounted

    return price


def numpy(size):
    from scipy.special import erf

    half, root, volatility = np.float32(0.5), np.float32(ROOT_HALF), np.float32(VOLATILITY)
    drift, interest = np.float32(DRIFT), np.float32(-INTEREST)

    def price(spot, strike, years):
        spread = volatility * np.sqrt(years)
        high = (np.log(spot / strike) + drift * years) / spread
        low = high - spread
        chance = half + half * erf(root * high)
        exercised = half + half * erf(root * low)
        discounted = strike * np.exp(interest * years)
        call = spot * chance - discounted * exercised
        return call, call - spot + discounted

    return price


def numba(size, parallel=False):
    from numba import njit, prange

    from .vector_math import MATHS, erf_fraction, exp, log

    half, root, volatility = np.float32(0.5), np.float32(ROOT_HALF), np.float32(VOLATILITY)
    drift, interest = np.float32(DRIFT), np.float32(-INTEREST)
    block = 2000

    @njit(**MATHS)
    def price_block(spot, strike, years, call, put):
        # Two loops over what the first cache holds: as one they are too much for the vectorizer.
        for i in range(spot.size):
            spread = volatility * np.sqrt(years[i])
            high = (log(spot[i] / strike[i]) + drift * years[i]) / spread
            call[i] = root * high
            put[i] = root * (high - spread)
        for i in range(spot.size):
            above, below = erf_fraction(call[i])
            above_low, below_low = erf_fraction(put[i])
            share = half / (below * below_low)
            chance = half + above * below_low * share
            exercised = half + above_low * below * share
            discounted = strike[i] * exp(interest * years[i])
            call[i] = spot[i] * chance - discounted * exercised
            put[i] = call[i] - spot[i] + discounted

    @njit(parallel=parallel)
    def price_all(spot, strike, years, call, put):
        for b in prange((spot.size + block - 1) // block):
            block_slice = slice(b * block, (b + 1) * block)
            price_block(
                spot[block_slice],
                strike[block_slice],
                years[block_slice],
                call[block_slice],
                put[block_slice],
            )

    outputs = np.empty((2, size["n"]), np.float32)

    def price(spot, strike, years):
        price_all(spot, strike, years, outputs[0], outputs[1])
        return outputs

    return price, list


def jax(size):
    import jax
    from jax import numpy as jnp
    from jax.scipy.special import erf

    @jax.jit
    def price(spot, strike, years):
        spread = VOLATILITY * jnp.sqrt(years)
        high = (jnp.log(spot / strike) + DRIFT * years) / spread
        low = high - spread
        chance = 0.5 + 0.5 * erf(ROOT_HALF * high)
        exercised = 0.5 + 0.5 * erf(ROOT_HALF * low)
        discounted = strike * jnp.exp(-INTEREST * years)
        call = spot * chance - discounted * exercised
        return call, call - spot + discounted

    return price


def torch(size):
    import torch

    @torch.compile(fullgraph=True)
    def price(spot, strike, years):
        spread = VOLATILITY * torch.sqrt(years)
        high = (torch.log(spot / strike) + DRIFT * years) / spread
        low = high - spread
        chance = 0.5 + 0.5 * torch.erf(ROOT_HALF * high)
        exercised = 0.5 + 0.5 * torch.erf(ROOT_HALF * low)
        discounted = strike * torch.exp(-INTEREST * years)
        call = spot * chance - discounted * exercised
        return call, call - spot + discounted

    return price
