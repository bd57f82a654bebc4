"""Forms of NumPy and Python that numerical programs use here and there: they are native."""

import numpy as np
import pytest
from native_calls import is_native
from numpy.lib.stride_tricks import sliding_window_view
from numpy_programs import assert_native, assert_same_outcome

import allograph as ag

pytestmark = pytest.mark.slow

A = np.array([3.0, -1.0, 7.5, 0.0, 2.5])
B = np.arange(12.0).reshape(3, 4)
LARGE = [(3, 4), (2**31 - 1, 2**31 - 1), (-7, 2**31 - 1), (12345678901, 98765432109)]


@pytest.mark.parametrize(
    "function",
    [
        lambda n: np.mgrid[0:n, 1:4] * 2,
        lambda n: np.ogrid[0:n, 0:3][1] + n,
        lambda n: np.mgrid[0:1:5j] * n,
        lambda n: np.mgrid[n:0:-1] + 1,
    ],
)
def test_grids_by_slices(function):
    assert_native(function, (3,), (4,))


@pytest.mark.parametrize(
    "function",
    [
        lambda a, n: np.r_[a, 0, a[:2]],
        lambda a, n: np.r_[0:n, a],
        lambda a, n: np.r_[a[0], a[1], n],
        lambda a, n: np.c_[a, a * n],
        lambda a, n: np.c_[np.ones(5), a, np.zeros((5, 2))],
    ],
)
def test_rows_and_columns_by_slices(function):
    assert_native(function, (A, 3), (A * 2, 3))


def test_the_constructor_of_arrays_makes_them():
    def function(n):
        made = np.ndarray((n, 2), dtype=np.float32)
        made[:] = n
        other = np.ndarray(n)
        other.fill(2)
        return made, other

    assert_native(function, (3,), (4,))


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint32, np.uint64])
def test_indices_of_any_type(dtype):
    def function(rows, a):
        total = 0.0
        for i in range(len(rows) - 1):
            total += a[rows[i] : rows[i + 1]].sum() + a[rows[i]]
        return total

    assert_native(function, (np.array([0, 1, 1, 4], dtype), A))


@pytest.mark.parametrize("mode", ["edge", "reflect", "symmetric", "wrap"])
@pytest.mark.parametrize("width", [2, (1, 2), ((1, 0), (0, 3))])
def test_padding_with_elements(mode, width):
    assert_native(lambda b: np.pad(b, width, mode=mode) * 2, (B,), (-B,))


def test_histograms():
    def function(a, w):
        return (
            *np.histogram(a, 6),
            np.histogram(a, 6, weights=w)[0],
            np.histogram(a, bins=5, range=(0.2, 0.6))[0],
        )

    random = np.random.default_rng(0)
    for numbers in (random.random(50), np.round(random.random(50), 1), np.linspace(0, 1, 50)):
        assert_native(function, (numbers, random.random(50)))


def test_powers_of_integers_with_computed_exponents():
    def function(n):
        total = 0
        for i in range(1, n):
            total += 2**i - 3 ** (i % 5)
        return total

    assert_native(function, (10,), (40,))
    compiled = ag.jit(function)
    assert compiled(90) == function(90)


def test_a_negative_exponent_of_an_integer_gives_a_float():
    def function(n):
        total = 0.0
        for i in range(n):
            total += 2 ** (i - 3)
        return total

    compiled = ag.jit(function)
    assert compiled(3) == function(3)
    assert compiled(6) == function(6)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: (x * y) & 15,
        lambda x, y: (x * y) % 2**16,
        lambda x, y: ((x << 40) * y + 7) & 0xFFFFFFFF,
        lambda x, y: ((x * y) ^ x | y) & 63,
        lambda x, y: (-x * y * y) % 64,
    ],
)
def test_low_bits_of_integers_that_are_too_large(function):
    for args in LARGE:
        assert_native(function, args)


@pytest.mark.parametrize("pair", LARGE)
def test_integers_that_are_too_large_are_exact_where_they_are_used(pair):
    def function(x, y, rounds):
        product = x * y * x
        count = 0
        while product > 1000 and count < rounds:
            product -= 999
            count += 1
        if count > 2:
            return product & 255, count
        return product, product % 17

    compiled = ag.jit(function)
    for rounds in (0, 1, 5):
        assert compiled(*pair, rounds) == function(*pair, rounds)


def test_a_hash_of_32_bits():
    def function(data, seed):
        h = seed
        for one in data:
            h ^= int(one)
            h = (h * 0x5BD1E995) & 0xFFFFFFFF
            h = ((h << 5) + h) & 0xFFFFFFFF
            h ^= h >> 15
        return h

    data = np.random.default_rng(0).integers(0, 256, 60).astype(np.uint8)
    assert_native(function, (data, 7), (data, 2**31))


@pytest.mark.parametrize(
    "function",
    [
        lambda a, b: sliding_window_view(a, 2).mean(axis=1),
        lambda a, b: sliding_window_view(a, 3) * 2,
        lambda a, b: sliding_window_view(b, (2, 3)).sum(axis=(2, 3)),
        lambda a, b: sliding_window_view(b, 2, axis=0).max(axis=-1),
    ],
)
def test_windows(function):
    assert_native(function, (A, B), (-A, B * B))


def test_windows_of_an_array_that_changes():
    def function(a):
        view = sliding_window_view(a, 2)
        a[1] = 9.0
        return view.sum(axis=1)

    assert_same_outcome(function, ag.jit(function), (A,))


@pytest.mark.parametrize(
    "function",
    [
        lambda a: np.argmin([a[0], a[1], 0.5]),
        lambda a: np.linalg.norm([a[0], a[1]]),
        lambda a: np.max((a[0], 1.0)),
        lambda a: np.dot([a[0], 1], [a[1], 2]),
        lambda a: np.cross([a[0], a[1], a[2]], a[:3]),
        lambda a: np.cumsum([a[0], 1]),
        lambda a: np.concatenate(([a[0]], a, [1, 2])),
    ],
)
def test_functions_of_lists_of_computed_numbers(function):
    assert_native(function, (A,), (-A,))


def test_a_function_that_calls_itself_in_branches_is_not_traced_without_end():
    def function(n):
        memo = np.zeros(n + 1)

        def fibonacci(k):
            if k < 2:
                return k
            if memo[k] != 0:
                return memo[k]
            memo[k] = fibonacci(k - 1) + fibonacci(k - 2)
            return memo[k]

        return fibonacci(n)

    assert_same_outcome(function, ag.jit(function), (40,))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8])
def test_the_types_of_histograms(dtype):
    def histograms(x, low, high, weights):
        return (
            *np.histogram(x, 7),
            *np.histogram(x, bins=5, range=(low, high)),
            *np.histogram(x, 4, weights=weights),
            *np.histogram(x * 0, 3),
        )

    x = (np.random.default_rng(1).random(50) * 9).astype(dtype)
    half = np.float32(0.5)
    for weights in (np.full(50, half), np.linspace(0, 1, 50)):
        assert_native(histograms, (x, 0.25, 7.5, weights), (x, 1, 8, weights))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.uint8])
@pytest.mark.parametrize(
    "edges", [[0, 1, 1, 2, 5], [-np.inf, 0.5, np.inf], [0, 1], [7, 8], np.float32([0, 0.1])]
)
def test_histograms_between_edges(dtype, edges):
    def histograms(x, edges):
        return *np.histogram(x, edges), np.histogram(x, bins=edges)[1] is edges

    x = np.append(np.random.default_rng(1).random(50) * 9, [0, 1, 5, 5, 8]).astype(dtype)
    some = np.append(x, [np.nan, -np.inf, np.inf]) if x.dtype.kind == "f" else x
    assert_native(histograms, (some, np.asarray(edges)))


def test_densities_of_histograms():
    def densities(x, edges):
        return (
            *np.histogram(x, 7, density=True),
            *np.histogram(x, edges, density=True),
            *np.histogram(x, 3, (0, 2.5), True, x),
        )

    assert_native(densities, (np.random.default_rng(1).random(50) * 9, np.array([0.5, 1, 4])))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.complex64])
def test_powers_as_columns(dtype):
    def columns(x):
        return np.vander(x), np.vander(x, 3), np.vander(x, N=4, increasing=True), np.vander(x, 1)

    assert_native(columns, (A.astype(dtype),))


def test_map_calls_functions_of_numpy():
    def copies(a, b):
        one, other = map(np.array, (a, b))
        one += other
        return one, list(map(np.sum, (one, b))), tuple(map(float, (a[0], b[1])))

    assert_native(copies, (A, A * 2))


def test_the_array_of_numbers_that_are_sometimes_pythons():
    def ends(x):
        low, total = np.inf, 0.0
        for value in x:
            low = min(low, value)
            total = total + value
        return np.array([low, total])

    assert_native(ends, (A,), (-A,))


def test_what_a_loop_with_an_iteration_gives_is_no_number_of_pythons():
    def total_of(x):
        total = 0.0
        for value in x:
            total = total + value
        return np.array([total, x[0]])

    assert_native(total_of, (A.astype(np.float32),))


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize(
    "bins",
    [[1, 2, 3], [3, 2, 1], [1, 1, 1], [2, 2, 1], [1, 3, 2], [1, 2, np.nan], [np.nan, 1], [np.nan]],
)
def test_bins_are_in_rising_or_falling_order_or_in_none(bins, right):
    def places(x, bins):
        return np.digitize(x, bins, right=right), np.digitize(2.5, bins, right=right)

    x = np.array([1.5, 0.0, 2.5, np.nan])
    assert_same_outcome(places, ag.jit(places), (x, np.array(bins, float)))


def test_blocks_are_chosen_by_open_meshes():
    def assembled(m, nodes):
        for i in range(3):
            m[np.ix_(nodes[i], nodes[i])] += np.outer(nodes[i], nodes[i]) * 0.5
            m[np.ix_(nodes[i], np.array([1, 2]))] = i
        rows, columns = np.ix_(nodes[0], nodes[1])
        return m[rows, columns], columns

    nodes = np.array([[0, 1], [3, -1], [2, 0]])
    assert_native(assembled, (np.ones((4, 4)), nodes))
    assert_same_outcome(assembled, ag.jit(assembled), (np.ones((4, 4)), nodes * 2))


@pytest.mark.parametrize(
    "function",
    [
        lambda n: np.arange(1, n, 2, np.float32),
        lambda n: np.array(n),
        lambda n: np.array(n, np.int8) + np.ones(2, np.int8),
        lambda n: np.asarray(n * 0.5),
    ],
)
def test_arrays_of_a_number_and_positional_data_types(function):
    assert_native(function, (9,), (-3,))


@pytest.mark.parametrize("shape", [(1, 5), (1, 1, 5), (1, 1), (1, 1, 1, 1)])
def test_values_that_are_assigned_may_have_axes_of_size_1_before(shape):
    def whole(a, b):
        a[:] = b

    def part(a, b):
        a[...] = b * 2
        a[1:4] = b[..., :3]

    values = np.arange(float(np.prod(shape))).reshape(shape)
    assert_native(whole, (A.copy(), values), (A.copy(), values.astype(int)))
    assert_native(part, (A.copy(), values))


def test_windows_of_one_axis_twice():
    def function(a):
        return sliding_window_view(a, (2, 3), axis=(0, 0)) + 1.0

    assert_native(function, (np.arange(60.0).reshape(10, 6),))


def test_loops_over_the_range_of_numba():
    numba = pytest.importorskip("numba")

    def function(a):
        total = 0.0
        for i in numba.prange(1, len(a)):
            total += a[i]
        return total

    assert_native(function, (A,), (A * 2,))


def test_new_arrays_larger_than_any_memory_are_left_to_numpy():
    def function(n):
        np.empty(n)

    assert_same_outcome(function, ag.jit(function), (2**60 - 1,))


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize(
    "values", [[1.0, np.inf], [-np.inf, 1.0], [np.inf, np.inf], [-0.0], [1.0, 2.0, np.inf]]
)
def test_quantiles_beside_infinities(values):
    def function(a, q):
        return np.quantile(a, q), np.signbit(np.quantile(a, q))

    assert_native(function, (np.array(values), np.array([0.0, 0.1, 0.5, 1.0])))


@pytest.mark.parametrize("q", [30.0, [30.0, 70.1], np.float32(70.1), np.array([3, 70.1], "f4")])
def test_weights_of_quantiles_have_the_type_that_numpy_gives_them(q):
    def function(a, b, c):
        return np.percentile(a, q), np.percentile(b, q), np.percentile(c, q)

    a = np.random.default_rng(1).normal(size=100)
    args = a.astype(np.float32), a, (a * 10).astype(np.int8)
    results = ag.jit(function, kernel_compiler="none")(*args)
    for result, expected in zip(results, function(*args), strict=True):
        np.testing.assert_array_equal(result, expected, strict=True)


@pytest.mark.parametrize(
    ("dtype", "a"),
    [(np.int64, [[-4, 3, -2], [-2, 3, 3]]), (np.int32, [[-1.5, -2.5]]), (np.uint64, [[7, 8]])],
)
def test_means_in_a_type_of_integers_are_cut_off(dtype, a):
    def function(a):
        return np.mean(a, dtype=dtype), a.mean(axis=0, dtype=dtype), a.mean(1, keepdims=True)

    compiled = ag.jit(function, kernel_compiler="python")
    for result, expected in zip(compiled(np.array(a)), function(np.array(a)), strict=True):
        np.testing.assert_array_equal(result, expected, strict=True)
    assert is_native(compiled)
