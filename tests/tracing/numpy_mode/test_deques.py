"""`jit`: `collections.deque` of numbers and tuples, and names that get lists of each iteration."""

import collections
from collections import deque

import numpy as np
import pytest
from test_jit import check

pytestmark = pytest.mark.slow
random = np.random.default_rng(0)
GRID = random.random((20, 20)) < 0.25
EDGES = np.triu(random.random((40, 40)) < 0.1, 1)
STARTS = np.concatenate([[0], np.cumsum(EDGES.sum(axis=1))])
ENDS = np.nonzero(EDGES)[1]


def distances(walls):
    height, width = walls.shape
    found = np.full((height, width), -1)
    found[0, 0] = 0
    queue = deque([(0, 0)])
    while queue:
        y, x = queue.popleft()
        for dy, dx in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            ny, nx = y + dy, x + dx
            if 0 <= ny < height and 0 <= nx < width and not walls[ny, nx] and found[ny, nx] < 0:
                found[ny, nx] = found[y, x] + 1
                queue.append((ny, nx))
    return found


def cheapest_first(costs):
    size = costs.shape[0]
    found = np.full(costs.shape, 10**9)
    found[0, 0] = 0
    queue = collections.deque()
    queue.append((0, 0))
    while len(queue) > 0:
        y, x = queue.popleft()
        for ny, nx in ((y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)):
            if 0 <= ny < size and 0 <= nx < size:
                cost = found[y, x] + costs[ny, nx]
                if cost < found[ny, nx]:
                    found[ny, nx] = cost
                    if costs[ny, nx]:
                        queue.append((ny, nx))
                    else:
                        queue.appendleft((ny, nx))
    return found


def moving_mean(values, width):
    window = deque(maxlen=width)
    out = np.empty(len(values))
    total = 0.0
    for i, value in enumerate(values):
        if len(window) == width:
            total -= window[0]
        window.append(value)
        total += value
        out[i] = total / len(window)
    return out


def largest_of_windows(values, width):
    places = deque()
    out = []
    for i in range(len(values)):
        while places and places[0] <= i - width:
            places.popleft()
        while places and values[places[-1]] <= values[i]:
            places.pop()
        places.append(i)
        if i >= width - 1:
            out.append(values[places[0]])
    return out


def last_of_a_circle(count):
    circle = deque(range(count))
    while len(circle) > 1:
        circle.append(circle.popleft())
        circle.popleft()
    return circle[0]


def topological_order(starts, ends):
    count = len(starts) - 1
    left = np.zeros(count, dtype=np.int64)
    for end in ends:
        left[end] += 1
    ready = deque()
    for i in range(count):
        if left[i] == 0:
            ready.append(i)
    order = []
    while ready:
        one = ready.popleft()
        order.append(one)
        for at in range(starts[one], starts[one + 1]):
            end = ends[at]
            left[end] -= 1
            if left[end] == 0:
                ready.append(end)
    return order


def mixture(values):
    queue = deque([values[0]])
    queue.appendleft(int(values[1]))
    for value in values:
        if value < 2 and queue:
            queue.pop()
        elif value == 9:
            queue.clear()
        else:
            queue.appendleft(value)
    return list(queue), len(queue), value in queue


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (distances, (GRID,)),
        (cheapest_first, (GRID.astype(int),)),
        (moving_mean, (random.random(200), 7)),
        (largest_of_windows, (random.random(200), 7)),
        (last_of_a_circle, (300,)),
        (topological_order, (STARTS, ENDS)),
        (mixture, (random.integers(0, 10, 100),)),
    ],
)
def test_a_deque_is_native(function, args):
    check(function, *args)


def emptied(values):
    queue = deque([1])
    for i in range(len(values)):
        values[i] += 1
        queue.popleft()
    return queue


def test_an_empty_deque_raises_what_python_raises():
    check(emptied, np.zeros(8), native=False)


def begun_with_a_number(number, values):
    queue = deque([(number, 0.5)])
    queue.appendleft((number, values[4]))
    items = [number]
    for value in values:
        items.append(int(value))
    return list(queue), items


def test_a_list_that_grows_does_not_grow_in_the_memory_of_its_first_items():
    for number in range(20):
        check(begun_with_a_number, number, random.random(6))


# ---- names of lists --------------------------------------------------------------------------


def levels(starts, ends):
    found = [-1] * (len(starts) - 1)
    front, level = [0], 0
    found[0] = 0
    while front:
        level += 1
        behind = []
        for one in front:
            for at in range(starts[one], starts[one + 1]):
                end = ends[at]
                if found[end] < 0:
                    found[end] = level
                    behind.append(end)
        front = behind
    return np.array(found)


def binomials(count):
    row = [1]
    for _ in range(count):
        new = [1]
        for j in range(len(row) - 1):
            new.append(row[j] + row[j + 1])
        new.append(1)
        row = new
    return row


def read_under_the_old_name(count):
    front, total = [1, 2], 0
    for i in range(count):
        new = []
        for one in front:
            new.append(one + 1)
        old = front
        front = new
        front.append(i)
        total += old[0] * 100 + front[-1] + len(old)
    return total


@pytest.mark.parametrize(
    ("function", "args"),
    [(levels, (STARTS, ENDS)), (binomials, (30,)), (read_under_the_old_name, (25,))],
)
def test_a_name_that_gets_a_list_of_each_iteration_is_native(function, args):
    check(function, *args)


def with_another_name(count):
    front = [1, 2]
    for i in range(20):
        if i == 0:
            front.append(5)
    first = front
    for _ in range(count):
        new = []
        for one in front:
            new.append(one + 1)
        front = new
    return first[0], front[0], len(front)


def test_a_list_with_another_name_stays_as_it_is():
    check(with_another_name, 25, native=False)


def edit_distance(one, other):
    before = list(range(len(other) + 1))
    for i in range(1, len(one) + 1):
        now = [i] + [0] * len(other)
        for j in range(1, len(other) + 1):
            cost = 0 if one[i - 1] == other[j - 1] else 1
            now[j] = min(before[j] + 1, now[j - 1] + 1, before[j - 1] + cost)
        before = now
    return before[-1]


def test_a_list_begins_with_a_computed_item_and_many_known_ones():
    check(edit_distance, random.integers(0, 4, 60), random.integers(0, 4, 80))
