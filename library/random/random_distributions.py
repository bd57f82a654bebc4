"""Random numbers of the gamma, Poisson and binomial distributions, and seeds made of seeds."""

from __future__ import annotations

import enum
from collections.abc import Callable

import numpy as np

from ... import as_dtype, cast, concat, convert_to_tensor, float32, int32, int64, random, stack
from ... import shape as shape_of
from ...extend.errors import ShapeError
from ...extend.kernels import Family, native_routines
from ...extend.operations import (
    FLOATS,
    INTEGERS,
    NUMBERS,
    Spec,
    as_shape_tensor,
    constant_dimensions,
    hidden_op,
)
from ...extend.registration import public
from ...extend.specs import show
from ...extend.state import philox


def _forms() -> dict:
    from .emit_variates import FORMS

    return FORMS


def _variate_functions() -> Callable:
    from .variates import functions

    return functions


native_routines(
    ("random_variates",), _forms, {"variate": Family(0, _variate_functions, __package__)}
)
SEEDS = set(INTEGERS)  # a separate set: the dtypes of seed and shape may differ

DRAWS = {
    "gamma": lambda generator, sizes, alpha, _: generator.standard_gamma(alpha, sizes),
    "poisson": lambda generator, sizes, rate, _: generator.poisson(rate, sizes),
    "binomial": lambda generator, sizes, counts, probability: generator.binomial(
        counts.astype(np.int64), probability, sizes
    ),
}


@hidden_op
class RandomVariates:
    """Random numbers of a distribution, determined by a seed; they have no gradient."""

    accepts = {"shape": INTEGERS, "seed": SEEDS, "first": FLOATS, "second": FLOATS}

    def kernel(shape, seed, first, second, *, distribution: str, dtype: str):
        sizes = tuple(shape.tolist())
        if np.broadcast_shapes(sizes, first.shape, second.shape) != sizes:
            raise ShapeError(
                f"random.{distribution}: parameters of shapes {show(first.shape)} and "
                f"{show(second.shape)} do not broadcast to {show(sizes)}"
            )
        drawn = DRAWS[distribution](philox(seed.tolist()), sizes, first, second)
        return np.asarray(drawn, as_dtype(dtype).numpy_dtype)

    def result(shape, seed, first, second, *, distribution, dtype):
        return Spec(as_dtype(dtype), constant_dimensions(shape))


def _variates(distribution: str, shape, seed, first, second, dtype):
    dtype = as_dtype(dtype)
    if dtype not in NUMBERS or dtype.is_complex:
        raise TypeError(f"random.{distribution}: there are no numbers of type {dtype.name}")
    first = convert_to_tensor(first)
    first = first if first.dtype.is_floating else cast(first, float32)
    second = cast(convert_to_tensor(second), first.dtype)
    return RandomVariates(
        as_shape_tensor(shape), seed, first, second, distribution=distribution, dtype=dtype.name
    )


def fresh_seed(seed=None):
    """A seed from the random state of the process, which advances."""
    return random.uniform([2], 0, 2**62, int64, seed)


def _beside(shape, *parameters):
    """`shape` followed by the shape of parameters: each of them has samples of its own."""
    total = parameters[0]
    for parameter in parameters[1:]:
        total = total + parameter
    return concat([as_shape_tensor(shape), shape_of(total)], 0)


@public("random.stateless_gamma")
def stateless_gamma(shape, seed, alpha, beta=None, dtype=float32, name=None):
    """Gamma distributed numbers determined by `seed`; `shape` ends with that of the parameters.

    `alpha` is the shape of the distribution, `beta` the inverse scale, by default 1.

    >>> bool((ag.random.stateless_gamma([5], [1, 2], 2.0) > 0).numpy().all())
    True
    """
    drawn = _variates("gamma", shape, seed, cast(alpha, dtype), 1.0, dtype)
    return drawn if beta is None else drawn / cast(beta, drawn.dtype)


@public("random.stateless_poisson")
def stateless_poisson(shape, seed, lam, dtype=int32, name=None):
    """Poisson distributed numbers determined by `seed`; `shape` ends with that of `lam`.

    >>> ag.random.stateless_poisson([3], [1, 2], 0.0).numpy()
    array([0, 0, 0], dtype=int32)
    """
    return _variates("poisson", shape, seed, lam, 0.0, dtype)


@public("random.stateless_binomial")
def stateless_binomial(shape, seed, counts, probs, output_dtype=int32, name=None):
    """Numbers of successes in `counts` trials, determined by `seed`.

    `shape` ends with the shape of the parameters.

    >>> ag.random.stateless_binomial([3], [1, 2], 7, 1.0).numpy()
    array([7, 7, 7], dtype=int32)
    """
    return _variates("binomial", shape, seed, cast(counts, float32), probs, output_dtype)


@public("random.gamma")
def gamma(shape, alpha, beta=None, dtype=float32, seed=None, name=None):
    """Gamma distributed numbers: `shape` samples for each of the parameters.

    `alpha` is the shape of the distribution, `beta` the inverse scale, by default 1.

    >>> ag.random.gamma([5], [0.5, 1.5]).shape
    TensorShape([5, 2])
    """
    alpha, beta = cast(alpha, dtype), cast(1.0 if beta is None else beta, dtype)
    return stateless_gamma(_beside(shape, alpha, beta), fresh_seed(seed), alpha, beta, dtype)


@public("random.poisson")
def poisson(shape, lam, dtype=float32, seed=None, name=None):
    """Poisson distributed numbers: `shape` samples for each element of `lam`.

    >>> ag.random.poisson([5], [0.5, 1.5]).shape
    TensorShape([5, 2])
    """
    lam = convert_to_tensor(lam)
    return stateless_poisson(_beside(shape, lam), fresh_seed(seed), lam, dtype)


# ---- seeds -----------------------------------------------------------------------------------


@public("random.Algorithm", "random.experimental.Algorithm")
class Algorithm(enum.Enum):
    """Algorithms of random numbers. Philox computes all of them here.

    >>> ag.random.Algorithm.PHILOX.value
    1
    """

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


@public("random.split", "random.experimental.stateless_split")
def split(seed, num=2, alg="auto_select"):
    """`num` independent seeds made of one, as a tensor of shape [num, 2].

    >>> a, b = ag.random.split([1, 2])
    >>> bool(ag.reduce_all(a == b))
    False
    """
    seed = convert_to_tensor(seed)
    return random.stateless_uniform([num, 2], seed, seed.dtype.min, seed.dtype.max, seed.dtype)


@public("random.fold_in", "random.experimental.stateless_fold_in")
def fold_in(seed, data, alg="auto_select"):
    """A seed made of a seed and an integer, such as the number of a step.

    >>> bool(ag.reduce_all(ag.random.fold_in([1, 2], 1) == ag.random.fold_in([1, 2], 2)))
    False
    """
    mixed = split(seed, 1)[0]
    data = cast(data, mixed.dtype)
    return split(mixed + stack([data, data * 3 + 1]), 1)[0]


@public("random.create_rng_state", "random.experimental.create_rng_state")
def create_rng_state(seed, alg="auto_select"):
    """The state for a `random.Generator`, of a seed: an integer, or a vector of up to three.

    >>> ag.random.create_rng_state(7).numpy()
    array([7, 0, 0])
    """
    words = [int(one) for one in np.atleast_1d(seed)]
    return convert_to_tensor(np.array([*words, 0, 0, 0][:3], np.int64))
