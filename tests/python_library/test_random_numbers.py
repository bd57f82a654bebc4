"""Random generators in plain Python: the numbers and the states are those of NumPy and Python."""

import random

import numpy as np
import pytest

from allograph.tracing.numpy_mode.calls.bit_generators import (
    OfGenerator,
    OfRandom,
    WithNormalNumbers,
)

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
CALLS = [
    ("random",), ("uniform", -1.0, 3.0), ("standard_normal",), ("normal", 2.0, 0.5),
    ("standard_exponential",), ("exponential", 3.0), ("integers", 0, 100), ("integers", 7),
    ("integers", 5, 6),
]  # fmt: skip


def assert_same_draws(algorithm, generator, calls, count):
    ours = algorithm(*algorithm.read(generator))
    for name, *args in calls * count:
        own = getattr(ours, algorithm.drawn_by[name])
        assert own(*args) == pytest.approx(getattr(generator, name)(*args), rel=1e-15), name
    state = algorithm.read(generator)
    algorithm.write(generator, *ours.arrays)
    for before, after in zip(state, algorithm.read(generator), strict=True):
        np.testing.assert_array_equal(before, after)


def test_permuted_congruential_draws():
    assert_same_draws(OfGenerator, np.random.default_rng(4), CALLS, 300)


def test_draws_of_the_mersenne_twister():
    calls = [("randint" if name == "integers" else name, *args) for name, *args in CALLS]
    assert_same_draws(WithNormalNumbers, np.random.RandomState(4), calls, 100)


def test_draws_of_python():
    calls = [
        ("random",), ("uniform", -1.0, 3.0), ("randint", 3, 9), ("randrange", 10),
        ("randrange", 3, 1000), ("gauss", 2.0, 0.5), ("expovariate", 0.5),
    ]  # fmt: skip
    assert_same_draws(OfRandom, random.Random(4), calls, 100)


@pytest.mark.parametrize(
    "call", [("uniform", 1.0, 0.0), ("normal", 0.0, -1.0), ("exponential", -1.0), ("integers", 0)]
)
def test_what_is_no_distribution_fails(call):
    name, *args = call
    generator = OfGenerator(*OfGenerator.read(np.random.default_rng(0)))
    with pytest.raises(AssertionError):
        getattr(generator, name)(*args)
