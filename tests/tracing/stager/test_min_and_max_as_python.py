"""`min` and `max` of tensors compare as Python does, with NaN and with zeros of either sign."""

import itertools
import math

import numpy as np
import pytest

import allograph as ag

VALUES = [-0.0, 0.0, math.nan, 1.0, -2.5, math.inf]


def largest_of_two(x, y):
    return max(x, y)


def largest_with_numbers(x, y):
    return max(1.0, x, y)


def smallest_with_numbers(x, y):
    return min(x, y, 0.0)


def smallest_of_a_list(x, y):
    return min([x, 1.0, y])


def smallest_by_key(x, y):
    return min(x, y, key=abs)


def largest_in_a_loop(x, y):
    best = x
    for value in [y, -y, x]:
        best = max(best, value)
    return best


TWO = [
    largest_of_two,
    largest_with_numbers,
    smallest_with_numbers,
    smallest_of_a_list,
    smallest_by_key,
    largest_in_a_loop,
]
WAYS = {
    "eager": ag.autograph.to_graph,
    "graph": ag.function,
    "native": ag.function(jit_compile=True),
    "jit": ag.jit,
}


def spelled(value) -> str:
    return repr(float(value))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("function", TWO)
def test_of_numbers(function, way):
    taken = WAYS[way](function)
    of = np.float64 if way == "jit" else lambda value: ag.constant(value, ag.float64)
    for pair in itertools.product(VALUES, repeat=2):
        assert spelled(taken(*map(of, pair))) == spelled(function(*pair)), pair


def largest(x):
    return max(x)


def smallest(x):
    return min(x)


def largest_or(x):
    return max(x, default=1.0)


def largest_by_key(x):
    return max(x, key=lambda value: -value)


@pytest.mark.parametrize("function", [largest, smallest, largest_or, largest_by_key])
def test_of_the_items_of_a_vector(function):
    taken = ag.function(function, input_signature=[ag.TensorSpec([None], ag.float64)])
    for row in itertools.product(VALUES, repeat=3):
        assert spelled(taken(np.array(row))) == spelled(function(row)), row


@pytest.mark.parametrize("function", [largest, smallest])
def test_of_the_items_of_a_vector_natively(function):
    taken = ag.function(function, jit_compile=True)
    for row in itertools.product(VALUES, repeat=3):
        assert spelled(taken(ag.constant(row, ag.float64))) == spelled(function(row)), row


@pytest.mark.parametrize("way", ["eager", "graph", "native"])
@pytest.mark.parametrize(
    "function, expected",
    [
        (lambda x: max(x, 2.0), 1.0),
        (lambda x: max(2.0 * x, x + 2.0), 2.0),
        (lambda x: max(x + 2.0, 2.0 * x), 1.0),
        (lambda x: min(x, math.nan), 1.0),
        (lambda x: max([x, 1.0, 2.0 * x]), 2.0),
    ],
)
def test_the_gradient_goes_to_the_one_that_is_taken(function, expected, way):
    x = ag.constant(2.0)
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = WAYS[way](function)(x)
    assert float(tape.gradient(y, x)) == expected


def test_nothing_has_no_largest():
    taken = ag.function(largest, input_signature=[ag.TensorSpec([None], ag.float64)])
    with pytest.raises(ValueError, match="empty"):
        taken(np.zeros(0))


@pytest.mark.parametrize("of", [lambda n: (5, range(n)), lambda n: (range(n), range(n + 1))])
def test_ranges_have_no_order(of):
    for function in (max, min):
        with pytest.raises(TypeError):
            function(*of(1))
        with pytest.raises(TypeError, match="'range'"):
            ag.function(lambda n, function=function: function(*of(n)))(ag.constant(1))


def test_tuples_and_lists_that_are_written_out_are_compared_by_their_items():
    def f(c, x):
        return (
            (c, 1) == (3, 1), (c, 2) < (4, 0), [c] == [3], (c, "a") != (3, "a"), (1, c) <= (1, 3),
            (c,) >= (3, 1), (c, 1) == [c, 1], [c, [1, c]] > [c, [1, 2]], (c, None) == (3, None),
            () < (c,), (x, 1) <= (x, 2), (x,) == (x + 0,), 1 if (0, 0) < (c, x) < (5, 0) else 2,
        )  # fmt: skip

    def g(c, x):
        n = 0
        while (n, n) < (c, 0) and [n] != [7]:
            n += 1
        return n

    for function in (f, g):
        for values in ((3, 1.5), (-2, float("nan")), (0, 0.0)):
            tensors = list(map(ag.constant, values))
            expected = [bool(one) for one in ag.nest.flatten(function(*tensors))]
            found = [bool(one) for one in ag.nest.flatten(ag.function(function)(*tensors))]
            assert found == expected


def test_nothing_has_the_default_as_its_largest_item():
    @ag.function
    def f(x):
        return max([], default=x), min((), default=x), max([x], default=x + 1)

    assert [int(one) for one in f(ag.constant(3))] == [3, 3, 3]
    with pytest.raises(ValueError, match="max.* empty"):
        ag.function(lambda x: max([x for _ in range(0)]))(ag.constant(1))
