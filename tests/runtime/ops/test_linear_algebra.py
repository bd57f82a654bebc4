"""Linear algebra against NumPy, and its gradients against finite differences."""

import numpy as np
import pytest

import allograph as ag

RNG = np.random.default_rng(3)
ANY = RNG.normal(size=(2, 3, 3))
TALL = RNG.normal(size=(2, 4, 3))
POSITIVE = ANY @ ANY.transpose(0, 2, 1) + np.eye(3)


def turned(x):
    return np.swapaxes(x, -1, -2)


def test_solutions_solve():
    right = RNG.normal(size=(2, 3, 2))
    np.testing.assert_allclose(ANY @ ag.linalg.solve(ANY, right).numpy(), right)
    np.testing.assert_allclose(turned(ANY) @ ag.linalg.solve(ANY, right, adjoint=True), right)
    found = ag.linalg.triangular_solve(ANY, right, lower=False)
    np.testing.assert_allclose(np.triu(ANY) @ found.numpy(), right)
    factor = ag.linalg.cholesky(POSITIVE)
    np.testing.assert_allclose(POSITIVE @ ag.linalg.cholesky_solve(factor, right).numpy(), right)


def test_determinants_and_inverses_are_numpys():
    np.testing.assert_allclose(ag.linalg.inv(ANY), np.linalg.inv(ANY))
    np.testing.assert_allclose(ag.linalg.det(ANY), np.linalg.det(ANY))
    np.testing.assert_allclose(ag.linalg.logdet(POSITIVE), np.log(np.linalg.det(POSITIVE)))
    np.testing.assert_allclose(ag.linalg.pinv(TALL), np.linalg.pinv(TALL))
    assert ag.linalg.matrix_rank(np.ones((3, 3))).numpy() == 1


def test_least_squares_are_numpys():
    right = RNG.normal(size=(4, 2))
    expected = np.linalg.lstsq(TALL[0], right, rcond=None)[0]
    np.testing.assert_allclose(ag.linalg.lstsq(TALL[0], right), expected)


def test_factors_multiply_to_the_matrix():
    q, r = (one.numpy() for one in ag.linalg.qr(TALL))
    np.testing.assert_allclose(q @ r, TALL)
    s, u, v = (one.numpy() for one in ag.linalg.svd(TALL))
    np.testing.assert_allclose(u * s[:, None] @ turned(v), TALL)
    w, v = (one.numpy() for one in ag.linalg.eigh(POSITIVE))
    np.testing.assert_allclose(v * w[:, None] @ turned(v), POSITIVE)


def test_the_exponential_of_a_matrix():
    scipy_linalg = pytest.importorskip("scipy.linalg")
    for scale in (1e-3, 1.0, 10.0):
        expected = scipy_linalg.expm(scale * ANY[0])
        np.testing.assert_allclose(ag.linalg.expm(scale * ANY)[0], expected, rtol=1e-9)
    turn = np.array([[0.0, -np.pi], [np.pi, 0.0]])
    np.testing.assert_allclose(ag.linalg.expm(turn), -np.eye(2), atol=1e-12)


def test_a_singular_matrix_is_refused_eagerly_and_in_a_graph():
    for solve in (ag.linalg.inv, ag.function(ag.linalg.inv)):
        with pytest.raises(ag.errors.InvalidArgumentError, match="(?i)singular"):
            solve(np.zeros((2, 2)))


def test_sides_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="solve"):
        ag.linalg.solve(np.eye(3), np.ones((2, 1)))


def by_differences(function, x, step=1e-6):
    made = np.zeros_like(x)
    for index in np.ndindex(x.shape):
        moved = np.zeros_like(x)
        moved[index] = step
        made[index] = float(function(x + moved) - function(x - moved)) / 2 / step
    return made


# Signs of vectors are free, so the functions do not depend on them.
WEIGHTS = RNG.normal(size=(3, 3))
FUNCTIONS = {
    "qr": lambda x: ag.reduce_sum((ag.linalg.qr(x)[0] @ WEIGHTS) ** 2 * TALL),
    "singular values": lambda x: ag.reduce_sum(ag.linalg.svd(x, compute_uv=False) ** 3),
    "left vectors": lambda x: ag.reduce_sum(ag.linalg.svd(x)[1] ** 2 * TALL),
    "right vectors": lambda x: ag.reduce_sum(ag.linalg.svd(x)[2] ** 2 * ANY),
    "pseudo-inverse": lambda x: ag.reduce_sum(ag.linalg.pinv(x) ** 2),
}
SYMMETRIC = {
    "cholesky": lambda x: ag.reduce_sum(ag.linalg.cholesky(x) * WEIGHTS),
    "eigenvalues": lambda x: ag.reduce_sum(ag.linalg.eigvalsh(x) ** 3),
    "eigenvectors": lambda x: ag.reduce_sum(ag.linalg.eigh(x)[1] ** 2 * WEIGHTS),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_of_decompositions(name):
    function, x = FUNCTIONS[name], ag.constant(TALL)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    np.testing.assert_allclose(
        tape.gradient(y, x), by_differences(function, TALL), rtol=1e-4, atol=1e-6
    )


@pytest.mark.parametrize("name", SYMMETRIC)
def test_gradients_of_decompositions_of_symmetric_matrices(name):
    x = ag.constant(POSITIVE)

    def function(x):
        return SYMMETRIC[name]((x + ag.linalg.matrix_transpose(x)) / 2)

    with ag.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    np.testing.assert_allclose(
        tape.gradient(y, x), by_differences(function, POSITIVE), rtol=1e-4, atol=1e-6
    )
