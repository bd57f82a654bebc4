"""Linear algebra against NumPy, and its gradients against finite differences."""

import numpy as np
import pytest
from native_calls import is_native

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


COMPLEX = RNG.normal(size=(3, 3)) + 1j * RNG.normal(size=(3, 3))
COLUMNS = RNG.normal(size=(3, 2)) + 1j * RNG.normal(size=(3, 2))


def hermitian(x):
    return x + ag.linalg.adjoint(x) + 6 * np.eye(3)


def without_phase(values, vectors):
    """Of eigenvectors, what does not depend on their choice."""
    return vectors * ag.math.conj(vectors) * values[None, :]


OF_COMPLEX_MATRICES = {
    "inv": ag.linalg.inv,
    "det": ag.linalg.det,
    "slogdet": lambda x: ag.linalg.slogdet(x)[1],
    "solve": lambda x: ag.linalg.solve(x, x @ x),
    "triangular_solve": lambda x: ag.linalg.triangular_solve(x, COLUMNS, adjoint=True),
    "cholesky": lambda x: ag.linalg.cholesky(hermitian(x)),
    "eigh": lambda x: without_phase(*ag.linalg.eigh(hermitian(x))),
    "eig": lambda x: without_phase(*ag.linalg.eig(x)),
    "expm": ag.linalg.expm,
    "lu": lambda x: ag.linalg.lu(x)[0],
    "sqrtm": ag.linalg.sqrtm,
    "tridiagonal_solve": lambda x: ag.linalg.tridiagonal_solve(x, COLUMNS),
    "banded_triangular_solve": lambda x: ag.linalg.banded_triangular_solve(
        x + 3, COLUMNS, adjoint=True
    ),
}


@pytest.mark.parametrize("name", OF_COMPLEX_MATRICES)
def test_gradients_of_complex_matrices_are_those_of_finite_differences(name):
    function = OF_COMPLEX_MATRICES[name]
    weights = np.random.default_rng(1).normal(size=function(ag.constant(COMPLEX)).shape)

    def total(x):
        return ag.reduce_sum(ag.math.real(function(x) * (weights * (1 - 2j))))

    x = ag.constant(COMPLEX)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = total(x)
    direction = np.random.default_rng(2).normal(size=(3, 3)) * (1 + 0.5j)
    found = np.sum((tape.gradient(y, x).numpy().conj() * direction).real)
    step = 1e-6 * direction
    expected = (total(ag.constant(COMPLEX + step)) - total(ag.constant(COMPLEX - step))) / 2e-6
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_lu_factors_give_the_matrix_its_inverse_and_solutions():
    factors, rows = ag.linalg.lu(ANY)
    right = RNG.normal(size=(2, 3, 2))
    np.testing.assert_allclose(ag.linalg.lu_reconstruct(factors, rows), ANY)
    np.testing.assert_allclose(ag.linalg.lu_matrix_inverse(factors, rows), np.linalg.inv(ANY))
    np.testing.assert_allclose(
        ag.linalg.lu_solve(factors, rows, right), np.linalg.solve(ANY, right)
    )
    with pytest.raises(ag.errors.InvalidArgumentError, match="singular"):
        ag.linalg.lu(np.zeros((2, 2)))


def test_functions_of_matrices_undo_each_other():
    root = ag.linalg.sqrtm(POSITIVE)
    np.testing.assert_allclose(root @ root, POSITIVE)
    logarithm = ag.linalg.logm(POSITIVE.astype(complex))
    np.testing.assert_allclose(ag.linalg.expm(logarithm), POSITIVE)
    with pytest.raises(ag.errors.InvalidArgumentError, match="not real"):
        ag.linalg.sqrtm(-np.eye(2))


def test_banded_systems_are_those_of_the_whole_matrix():
    matrix = np.diag([4.0, 5, 6, 7]) + np.diag([1.0, 2, 3], 1) + np.diag([0.5, 0.6, 0.7], -1)
    right = RNG.normal(size=(4, 2))
    sequence = [np.diag(matrix, k) for k in (1, 0, -1)]
    for diagonals, form in ((matrix, "matrix"), (sequence, "sequence")):
        found = ag.linalg.tridiagonal_solve(diagonals, right, form)
        np.testing.assert_allclose(found, np.linalg.solve(matrix, right))
        np.testing.assert_allclose(
            ag.linalg.tridiagonal_matmul(diagonals, right, form), matrix @ right
        )
    bands = np.stack([np.diag(matrix), np.append(0, np.diag(matrix, -1))])
    low = ag.linalg.banded_triangular_solve(bands, right)
    np.testing.assert_allclose(np.diag(np.diag(matrix)) @ low + np.diag(
        np.diag(matrix, -1), -1) @ low, right)  # fmt: skip


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_of_transposed_matrices_by_vectors_are_those_of_numpy(dtype):
    numbers = np.random.default_rng(0)
    a, x, y = (numbers.random(size).astype(dtype) for size in ((40, 30), 40, 30))

    @ag.jit
    def products(a, x, y):
        return a.T @ x, a @ y, x @ a, y @ a.T, a.T @ (a @ y)

    for found, wanted in zip(products(a, x, y), products.python_function(a, x, y), strict=True):
        np.testing.assert_allclose(found, wanted, 1e-5 if dtype is np.float32 else 1e-12)
    assert is_native(products)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("size", [(40, 30), (90, 80), (1, 500), (300, 1), (500, 200)])
def test_the_product_of_a_matrix_and_its_transpose_is_numpys_and_symmetric(dtype, size):
    a = np.random.default_rng(0).normal(size=size).astype(dtype)

    @ag.jit
    def products(a):
        return a.T @ a, a @ a.T, (a + 1) @ (a + 1).T

    for found, wanted in zip(products(a), products.python_function(a), strict=True):
        np.testing.assert_allclose(found, wanted, 1e-3, 1e-3 if dtype is np.float32 else 1e-9)
        np.testing.assert_array_equal(found, found.T)
    assert is_native(products)
