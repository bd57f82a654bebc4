"""Queues in plain Python have the items of `collections.deque`."""

import random
from collections import deque

import pytest

from allograph.python_library import queues

APPEND = {"append": queues.append, "appendleft": queues.appendleft}


def items_of(queue):
    first, end = queue.bounds()
    return list(queue[first:end])


@pytest.mark.parametrize("most", [None, 5, 200])
def test_a_queue_has_the_items_of_a_deque(most):
    draws, queue, expected = random.Random(0), queues.Queue(), deque(maxlen=most)
    for at in range(2000):
        name = draws.choice(["append", "append", "appendleft", "popleft"])
        if name != "popleft":
            APPEND[name](queue, at, most)
            getattr(expected, name)(at)
        elif expected:
            first, end = queue.bounds()
            queue.set_bounds(first + 1, end)
            expected.popleft()
        assert items_of(queue) == list(expected)


def test_a_queue_that_items_go_through_keeps_its_room():
    queue = queues.Queue()
    for at in range(5000):
        queues.append(queue, at, 3)
    assert len(queue) < 4 * queues.ROOM
