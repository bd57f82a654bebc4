"""`jit`: lists of lists that grow, as those of the neighbors of nodes."""

import heapq
from collections import defaultdict, deque

import numpy as np
import pytest
from test_jit import check, outcome

import allograph as ag

pytestmark = pytest.mark.slow
random = np.random.default_rng(0)
EDGES, WEIGHTS = random.integers(0, 60, (150, 2)), random.random(150)


def distances(edges, count):
    neighbors = [[] for _ in range(count)]
    for one, other in edges:
        neighbors[one].append(other)
        neighbors[other].append(one)
    found = np.full(count, -1)
    found[0] = 0
    queue = deque([0])
    while queue:
        one = queue.popleft()
        for other in neighbors[one]:
            if found[other] < 0:
                found[other] = found[one] + 1
                queue.append(other)
    return found


def shortest(edges, count, weights):
    neighbors = [[] for _ in range(count)]
    for k in range(len(edges)):
        neighbors[edges[k, 0]].append((edges[k, 1], weights[k]))
    found = np.full(count, np.inf)
    found[0] = 0
    heap = [(0.0, 0)]
    while heap:
        distance, one = heapq.heappop(heap)
        if distance > found[one]:
            continue
        for other, weight in neighbors[one]:
            if distance + weight < found[other]:
                found[other] = distance + weight
                heapq.heappush(heap, (found[other], other))
    return found


def in_buckets(values, count):
    buckets = [[] for _ in range(count)]
    for value in values:
        buckets[int(value * count)].append(value)
    out = []
    for i in range(count):
        row = buckets[i]
        for j in range(1, len(row)):
            value, k = row[j], j - 1
            while k >= 0 and row[k] > value:
                row[k + 1] = row[k]
                k -= 1
            row[k + 1] = value
        for value in row:
            out.append(value)
    return np.array(out)


def of_rows(count):
    rows = [[] for _ in range(count)]
    for i in range(300):
        j = (i * i + 3) % count
        if i % 3 == 0 and rows[j]:
            rows[j].pop()
        else:
            rows[j].append(i)
    total = 0
    for row in rows:
        total = total * 3 + len(row)
    for i in range(count):
        if rows[i]:
            total = (total * 31 + rows[i][0] - rows[i][-1]) % 1000003
    return total, len(rows)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (distances, (EDGES, 60)),
        (shortest, (EDGES, 60, WEIGHTS)),
        (in_buckets, (random.random(200), 10)),
        (of_rows, (30,)),
    ],
)
def test_lists_of_lists_are_native(function, args):
    check(function, *args)


def beyond_the_end(count):
    rows = [[] for _ in range(count)]
    for i in range(count + 1):
        rows[i].append(i)
    return len(rows)


def used_after_the_loop(count):
    rows = [[] for _ in range(count)]
    for i in range(count):
        row = rows[i]
        row.append(i)
    return len(row), row[0]


def returned(count):
    rows = [[] for _ in range(count)]
    for i in range(300):
        rows[i % count].append(i)
    return rows


def another_row(count):
    rows = [[] for _ in range(count)]
    for i in range(count):
        rows[i] = [i, i + 1]
    return len(rows[3])


@pytest.mark.parametrize("function", [beyond_the_end, used_after_the_loop, returned, another_row])
def test_lists_of_lists_are_those_of_python(function):
    compiled = ag.jit(function)
    for _ in range(2):
        assert outcome(compiled, (30,))[0] == outcome(function, (30,))[0]


# ---- lists of other lengths --------------------------------------------------------------------

COUNTS = np.array([3, 1, 0, 2, 5])


def triangle(counts):
    rows = [[1]]
    for i in range(1, len(counts) + 2):
        row = [1]
        for j in range(1, i):
            row.append(rows[i - 1][j - 1] + rows[i - 1][j])
        row.append(1)
        rows.append(row)
    return rows


def nested_comprehensions(counts):
    rows = [[j * 2 for j in range(count)] for count in counts]
    total = 0
    for row in rows:
        total += len(row)
        for item in row:
            total += item
    return total, rows


def one_list_of_several_names(counts):
    rows = []
    for _ in counts:
        rows.append([])
    first, again = rows[0], rows[0]
    for count in counts:
        first.append(count)
        rows[1].append(2)
    again[0] = 100
    return rows, len(first)


def changed_after_it_is_an_item(counts):
    rows = []
    for count in counts:
        row = [count]
        rows.append(row)
        row.append(2)
    return rows


def an_item_twice(counts):
    rows = []
    for count in counts:
        row = [count]
        rows.append(row)
        rows.append(row)
    rows[0].append(9)
    return rows


def exchanged(counts):
    rows = [[j for j in range(count)] for count in counts]
    rows[0], rows[1] = rows[1], rows[0]
    rows[2] = [7, 8]
    rows[3] += [1, 2, 3]
    return rows


def taken(counts):
    rows = [[j for j in range(count)] for count in counts]
    total = 0
    while rows:
        row = rows.pop()
        while row:
            total = total * 3 + row.pop()
    return total


def the_longest(counts):
    rows = [[j for j in range(count + 1)] for count in counts]
    row = rows[0]
    for i in range(len(rows)):
        if len(rows[i]) > len(row):
            row = rows[i]
    row.append(50)
    return row[-1], len(row), sum(row), max(row), 50 in row, rows


def methods(counts):
    rows = [[j * 7 % 5 for j in range(count + 1)] for count in counts]
    for row in rows:
        row.sort()
        row.insert(0, 44)
        row.reverse()
        if 3 in row:
            row.remove(3)
        row.extend([1, 2])
        del row[0]
    rows[3].clear()
    return rows, rows[0][:2], rows[1] + [5], rows[1].count(1), rows[4].index(1), rows[0] * 2


def with_tuples(counts):
    rows = []
    for count in counts:
        rows.append((count, [j for j in range(count)], 1.5))
    return rows


def of_two_types(counts):
    rows = []
    for _ in counts:
        rows.append([1])
    for count in counts:
        rows[count % 2].append(count * 0.5)
    return rows


def groups(counts):
    found = {}
    for i in range(len(counts)):
        key = counts[i] % 3
        if key not in found:
            found[key] = []
        found[key].append(i)
    return found


def groups_by_setdefault(counts):
    found = {}
    for i in range(len(counts)):
        found.setdefault(counts[i] % 2, []).append((i, counts[i] * 0.5))
    total = 0.0
    for key, row in found.items():
        for i, half in row:
            total += key * i + half
    del found[1]
    return total, len(found), found


def groups_by_default(counts):
    found = defaultdict(list)
    for i in range(len(counts)):
        found[counts[i] % 2].append(i)
    total = 0
    for row in found.values():
        total += len(row) * row[0] + row[-1]
    return total, len(found), len(found[7]), len(found)


RAGGED = [
    triangle, nested_comprehensions, one_list_of_several_names, changed_after_it_is_an_item,
    an_item_twice, exchanged, taken, the_longest, methods, with_tuples, of_two_types, groups,
    groups_by_setdefault, groups_by_default,
]  # fmt: skip


def identities(value) -> list:
    """Which lists in a value are one object."""
    waiting, seen = [value], {}
    for each in waiting:
        if isinstance(each, (list, tuple, dict)):
            waiting += each.values() if isinstance(each, dict) else each
        if isinstance(each, list):
            seen.setdefault(id(each), len(seen))
    return [seen[id(each)] for each in waiting if isinstance(each, list)]


@pytest.mark.parametrize("function", RAGGED)
def test_lists_of_several_lengths_are_native(function):
    check(function, COUNTS)
    compiled = ag.jit(function)
    assert identities(compiled(COUNTS)) == identities(function(COUNTS))


@pytest.mark.parametrize("function", RAGGED)
@pytest.mark.parametrize("counts", [COUNTS[:0], COUNTS[::-2].astype(np.int32)[::-1]])
def test_they_are_those_of_python_for_other_counts(function, counts):
    compiled = ag.jit(function)
    for _ in range(2):
        assert outcome(compiled, (counts,))[0] == outcome(function, (counts,))[0]


def an_older_list(counts):
    rows, row = [], []
    for count in counts:
        row.append(count)
        rows.append(row)
    return rows


def of_three_levels(counts):
    out = []
    for count in counts:
        rows = []
        for j in range(count):
            rows.append([j, count])
        out.append(rows)
    out[0][1].append(77)
    return out


def in_two_lists(counts):
    rows = [[] for _ in counts]
    others = []
    for i in range(len(counts)):
        others.append(rows[i])
    return rows, others


def beyond_the_end_of_an_item(counts):
    rows = [[j for j in range(count)] for count in counts]
    return rows[2][0]


def changed_in_a_branch(counts):
    rows = []
    for count in counts:
        row = [count]
        if count > 1:
            rows.append(row)
        row.append(5)
    return rows


def an_array_of_them(counts):
    rows = [[j for j in range(2)] for _ in range(3)]
    rows[0].append(4)
    return len(np.array(rows[0])), np.array(rows[1])


OTHERS = [
    an_older_list, of_three_levels, in_two_lists, beyond_the_end_of_an_item, changed_in_a_branch,
    an_array_of_them,
]  # fmt: skip


@pytest.mark.parametrize("function", OTHERS)
def test_lists_that_share_items_otherwise_are_those_of_python(function):
    compiled = ag.jit(function)
    for _ in range(2):
        result, expected = outcome(compiled, (COUNTS,))[0], outcome(function, (COUNTS,))[0]
        assert repr(result) == repr(expected)
        assert identities(result) == identities(expected)


def grown_as_items(keys):
    groups, total = {}, 0
    for i, key in enumerate(keys):
        items = [i]
        if key not in groups:
            groups[key] = items
        groups[key].append(1)
        total = total * 2 + len(items)
    return total


def changed_as_items(keys):
    groups, total = {}, 0
    for i, key in enumerate(keys):
        items = [i]
        if key not in groups:
            groups[key] = items
        groups[key][0] += 100
        total += items[0] * i
    return total


def grown_under_their_own_name(keys):
    rows = []
    for key in keys:
        items = [key]
        if key % 2:
            rows.append(items)
        items.append(5)
    return [len(row) for row in rows]


@pytest.mark.parametrize("program", [grown_as_items, changed_as_items, grown_under_their_own_name])
def test_a_list_that_a_branch_made_an_item_changes_under_both_names(program):
    check(program, np.array([3, 1, 3, 3, 4]), native=False)


def test_a_list_that_a_branch_made_an_item_can_be_read():
    def kept(count):
        rows, total = [], 0
        for i in range(count):
            row = []
            for j in range(i):
                if (i * j) % 3:
                    row.append(j)
            if row:
                rows.append(row)
            total += len(row)
        return rows, total

    check(kept, 12)


def longest_common_part(a, b):
    lengths = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] == b[j]:
                lengths[i + 1][j + 1] = lengths[i][j] + 1
            else:
                lengths[i + 1][j + 1] = max(lengths[i][j + 1], lengths[i + 1][j])
    return lengths


@pytest.mark.parametrize("size", [6, 40])
def test_a_table_that_a_comprehension_makes_changes(size):
    a, b = np.random.default_rng(size).integers(0, 4, (2, size))
    check(longest_common_part, a, b)


def test_a_list_of_computed_numbers_has_computed_indices():
    def chosen(a, b, c):
        parts, total = [a, b * 2, c + b], 0
        for i in range(c):
            total = total * 3 + parts[(a + i) % 3] - parts[-1 - i % 3]
        return total

    check(chosen, 4, 7, 9)
