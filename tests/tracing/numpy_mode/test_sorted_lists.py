"""`sorted`, `list.sort`, methods of lists that search, and comprehensions of computed lengths."""

from collections import deque

import numpy as np
import pytest
from native_calls import is_native

import allograph as ag

RNG = np.random.default_rng(0)
ROWS = {  # most of one length, since each length is a trace
    "few": np.array([3.0, 1, 4, 1, 5, 9, 2]),
    "many": RNG.integers(0, 40, 70) * 1.0,
    "one": np.array([2.0]),
    "zeros": np.array([0.0, -0.0, 0.0, -1.0, -0.0, 2.0, 0.0]),
    "narrow, backward": np.array([3, 1, 2, 1, 9, 9, 0], np.float32)[::-1],
}


def listed(a):
    items = []
    for v in a:
        items.append(v)
    return items


def sorted_in_place(a):
    items = listed(a)
    items.sort()
    return items


def sorted_backward(a):
    items = listed(a)
    items.sort(reverse=True)
    return items


def sorted_copy(a):
    items = listed(a)
    ordered = sorted(items)
    items.append(ordered[0])
    return ordered, items


def sorted_array(a):
    return sorted(a)


def sorted_indices(a):
    return sorted(range(len(a)), key=lambda i: -a[i])


def sorted_pairs(a):
    pairs = [(int(v) % 3, v) for v in a]
    pairs.sort()
    return pairs


def equal_keys_stay_in_order(a):
    pairs = []
    for i, v in enumerate(a):
        pairs.append((int(v) % 3, i))
    pairs.sort(key=lambda pair: pair[0], reverse=True)
    return pairs


def sorted_keys(a):
    counts = {}
    for v in a:
        counts[int(v)] = counts.get(int(v), 0) + 1
    return [counts[key] for key in sorted(counts)]


def sorted_values(a):
    counts = {}
    for v in a:
        counts[int(v)] = counts.get(int(v), 0) + 1
    return sorted(counts.items(), key=lambda pair: pair[1], reverse=True)


def inserted(a):
    items = listed(a)
    items.insert(1, a[0])
    items.insert(-100, a[0] + 1)
    items.insert(100, a[0] + 2)
    items.insert(-1, a[0] + 3)
    items.remove(a[0])
    return items, items.index(a[0] + 2), items.count(a[0])


def extremes_of_keys(a):
    table = {}
    for v in a:
        table[int(v)] = -100.0 - v
    return max(table), min(table), max(table.values())


def of_a_growing_list(a):
    items = listed(a)
    return [v * 2 for v in items], [i for i in range(len(items))]


def of_values(a):
    table = {}
    for v in a:
        table[int(v)] = (v, 2 * v)
    return [y - x for x, y in table.values()]


def of_computed_ranges(a):
    total = 0
    for v in a:
        total += sum([k * k for k in range(int(abs(v)))])
    return total


def parts(a):
    items = listed(a)
    return items[1:-1], items[::-1], items[-3:], items[5:1:-2], items[100:], items[:-100]


def rows_of_a_deque(a):
    queue = deque()
    for v in a:
        queue.append((v, 2 * v))
    queue.popleft()
    queue.append((a[0], a[0]))
    return np.array(queue)


FUNCTIONS = [
    sorted_in_place, sorted_backward, sorted_copy, sorted_array, sorted_indices, sorted_pairs,
    equal_keys_stay_in_order, sorted_keys, sorted_values, inserted,
    extremes_of_keys, of_a_growing_list, of_values, of_computed_ranges, parts, rows_of_a_deque,
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_lists_are_native_as_python_has_them(function):
    compiled = ag.jit(function)
    for a in ROWS.values():
        assert repr(compiled(a)) == repr(function(a))
    assert is_native(compiled), compiled.inspect()


@pytest.mark.slow
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("a", [np.zeros(0), np.array([2.0, np.nan, 1.0, np.nan, 0.5])])
def test_nothing_and_nan(function, a):
    compiled = ag.jit(function)
    for _ in range(2):
        assert outcome(compiled, a) == outcome(function, a)


def test_keys_are_ordered_as_python_orders_them():
    a = ROWS["few"]
    assert ag.jit(extremes_of_keys)(a) == extremes_of_keys(a)
    assert ag.jit(sorted_indices)(a[:4]) == sorted_indices(a[:4])


def outcome(function, a):
    try:
        return repr(function(a))
    except Exception as error:  # noqa: BLE001 - whatever Python raises
        return type(error), str(error)


def primes(n):
    found = []
    for k in range(2, n):
        if all(k % p for p in found):
            found.append(k)
    return found


def test_generator_expressions_go_over_what_may_be_nothing():
    compiled = ag.jit(primes)
    assert [compiled(n) for n in (0, 3, 50)] == [primes(n) for n in (0, 3, 50)]
    assert is_native(compiled)


def sorted_by_its_length(a):
    items = listed(a)
    items.sort(key=lambda v: v + len(items))
    return items, sorted([a[0], a[1], a[2]], key=lambda v: -v)


def test_a_list_is_empty_for_the_key_that_sorts_it():
    a = ROWS["few"]
    assert repr(ag.jit(sorted_by_its_length)(a)) == repr(sorted_by_its_length(a))


def turned(a):
    queue = deque()
    for v in a:
        queue.append(v)
    queue.popleft()
    queue.reverse()
    return list(queue)


def test_a_deque_from_which_items_were_taken_is_turned_around():
    assert repr(ag.jit(turned)(np.arange(5.0))) == repr(turned(np.arange(5.0)))
