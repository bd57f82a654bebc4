"""`jit`: loops and branches change arrays whose size is computed, natively."""

import numpy as np
import pytest
from native_calls import is_native
from numpy_programs import assert_same_outcome, function_of

import allograph as ag

BODIES = {
    "a loop that sets items": """
    for i in range(len(r)):
        r[i] += a[i]
    return r""",
    "items up to a count that the loop computes": """
    n = 0
    for i in range(len(a)):
        if a[i] > 0.4 and n < len(r):
            r[n] = a[i]
            n += 1
    return r[:n], n""",
    "a branch that sets items": """
    if a[0] > 0.1:
        r[:1] = 2.0
    else:
        r[1:] *= 0.5
    return r.sum()""",
    "a branch in a loop in a branch": """
    if a[0] > 0.1:
        for i in range(len(r)):
            if r[i] > 0.5:
                r[i] -= 1.0
    return r""",
    "slices that overlap": """
    for i in range(3):
        r[1:] = r[:-1] + i
    return r""",
    "two arrays of the same size": """
    q = r * 2.0
    for i in range(len(r)):
        q[i], r[i] = r[i], q[i]
    return r, q""",
    "an array replaced by one of the same size": """
    for i in range(3):
        r = r + 1.0
    return r""",
    "an item out of range": """
    for i in range(len(a) + 1):
        r[i] = 1.0
    return r""",
}
MASKS = ([True, False, True, True], [False] * 4, [True] * 4, [False, False, True, False])


@pytest.mark.parametrize("array", ("a[m]", "np.sort(a[m])", "np.concatenate((a[m], a))"))
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_a_statement_changes_an_array_whose_size_a_mask_computes(body, array):
    function = function_of(f"def program(a, m):\n    r = {array}{body}\n", array)
    compiled = ag.jit(function)
    for mask in MASKS:
        args = (np.array([0.3, 0.9, 0.6, 0.1]), np.array(mask))
        assert_same_outcome(function, compiled, args)
    if "+ 1)" not in body:
        assert is_native(compiled), compiled.inspect()


def test_the_sum_of_two_sparse_vectors_is_one_kernel():
    def unique(values):
        ordered = np.sort(values)
        first = np.concatenate((np.ones(1, dtype=np.bool_), ordered[1:] != ordered[:-1]))
        return ordered[first]

    def added(places, values, other_places, other_values):
        result_places = unique(np.concatenate((places, other_places)))
        result = np.zeros(result_places.shape[0])
        i = j = count = 0
        while i < places.shape[0] and j < other_places.shape[0]:
            if places[i] == other_places[j]:
                result_places[count], result[count] = places[i], values[i] + other_values[j]
                i, j, count = i + 1, j + 1, count + 1
            elif places[i] < other_places[j]:
                result_places[count], result[count] = places[i], values[i]
                i, count = i + 1, count + 1
            else:
                result_places[count], result[count] = other_places[j], other_values[j]
                j, count = j + 1, count + 1
        return result_places[:count], result[:count]

    compiled = ag.jit(added)
    args = (np.array([1, 4, 6]), np.array([0.5, 1.5, 2.5]), np.array([2, 4]), np.array([1.0, 2.0]))
    for _ in range(2):
        assert_same_outcome(added, compiled, args)
    assert "calls NumPy" not in compiled.inspect()
    assert is_native(compiled)


def full(a):
    n = int(a.max()) + 1
    return np.full(n, 1.5)


def counted(a):
    counts, others = np.zeros(int(a.max()) + 1), np.ones(int(a.max()) + 1)
    for i in range(len(a)):
        counts[int(a[i])] += others[int(a[i])]
    return counts


@pytest.mark.parametrize("function", [full, counted])
def test_an_array_without_a_limit_has_the_memory_of_its_size(function):
    compiled = ag.jit(function)
    for size in (3, 4, 1, 9):
        a = np.arange(size * 1.0)
        np.testing.assert_array_equal(compiled(a), function(a))
    assert compiled.inspect().startswith("(float64[3]): native code")
