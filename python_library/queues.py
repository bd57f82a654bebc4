"""`collections.deque` as a list: the items lie between two places.

What is taken from the left leaves room for later items. Where that is more than half, appending
moves the items to the front first.
"""

from __future__ import annotations

from .items import Items

ROOM = 64  # the fewest places that are worth another move of the items


class Queue(Items):
    """A list with places before the first item, and behind the last one."""

    first = end = 0

    def bounds(self):
        return self.first, self.end

    def set_bounds(self, first, end):
        self.first, self.end = first, end

    def make_room(self, count):
        self += [None] * (count - len(self))


def append(queue, item, most):
    first, end = queue.bounds()
    if (first >= ROOM) & (end - first <= first):
        _move(queue, -first)
    first, end = queue.bounds()
    queue.make_room(end + 1)
    queue.set_inside(end, item)
    queue.set_bounds(first, end + 1)
    if most is not None and end + 1 - first > most:
        queue.set_bounds(first + 1, end + 1)


def appendleft(queue, item, most):
    first, end = queue.bounds()
    if first <= 0:
        _move(queue, end + ROOM)
    first, end = queue.bounds()
    queue.set_inside(first - 1, item)
    queue.set_bounds(first - 1, end)
    if most is not None and end - first + 1 > most:
        queue.set_bounds(first - 1, end - 1)


def _move(queue, distance):
    """Move all items by a distance, which is not less than their number, or below 0."""
    first, end = queue.bounds()
    queue.make_room(end + distance)
    for place in range(first, end):
        queue.set_inside(place + distance, queue.inside(place))
    queue.set_bounds(first + distance, end + distance)
