"""Random numbers: with a state that advances, and without one.

Numbers come from Philox, a counter-based generator: a key and a counter give a stream, the same one
eagerly and in graphs. Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011.
"""

from __future__ import annotations

import itertools
import threading

import numpy as np

from ..apply import convert_to_tensor
from ..builder import known_dimensions
from ..dtypes import REALS, SIGNED, as_dtype, float32
from ..errors import InvalidArgumentError
from ..op import WRITES, Spec, op
from ..vocabulary import public
from .creation import as_shape_tensor
from .rules import same_as_input


class State:
    """The seed of the process, and how many streams were drawn from it."""

    def __init__(self):
        self.lock = threading.Lock()
        self.reset(None)

    def reset(self, seed: int | None) -> None:
        self.seed = seed
        self.drawn = itertools.count()
        self.of_operation: dict = {}

    def generator(self, seed: int | None, place) -> np.random.Generator:
        """The stream for one draw: repeatable once either seed is set."""
        with self.lock:
            if self.seed is None and seed is None:
                return np.random.default_rng()
            counts = self.of_operation.setdefault(
                place if seed is not None else None, itertools.count()
            )
            key = [self.seed or 0, 0 if seed is None else seed + 1]
            return philox(key, next(counts))


STATE = State()


def philox(key, counter: int = 0) -> np.random.Generator:
    """The stream that belongs to a key of two integers and a counter."""
    words = np.array([int(part) & 0xFFFFFFFFFFFFFFFF for part in key], np.uint64)
    return np.random.Generator(np.random.Philox(key=words, counter=[0, 0, 0, counter]))


@public("random.set_seed")
def set_seed(seed: int) -> None:
    """Start the random numbers of this process anew; the same seed gives the same numbers.

    >>> import allograph as ag
    >>> ag.random.set_seed(1); a = ag.random.normal([3])
    >>> ag.random.set_seed(1); b = ag.random.normal([3])
    >>> bool(ag.reduce_all(a == b))
    True
    """
    STATE.reset(seed)


def _draw_uniform(generator, sizes, low, high):
    if low.dtype.kind in "iu":
        if not low < high:
            raise InvalidArgumentError(f"random.uniform: minval {low} is not below maxval {high}")
        return generator.integers(low, high, sizes, low.dtype)
    unit = generator.random(sizes, np.float32 if low.dtype.itemsize <= 4 else np.float64)
    return np.asarray(unit * (high - low) + low).astype(low.dtype)


def _draw_normal(generator, sizes, mean, deviation):
    wide = np.float32 if mean.dtype.itemsize <= 4 else np.float64
    return np.asarray(generator.standard_normal(sizes, wide) * deviation + mean).astype(mean.dtype)


def _draw_truncated(generator, sizes, mean, deviation):
    found = generator.standard_normal(sizes)
    while np.any(outside := np.abs(found) > 2):
        found[outside] = generator.standard_normal(int(outside.sum()))
    return np.asarray(found * deviation + mean).astype(mean.dtype)


DRAWS = {"uniform": _draw_uniform, "normal": _draw_normal, "truncated_normal": _draw_truncated}


@op
class RandomDraw:
    """Fresh random numbers; the state advances."""

    accepts = {"shape": SIGNED, "first": REALS, "second": REALS}
    effect = WRITES
    hidden = True

    def kernel(shape, first, second, *, kind, seed, place):
        return DRAWS[kind](STATE.generator(seed, place), tuple(shape.tolist()), first, second)

    def result(shape, first, second, *, kind, seed, place):
        return Spec(first.dtype, known_dimensions(shape))


@op
class StatelessDraw:
    """The random numbers that belong to a seed."""

    accepts = {"shape": SIGNED, "seed": SIGNED | set(), "first": REALS, "second": REALS}
    hidden = True

    def kernel(shape, seed, first, second, *, kind):
        return DRAWS[kind](philox(seed), tuple(shape.tolist()), first, second)

    def result(shape, seed, first, second, *, kind):
        return Spec(first.dtype, known_dimensions(shape))


_places = itertools.count()


def _stateful(kind, shape, first, second, dtype, seed):
    dtype = as_dtype(dtype)
    pair = (convert_to_tensor(one, dtype) for one in (first, second))
    return RandomDraw(as_shape_tensor(shape), *pair, kind=kind, seed=seed, place=next(_places))


def _stateless(kind, shape, seed, first, second, dtype):
    dtype = as_dtype(dtype)
    pair = (convert_to_tensor(one, dtype) for one in (first, second))
    return StatelessDraw(as_shape_tensor(shape), convert_to_tensor(seed), *pair, kind=kind)


@public("random.uniform")
def uniform(shape, minval=0, maxval=None, dtype=float32, seed=None, name=None):
    """Numbers from `minval` up to, without, `maxval` (1 for floats), all equally likely.

    >>> x = uniform([1000])
    >>> bool((x.numpy() >= 0).all() and (x.numpy() < 1).all())
    True
    """
    if maxval is None:
        if as_dtype(dtype).is_integer:
            raise ValueError("random.uniform of integers needs maxval")
        maxval = 1
    return _stateful("uniform", shape, minval, maxval, dtype, seed)


@public("random.normal")
def normal(shape, mean=0.0, stddev=1.0, dtype=float32, seed=None, name=None):
    """Normally distributed numbers."""
    return _stateful("normal", shape, mean, stddev, dtype, seed)


@public("random.truncated_normal")
def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=float32, seed=None, name=None):
    """Normally distributed numbers, none further than two deviations from the mean."""
    return _stateful("truncated_normal", shape, mean, stddev, dtype, seed)


@public("random.stateless_uniform")
def stateless_uniform(
    shape, seed, minval=0, maxval=None, dtype=float32, name=None, alg="auto_select"
):
    """The uniform numbers that belong to a seed of two integers.

    >>> bool((stateless_uniform([3], [1, 2]) == stateless_uniform([3], [1, 2])).numpy().all())
    True
    """
    return _stateless("uniform", shape, seed, minval, 1 if maxval is None else maxval, dtype)


@public("random.stateless_normal")
def stateless_normal(
    shape, seed, mean=0.0, stddev=1.0, dtype=float32, name=None, alg="auto_select"
):
    """The normally distributed numbers that belong to a seed of two integers."""
    return _stateless("normal", shape, seed, mean, stddev, dtype)


@op
class Shuffle:
    """The rows in random order."""

    effect = WRITES
    result = same_as_input
    hidden = True

    def kernel(x, *, seed, place):
        return STATE.generator(seed, place).permutation(x)


@public("random.shuffle")
def shuffle(value, seed=None, name=None):
    """The rows of a tensor in random order."""
    return Shuffle(value, seed=seed, place=next(_places))
