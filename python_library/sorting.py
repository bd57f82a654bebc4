"""`sorted` and `list.sort`: runs of items that are in order are merged, each time two to one."""

from __future__ import annotations

from .heaps import is_less


def sort(items, keys, target, is_reversed, order, merged):
    """Append the items in the order of their keys to `target`. The last two lists are empty."""
    count = len(items)
    for place in range(count):
        _check_order(keys.inside(place))
        order.append(count - 1 - place if is_reversed else place)
        merged.append(place)
    width = 1
    while width < count:
        for start in range(0, count, 2 * width):
            middle, end = min(start + width, count), min(start + 2 * width, count)
            _merge(keys, order, merged, start, middle, end)
        for place in range(count):
            order.set_inside(place, merged.inside(place))
        width *= 2
    for place in range(count):
        target.append(items.inside(order.inside(count - 1 - place if is_reversed else place)))


def _merge(keys, order, merged, start, middle, end):
    left, right = start, middle
    for place in range(start, end):
        first = order.inside(min(left, middle - 1))
        second = order.inside(min(right, end - 1))
        is_before = is_less(keys.inside(second), keys.inside(first))
        takes_second = (right < end) & ((left >= middle) | is_before)
        merged.set_inside(place, second if takes_second else first)
        left, right = (left, right + 1) if takes_second else (left + 1, right)


def _check_order(key):
    """Have Python sort what has no order."""
    for part in key if isinstance(key, tuple) else (key,):
        assert part == part
