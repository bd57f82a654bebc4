"""Functions of `math` on integers, in plain Python and in `jit`."""

import itertools
import math

import numpy as np
import pytest
from native_calls import is_native

import allograph as ag
from allograph.python_library import integers
from allograph.python_library.integers import chosen, combination_of

PAIRS = [(0, 0), (12, 18), (-12, 18), (7, 0), (17, 5), (5, 17), (1, 1), (20, 10), (0, 3)]
OF_TWO, OF_ONE = ("gcd", "lcm", "perm", "comb"), ("isqrt", "factorial")


def calls():
    for a, b in PAIRS:
        yield from ((name, a, b) for name in OF_TWO if name in ("gcd", "lcm") or a >= 0)
    for name in OF_ONE:
        yield from ((name, n) for n in (0, 1, 2, 3, 15, 16, 17, 20))
    yield from (
        ("isqrt", 2**61),
        ("isqrt", 10**17 - 1),
        ("comb", 40, 20),
        ("gcd", 2**60, 2**40 * 3),
    )


@pytest.mark.parametrize(("name", "args"), [(name, args) for name, *args in calls()])
def test_results_are_those_of_math(name, args):
    own, expected = getattr(integers, name)(*args), getattr(math, name)(*args)
    assert (type(own), own) == (int, expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", [*OF_TWO, *OF_ONE])
def test_they_are_native(name):
    function = getattr(math, name)
    if name in OF_TWO:

        def total(numbers):
            found = 0
            for i in range(len(numbers) - 1):
                found += function(numbers[i], int(numbers[i + 1]))
            return found
    else:

        def total(numbers):
            found = 0
            for i in range(len(numbers)):
                found += function(int(numbers[i]))
            return found

    compiled = ag.jit(total)
    numbers = np.random.default_rng(0).integers(0, 18, 40)
    assert compiled(numbers) == total(numbers)
    assert is_native(compiled)
    large = np.array([60, 30, 2**40, 2])  # results beyond 64 bits, or of a negative number
    if name not in ("factorial", "perm", "comb"):
        assert compiled(large) == total(large)


@pytest.mark.slow
def test_known_numbers_stay_known_and_errors_are_those_of_python():
    sized = ag.jit(lambda a: np.zeros(math.factorial(4)) + a[math.gcd(4, 6)])
    assert sized(np.arange(3.0)).shape == (24,)
    assert is_native(sized)
    root = ag.jit(lambda n: math.isqrt(n))
    assert root(17) == 4
    with pytest.raises(ValueError, match="nonnegative"):
        root(-1)
    with pytest.raises(TypeError):
        ag.jit(lambda a: math.gcd(a[0], 2))(np.array([4.0]))


@pytest.mark.parametrize("size", [1, 2, 3, 4])
@pytest.mark.parametrize("count", [0, 2, 5, 9])
def test_each_combination_is_known_by_its_index(count, size):
    rows = list(itertools.combinations(range(count), size))
    assert chosen(count, size) == len(rows)
    assert [combination_of(index, count, size) for index in range(len(rows))] == rows


@pytest.mark.parametrize("size", [3, 4])
def test_the_last_combinations_of_many_items_are_the_last_numbers(size):
    count = 20_000
    last = combination_of(chosen(count, size) - 1, count, size)
    assert last == tuple(range(count - size, count))
    assert combination_of(0, count, size) == tuple(range(size))
