"""A list whose items are read and set at places that need no check, and what moves them."""

from __future__ import annotations

import numpy as np


class Items(list):
    inside = list.__getitem__
    set_inside = list.__setitem__

    def resize(self, count):
        self[count:] = [None] * (count - len(self))


def reverse(items):
    """Put the items into the opposite order."""
    count = len(items)
    for at in range(count // 2):
        first, last = items.inside(at), items.inside(count - 1 - at)
        items.set_inside(at, last)
        items.set_inside(count - 1 - at, first)


def close(items, place):
    """Move the items behind a place forward, over the item there."""
    for at in range(place, len(items) - 1):
        items.set_inside(at, items.inside(at + 1))


def insert(items, place, item):
    """`items.insert(place, item)`."""
    count = len(items)
    place = max(place + count, 0) if place < 0 else min(place, count)
    items.append(item)
    for at in range(count - place):
        items.set_inside(count - at, items.inside(count - at - 1))
    items.set_inside(place, item)


def remove(items, item):
    """`items.remove(item)`."""
    items.pop(index(items, item))


def index(items, item):
    """`items.index(item)`."""
    place, count = 0, len(items)
    while place < count and items.inside(place) != item:
        place += 1
    assert place < count
    return place


def count(items, item):
    """`items.count(item)`."""
    total = 0
    for other in items:
        total += 1 if other == item else 0
    return total


def copy_part(items, target, start, stop, step):
    """Append the items of a slice to another list."""
    count = len(items)
    low, high = (0, count) if step > 0 else (-1, count - 1)
    first, last = (low, high) if step > 0 else (high, low)
    first = first if start is None else min(max(start + count if start < 0 else start, low), high)
    last = last if stop is None else min(max(stop + count if stop < 0 else stop, low), high)
    for place in range(first, last, step):
        target.append(items.inside(place))


def repeat(items, target, count):
    """Append all items to another list, so many times."""
    for _ in range(count):
        for place in range(len(items)):
            target.append(items.inside(place))


def table(items, dtype, width):
    """Tuples as the rows of an array."""
    rows = np.zeros((len(items), width), dtype)
    for place, item in enumerate(items):
        for at in range(width):
            rows[place, at] = item[at]
    return rows


METHODS = {"insert": insert, "remove": remove, "index": index, "count": count, "reverse": reverse}
