"""Comprehensions: Python's own over plain iterables, the stager's over staged ones."""

from __future__ import annotations

import contextlib

from ..stager import CURRENT
from .checked_values import required
from .iterators import check_advance

SIZED = (list, tuple, range)


class StagedTestError(Exception):
    """The `if` of a comprehension over a plain sequence turned out to be staged."""

    def __init__(self, items):
        super().__init__("the test of a comprehension is known only when the graph runs")
        self.items = items


def comprehension(build, items):
    """`build(items)`, where `build` is a list comprehension over its argument."""
    stager = CURRENT.stager
    items = walked(items)
    if stager.is_staged(items):
        return stager.collect(items, build)
    if type(items) not in SIZED:
        return build(items)
    checkpoint = stager.checkpoint()
    try:
        return build(items)
    except StagedTestError as error:
        if error.items is not items:
            raise
    stager.rollback(checkpoint)
    return stager.collect_each(items, build)


class Postponed:
    """A generator over plain items that is stored in a variable while a graph is built.

    As in Python, it is evaluated when its items are consumed.
    """

    def __init__(self, build, items):
        self.build = build
        self.items = items
        self.rest = None

    def __iter__(self):
        return self

    def __next__(self):
        if self.rest is None:
            self.rest = self.build(self.items)
        return next(self.rest)

    def walked(self):
        """The remaining items: a list, or the stager's form of one."""
        if self.rest is not None:
            return list(self.rest)
        self.rest = iter(())
        return comprehension(lambda items: list(self.build(items)), self.items)

    def until(self, decides) -> list:
        """The items up to the first for which `decides(item)`, and no other is evaluated."""
        stager = CURRENT.stager
        checkpoint = stager.checkpoint()
        try:
            return until(decides, self.build(self.items))
        except StagedTestError as error:
            if error.items is not self.items:
                raise
        stager.rollback(checkpoint)
        with all_evaluated():
            return self.walked()


def until(decides, iterable) -> list:
    """The items up to the first for which `decides(item)`; all that follow a staged one."""
    taken: list = []
    iterator, staged = iter(iterable), CURRENT.stager.is_staged
    for item in iterator:
        taken.append(item)
        if staged(item):
            with all_evaluated():
                return [*taken, *iterator]
        if decides(item):
            break
    return taken


@contextlib.contextmanager
def all_evaluated():
    """Around items of `any` or `all` of which Python may evaluate the first ones only."""
    stager = CURRENT.stager
    checkpoint = stager.checkpoint()
    yield
    if checkpoint is not None and stager.effects_since(checkpoint, checks=False):
        raise stager.refusal_of_construct(
            "`any` and `all` stop at the first item that decides, but a graph evaluates all of "
            "them, and an item assigns a variable or prints",
            "Use a `for` loop with `break`.",
        )


def walked(items):
    """The items of a stored generator; any other value as it is, with all its items required.

    Raises if it is an iterator that may not be advanced here.
    """
    check_advance(items)
    return items.walked() if type(items) is Postponed else required(items)


def generator(build, items, kept=False):
    """`build(items)`, where `build` makes a generator over its argument.

    It runs lazily, as in Python, unless a graph is built and the items have a known length. Then
    they are collected at once, or, for a generator that is `kept` and not a call's argument, when
    something asks for them. That of "any" or "all" is kept as well.
    """
    stager = CURRENT.stager
    items = walked(items)
    if stager.is_staged(items) or (type(items) in SIZED and stager.checkpoint() is not None):
        made = Postponed(build, items)
        if kept and not stager.is_staged(items):
            return made
        with all_evaluated() if kept in ("any", "all") else contextlib.nullcontext():
            made = made.walked()
        return iter(made) if type(made) is list else made
    return build(items)


def when(items, test, value):
    """The items that one iteration of `... for x in items if test` yields: `value()` or none."""
    stager = CURRENT.stager
    if stager.add_when(items, test, value):
        return ()
    if type(items) in SIZED and stager.is_staged(test):
        raise StagedTestError(items)
    return (value(),) if test else ()
