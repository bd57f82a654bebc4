"""Categorical sampling, and random generators whose state is a variable."""

from __future__ import annotations

import os

import numpy as np

from ... import (
    Variable,
    argmax,
    as_dtype,
    cast,
    concat,
    convert_to_tensor,
    expand_dims,
    float32,
    float64,
    int64,
    random,
    shape,
    stack,
)
from ...extend.errors import ShapeError
from ...extend.operations import ops
from ...extend.registration import expose, public
from ...extend.specs import show
from .random_distributions import stateless_binomial


def _sizes_of_choices(logits, num_samples):
    if logits.dims is not None and len(logits.dims) != 2:
        raise ShapeError(f"categorical: logits are [batch, classes], not {show(logits.dims)}")
    sizes = shape(logits)
    return stack([sizes[0], cast(num_samples, sizes.dtype), sizes[1]])


def _sample(logits, noise, dtype):
    """Samples from the softmax of logits, by the maximum of logits plus Gumbel noise."""
    noise = -ops.log(-ops.log(noise))
    return argmax(expand_dims(logits, 1) + cast(noise, logits.dtype), -1, as_dtype(dtype))


@public("random.categorical")
def categorical(logits, num_samples, dtype=int64, seed=None, name=None):
    """Random class indices of shape [batch, num_samples], with probabilities softmax(logits).

    `logits` has the shape [batch, classes]. The indices have the dtype `dtype`.

    >>> ag.random.categorical([[-1e9, 0.0]], 3).numpy()
    array([[1, 1, 1]])

    Raises ShapeError unless `logits` is a matrix.
    """
    logits = convert_to_tensor(logits)
    smallest = np.finfo(np.float64).tiny
    sizes = _sizes_of_choices(logits, num_samples)
    return _sample(logits, random.uniform(sizes, smallest, 1.0, float64, seed), dtype)


@public("random.stateless_categorical")
def stateless_categorical(logits, num_samples, seed, dtype=int64, name=None):
    """Random class indices determined by `seed`, a vector of two integers.

    The other arguments are those of `random.categorical`. Equal seeds give equal indices.

    >>> a, b = (ag.random.stateless_categorical([[0.0, 0.0]], 9, [1, 2]) for _ in range(2))
    >>> bool(ag.reduce_all(a == b))
    True
    """
    logits = convert_to_tensor(logits)
    smallest = np.finfo(np.float64).tiny
    sizes = _sizes_of_choices(logits, num_samples)
    return _sample(logits, random.stateless_uniform(sizes, seed, smallest, 1.0, float64), dtype)


class Generator:
    """A random generator with its own state, a variable with a key and a counter.

    >>> a = ag.random.Generator.from_seed(7)
    >>> b = ag.random.Generator.from_seed(7)
    >>> bool(ag.reduce_all(a.normal([3]) == b.normal([3])))
    True
    >>> bool(ag.reduce_all(a.normal([3]) == a.normal([3])))
    False
    """

    def __init__(self, copy_from=None, state=None, alg=None):
        start = copy_from.state if copy_from is not None else state
        if start is None:
            raise ValueError("Generator: give `state`, `copy_from`, or use Generator.from_seed")
        self._state = Variable(np.asarray(start).astype(np.int64), False, "generator_state")

    @classmethod
    def from_seed(cls, seed: int, alg=None) -> Generator:
        """A generator determined by an integer."""
        return cls(state=_state_of(seed))

    @classmethod
    def from_non_deterministic_state(cls, alg=None) -> Generator:
        """A generator with a random state from the operating system."""
        return cls(state=np.frombuffer(os.urandom(24), np.int64))

    @classmethod
    def from_state(cls, state, alg=None) -> Generator:
        """A generator that continues from a state."""
        return cls(state=state)

    @classmethod
    def from_key_counter(cls, key, counter, alg=None) -> Generator:
        """A generator with a key and a counter."""
        counter = np.atleast_1d(np.asarray(counter))[0]
        return cls(state=[int(key), 0, int(counter)])

    @property
    def state(self) -> Variable:
        """The state variable: two int64 words of a key, and a counter of draws."""
        return self._state

    @property
    def key(self):
        return self._state[0]

    @property
    def algorithm(self) -> int:
        return 1  # Philox

    def reset(self, state) -> None:
        """Continue from another state."""
        self._state.assign(np.asarray(state).astype(np.int64))

    def reset_from_seed(self, seed: int) -> None:
        """Restart from an integer seed."""
        self.reset(_state_of(seed))

    def skip(self, delta):
        """Advance the counter by `delta` draws; returns the state variable."""
        state = self._state.value()
        self._state.assign(state + cast(stack([0, 0, delta]), int64))
        return self._state

    def make_seeds(self, count: int = 1):
        """Seeds of shape [2, count] for the stateless functions, as int64."""
        return self.uniform_full_int([2, count], int64)

    def split(self, count: int = 1) -> list[Generator]:
        """A list of `count` independent generators, derived from this one."""
        keys = self.make_seeds(count)
        return [Generator(state=concat([keys[:, i], [0]], 0).numpy()) for i in range(count)]

    def _next(self):
        """An unused seed; the counter advances."""
        state = self._state.value()
        self.skip(1)
        return stack([state[0] * 2 + state[1], state[2]])

    # ---- distributions -------------------------------------------------------------------

    def uniform(self, shape, minval=0, maxval=None, dtype=float32, name=None):
        """Uniformly distributed numbers, `minval <= x < maxval`; see `random.uniform`."""
        return random.stateless_uniform(shape, self._next(), minval, maxval, dtype)

    def uniform_full_int(self, shape, dtype="uint64", name=None):
        """Integers from the whole range of a dtype except its largest value."""
        dtype = as_dtype(dtype)
        return random.stateless_uniform(shape, self._next(), dtype.min, dtype.max, dtype)

    def normal(self, shape, mean=0.0, stddev=1.0, dtype=float32, name=None):
        """Normally distributed floats; see `random.normal`."""
        return random.stateless_normal(shape, self._next(), mean, stddev, dtype)

    def truncated_normal(self, shape, mean=0.0, stddev=1.0, dtype=float32, name=None):
        """Normal floats within two standard deviations; see `random.truncated_normal`."""
        return random.stateless_truncated_normal(shape, self._next(), mean, stddev, dtype)

    def binomial(self, shape, counts, probs, dtype="int32", name=None):
        """Numbers of successes in `counts` trials; see `random.stateless_binomial`."""
        return stateless_binomial(shape, self._next(), counts, probs, dtype)

    def __repr__(self):
        return f"<Generator with state {self._state.handle.read().tolist()}>"


expose(Generator, "random.Generator", "random.experimental.Generator")


def _state_of(seed: int) -> np.ndarray:
    """The state for a seed: two words of a key and the counter 0."""
    key = int(seed) % 2**64
    return np.array([key, 0, 0], np.uint64).view(np.int64)


class _Global:
    """The global generator, created on first use."""

    generator: Generator | None = None


@public("random.get_global_generator", "random.experimental.get_global_generator")
def get_global_generator() -> Generator:
    """The global generator of the process, created on first use with a random state.

    >>> ag.random.get_global_generator().normal([2]).shape
    TensorShape([2])
    """
    if _Global.generator is None:
        _Global.generator = Generator.from_non_deterministic_state()
    return _Global.generator


@public("random.set_global_generator", "random.experimental.set_global_generator")
def set_global_generator(generator: Generator) -> None:
    """Make `generator` the global generator of the process.

    >>> ag.random.set_global_generator(ag.random.Generator.from_seed(1))
    """
    _Global.generator = generator
