"""`keras.random`: random tensors, of a seed or of a generator of seeds."""

from __future__ import annotations

from ... import as_dtype, int32
from ...extend.operations import ag
from ...extend.registration import public
from ..module import Module
from .layers.base_layer import Layer  # noqa: F401 - it registers
from .mixed_precision import dtype_of


@public("keras.random.SeedGenerator")
class SeedGenerator(Module):
    """Seeds for random functions: each call of one with this generator draws other numbers.

    >>> seeds = ag.keras.random.SeedGenerator(7)
    >>> one, other = (ag.keras.random.uniform([2], seed=seeds) for _ in range(2))
    >>> bool((one == other).numpy().any())
    False
    """

    def __init__(self, seed=None, name=None, **kwargs):
        start = int(ag.random.uniform([], maxval=2**31 - 1, dtype=int32)) if seed is None else seed
        self.state = ag.Variable([start, 0], trainable=False, dtype="int64", name="seed_state")

    def next(self, ordered=True):
        """The next seed, a vector of two integers."""
        seed = self.state.value()
        self.state.assign_add([0, 1])
        return seed


class _Global:
    seeds: SeedGenerator | None = None


def _seed_of(seed):
    """A vector of two integers: of a generator, of a number, or drawn for None."""
    if isinstance(seed, SeedGenerator):
        return seed.next()
    if seed is None:
        return ag.random.uniform([2], maxval=2**31 - 1, dtype=int32)
    if isinstance(seed, int):
        return [seed, 0]
    return seed


@public("keras.random.normal")
def normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """Normally distributed numbers; a number as `seed` gives the same ones each time.

    >>> ag.keras.random.normal([2, 3], seed=1).shape
    TensorShape([2, 3])
    """
    return ag.random.stateless_normal(shape, _seed_of(seed), mean, stddev, dtype_of(dtype))


@public("keras.random.truncated_normal")
def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    """Like `normal`, without numbers that are more than two deviations from the mean."""
    return ag.random.stateless_truncated_normal(
        shape, _seed_of(seed), mean, stddev, dtype_of(dtype)
    )


@public("keras.random.uniform")
def uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    """Numbers from `minval` to below `maxval`."""
    return ag.random.stateless_uniform(shape, _seed_of(seed), minval, maxval, dtype_of(dtype))


@public("keras.random.randint")
def randint(shape, minval, maxval, dtype="int32", seed=None):
    """Integers from `minval` to below `maxval`."""
    return ag.random.stateless_uniform(shape, _seed_of(seed), minval, maxval, as_dtype(dtype))


@public("keras.random.categorical")
def categorical(logits, num_samples, dtype="int32", seed=None):
    """Indices of classes with probabilities softmax(logits), [batch, num_samples]."""
    return ag.random.stateless_categorical(logits, num_samples, _seed_of(seed), as_dtype(dtype))


@public("keras.random.gamma")
def gamma(shape, alpha, dtype=None, seed=None):
    """Numbers of a gamma distribution."""
    return ag.random.stateless_gamma(shape, _seed_of(seed), alpha, dtype=dtype_of(dtype))


@public("keras.random.beta")
def beta(shape, alpha, beta, dtype=None, seed=None):
    """Numbers of a beta distribution, between 0 and 1."""
    one, other = ag.unstack(ag.random.split(_seed_of(seed)))
    dtype = dtype_of(dtype)
    x = ag.random.stateless_gamma(shape, one, alpha, dtype=dtype)
    return x / (x + ag.random.stateless_gamma(shape, other, beta, dtype=dtype))


@public("keras.random.binomial")
def binomial(shape, counts, probabilities, dtype=None, seed=None):
    """How many of `counts` trials succeed."""
    return ag.random.stateless_binomial(
        shape, _seed_of(seed), counts, probabilities, dtype_of(dtype)
    )


@public("keras.random.dropout")
def dropout(inputs, rate, noise_shape=None, seed=None):
    """Elements set to 0 with probability `rate`, the others scaled up."""
    x = ag.convert_to_tensor(inputs)
    sizes = ag.shape(x) if noise_shape is None else noise_shape
    kept = uniform(sizes, dtype=x.dtype, seed=seed) >= rate
    return ag.where(kept, x / (1 - rate), ag.zeros_like(x)) if rate < 1 else x * 0


@public("keras.random.shuffle")
def shuffle(x, axis=0, seed=None):
    """The slices along an axis in a random order."""
    x = ag.convert_to_tensor(x)
    order = ag.argsort(uniform([ag.shape(x)[axis]], seed=seed))
    return ag.gather(x, order, axis=axis)
