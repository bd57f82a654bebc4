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
    items = walked(items)
    if stager.is_staged(items):
        return stager.collect(items, part)
    if type(items) not in SIZED:
        return part(items)
    checkpoint = stager.checkpoint()
    try:
        return part(items)
    except StagedTestError as error:
        if error.items is not items:
            raise
    stager.rollback(checkpoint)
    return stager.collect_each(items, part)


class Postponed:
    """A generator over plain items that is kept while a graph is built: as in Python, its parts are
    evaluated when something asks for them.
    """

    def __init__(self, part, items):
        self.part = part
        self.items = items
        self.rest = None

    def __iter__(self):
        return self

    def __next__(self):
        if self.rest is None:
            self.rest = self.part(self.items)
        return next(self.rest)

    def walked(self):
        """What is left of the items: a list, or what the stager gathered."""
        if self.rest is not None:
            return list(self.rest)
        self.rest = iter(())
        return comprehension(lambda items: list(self.part(items)), self.items)


def walked(items):
    """The items of a generator that was kept; everything else as it is."""
    return items.walked() if type(items) is Postponed else items


def generator(part, items, is_kept=False):
    """`part(items)`, where `part` is a generator over its argument; a call takes it at once, unless
    it `is_kept`.

    It runs lazily, as in Python, unless a graph is built over something of known length.
    """
    stager = CURRENT.stager
    items = walked(items)
    if stager.is_staged(items) or (type(items) in SIZED and stager.checkpoint() is not None):
        made = Postponed(part, items)
        if is_kept and not stager.is_staged(items):
            return made
        made = made.walked()
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
