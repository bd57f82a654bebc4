"""Comprehensions: Python's own over plain iterables, gathered by the stager over staged ones."""

from __future__ import annotations

from ..stager import CURRENT


def comprehension(part, items):
    """`part(items)`, where `part` is a list comprehension or generator over its argument."""
    if CURRENT.stager.is_staged(items):
        return CURRENT.stager.collect(items, part)
    return part(items)


def when(items, test, value):
    """What `... for x in items if test` yields in one iteration: `value()` or nothing."""
    if CURRENT.stager.add_when(items, test, value):
        return ()
    return (value(),) if test else ()
