"""An iterator whose position a tensor would decide is refused; others are Python's."""

import itertools

import pytest
from language_kit import assert_staged_alike

import allograph as ag


def by_next(x):
    numbers = iter([1, 2, 3])
    n = 0
    if x > 0:
        n = next(numbers)
    return n + next(numbers)


def by_a_loop(x):
    squares = (k * k for k in range(4))
    n = 0
    if x > 0:
        for v in squares:
            n += v
    return n + sum(squares)


def by_an_operand(x):
    numbers = itertools.count(5)
    n = next(numbers) if x > 0 else 7
    return n + next(numbers)


def by_a_reduction(x):
    def numbers():
        yield 1
        yield 2

    rest = numbers()
    for _ in range(x):
        x = x + sum(rest)
    return x


def by_a_staged_exit(x):
    numbers = iter(range(5))
    total = 0
    for v in numbers:
        total += v
        if x > v:
            break
    return total, sum(numbers)


@pytest.mark.parametrize(
    "program", [by_next, by_a_loop, by_an_operand, by_a_reduction, by_a_staged_exit]
)
def test_an_iterator_that_a_tensor_advances_is_refused(program):
    with pytest.raises(TypeError, match="an iterator .* known only when the graph runs"):
        ag.function(program)(ag.constant(1))


@pytest.mark.parametrize("items", [itertools.count, lambda: itertools.cycle((1, 2))])
def test_a_loop_that_only_a_tensor_ends_is_refused_over_endless_items(items):
    def program(x):
        for v in items():
            if x > v:
                break
        return v

    assert program(9) == program(ag.constant(9)) < 2
    with pytest.raises(TypeError, match="only a tensor ends a loop over endless items"):
        ag.function(program)(ag.constant(9))


def made_inside(x):
    n = 0
    if x > 0:
        numbers = iter([1, 2, 3])
        n = next(numbers) + sum(numbers)
    return n


def made_for_the_loop(x):
    total = 0
    for v, w in zip([1, 2, 3], [4, 5, 6], strict=True):
        if x > v:
            break
        total += v * w
    return total


def advanced_outside_of_the_branch(x):
    numbers = iter([1, 2, 3])
    n = next(numbers)
    if x > 0:
        x = x + n
    return x + next(numbers)


@pytest.mark.parametrize(
    "program", [made_inside, made_for_the_loop, advanced_outside_of_the_branch]
)
def test_an_iterator_that_no_tensor_advances_is_pythons(program):
    assert_staged_alike(program, (-1,), (0,), (2,), (5,))


@pytest.mark.slow
def test_the_next_trace_is_not_held_to_the_last_one():
    numbers = iter(range(100))

    @ag.function
    def f(x):
        for v in numbers:
            x = x + v
            if x > 2:
                break
        return x

    assert int(f(ag.constant(0))) == 3
