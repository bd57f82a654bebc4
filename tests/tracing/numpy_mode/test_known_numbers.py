"""`jit`: numbers that become constants, and loops that Python runs, where native code needs it."""

import itertools

import numpy as np
import pytest
from numpy_programs import assert_native, assert_same_outcome

import allograph as ag
from allograph.tracing.numpy_mode import jit_function

X = np.random.default_rng(3).random(90)


def test_windows_of_a_width_that_is_an_argument_have_a_known_size():
    def medians(x, width):
        out = np.zeros(len(x))
        for i in range(width - 1, len(x)):
            out[i] = np.median(x[i - width + 1 : i + 1])
        return out

    assert_native(medians, (X, 70))


def test_all_sizes_of_a_shape_become_known_at_once(monkeypatch):
    known = []
    trace = jit_function.trace

    def noted(function, arguments, static, *how):
        known.append(set(static))
        return trace(function, arguments, static, *how)

    def in_rows(x, rows, columns):
        return np.reshape(x * 2, (rows, columns)).sum(axis=1)

    monkeypatch.setattr(jit_function, "trace", noted)
    assert ag.jit(in_rows)(X, 9, 10).shape == (9,)
    assert known == [set(), {1, 2}]


@pytest.mark.slow
def test_the_trace_for_numbers_that_became_constants_is_the_entry(monkeypatch):
    made = []
    trace = jit_function.trace

    def noted(*arguments):
        made.append(trace(*arguments))
        return made[-1]

    @ag.jit
    def shuffled(x, steps):
        y = x.copy()
        for i in range(steps):
            y = np.reshape(np.transpose(np.reshape(y, (2**i, 2, -1)), (1, 0, 2)), (-1,))
        return y

    monkeypatch.setattr(jit_function, "trace", noted)
    x = np.arange(64.0)
    for _ in range(2):
        np.testing.assert_array_equal(shuffled(x, 6), shuffled.python_function(x, 6))
    assert len(made) == 1
    assert shuffled.inspect() == "(float64[64], 6): native code; 2 calls"


def test_recursion_to_a_depth_that_is_an_argument_is_native():
    def smoothed(u, f, level):
        u[1:-1] = 0.5 * (u[2:] + u[:-2] - f[1:-1])
        if level == 0 or len(u) < 5:
            return u
        u += np.repeat(smoothed(np.zeros(len(u[::2])), f[::2].copy(), level - 1), 2)[: len(u)]
        return u

    assert_native(smoothed, (X.copy(), X, 3))
    compiled = ag.jit(smoothed)
    for level in range(20):  # the last ones run in NumPy
        assert_same_outcome(smoothed, compiled, (X, X, level))


def test_recursion_of_thousands_of_operations_is_left_to_numpy():

    def transformed(x):
        if len(x) == 1:
            return x.astype(complex)
        even, odd = transformed(x[::2]), transformed(x[1::2])
        odd = np.exp(-2j * np.pi * np.arange(len(odd)) / len(x)) * odd
        return np.concatenate([even + odd, even - odd])

    compiled = ag.jit(transformed)
    x = np.arange(256.0)
    assert np.allclose(compiled(x), np.fft.fft(x))
    assert "transformed calls itself with other arrays" in compiled.inspect()


def test_a_list_of_a_loop_that_python_runs_has_arrays_of_several_shapes():
    def levels(image, count):
        details = []
        for _ in range(count):
            if len(image) < 2:
                break
            details.append(image[::2] - image[1::2])
            image = (image[::2] + image[1::2]) / 2
        return image, len(details), details[-1]

    def layers(x, first, second):
        made = [x]
        for one in [first, second]:
            x = np.tanh(x @ one)
            made.append(x)
        return made[0], made[1], made[2]

    def types(x, n):
        made = []
        for k in (1, 2):
            made.append(x if k == 1 else n)
        return made[0] + made[1]

    assert_native(levels, (X[:64].copy(), 5), (X[:64].copy(), 9))
    assert_native(layers, (X[:6].reshape(2, 3), np.ones((3, 4)), np.ones((4, 2))))
    assert_native(types, (X, 3))


def test_a_comprehension_is_assigned_to_a_slice():
    def summed(v, rows):
        v[1:] = [row.sum() for row in rows[1:]]

    assert_native(summed, (X[:30].copy(), X.reshape(30, 3)))


def test_a_diagonal_is_returned_as_a_view_that_is_read_only():
    def diagonals(a):
        b = a * 2
        return np.diag(a), np.diag(b, 1), np.diag(b)[::2]

    a = X.reshape(9, 10).copy()
    assert_native(diagonals, (a,))
    own, *others = ag.jit(diagonals)(a)
    assert np.shares_memory(own, a)
    assert not any(one.flags.writeable for one in (own, *others))


COSTS = {0: 1.0, 1: 3.0, 5: 5.0, -3: 0.5}
PAIRS = {2: (1, 2.5), 7: (3, -1.0)}


def costs(x):
    total = 0.0
    for v in x:
        if v in COSTS:
            total += COSTS[int(v)] * 2
        count, cost = PAIRS[v]
        total += count * cost
    return total


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.uint32])
def test_a_computed_key_of_a_dictionary_of_numbers(dtype):
    calls = [(np.array(row, dtype),) for row in ([2, 7, 2], [7], [])]
    assert_native(costs, *calls)
    compiled = ag.jit(costs)
    for row in ([2, 7], [2, 3], [100], [0]):
        assert_same_outcome(costs, compiled, (np.array(row, dtype),))


def costs_or_default(x):
    total = 0.0
    for v in x:
        total = total * 0.5 + COSTS.get(v, -1.0) + COSTS.get(int(v), 2) + COSTS.get(5, 0)
    return total, COSTS.get(1), COSTS.get("none"), {}.get(3, 4)


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.uint32])
def test_a_default_for_a_computed_key(dtype):
    assert_native(costs_or_default, *((np.array(row, dtype),) for row in ([0, 5, 7, 1], [9], [])))


@pytest.mark.parametrize("dtype", [bool, np.float64])
def test_keys_that_are_no_integers_are_left_to_python(dtype):
    compiled = ag.jit(costs_or_default)
    assert_same_outcome(costs_or_default, compiled, (np.array([1, 0], dtype),))


@pytest.mark.parametrize("function", [costs, costs_or_default])
def test_a_dictionary_that_changes_between_calls(function, monkeypatch):
    compiled = ag.jit(function)
    for cost in (3.0, 4.0):
        monkeypatch.setitem(PAIRS, 2, (1, cost))
        monkeypatch.setitem(COSTS, 2, cost)
        assert_same_outcome(function, compiled, (np.array([2, 2]),))


def test_permutations_of_few_constants():
    def least(a):
        best = np.inf
        for order in itertools.permutations(range(3)):
            total = 0.0
            for i in range(3):
                total += a[i, order[i]]
            if total < best:
                best = total
        return best

    assert_native(least, (np.random.default_rng(0).random((3, 3)),))


def test_distinct_numbers_of_the_rows_of_a_short_loop():
    def counts(a):
        out = np.empty(len(a), dtype=np.int64)
        for i in range(len(a)):
            out[i] = len(np.unique(a[i]))
        return out

    assert_native(counts, (np.array([[1, 2, 1], [3, 3, 3]]),))


DECIDED = {
    "a size": lambda n: np.zeros(n) + 1,
    "a shape": lambda n: np.ones((2, n)).reshape(n, 2),
    "a hash": lambda n: hash(n),
    "a hash in a tuple": lambda n: hash((n, 1)),
    "a repeated list": lambda n: [n] * n,
    "an item of a tuple": lambda n: (5, 6, 7, 8)[n],
    "a number of rounds": lambda n: [k for k in range(n)],
}
INTEGERS = [int, bool, *(np.dtype(code).type for code in "bhilqBHILQ")]


@pytest.mark.parametrize("cls", INTEGERS, ids=lambda cls: cls.__name__)
@pytest.mark.parametrize("decided", DECIDED)
def test_a_number_that_decides_something_decides_it_in_each_call(decided, cls):
    function = DECIDED[decided]
    compiled = ag.jit(function)
    for value in (1, 3, 1, 2, 0, 3, 3):
        for _ in range(2):
            assert_same_outcome(function, compiled, (cls(value),))


@pytest.mark.parametrize(
    "cls", [float, complex, np.float32, np.float64, np.complex64, np.complex128]
)
def test_numbers_of_other_values_have_other_hashes(cls):
    compiled = ag.jit(hashed)
    for value in (0, 0.5, 1.5 + 2j, 0.5, 2.5):
        number = cls(value if issubclass(cls, (complex, np.complexfloating)) else abs(value))
        for _ in range(2):
            assert compiled(number) == hash(number)


def hashed(x):
    return hash(x)
