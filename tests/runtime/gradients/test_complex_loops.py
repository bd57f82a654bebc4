"""Derivatives of loops whose state is complex, of every order."""

import numpy as np

import allograph as ag

STEP = 1e-5
X = np.array([0.4, 0.5, 0.6])
Z = np.array([0.1, 0.2, 0.3])


@ag.function
def squared(a, b, k):
    c = ag.complex(a, b)
    for _ in ag.range(k):
        c = c * c * 0.5 + ag.exp(c * 0.2j)
    return ag.math.real(c)


def slope(function):
    """The derivative of the sum of what a function gives."""

    def derivative(z, x):
        with ag.GradientTape() as tape:
            tape.watch(z)
            total = ag.reduce_sum(function(z, x))
        return tape.gradient(total, z)

    return derivative


def test_third_derivatives_are_the_differences_of_second_ones():
    second = slope(slope(lambda z, x: squared(z, x, 2)))
    z, x = ag.constant(Z), ag.constant(X)
    steps = (second(ag.constant(Z + sign * STEP), x).numpy() for sign in (1, -1))
    expected = np.subtract(*steps) / (2 * STEP)
    np.testing.assert_allclose(slope(second)(z, x).numpy(), expected, 1e-7)
    np.testing.assert_allclose(ag.function(slope(second))(z, x).numpy(), expected, 1e-7)
