"""A list whose items are read and set at places that need no check, and what moves them."""

from __future__ import annotations


class Items(list):
    inside = list.__getitem__
    set_inside = list.__setitem__

    def resize(self, count):
        self += [None] * (count - len(self))


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
