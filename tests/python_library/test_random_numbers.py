"""Random generators in plain Python: the numbers and the states are those of NumPy and Python."""

import random

import numpy as np
import pytest

from allograph.python_library.bit_generators import (
    OfGenerator,
    OfPhilox,
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


@pytest.mark.parametrize(("algorithm", "count"), [(OfGenerator, 300), (OfPhilox, 30)])
def test_draws_of_a_generator(algorithm, count):
    assert_same_draws(algorithm, algorithm.another(4), CALLS, count)


@pytest.mark.parametrize("algorithm", [OfGenerator, OfPhilox])
def test_uniform_numbers_at_once_are_those_drawn_one_after_the_other(algorithm):
    generator = algorithm.another(4)
    ours = algorithm(*algorithm.read(generator))
    for count in (1, 2, 3, 4, 5, 17, 100):
        drawn = ours.randoms(ours.units(count, np.asarray))
        np.testing.assert_array_equal(drawn, generator.random(count))
    np.testing.assert_array_equal(*ours.arrays, *algorithm.read(generator))


def test_counters_of_blocks_have_256_bits():
    generator = np.random.Generator(np.random.Philox(key=1, counter=2**256 - 3))
    ours = OfPhilox(*OfPhilox.read(generator))
    np.testing.assert_array_equal(ours.units(30, np.asarray)(), generator.random(30))
    np.testing.assert_array_equal(*ours.arrays, *OfPhilox.read(generator))


def test_a_block_that_was_set_is_for_numpy():
    generator = OfPhilox.another(4)
    state = generator.bit_generator.state
    generator.bit_generator.state = {**state, "buffer_pos": 1}
    with pytest.raises(ArithmeticError, match="was set"):
        OfPhilox.read(generator)


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
