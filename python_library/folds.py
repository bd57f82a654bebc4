"""Functions that go over items and keep one of them, or one value: `min`, `max` and `reduce`."""

from .heaps import is_less


def best_item(is_largest, items, keys, *default):
    """The first item of the largest key, or of the smallest one."""
    if default and len(items) == 0:
        return default[0]
    assert len(items) > 0, "of no items, which Python refuses"
    best, most = items[0], keys[0]
    for item, key in zip(items, keys):  # noqa: B905 - a strict one goes over lists of Python
        if is_less(most, key) if is_largest else is_less(key, most):
            best, most = item, key
    return best


def reduced(function, iterable, *initial):
    """`functools.reduce`."""
    items = list(iterable)
    first = 0
    if not initial:
        assert len(items) > 0, "of no items, which Python refuses"
        initial, first = (items[0],), 1
    result = initial[0]
    for item in items[first:]:
        result = function(result, item)
    return result
