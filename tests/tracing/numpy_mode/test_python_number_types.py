"""Numbers in `jit`: Python's operators, and numbers that are Python's in some calls only."""

import math

import numpy as np
import pytest
from test_jit import check, outcome

import allograph as ag
from allograph.tracing.functions.fronts import MISS


def served(compiled, *args) -> bool:
    """Whether the native code gives the result of a call, and does not leave it to Python."""
    compiled(*args)
    return all(entry.run(*args) is not MISS for entry in compiled.jit_table.values())


def largest(values):
    best = 0
    for value in values:
        if value > best:
            best = value
    return best


@pytest.mark.slow
def test_a_number_of_either_type_is_returned_as_what_it_is():
    for values in (np.array([-1, -2]), np.array([-1, 7]), np.array([-1.5, 2.5]), np.array([-0.5])):
        check(largest, values)


def test_a_number_is_an_int_or_a_float_by_what_happens():
    def clipped(x):
        return max(0, x)

    check(clipped, -1.5)
    check(clipped, 1.5)


@pytest.mark.slow
def test_arithmetic_of_a_number_of_either_type_is_that_of_both():
    def function(a, limit):
        found = max(a[0], limit)
        return found + limit, found * 2.0, found > limit, -found, found**2, found / 4.0

    check(function, np.array([5.0]), 1.0)
    check(function, np.array([-5.0]), 1.0)
    check(function, np.array([5]), 1)
    check(function, np.array([-5]), 1)


@pytest.mark.slow
def test_a_number_of_either_type_overflows_as_what_it_is():
    def function(a, limit):
        return max(a[0], limit) * 4

    with np.errstate(over="ignore"):
        check(function, np.array([2**61]), 1)
        check(function, np.array([1]), 2**30)


def test_a_sum_over_an_empty_range_is_native():
    def triangle(a):
        for i in range(a.shape[0]):
            total = 0.0
            for j in range(i):
                total += a[j]
            a[i] -= total / 2.0

    assert served(check(triangle, np.arange(5.0)), np.arange(5.0))


def test_a_float_of_python_beside_float32_is_rounded_only_where_nothing_is_lost():
    def function(a, limit):
        return max(a[0], limit)

    compiled = check(function, np.array([1], np.float32), 0.5)
    assert served(compiled, np.array([1], np.float32), 0.5)
    check(function, np.array([1], np.float32), 1.1)


@pytest.mark.parametrize("x", [2.7, -2.7, 0.5, 1.5, math.inf, math.nan, 1e30])
def test_a_float_becomes_an_integer_as_python_makes_one(x):
    check(lambda x: (int(x), round(x), math.floor(x), math.ceil(x)), x)
    check(lambda x: bool(x), x)


@pytest.mark.parametrize(("a", "b"), [(5, 2), (-5, 2), (1, 70), (3, 61), (-1, 3), (7, -1), (0, 9)])
def test_integers_are_shifted_as_python_shifts_them(a, b):
    check(lambda a, b: a << b, a, b)
    check(lambda a, b: a >> b, a, b)
    check(lambda a: ~a, a)


def test_bits_that_are_zero_are_shifted_by_any_number():
    def interleaved(x, y):
        code = 0
        for i in range(40):
            code |= ((x >> i) & 1) << 2 * i
            code |= ((y >> i) & 1) << (2 * i + 1)
        return code

    compiled = ag.jit(interleaved)
    for x, y in ((12345, 54321), (0, 2**20)):
        assert compiled(x, y) == interleaved(x, y)
        assert served(compiled, x, y)
    assert compiled(2**39, -1) == interleaved(2**39, -1)


@pytest.mark.parametrize(
    ("x", "y"), [(2.0, 0.5), (0.9, 7.0), (0.0, -1.0), (-8.0, 1 / 3), (1e200, 2.0)]
)
def test_powers_are_those_of_python(x, y):
    check(lambda x, y: x**y, x, y)
    check(lambda x: x**2, x)


@pytest.mark.parametrize("number", [float, np.float64, np.float32])
@pytest.mark.parametrize("x", [-0.0, 0.0, -math.inf, math.inf, 2.0, math.nan])
def test_the_power_of_a_half_is_the_root_of_no_zero_and_infinity_with_a_sign(x, number):
    def powers(x, a):
        return x**0.5, a[0] ** 0.5

    with np.errstate(invalid="ignore"):
        check(powers, number(x), np.array([x], number))
        check(lambda a: a**0.5, np.array([x, x], number))
        check(lambda x: math.pow(x, 0.5), number(x))


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint32, np.int64, np.complex64, complex])
def test_the_power_of_a_half_of_an_integer_or_a_complex_number_is_native(dtype):
    check(lambda a: (a[0] ** 0.5, a[1] ** 0.5), np.array([0, 1], dtype))


def test_quotients_of_large_integers_are_exact():
    check(lambda a, b: a * a / b, 2**30 + 1, 3)
    check(lambda a, b: a * a < b + 0.5, 2**30 + 1, 3)


@pytest.mark.slow
def test_an_integer_is_stored_where_it_fits():
    def fill(a, n):
        a[0] = n
        a[1] = 7
        return a + n

    for dtype in (np.uint8, np.int8, np.int32, np.uint64):
        assert served(check(fill, np.zeros(3, dtype), 100), np.zeros(3, dtype), 100)
        check(fill, np.zeros(3, dtype), -5)
    check(fill, np.zeros(3, np.uint8), 300)


def test_a_float_is_stored_among_integers_as_numpy_stores_it():
    def store(a, x):
        a[0] = x
        a[1] = x / 2

    check(store, np.zeros(2, np.int64), 7.9)
    check(store, np.zeros(2, np.int64), -7.9)
    check(store, np.zeros(2, np.int64), math.nan)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sqrt", "log", "exp", "sin", "atan", "log2", "isnan", "floor"])
def test_functions_of_math_are_native(name):
    function = getattr(math, name)
    for x in (0.75, -0.75, 1e4):
        check(lambda x: function(x), x)


def test_functions_of_math_take_two_numbers():
    check(lambda x, y: (math.atan2(x, y), math.pow(x, y)), 1.5, 2.5)


def test_python_numbers_meet_the_limits_of_a_data_type():
    def smallest(a):
        best = np.iinfo(np.int64).max
        for value in a:
            best = min(best, value)
        return best

    def lowest(a):
        best = np.inf
        for value in a:
            best = min(best, value)
        return best

    check(lowest, np.array([3.0, 1.0]))
    found, expected = (outcome(one, (np.array([3, 1]),)) for one in (ag.jit(smallest), smallest))
    assert found[0] == expected[0]


EDGES = (2**31, 2**61 - 1, 2**61, 2**61 + 1, 2**62 - 1, 2**62, 2**62 // 7, 2**62 // 7 + 1)


@pytest.mark.slow
def test_results_of_integers_at_the_edge_of_the_native_ones_are_exact():
    def of_two(a, b):
        return a + b, a - b, a * 7, -3 * b, (a + b) & 1023, a * b

    compiled = ag.jit(of_two)
    numbers = [sign * one for one in EDGES for sign in (1, -1)]
    for a in numbers:
        for b in numbers:
            assert compiled(a, b) == of_two(a, b)


def test_sums_and_products_that_may_be_large_are_checked_without_floats():
    def digits(text):
        value = total = 0
        for code in text:
            c = int(code)
            if 48 <= c <= 57:
                value = 10 * value + c - 48
            else:
                total += value
                value = 0
        return total + value

    compiled = check(digits, np.frombuffer(b"12 7 300 4611686018427387903 ", np.uint8))
    check(digits, np.frombuffer(b"4611686018427387904 46116860184273879040 1", np.uint8))
    (entry,) = compiled.jit_table.values()
    assert "float64" not in entry.traced.executable.native.kernels[0].source


def as_bytes(values, out):
    for i in range(len(values)):
        out[i] = int(values[i] * 2.0)


def quotients(a, b, out):
    for i in range(len(a)):
        out[i] = int(a[i]) // int(b[i])


def shifted(a, b, out):
    for i in range(len(a)):
        if a[i] > 3:
            out[i] = int(a[i]) << int(b[i])


def scattered(a, b, out):
    for i in range(len(a)):
        out[int(a[i]) - 100] = int(b[i])


LOWEST = np.iinfo(np.int64).min


@pytest.mark.slow
@pytest.mark.parametrize(
    "function, arguments",
    [
        (as_bytes, (np.arange(40.0), np.zeros(40, np.uint8))),
        (as_bytes, (np.arange(200.0), np.zeros(200, np.uint8))),
        (as_bytes, (np.array([*range(30), np.nan, 2.0]), np.zeros(32, np.uint8))),
        (as_bytes, (np.array([*range(30), -1e300]), np.zeros(31))),
        (quotients, (np.arange(9), np.arange(9) - 9, np.zeros(9, np.int64))),
        (quotients, (np.arange(9), np.arange(9) - 4, np.zeros(9, np.int64))),
        (quotients, (np.array([7] * 30 + [LOWEST]), np.full(31, -1), np.zeros(31, np.int64))),
        (shifted, (np.arange(9), np.arange(9), np.zeros(9, np.int64))),
        (shifted, (np.arange(9), np.arange(9) - 5, np.zeros(9, np.int64))),
        (shifted, (np.arange(9), np.arange(9) * 30, np.zeros(9, np.int64))),
        (scattered, (np.arange(9) * 20, np.arange(9), np.zeros(100, np.int8))),
        (scattered, (np.arange(12) * 20, np.arange(12) + 120, np.zeros(100, np.int8))),
    ],
)  # fmt: skip
def test_loops_over_elements_check_their_numbers_when_they_have_ended(function, arguments):
    compiled = check(function, *arguments)
    (entry,) = compiled.jit_table.values()
    source = entry.traced.executable.native.kernels[0].source
    assert source.count("raise AssertionError") == 1
    assert "\n    if not v" in source


def test_loops_that_carry_numbers_check_them_at_once():
    def total(values):
        result = 0
        for value in values:
            result += int(value)
        return result

    compiled = check(total, np.array([2**61, 2**61, 2**61, -(2**62)]))
    (entry,) = compiled.jit_table.values()
    assert "\n        if not v" in entry.traced.executable.native.kernels[0].source


def pixel_sum(image):
    total = count = 0
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            if image[i, j] > 3:
                total += int(image[i, j])
                count += 1
            else:
                total -= i
    return total, count


def sum_of_sums(values):
    total = both = 0
    for value in values:
        total += int(value)
        both -= total
    return total, both


def doubled(values):
    total = 1
    for value in values:
        total += total + int(value)
    return total


def restarted(values):
    total = most = 0
    for value in values:
        total = 0 if value > 200 else total + int(value)
        most = max(most, total)
    return most


def squares(values):
    total = 0
    for i in range(len(values)):
        total += i * i - 7
    return total


@pytest.mark.slow
def test_sums_that_stay_small_in_a_known_number_of_iterations_are_not_checked():
    image = np.random.default_rng(0).integers(0, 9, (20, 30)).astype(np.uint8)
    for function in (pixel_sum, sum_of_sums, squares):
        compiled = check(function, image if function is pixel_sum else image.ravel())
        (entry,) = compiled.jit_table.values()
        assert "AssertionError" not in entry.traced.executable.native.kernels[0].source


@pytest.mark.slow
def test_sums_that_may_become_large_are_exact():
    check(doubled, np.arange(20, dtype=np.uint8))
    check(doubled, np.arange(90, dtype=np.uint8))
    check(restarted, np.random.default_rng(0).integers(0, 255, 300).astype(np.uint8))

    def from_a_large_one(values, total):
        for value in values:
            total += int(value)
        return total

    for start in (7, 2**62 - 60, 2**62 - 10, -(2**62)):
        check(from_a_large_one, np.full(20, 3, np.uint8), start)
        check(from_a_large_one, np.full(20, -(2**31), np.int32), start)


def rises_and_falls(prices):
    rise, fall = 0.0, 0
    for price in prices:
        gain, loss = max(price, 0), max(-price, 0)
        rise = rise * 0.5 + gain
        fall = loss - rise
    return rise, fall, gain + rise


@pytest.mark.parametrize("prices", [np.linspace(-1, 1, 40), np.full(20, 0.5), np.full(20, -0.5)])
def test_a_float_and_a_number_that_is_sometimes_an_int_give_a_float(prices):
    check(rises_and_falls, prices)
