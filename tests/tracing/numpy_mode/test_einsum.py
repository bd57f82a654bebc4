"""`jit`: `np.einsum` of one, two and more arrays is native."""

import numpy as np
import pytest
from numpy_programs import assert_native

pytestmark = pytest.mark.slow

NUMBERS = np.random.default_rng(0)
X, M = NUMBERS.random((5, 3)) * 9, NUMBERS.random((3, 3)) * 9
TYPES = [np.float64, np.int64, np.complex128]


@pytest.mark.parametrize("dtype", TYPES)
def test_products_of_several_arrays(dtype):
    def products(x, m):
        forms = np.einsum("ni,ij,nj->n", x, m, x), np.einsum("ni,ij,nj", x, m, x)
        outer = np.einsum("i,j,k->kij", x[0], x[1], m[:, 0])
        return *forms, outer, np.einsum("ai,bi,ci,ij->abcj", x, x, x, m, optimize=True)

    assert_native(products, (X.astype(dtype), M.astype(dtype)))


@pytest.mark.parametrize("dtype", TYPES)
def test_products_of_elements_and_their_sums(dtype):
    def products(x):
        rows, columns = np.einsum("ij,ij->i", x, x), np.einsum("ij,ij->j", x, x)
        return rows, columns, np.einsum("ij,ij->ji", x, x), np.einsum("ij,ij->", x, x)

    assert_native(products, (X.astype(dtype),))


@pytest.mark.parametrize("dtype", TYPES)
def test_sums_of_one_array(dtype):
    def sums(x):
        return np.einsum("ij->j", x), np.einsum("ij->ji", x), np.einsum("ij->", x)

    assert_native(sums, (X.astype(dtype),))


def test_products_of_arrays_of_several_types_have_the_widest():
    def product(x, m):
        return np.einsum("ni,ij,nj->n", x, m, x)

    assert_native(product, (X.astype(np.int32), M), (X.astype(np.int8), M.astype(np.int16)))


@pytest.mark.parametrize("dtype", TYPES)
def test_letters_that_are_repeated_pick_a_diagonal(dtype):
    def diagonals(m, cube):
        total = 0.0
        for i in range(9):
            total += np.einsum("ii", m) * i + np.einsum("ii->i", m)[i % 3]
        rows = np.einsum("iij->j", cube), np.einsum("iij,ij->i", cube, m[:, :2])
        return total, *rows, np.einsum("iij->", cube), np.einsum("ii,ii", m, m)

    m = M[:3, :3].astype(dtype)
    assert_native(diagonals, (m, np.arange(18.0).reshape(3, 3, 2).astype(dtype)))


def test_a_diagonal_is_a_view():
    def shifted(m):
        diagonal = np.einsum("ii->i", m)
        for i in range(len(diagonal)):
            diagonal[i] += i
        return diagonal

    assert_native(shifted, (M[:3, :3].copy(),))
