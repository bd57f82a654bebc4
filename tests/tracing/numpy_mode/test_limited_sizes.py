"""`jit`: sizes that are computed and have a limit, and results of known shape."""

import numpy as np
import pytest
from numpy_programs import assert_native, assert_same_outcome

import allograph as ag
from allograph.runtime.executors.bound_calls import number_of_results

RANDOM = np.random.default_rng(5)
X, KEYS = RANDOM.random(30), RANDOM.integers(-20, 20, 50)


def test_ranges_with_bounds_that_a_loop_computes():
    def ranges(n):
        total = 0
        for i in range(n):
            total += np.arange(i + 1).sum() * 2 + np.arange(i, n).sum() + np.arange(n, i, -1).sum()
            total -= np.arange(1, 2 * i, 3).sum() + np.arange(n, 0, -2)[:i].sum()
        return total

    assert_native(ranges, (12,), (1,), (30,))


def test_ranges_with_a_computed_step_as_indices():
    def sieve(n):
        is_prime = np.ones(n + 1, bool)
        is_prime[:2] = False
        for p in range(2, int(n**0.5) + 1):
            if is_prime[p]:
                is_prime[np.arange(p * p, n + 1, p)] = False
        return np.flatnonzero(is_prime)

    assert_native(sieve, (200,), (4,))


@pytest.mark.slow
def test_new_arrays_of_a_computed_size():
    def filled(n, x):
        total = 0.0
        for i in range(1, n):
            z, w = np.zeros(i), np.ones((i, 2))
            z[:] = x[:i]
            z[0] += 1
            w[:, 1] = z
            total += w.sum() + np.full(i, 2.5).sum() + len(np.empty(n - i))
        return total

    def raises(n):
        return sum([len(np.zeros(3 - i)) + len(np.arange(2 - i)) for i in range(n)])

    assert_native(filled, (9, X))
    for n in (3, 6):
        assert_same_outcome(raises, ag.jit(raises), (n,))


def test_a_name_holds_arrays_of_a_size_that_the_loop_computes():
    def pascal(n):
        row = np.ones(1)
        for i in range(1, n):
            new = np.ones(i + 1)
            new[1:-1] = row[:-1] + row[1:]
            row = new
        return row

    assert_native(pascal, (12,), (1,), (2,))


def test_what_a_mask_leaves_has_a_known_shape():
    def carved(energy, seam):
        keep = np.ones(energy.shape, bool)
        keep[np.arange(len(seam)), seam] = False
        rest = energy[keep].reshape(energy.shape[0], -1 + energy.shape[1])
        return rest, rest.T @ rest

    def reshaped(x):
        return x[x > 0.5].reshape(2, 3)

    assert_native(carved, (X.reshape(6, 5), np.array([0, 1, 4, 3, 2, 2])))
    for x in (X, np.full(6, 0.9)):
        assert_same_outcome(reshaped, ag.jit(reshaped), (x,))


@pytest.mark.slow
def test_ufuncs_change_elements_at_indices_one_after_the_other():
    def changed(keys, w):
        best, least = np.zeros(20, np.int32), np.full(20, 99.0)
        np.maximum.at(best, keys, w)
        np.minimum.at(least, keys, w * 0.5)
        table, product = np.zeros((20, 20)), np.ones(20)
        np.subtract.at(table, (keys, keys[::-1]), 1)
        np.multiply.at(product, keys, 1.1)
        negative = np.arange(20.0)
        np.negative.at(negative, keys)
        return best, least, table, product, negative

    def from_itself(x, keys):
        np.subtract.at(x, keys % 20, x[keys % 20])
        np.maximum.at(x, np.arange(19), x[:0:-1])  # NumPy reads all of them first

    assert_native(from_itself, (X[:20].copy(), KEYS))
    w = RANDOM.integers(0, 9, 50)
    assert_native(changed, (KEYS, w), (KEYS, w.astype(np.int32)), (KEYS[:0], w[:0]))
    assert_same_outcome(changed, ag.jit(changed), (KEYS + 2, w))


def test_a_function_whose_calls_always_leave_native_code_is_left_to_numpy():
    compiled = ag.jit(lambda x, y: x * y)
    for _ in range(5):
        assert compiled(2**40, 2**40) == 2**80
    assert "none that native code foresees" in compiled.inspect()
    assert compiled(3, 4) == 12


def test_calls_that_raise_leave_later_ones_native():
    def taken(x, i):
        return x[i]

    compiled = ag.jit(taken)
    for _ in range(9):
        with pytest.raises(IndexError):
            compiled(X, 30)
    assert "native code; 9 calls" in compiled.inspect()
    assert compiled(X, 3) == X[3]
    assert native_calls(compiled) == 1


def native_calls(compiled) -> int:
    """How many calls the kernels of a function have served."""
    return sum(number_of_results(entry.run) for entry in compiled.jit_table.values())


@pytest.mark.parametrize("ufunc", [np.add, np.minimum])
def test_what_is_no_array_has_no_elements_to_change_at_indices(ufunc):
    def changed(indices):
        ufunc.at((1.5, 0.0), indices, True)

    compiled, indices = ag.jit(changed), np.array([0, 1])
    with pytest.raises(TypeError, match="first operand must be array"):
        compiled(indices)
    assert "another thing than an array" in compiled.inspect()
