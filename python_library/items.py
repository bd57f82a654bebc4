"""A list whose items are read and set at places that need no check, and what moves them."""

from __future__ import annotations


class Items(list):
    inside = list.__getitem__
    set_inside = list.__setitem__

    def resize(self, count):
        self += [None] * (count - len(self))


def close(items, place):
    """Move the items behind a place forward, over the item there."""
    for at in range(place, len(items) - 1):
        items.set_inside(at, items.inside(at + 1))
