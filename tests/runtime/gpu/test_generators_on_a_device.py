"""Generators of NumPy that functions on a device draw from."""

import numpy as np
import pytest
from test_arrays_in_place import OfOthers

import allograph as ag

pytestmark = pytest.mark.usefixtures("gpu")


@pytest.mark.usefixtures("hard")
@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.Philox])
def test_uniform_numbers_are_drawn_by_threads(bits):
    def f(rng, count):
        return rng.uniform(-1.0, 3.0, count)

    own, other = (np.random.Generator(bits(3)) for _ in "ab")
    result = ag.jit(f, device="gpu")(own, 10)
    np.testing.assert_allclose(result, f(other, 10), rtol=1e-15)
    assert repr(own.bit_generator.state) == repr(other.bit_generator.state)


def test_other_numbers_are_drawn_between_kernels():
    def f(rng, x):
        return np.exp(rng.standard_normal(x.size)) * x + rng.permutation(x.size)

    function, x = ag.jit(f, device="gpu"), np.ones(5)
    own, other = map(np.random.default_rng, (3, 3))
    np.testing.assert_allclose(function(own, x), f(other, x), rtol=1e-15)
    assert own.random() == other.random()
    assert "native code" in function.inspect()


def test_a_generator_is_set_back_where_a_kernel_fails():
    def f(rng, x, at):
        y = rng.standard_normal(3)
        y[x[at]] = 1.0
        return y * 2.0

    own, other = map(np.random.default_rng, (3, 3))
    with pytest.raises(IndexError):
        ag.jit(f, device="gpu")(own, np.array([5]), 0)
    other.standard_normal(3)
    assert own.random() == other.random()


def test_noise_is_added_to_an_array_of_the_device_in_place(gpu):
    def f(rng, x, at):
        x += rng.standard_normal(x.shape)
        return x[at]

    function, a = ag.jit(f, device="gpu"), np.arange(4.0)
    own, other = map(np.random.default_rng, (3, 3))
    x = OfOthers(gpu, a)
    assert function(own, x, 2) == f(other, a, 2)
    for generator, array in ((own, x), (other, a)):
        with pytest.raises(IndexError):
            (function if array is x else f)(generator, array, 4)
    assert x.numpy().tolist() == a.tolist()
    assert own.random() == other.random()
