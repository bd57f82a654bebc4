"""Random numbers, from a generator state that advances or from explicit seeds.

The generator is Philox, which is counter-based: a key and a counter determine a stream, the same
one in eager mode, in graphs and in native code. Source: Salmon et al., "Parallel random numbers: as
easy as 1, 2, 3", 2011.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable

import numpy as np

from ... import as_dtype, convert_to_tensor, float32, is_symbolic_tensor
from ...extend.errors import DTypeError, InvalidArgumentError, ShapeError, SymbolicValueError
from ...extend.graphs import BUILDER
from ...extend.kernels import Family, native_routines
from ...extend.operations import (
    FLOATS,
    INTEGERS,
    REALS,
    WRITES,
    Spec,
    apply,
    as_shape_tensor,
    constant_dimensions,
    hidden_op,
    same_as_input,
)
from ...extend.registration import public
from ...extend.specs import broadcast, show
from ...extend.state import EAGER_PLACE, RANDOM_STATE, philox


def _forms() -> dict:
    from .emit_draws import FORMS

    return FORMS


def _draw_functions() -> Callable:
    from .draw_kernels import functions

    return functions


native_routines(
    ("stateless_draw", "counted_draw"), _forms, {"draw": Family(0, _draw_functions, __package__)}
)
_site_numbers = itertools.count(1)


@public("random.set_seed")
def set_seed(seed: int) -> None:
    """Reset the random state of this process; the same seed gives the same numbers.

    >>> ag.random.set_seed(1); a = ag.random.normal([3])
    >>> ag.random.set_seed(1); b = ag.random.normal([3])
    >>> bool(ag.reduce_all(a == b))
    True
    """
    RANDOM_STATE.reset(_python_seed(seed, "set_seed takes"))


def _python_seed(seed, who_takes: str) -> int:
    if is_symbolic_tensor(seed):
        raise SymbolicValueError(
            f"{who_takes} a Python integer, and {seed} has no value while tracing",
            "Set the seed outside the function, or pass it to an operation that takes a tensor: "
            "ag.random.stateless_normal([3], seed=[seed, 0])",
        )
    try:
        return operator.index(seed)
    except TypeError:
        raise TypeError(f"{who_takes} a Python integer, not {seed!r}") from None


# ---- distributions ---------------------------------------------------------------------------


def _float_type(dtype) -> type:
    """The NumPy float type in which numbers of a float dtype are drawn."""
    return np.float64 if dtype.itemsize == 8 else np.float32


def _draw_uniform(generator, sizes, low, high):
    if as_dtype(low.dtype).is_integer:
        if not np.all(low < high):
            raise InvalidArgumentError(f"random.uniform: minval {low} is not below maxval {high}")
        return generator.integers(low, high, sizes, low.dtype)
    unit = generator.random(sizes, _float_type(low.dtype))
    drawn = np.asarray(unit * (high - low) + low).astype(low.dtype)
    too_far = np.where(low < high, drawn >= high, drawn <= high)  # rounding may reach `high`
    return np.where(too_far, np.nextafter(high, low), drawn)


def _draw_normal(generator, sizes, mean, deviation):
    drawn = generator.standard_normal(sizes, _float_type(mean.dtype))
    return np.asarray(drawn * deviation + mean).astype(mean.dtype)


def _draw_truncated(generator, sizes, mean, deviation):
    drawn = np.asarray(generator.standard_normal(sizes))
    left = np.flatnonzero(np.abs(drawn) > 2)
    while left.size:
        again = generator.standard_normal(left.size)
        drawn.flat[left] = again
        left = left[np.abs(again) > 2]
    return np.asarray(drawn * deviation + mean).astype(mean.dtype)


DRAWS = {"uniform": _draw_uniform, "normal": _draw_normal, "truncated_normal": _draw_truncated}


def _drawn(generator, distribution: str, shape, first, second):
    sizes = tuple(shape.tolist())
    _check_parameters(distribution, sizes, first.shape, second.shape)
    return DRAWS[distribution](generator, sizes, first, second)


def _parameter_cotangents(dy, y, first, second, distribution: str) -> tuple:
    """The cotangents of the limits, or of mean and deviation, with the random stream fixed."""
    if distribution == "uniform":
        share = (y - first) / (second - first)
        return dy * (1 - share), dy * share
    return dy, dy * (y - first) / second


def _drawn_result(distribution: str, shape, first, second):
    if shape.shape is not None and len(shape.shape) != 1:
        raise ShapeError(f"a shape is a vector of integers, not of shape {show(shape.shape)}")
    sizes, parameters = constant_dimensions(shape), (first.shape, second.shape)
    if sizes is not None and None not in (*sizes, *parameters):
        _check_parameters(distribution, sizes, *parameters)
    return Spec(first.dtype, sizes)


def _check_parameters(distribution: str, sizes, first, second) -> None:
    """Shapes of parameters have to broadcast to that of the numbers."""
    common = sizes if not (first or second) else broadcast(sizes, first, second)
    if common != sizes:
        raise ShapeError(
            f"random.{distribution}: parameters of shapes {show(first)} and {show(second)} do not "
            f"broadcast to {show(sizes)}"
        )


@hidden_op
class RandomDraw:
    """Random numbers from the generator state, which advances."""

    accepts = {"shape": INTEGERS, "first": REALS, "second": REALS}
    effect = WRITES
    draws_stream = True

    def kernel(shape, first, second, *, kind, seed, place):
        return _drawn(RANDOM_STATE.generator(seed, place), kind, shape, first, second)

    def result(shape, first, second, *, kind, seed, place):
        return _drawn_result(kind, shape, first, second)

    def gradient(dy, y, shape, first, second, *, kind, seed, place):
        return (None, *_parameter_cotangents(dy, y, first, second, kind))


SEEDS = set(INTEGERS)  # a separate set: the dtypes of seed and shape may differ


@hidden_op
class StatelessDraw:
    """Random numbers determined by a seed."""

    accepts = {"shape": INTEGERS, "seed": SEEDS, "first": REALS, "second": REALS}
    parallel_safe = True

    def kernel(shape, seed, first, second, *, kind):
        _check_seed(np.shape(seed))
        return _drawn(philox(seed.tolist()), kind, shape, first, second)

    def result(shape, seed, first, second, *, kind):
        _check_seed(seed.shape)
        return _drawn_result(kind, shape, first, second)

    def gradient(dy, y, shape, seed, first, second, *, kind):
        return (None, None, *_parameter_cotangents(dy, y, first, second, kind))


STREAMS = set(INTEGERS)


@hidden_op
class CountedDraw:
    """Random numbers of an explicit stream: the form of a stateful draw inside native code."""

    accepts = {"shape": INTEGERS, "stream": STREAMS, "first": REALS, "second": REALS}
    parallel_safe = True

    def kernel(shape, stream, first, second, *, kind):
        *key, count = stream.view(np.uint64).tolist()
        return _drawn(philox(key, count), kind, shape, first, second)

    def result(shape, stream, first, second, *, kind):
        return _drawn_result(kind, shape, first, second)

    def gradient(dy, y, shape, stream, first, second, *, kind):
        return (None, None, *_parameter_cotangents(dy, y, first, second, kind))


def _check_seed(shape) -> None:
    if shape is not None and (len(shape) != 1 or shape[0] not in (2, None)):
        raise ShapeError(f"the seed is two integers, not a tensor of shape {show(shape)}")


def _parameters(distribution: str, first, second, dtype):
    """Both parameters as tensors of the dtype of the result."""
    dtype = as_dtype(dtype)
    if dtype not in (REALS if distribution == "uniform" else FLOATS):
        raise DTypeError(f"random.{distribution}: there are no numbers of type {dtype.name}")
    return tuple(convert_to_tensor(one, dtype) for one in (first, second))


def _site() -> int:
    """The site of a draw: each operation of a graph has its own number."""
    return EAGER_PLACE if BUILDER.get() is None else next(_site_numbers)


def _stateful(distribution, shape, first, second, dtype, seed, name):
    pair = _parameters(distribution, first, second, dtype)
    seed = None if seed is None else _python_seed(seed, f"the seed of random.{distribution} is")
    attrs = {"kind": distribution, "seed": seed, "place": _site()}
    return apply(RandomDraw, (as_shape_tensor(shape), *pair), attrs, name)


def _stateless(distribution, shape, seed, first, second, dtype, name):
    pair = _parameters(distribution, first, second, dtype)
    operands = (as_shape_tensor(shape), convert_to_tensor(seed), *pair)
    return apply(StatelessDraw, operands, {"kind": distribution}, name)


def _highest(maxval, dtype):
    """`maxval`, with the default 1 for floats."""
    if maxval is None and as_dtype(dtype).is_integer:
        raise ValueError("random.uniform of integers needs maxval")
    return 1 if maxval is None else maxval


@public("random.uniform")
def uniform(shape, minval=0, maxval=None, dtype=float32, seed=None, name=None):
    """Uniformly distributed numbers, `minval <= x < maxval`, in the shape `shape`.

    `dtype` is a float or integer dtype. Integers need `maxval`; for floats it defaults to 1. The
    limits broadcast to `shape`. With `seed` the sequence of this operation is reproducible.

    >>> x = ag.random.uniform([1000])
    >>> bool((x.numpy() >= 0).all() and (x.numpy() < 1).all())
    True

    Raises InvalidArgumentError for integers if `minval` is not below `maxval`.
    """
    return _stateful("uniform", shape, minval, _highest(maxval, dtype), dtype, seed, name)


@public("random.normal")
def normal(shape, mean=0.0, stddev=1.0, dtype=float32, seed=None, name=None):
    """Normally distributed floats in the shape `shape`.

    `mean` and `stddev` broadcast to `shape`. With `seed` the sequence of this operation is
    reproducible.

    >>> ag.random.normal([2, 3], mean=10.0).shape
    TensorShape([2, 3])
    """
    return _stateful("normal", shape, mean, stddev, dtype, seed, name)


@public("random.truncated_normal")
def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=float32, seed=None, name=None):
    """Normally distributed floats within two standard deviations of the mean.

    Values further away are drawn again. `mean` and `stddev` broadcast to `shape`.

    >>> bool((abs(ag.random.truncated_normal([1000]).numpy()) <= 2).all())
    True
    """
    return _stateful("truncated_normal", shape, mean, stddev, dtype, seed, name)


@public("random.stateless_uniform")
def stateless_uniform(
    shape, seed, minval=0, maxval=None, dtype=float32, name=None, alg="auto_select"
):
    """Uniformly distributed numbers determined by `seed`, a vector of two integers.

    The other arguments are those of `random.uniform`. Equal seeds give equal numbers.

    >>> a, b = (ag.random.stateless_uniform([3], seed=[1, 2]) for _ in range(2))
    >>> bool(ag.reduce_all(a == b))
    True
    """
    return _stateless("uniform", shape, seed, minval, _highest(maxval, dtype), dtype, name)


@public("random.stateless_normal")
def stateless_normal(
    shape, seed, mean=0.0, stddev=1.0, dtype=float32, name=None, alg="auto_select"
):
    """Normally distributed floats determined by `seed`, a vector of two integers.

    The other arguments are those of `random.normal`. Equal seeds give equal numbers.

    >>> a, b = (ag.random.stateless_normal([3], seed=[1, 2]) for _ in range(2))
    >>> bool(ag.reduce_all(a == b))
    True
    """
    return _stateless("normal", shape, seed, mean, stddev, dtype, name)


@public("random.stateless_truncated_normal")
def stateless_truncated_normal(
    shape, seed, mean=0.0, stddev=1.0, dtype=float32, name=None, alg="auto_select"
):
    """Truncated normal floats determined by `seed`, a vector of two integers.

    The other arguments are those of `random.truncated_normal`. Equal seeds give equal numbers.

    >>> ag.random.stateless_truncated_normal([3], seed=[1, 2]).shape
    TensorShape([3])
    """
    return _stateless("truncated_normal", shape, seed, mean, stddev, dtype, name)


# ---- shuffling -------------------------------------------------------------------------------


@hidden_op
class Shuffle:
    """The rows in random order."""

    effect = WRITES
    result = same_as_input

    def kernel(x, *, seed, place):
        return RANDOM_STATE.generator(seed, place).permutation(x) if x.ndim else x


@public("random.shuffle")
def shuffle(value, seed=None, name=None):
    """`value` with its slices along the first axis in random order.

    >>> sorted(ag.random.shuffle([1, 2, 3]).numpy().tolist())
    [1, 2, 3]
    """
    seed = None if seed is None else _python_seed(seed, "the seed of random.shuffle is")
    return apply(Shuffle, (value,), {"seed": seed, "place": _site()}, name)
