"""Programs on JAX arrays, under `jit`, `vmap` and `grad`, beside plain Python on NumPy."""

import numpy as np
import pytest

pytest.importorskip("jax", reason="JAX is not installed")

import jax
import jax.numpy as jnp
from jax.test_util import check_grads

import allograph as ag

on_jax = ag.jax.function


def steps_to_one(n):
    steps = 0
    while n > 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def returns_early(x):
    for i in range(3):
        if x > i:
            return x + i
    return x * 1.5


def returns_in_each_arm(x):
    if x > 2:
        return x
    elif x > 0:
        return 2 * x
    else:
        return -x


def returns_python_numbers(x):
    if x > 2:
        return 1
    if x > 0:
        return 2.5
    return 3


def newton(x):
    guess = x
    for _ in range(20):
        if abs(guess * guess - x) < 1e-5:
            break
        guess = 0.5 * (guess + x / guess)
    return guess


def newton_while(x):
    guess = x + 1.0
    while abs(guess * guess - x) > 1e-4:
        guess = 0.5 * (guess + x / guess)
    return guess


def power(x, n):
    result = 1.0
    while n > 0:
        if n % 2 == 1:
            result = result * x
        x = x * x
        n = n // 2
    return result


def chooses(x):
    return 1 if x > 1 and (x < 5 or x > 7) and not x > 9 else 0.5


def compares_in_a_row(x):
    return (1 < x < 5) + 0


def nested_choice(x):
    return x * 2 if x > 0 else (x * 3 if x > -2 else x * x)


def counts_down(n):
    total = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        if i > 7:
            break
        total += i
    else:
        total += 100
    return total


def range_with_step(n):
    total = 0
    for i in range(n, -2, -2):
        total = total * 2 + i
    return total


def nested_ranges(n):
    total = 0
    for i in range(n):
        for j in range(i, n):
            if j > 5:
                break
            total += i * j
    return total


def while_else(n):
    while n > 3:
        if n % 7 == 0:
            break
        n -= 1
    else:
        n += 100
    return n


def swaps(n):
    a, b = 0, 1
    while n > 0:
        a, b = b, a + b
        n -= 1
    return a


def greatest_divisor(a, b):
    while b != 0:
        a, b = b, a % b
    return a


def first_is_other(n):
    total, first = 0, True
    while n > 0:
        if first:
            total += 100
            first = False
        total += n
        n -= 1
    return total


def assigns_in_the_test(n):
    total = 0
    while (m := n - 3) > 0:
        total += m
        n -= 1
    return total


def loop_in_a_branch(x):
    total = 0.0
    if x > 0:
        while total < x:
            total += 1.5
    else:
        total = x * 2
    return total


def scale_of_the_right_kind(x):
    factor = 1 if x > 3 else 2
    return x * factor


def matches(n):
    match n:
        case 0:
            return 10
        case 1 | 2:
            return 20
        case _:
            return n


def calls_a_function(x):
    def inner(y):
        if y > 1:
            return y - 1
        return y

    return inner(x) + inner(2 * x)


def changes_outer_variable(x):
    count = 0

    def note(y):
        nonlocal count
        if y > 1:
            count += 1

    note(x)
    note(x * 4)
    return count


class Scaler:
    def __init__(self, factor):
        self.factor = factor
        self.calls = 0

    def scaled(self, x):
        self.calls += 1
        if x > 1:
            self.factor = self.factor * 2
        return x * self.factor + self.calls


def uses_an_object(x):
    scaler = Scaler(3)
    return scaler.scaled(x) + scaler.scaled(x - 1)


def changes_a_dictionary(x):
    state = {"b": x, "a": [0, 1]}
    if x > 0:
        state["b"] = x * 2
        state["a"][0] = 5
    total = 0.0
    for value in (state["b"], *state["a"]):
        total = total / 2 + value
    return total


def clips(x):
    return min(max(x, -1), 3)


def rounds(x):
    return round(x * 1.25) + int(x) + abs(x)


def any_and_all(x):
    tests = [x > 0, x > 2]
    return any(tests) + 2 * all(tests)


def lazy_operands(x):
    return x > 0 and 10 / x > 3 or x == -1


NUMBERS = [
    (steps_to_one, 6, 7, 1, 27), (returns_early, 0, 1, 5, -1.0, 2.5),
    (returns_in_each_arm, 3, 1, -4), (returns_python_numbers, 3, 1, -1), (newton, 2.0, 9.0, 0.5),
    (newton_while, 2.0, 9.0),
    (chooses, 1, 3, 6, 8, 10), (compares_in_a_row, 1, 3, 7), (nested_choice, 1.5, -1.0, -3.0),
    (counts_down, 0, 5, 9, 20), (range_with_step, 0, 5, 6, -7), (nested_ranges, 0, 4, 9),
    (while_else, 20, 6, 2, 13), (swaps, 0, 1, 9), (first_is_other, 0, 1, 5),
    (assigns_in_the_test, 2, 9), (loop_in_a_branch, 4.0, -4.0),
    (scale_of_the_right_kind, 2, 5, 2.5), (matches, 0, 1, 2, 5), (calls_a_function, 0.25, 1.5, 3.0),
    (changes_outer_variable, 0.1, 0.5, 2.0),
    (uses_an_object, 0.5, 1.5, 3.0), (changes_a_dictionary, 2.0, -2.0), (clips, -5, 2, 9, 0.5),
    (rounds, 0.4, -1.5, 2.0), (any_and_all, -1, 1, 3), (lazy_operands, 2.0, 0.0, -1.0, 8.0),
]  # fmt: skip
CASES = [(function, number) for function, *numbers in NUMBERS for number in numbers]


def same(one, other):
    one, other = jax.tree.leaves(one), jax.tree.leaves(other)
    assert len(one) == len(other)
    for left, right in zip(one, other):
        assert np.shape(left) == np.shape(right)
        np.testing.assert_allclose(np.asarray(left, float), np.asarray(right, float), 1e-5, 1e-6)


@pytest.mark.parametrize("function, number", CASES)
def test_a_traced_number_gives_what_python_does(function, number):
    same(jax.jit(on_jax(function))(number), function(np.asarray(number)[()]))


@pytest.mark.parametrize("function, number", CASES)
def test_without_jit_python_runs(function, number):
    same(on_jax(function)(jnp.asarray(number)), function(np.asarray(number)[()]))


@pytest.mark.parametrize("function, numbers", [(row[0], row[1:]) for row in NUMBERS])
def test_a_batch_gives_what_each_number_does(function, numbers):
    kind = float if any(type(number) is float for number in numbers) else int
    numbers = [kind(number) for number in numbers]
    expected = [function(np.asarray(number)[()]) for number in numbers]
    same(jax.vmap(on_jax(function))(jnp.asarray(numbers)), np.array(expected, float))
    same(jax.jit(jax.vmap(on_jax(function)))(jnp.asarray(numbers)), np.array(expected, float))


@pytest.mark.parametrize("x, n", [(1.5, 5), (2.0, 0), (-3.0, 3)])
def test_two_arguments_and_their_forward_derivative(x, n):
    same(jax.jit(on_jax(power))(x, n), power(x, n))
    forward = jax.jit(lambda x: jax.jvp(lambda y: on_jax(power)(y, jnp.asarray(n)), (x,), (1.0,)))
    same(forward(x)[1], n * x ** (n - 1) if n else 0.0)
    same(jax.jit(on_jax(greatest_divisor))(12 * n, 18), greatest_divisor(12 * n, 18))


# ---- arrays -------------------------------------------------------------------------------------


def running_maximum(xs):
    highest, out = xs[0], xs * 0
    for i in range(len(xs)):
        highest = max(highest, xs[i])
        out[i] = highest
    return out


def over_items(xs):
    total = 0.0
    for x in xs:
        if x > 5:
            continue
        if x < 0:
            break
        total = total + x
    else:
        total = total + 1000
    return total


def first_large(xs):
    for x in xs:
        if x > 3:
            return x
    return -1.0


def scan_with_index(xs):
    best, at, i = -1.0, -1, 0
    while i < len(xs):
        if xs[i] > best and not (xs[i] == 7.0):
            best, at = xs[i], i
        i += 1
    return best, at


def last_item(xs):
    for x in xs:
        last = x * 2
    return last


def enumerates(xs):
    total = 0.0
    for i, x in enumerate(xs, 1):
        total += i * x
    return total


def zips(xs):
    total = 0.0
    for left, right in zip(xs, xs[1:]):
        if left < right:
            total += right - left
    return total


def reverses(xs):
    total = 0.0
    for x in reversed(xs):
        total = total / 2 + x
    return total


def zip_and_enumerate(xs):
    total = 0.0
    for i, (a, b) in enumerate(zip(xs, reversed(xs))):
        total += i * a - b
    return total


def sums(xs):
    return sum(xs) + max(xs) - min(xs) + len(xs)


def any_item(xs):
    return any(xs > 3) + 2 * all(xs > 0) + 4 * any(x > 6 for x in xs)


def sets_items(xs):
    if xs[0] > 1:
        xs[0] = 9.0
    else:
        xs[1] = 8.0
    xs[-1] += 0.5
    return xs


def sets_where_a_mask_is(xs):
    xs[xs > 3] = -1
    table = xs[:, None] * xs
    table[xs < 0] = 2.5
    return xs, table


def sorts_by_insertion(xs):
    for i in range(1, len(xs)):
        j, key = i, xs[i]
        while j > 0 and xs[j - 1] > key:
            xs[j] = xs[j - 1]
            j -= 1
        xs[j] = key
    return xs


def two_dimensions(xs):
    table = xs[:, None] * xs
    total = 0.0
    for row in table:
        for value in row:
            if value > 2:
                total += value
    return total


def appends(xs):
    rows = []
    for x in xs:
        rows.append(x * 2)
    return rows[0] + rows[-1]


def comprehends(xs):
    return sum([x * x for x in xs]) + sum(x + 1 for x in xs)


def is_in(xs):
    return (3.0 in xs) + 2 * (xs[0] in (1.0, 2.0))


def unpacks(xs):
    a, *rest = xs
    return a * len(rest) + rest[-1]


def binary_search(xs):
    low, high = 0, len(xs)
    while low < high:
        middle = (low + high) // 2
        if xs[middle] < 3:
            low = middle + 1
        else:
            high = middle
    return low


def horner(xs):
    value = 0.0
    for coefficient in xs:
        value = value * 0.5 + coefficient
    return value


def relaxes(xs):
    change = 1.0
    while change > 1e-3:
        new = 0.5 * xs
        change = abs(new - xs).max()
        xs = new
    return xs


def counts_and_prefix(xs):
    out = xs * 0
    total, count = 0.0, 0
    for i, x in enumerate(xs):
        if x > 0:
            total += x
            count += 1
        out[i] = total
    return out, count


ARRAYS = [
    running_maximum, over_items, first_large, scan_with_index, last_item, enumerates, zips,
    reverses, zip_and_enumerate, sums, any_item, sets_items, sets_where_a_mask_is,
    sorts_by_insertion, two_dimensions,
    appends,
    comprehends, is_in, unpacks, binary_search, horner, relaxes, counts_and_prefix,
]  # fmt: skip
ROWS = [[1.0, 2.0, 9.0, 3.0], [2.0, 1.0, 3.5, 7.0], [-1.0, 4.0, 1.0, 1.0], [5.5, 5.5, 0.5, 2.5]]


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("function", ARRAYS)
def test_traced_arrays_give_what_numpy_arrays_do(function, row):
    expected = function(np.array(row, np.float32))
    same(jax.jit(on_jax(function))(jnp.asarray(row)), expected)
    same(on_jax(function)(jnp.asarray(row)), expected)


@pytest.mark.parametrize("function", ARRAYS)
def test_a_batch_of_arrays_gives_what_each_does(function):
    rows = [function(np.array(row, np.float32)) for row in ROWS]
    expected = jax.tree.map(lambda *leaves: np.stack(leaves), *rows)
    same(jax.vmap(on_jax(function))(jnp.asarray(ROWS)), expected)


# ---- derivatives ---------------------------------------------------------------------------------


def bounded(x):
    while abs(x) > 0.5:
        ag.autograph.experimental.set_loop_options(maximum_iterations=20)
        x = x * 0.7
    return x * x


DIFFERENTIATED = [
    newton, nested_choice, returns_early, returns_in_each_arm, calls_a_function, clips, bounded
]  # fmt: skip
DIFFERENTIATED_ARRAYS = [
    running_maximum, over_items, first_large, last_item, enumerates, zips, reverses, two_dimensions,
    appends, comprehends, horner, counts_and_prefix,
]  # fmt: skip


@pytest.mark.parametrize("function", DIFFERENTIATED)
def test_derivatives_of_numbers_agree_with_finite_differences(function):
    for x in (1.3, 2.7):
        check_grads(jax.jit(on_jax(function)), (x,), 1, rtol=2e-2, atol=2e-2)
        same(jax.grad(on_jax(function))(x), jax.grad(jax.jit(on_jax(function)))(x))


@pytest.mark.parametrize("function", DIFFERENTIATED_ARRAYS)
def test_derivatives_of_arrays_agree_with_finite_differences(function):
    def summed(xs):
        return sum(jnp.sum(leaf * 1.0) for leaf in jax.tree.leaves(on_jax(function)(xs)))

    check_grads(jax.jit(summed), (jnp.array([1.1, 2.2, 4.3, 3.4]),), 1, rtol=2e-2, atol=2e-2)
