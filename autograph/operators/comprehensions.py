"""Comprehensions: Python's own over plain iterables, gathered by the stager over staged ones."""

from __future__ import annotations

from ..stager import CURRENT

SIZED = (list, tuple, range)


class StagedTestError(Exception):
    """The `if` of a comprehension over a plain sequence turned out to be staged."""

    def __init__(self, items):
        super().__init__("the test of a comprehension is known only when the graph runs")
        self.items = items


def comprehension(part, items):
    """`part(items)`, where `part` is a list comprehension over its argument."""
    stager = CURRENT.stager
    if stager.is_staged(items):
        return stager.collect(items, part)
    if type(items) not in SIZED:
        return part(items)
    mark = stager.mark()
    try:
        return part(items)
    except StagedTestError as error:
        if error.items is not items:
            raise
    stager.rollback(mark)
    return stager.collect_each(items, part)


def generator(part, items):
    """`part(items)`, where `part` is a generator over its argument.

    It runs lazily, as in Python, unless a graph is built over something of known length.
    """
    stager = CURRENT.stager
    if stager.is_staged(items) or (type(items) in SIZED and stager.mark() is not None):
        made = comprehension(lambda items: list(part(items)), items)
        return iter(made) if type(made) is list else made
    return part(items)


def when(items, test, value):
    """What `... for x in items if test` yields in one iteration: `value()` or nothing."""
    stager = CURRENT.stager
    if stager.add_when(items, test, value):
        return ()
    if type(items) in SIZED and stager.is_staged(test):
        raise StagedTestError(items)
    return (value(),) if test else ()
