"""Programs on JAX arrays, under `jit`, `vmap` and `grad`, beside plain Python on NumPy."""

import numpy as np
import pytest

pytest.importorskip("jax", reason="JAX is not installed")

import jax
import jax.numpy as jnp
from jax.test_util import check_grads
from jax_array_programs import ARRAYS, ROWS, horner, sets_items
from jax_array_programs import DIFFERENTIATED as OF_ARRAYS
from jax_number_programs import DIFFERENTIATED as OF_NUMBERS
from jax_number_programs import NUMBERS, greatest_divisor, power

import allograph as ag

on_jax = ag.jax.function


def same(one, other):
    one, other = jax.tree.leaves(one), jax.tree.leaves(other)
    assert len(one) == len(other)
    for left, right in zip(one, other):
        assert np.shape(left) == np.shape(right)
        np.testing.assert_allclose(np.asarray(left, float), np.asarray(right, float), 1e-5, 1e-6)


@pytest.mark.parametrize("function, numbers", [(row[0], row[1:]) for row in NUMBERS])
def test_traced_numbers_give_what_python_does(function, numbers):
    compiled = jax.jit(on_jax(function))
    for number in numbers:
        expected = function(np.asarray(number)[()])
        same(compiled(number), expected)
        same(on_jax(function)(jnp.asarray(number)), expected)


@pytest.mark.parametrize("function, numbers", [(row[0], row[1:]) for row in NUMBERS])
def test_a_batch_gives_what_each_number_does(function, numbers):
    kind = float if any(type(number) is float for number in numbers) else int
    numbers = [kind(number) for number in numbers]
    expected = [function(np.asarray(number)[()]) for number in numbers]
    same(jax.jit(jax.vmap(on_jax(function)))(jnp.asarray(numbers)), np.array(expected, float))


@pytest.mark.parametrize("x, n", [(1.5, 5), (2.0, 0), (-3.0, 3)])
def test_two_arguments_and_their_forward_derivative(x, n):
    same(jax.jit(on_jax(power))(x, n), power(x, n))
    forward = jax.jit(lambda x: jax.jvp(lambda y: on_jax(power)(y, jnp.asarray(n)), (x,), (1.0,)))
    same(forward(x)[1], n * x ** (n - 1) if n else 0.0)
    same(jax.jit(on_jax(greatest_divisor))(12 * n, 18), greatest_divisor(12 * n, 18))


@pytest.mark.parametrize("function", ARRAYS)
def test_traced_arrays_give_what_numpy_arrays_do(function):
    compiled = jax.jit(on_jax(function))
    for row in ROWS:
        same(compiled(jnp.asarray(row)), function(np.array(row, np.float32)))
    same(on_jax(function)(jnp.asarray(row)), function(np.array(row, np.float32)))


@pytest.mark.parametrize("function", ARRAYS)
def test_a_batch_of_arrays_gives_what_each_does(function):
    rows = [function(np.array(row, np.float32)) for row in ROWS]
    expected = jax.tree.map(lambda *leaves: np.stack(leaves), *rows)
    same(jax.jit(jax.vmap(on_jax(function)))(jnp.asarray(ROWS)), expected)


def test_a_batch_without_jit_gives_what_each_does():
    for function in (sets_items, horner):
        expected = [function(np.array(row, np.float32)) for row in ROWS]
        same(jax.vmap(on_jax(function))(jnp.asarray(ROWS)), np.stack(expected))


@pytest.mark.parametrize("function", OF_NUMBERS)
def test_derivatives_of_numbers_agree_with_finite_differences(function):
    compiled = jax.jit(on_jax(function))
    for x in (1.3, 2.7):
        check_grads(compiled, (x,), 1, rtol=2e-2, atol=2e-2)
    same(jax.grad(on_jax(function))(x), jax.grad(compiled)(x))


@pytest.mark.parametrize("function", OF_ARRAYS)
def test_derivatives_of_arrays_agree_with_finite_differences(function):
    def summed(xs):
        return sum(jnp.sum(leaf * 1.0) for leaf in jax.tree.leaves(on_jax(function)(xs)))

    check_grads(jax.jit(summed), (jnp.array([1.1, 2.2, 4.3, 3.4]),), 1, rtol=2e-2, atol=2e-2)
