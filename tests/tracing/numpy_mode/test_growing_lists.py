"""Lists of numbers that loops append to and take from are arrays that grow in native code."""

import numpy as np
import pytest
from native_calls import is_native
from numpy_programs import assert_native

import allograph as ag

pytestmark = pytest.mark.slow

A = np.array([0.5, -1.0, 2.0, 0.25, 3.0, -0.5, 1.5])
NATIVE = {}


def native(function):
    NATIVE[function.__name__] = function
    return function


@native
def squares(a, n):
    made = []
    for i in range(n):
        made.append(i * i)
    return np.array(made)


@native
def some_elements(a, n):
    made = []
    for i in range(len(a)):
        if a[i] > n % 2:
            made.append(a[i])
    return made, len(made)


@native
def a_stack(a, n):
    stack, waiting = [], np.zeros(len(a))
    for i in range(len(a)):
        while stack and a[stack[-1]] < a[i]:
            waiting[i] += a[stack.pop()]
        stack.append(i)
    return stack, waiting


@native
def a_queue_of_pairs(a, n):
    queue, head, total = [(n, 0)], 0, 0.0
    while head < len(queue):
        number, depth = queue[head]
        head += 1
        total += number * depth
        if depth < 3:
            queue.append((number - 1, depth + 1))
            queue.append((number * 2, depth + 1))
    return np.array(queue), queue[-1], total


@native
def a_list_in_each_iteration(a, n):
    counts = []
    for i in range(n):
        row = []
        for j in range(i % 4):
            row.append(a[j])
        counts.append(len(row))
    return counts


@native
def primes(a, n):
    found = []
    for i in range(2, n * 5):
        is_prime = True
        for p in found:
            if i % p == 0:
                is_prime = False
                break
        if is_prime:
            found.append(i)
    return found


@native
def numbers_of_two_types(a, n):
    made, sizes = [1.0], [0]
    for i in range(n):
        made.append(made[-1] * 0.5 + a[i % 7])
        sizes.append(sizes[-1] + 0.5)
    return made, sizes


@native
def slices(a, n):
    made = []
    for i in range(n):
        made.append(i * 1.5)
    return made[1:], made[::-1], made[-2:], made[5:2:-1], made[n:], made.copy()


@native
def elements_of_unknown_lists(a, n):
    made = []
    for i in range(n):
        if i % 3 not in made:
            made.append(i % 3)
    return made


@native
def several_items(a, n):
    made = []
    for i in range(n):
        made += [a[i % 7], a[0]]
        made.extend((a[1], a[2]))
        made[-1] += 1.0
    return np.array(made), max(made)


@native
def one_list_of_two_names(a, n):
    made = [7]
    for i in range(n):
        made.append(i)
    other = made
    for i in range(n):
        other.append(-i)
    other.append(5)
    other.clear()
    other.append(6)
    return made


@native
def items_before_they_change(a, n):
    made, b = [], a.copy()
    for i in range(n % 7):
        made.append(b[i])
        b[i] = 0.0
    return made, b


@native
def the_first_items_leave(a, n):
    queue, order = [(0, n)], []
    while queue:
        i, depth = queue.pop(0)
        order.append(i * depth)
        if depth > 6:
            queue.append((i + 1, depth - 1))
            queue.append((i + 2, depth - 2))
    queue = [3, 1, 2]
    for i in range(n):
        queue.pop(i % 2)
        queue.append(i)
    return order, queue


@native
def items_that_change(a, n):
    memo, counts, best = [0] * (n + 1), [0] * 3, [np.inf] * len(a)
    memo[1] = 1
    for i in range(2, n + 1):
        memo[i] = memo[i - 1] + memo[i - 2]
        counts[i % 3] += i
        best[i % 7] = a[i % 7]
    return memo, counts, best


@native
def comprehensions_with_tests(a, n):
    peaks = [i for i in range(1, 6) if a[i] > a[i - 1] and a[i] > a[i + 1]]
    pairs = [(x, x * n) for x in a if x > 0]
    some = [i for i in range(3) if a[i] > 0]
    total = sum(x for x in a if x > 0.3)
    return np.array(peaks), pairs, some, total, [x * 2 for x in a], len(peaks)


@native
def lists_of_ranges(a, n):
    order, pairs, total = list(range(n)), list(enumerate(range(n))), 0
    copied = list(order)
    for i in range(n):
        order[i], order[n - 1 - i] = order[n - 1 - i], order[i]
        total += order[i] * i
    copied.append(7)
    order.append(total)
    return order, copied, pairs, list(range(n, 0, -2)), list(reversed(range(n)))


@native
def largest_of_parts(a, n):
    made = []
    for i in range(1, n // 2):
        made.append(max(a[:i]) + min(a[i - 1 :]))
    return made


@native
def repeated_items(a, n):
    return np.array([1.5] * n) + a[0], np.array(n * [2]) * a[1], [0] * n


@pytest.mark.parametrize("function", NATIVE.values(), ids=NATIVE)
def test_a_list_that_grows_is_native(function):
    compiled = ag.jit(function)
    for n in (9, 6, 12):
        assert repr(compiled(A, n)) == repr(function(A, n))
    assert is_native(compiled), compiled.inspect()
    compiled.python_function = None  # which runs where the native code leaves a call to it
    for n in (9, 6):
        assert repr(compiled(A, n)) == repr(function(A, n))


def computed_with(a, n):
    made = []
    for i in range(n):
        made.append(a[i] * i)
    x = np.array(made)
    a[:n] = np.diff(x).sum()
    return x * (1 + 1j), np.mean(made), x.std()


def test_what_computes_with_the_items_is_native():
    compiled = ag.jit(computed_with)
    for n in (6, 7):
        a, b = A.copy(), A.copy()
        for one, other in zip(compiled(a, n), computed_with(b, n), strict=True):
            np.testing.assert_allclose(one, other)
        np.testing.assert_allclose(a, b)
    assert is_native(compiled)


def pop_of_nothing(a, n):
    made = []
    for i in range(n):
        made.append(i)
    while len(made) > -1:
        a[0] = made.pop()


def index_too_large(a, n):
    made = []
    for i in range(n):
        made.append(i)
        a[i] = made[i + n - 5]


def grows_while_it_is_read(a, n):
    made = [1]
    for i in range(n):
        made.append(i)
    for one in made:
        if len(made) < 30:
            made.append(one + 1)
    return made


def no_items(a, n):
    made = []
    for i in range(n - n):
        made.append(i)
    return made, np.array(made)


def arrays(a, n):
    made = []
    for i in range(n):
        made.append(a[:i])
        a[0] += 1
    return made[2]


def two_names_before(a, n):
    made = other = []
    for i in range(n):
        made.append(i)
    return len(other)


def changed_by_a_function(a, n):
    made = []

    def add(i):
        made.append(i)

    for i in range(n):
        add(i)
    return made


def returned_twice(a, n):
    made = []
    for i in range(n):
        made.append(i)
    return made, made


def held_by_another(a, n):
    made = []
    pair = [made, 5]
    for i in range(n):
        made.append(i)
    return pair


def chosen_list(a, n):
    low, high = [], []
    for i in range(n):
        if a[i % 7] < 0:
            low.append(a[i % 7])
        else:
            high.append(a[i % 7])
    return low if len(low) > len(high) else high


def other_items(a, n):
    made = []
    for i in range(n):
        made.append(i if i % 2 else (i, i))
    return made


def new_list(a, n):
    made = []
    for i in range(n):
        made.append(i)
        if len(made) > 3:
            made = made[1:]
    return made


def returned_where_it_is_made(a, n):
    for i in range(n):
        made = []
        for j in range(i):
            made.append(a[j])
        if a[i % 7] > 2.5:
            return made
    return [5.0]


def returned_in_a_loop(a, n):
    made = []
    for i in range(n):
        made.append(i)
        if a[i % 7] > 1.5:
            return made
    return made


def given(a, n, items=(1, 2)):
    made = list(items)
    for i in range(n):
        made.append(i)
    return made


def largest_of_nothing(a, n):
    made = []
    for i in range(n):
        made.append(max(a[i:i]))
    return made


def item_of_the_caller(a, n):
    made = [0] * 5
    made[n % 5] = 1
    made[-1] += 2
    return made, [made[i] for i in range(5)]


OTHERS = [largest_of_nothing, item_of_the_caller,
          pop_of_nothing, index_too_large, grows_while_it_is_read, no_items, arrays,
          two_names_before, changed_by_a_function, returned_twice, held_by_another, chosen_list,
          other_items, new_list, given,
          returned_where_it_is_made, returned_in_a_loop]  # fmt: skip


@pytest.mark.parametrize("function", OTHERS)
@pytest.mark.parametrize("n", [7, 2, 0])
def test_other_lists_mean_the_same(function, n):
    outcomes = []
    for each in (function, ag.jit(function)):
        a = A.copy()
        try:
            outcomes.append(repr((each(a, n), a)))
        except Exception as error:
            outcomes.append(repr((error, a)))
    assert outcomes[0] == outcomes[1]


def test_a_list_of_the_caller_changes():
    @ag.jit
    def add(items, n):
        for i in range(n):
            items.append(i)

    items = [1]
    add(items, 8)
    assert items == [1, 0, 1, 2, 3, 4, 5, 6, 7]


def test_items_of_lists_of_the_caller_change():
    @ag.jit
    def change(items, n):
        items[0] = 5
        for i in range(1, n):
            items[i] += items[i - 1]

    items = [1] * 8
    change(items, 8)
    assert items == [5, 6, 7, 8, 9, 10, 11, 12]


@pytest.mark.parametrize(
    "returned",
    [
        lambda made: made[::-1],
        lambda made: (made.copy(), made[1:]),
        lambda made: (sum(made), len(made), not made),
        lambda made: (2 in made, 2.5 in made),
    ],
)
def test_a_list_to_which_a_loop_of_no_iterations_appends_is_empty(returned):
    def some(a):
        made = []
        for i in range(len(a)):
            made.append(a[i])
        return returned(made)

    assert_native(some, (np.zeros(0),), (np.zeros(0, int),), (np.arange(4),))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int8, np.uint64, np.bool_])
def test_rows_of_numbers_of_several_types_become_an_array(dtype):
    def table(a, n):
        rows = []
        for i in range(n):
            rows.append((i, a[i], i > 1, i * 0.5))
        return np.array(rows)

    def counts(a, n):
        rows = []
        for i in range(n):
            rows.append((i, i > 1, a[i]))
        return np.array(rows)

    a = np.arange(4).astype(dtype)
    for function in (table, counts):
        made = ag.jit(function)
        for n in (4, 2, 0):
            found, expected = made(a, n), function(a, n)
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)
        assert made.inspect().startswith(f"({a.dtype}[4], int): native code")
