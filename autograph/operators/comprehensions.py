"""Comprehensions and starred items: Python's own over plain iterables, the stager's over staged
ones.

A generator expression over plain items is evaluated item by item where they are consumed, as in
Python. Where only a tensor decides whether an item is evaluated, that may not change anything.
"""

from __future__ import annotations

import functools
import itertools
import operator

from .. import forms
from ..current_trace import TRACE, UNTRACED, unsupported
from ..forms import form_of
from .checked_values import required
from .forwarding_lists import LIST_CLASSES, OwnIterator, check_advance, runs_code
from .raising import StagedTestError, refuse_if_caught
from .statement_state import unchanged

ENDLESS = (itertools.count, itertools.cycle)
FOR_LOOP = "Use a `for` loop: what its body changes is state of the loop."


class Single(list):
    """One plain item of a comprehension with a test."""


class CollectedItem:
    """The one item that a comprehension goes over while its iteration is staged. Stagers have
    classes of their own below this one.
    """

    def __init__(self, item, items):
        self.item = item
        self.made = items  # the list to which the iteration adds

    def __iter__(self):
        return iter((self.item,))

    def add_when(self, test, value) -> None:
        """Add `value()` where a test holds that may be staged."""
        raise NotImplementedError


def comprehension(build, items, tested=False):
    """`build(items)`, where `build` is a list comprehension over its argument, `tested` if it has
    one `for` with an `if`.
    """
    stager = TRACE.get().stager
    items = walked(items)
    if stager.is_staged(items):
        return collected_from(items, build)
    if not tested or stager.checkpoint() is None:
        return form_of(forms.new_list)(build(items))
    return Tested(build, items).collected()


def gathered(build, items, is_dictionary: bool):
    """The set or dictionary whose items `build(items, add)` adds."""
    make = dict if is_dictionary else set
    return form_of(forms.gathered)(build, walked(items), make)


def collected_from(items, build):
    """The list `build(items)` for staged items."""
    return form_of(forms.collected)(items, unchanging(build))


def unchanging(build):
    """`build`, which makes a list of items, and may not change what was there before."""
    where = "a comprehension over items that are known only when the graph runs"
    return lambda source: unchanged(lambda: list(build(source)), where, FOR_LOOP)


class Tested(OwnIterator):
    """A generator expression over plain items with an `if`, while a graph is built."""

    def __init__(self, build, items):
        self.build = build
        self.items = iter(items)  # those that have not been tested
        self.steps = self._steps()

    def _steps(self):
        for item in self.items:
            yield from self.build(Single((item,)))

    def __iter__(self):
        return self

    def __next__(self):
        try:
            return next(self.steps)
        except StagedTestError:
            raise unsupported(
                "how many items this generator expression has is known only when the graph runs, "
                "and its items are taken one at a time",
                "Make a list of them with `[... for ... in ... if ...]`.",
            ) from None

    def walked(self):
        """The iterable of a comprehension: a list that is known when the graph runs if the first
        test is known then, else the iterator.
        """
        staged = None
        try:
            first = [next(self.steps)]
        except StopIteration:
            return iter(())
        except StagedTestError as error:
            staged = error
        if staged is not None:  # not in the handler, as in `_taken`
            return self.staged([], staged)
        self.steps = _chained(first, self.steps)
        return self

    def collected(self, note=None):
        """The items that remain: a list, or the stager's form of one. `note` sees each one."""
        return _taken(self.steps, [], note or _nothing, self)

    def staged(self, taken: list, error: StagedTestError):
        """The list of those `taken` and what remains, from the item of a staged test."""
        build = self.build
        return form_of(forms.collected_each)(
            self.items, lambda source: list(build(source)), taken, error
        )


def _chained(first: list, rest):
    """`itertools.chain`, which lets go of the first."""
    yield first.pop()
    yield from rest


def until(decides, iterable):
    """The items up to the first for which `decides(item)`, in a list of the stager if a test of
    theirs is staged. Items after one for which that is staged may not change anything.
    """
    staged, is_known = TRACE.get().stager.is_staged, True

    def ends(item):
        nonlocal is_known
        decision = decides(item)
        is_known = not staged(decision)
        return decision if is_known else True

    def ends_for_sure(item):
        decision = decides(item)
        return not staged(decision) and decision

    steps = iterable.steps if type(iterable) is Tested else iter(iterable)
    taken = _taken(steps, [], ends, iterable, maybe_evaluated)
    if is_known:
        return taken
    return maybe_evaluated(lambda: _taken(steps, taken, ends_for_sure, iterable))


def _taken(steps, taken: list, ends, iterable, evaluated=lambda evaluate: evaluate()):
    """The list `taken` with more items of an iterable, up to the first for which `ends(item)`; the
    stager's form of a list, made by `evaluated`, if a test of theirs is staged.
    """
    staged = None
    try:
        for item in steps:
            taken.append(item)
            if ends(item):
                break
    except StagedTestError as error:
        staged = error
    # Not in the handler: errors of the user's code would name this one as their context.
    return taken if staged is None else evaluated(lambda: iterable.staged(taken, staged))


def advanced(iterator):
    """`next(iterator)` where a tensor may have left the loop before."""
    if isinstance(iterator, ENDLESS):
        raise unsupported("only a tensor ends a loop over endless items", "Use a `while` loop.")
    if not runs_code(iterator):
        return next(iterator)
    cure = (
        "Make a list of the items before the loop, or a staged loop of it: `for i in ag.range(n)`."
    )
    return maybe_evaluated(lambda: next(iterator), cure)


def maybe_evaluated(evaluate, cure: str = "Use a `for` loop with `break`."):
    """`evaluate()`, for items of which Python may evaluate the first ones only."""
    stager = TRACE.get().stager
    checkpoint = stager.checkpoint()
    where = "an item after one that is known only when the graph runs, which Python may not reach,"
    try:
        value = unchanged(evaluate, where, cure)
    except Exception as error:
        if type(error) is not StopIteration:
            refuse_if_caught(error)
        raise
    if checkpoint is not None and any(effect.acts for effect in stager.effects_since(checkpoint)):
        what = "assigns a variable or an item, prints or raises, and a graph evaluates all of them"
        raise unsupported(f"{where} {what}", cure)
    return value


def walked(items):
    """The iterable of a loop over `items`, with all its items required.

    Raises if it is an iterator that may not be advanced here.
    """
    check_advance(items)
    return items.walked() if type(items) is Tested else required(items)


def collected(items, note=None) -> list:
    """The items of an iterable: a list, or the stager's form of one. `note` sees each."""
    check_advance(items)
    if type(items) is Tested:
        return items.collected(note)
    return _taken(required(items), [], note or _nothing, items)


def _nothing(item) -> None:
    """A collector of items that notes nothing."""


def generator(build, items, tested=False, use=""):
    """`build(items)`, where `build` makes a generator over its argument, maybe `tested`.

    It runs lazily, as in Python. Of staged items, it becomes a list of the stager at once. `use` is
    "any" or "all" for the argument of that function.
    """
    stager = TRACE.get().stager
    items = walked(items)
    if stager.is_staged(items):
        collect = functools.partial(collected_from, items, build)
        return maybe_evaluated(collect) if use else collect()
    return Tested(build, items) if tested and stager.checkpoint() is not None else build(items)


def named_generator(build, items, tested=False):
    """The same, for a name: its items are taken once."""
    result = generator(build, items, tested)
    is_staged = TRACE.get().stager.is_staged(result)
    return form_of(forms.taken_once)(result, items) if is_staged else result


def filtered(test, items):
    """`filter(test, items)` of plain items: while a graph is built, a tensor may be the test."""
    items = walked(items)
    if TRACE.get().stager.checkpoint() is None or TRACE.get().stager.is_staged(items):
        return filter(test, items)

    def build(some):
        for item in some:
            yield from when(some, item if test is None else test(item), lambda item=item: item)

    return Tested(build, items)


def when(items, test, value, source: str = ""):
    """The items that one iteration of `... for x in items if test` yields: `value()` or none."""
    stager = TRACE.get().stager
    if stager.is_staged(test):
        where = "an item of a comprehension whose test is known only when the graph runs"
        value = functools.partial(unchanged, value, where, FOR_LOOP)
        if type(items) is Single:
            raise StagedTestError(test, value)
        if not isinstance(items, CollectedItem):
            forms.known(test, source)
    if isinstance(items, CollectedItem):
        items.add_when(test, value)
        return ()
    return (value(),) if test else ()


def each(items, test, rows, build, source: str):
    """The items that one iteration of `... for x in items if test for y in rows() ...` yields."""
    return form_of(forms.each)(items, test, lambda: walked(rows()), build, source)


def format_string(function, /, *args, **kwargs):
    """`str.format` and `str.join`, of staged values too."""
    stager = TRACE.get().stager
    if stager.checkpoint() is None:
        return function(*args, **kwargs)
    if function.__name__ == "format":
        return form_of(forms.formatted)(function, *args, **kwargs)
    if len(args) == 1 and stager.is_staged(args[0]):
        return form_of(str.join)(function.__self__, args[0])
    items = collected(*args) if len(args) == 1 else None
    if type(items) is not list or not any(map(stager.is_staged, items)):
        return function(*args) if items is None else function(items)
    # a string that shows tensors refers to them where it is formatted
    is_string = [isinstance(operand, str) and stager.is_staged(operand) for operand in items]
    rows = list(zip(items, is_string, strict=True))

    def joined() -> str:
        return function([str(item) if shows else item for item, shows in rows])

    return form_of(forms.formatted)(joined)


# ---- starred items: `[*items, x]` and `f(*items)` ------------------------------------------------


class Spliced:
    """Stands in a display for items whose number is known only when the graph runs."""

    def __init__(self, items):
        self.items = items


def starred(items):
    """The `items` of `*items` in a display, which `display` completes."""
    read = _as_list(items)
    return read if read is items or type(read) in LIST_CLASSES else (Spliced(read),)


def fresh(result):
    """What an operation on a display makes, which nothing else holds: often a list."""
    is_list = type(result) is list and TRACE.get() is not UNTRACED
    return form_of(forms.new_list)(result) if is_list else result


def display(displayed):
    """The list or tuple of a display, which may have starred items."""
    if TRACE.get() is UNTRACED:
        return displayed
    if not any(type(item) is Spliced for item in displayed):
        return fresh(displayed)
    parts = itertools.groupby(displayed, lambda item: type(item) is Spliced)
    joined = []
    for is_spliced, group in parts:
        joined += [part.items for part in group] if is_spliced else [list(group)]
    items = functools.reduce(operator.add, joined)
    return form_of(tuple)(items) if type(displayed) is tuple else items


def starred_arguments(items):
    """The `items` of `f(*items)`: their number has to be known while tracing."""
    known = _as_list(items)
    if known is not items and type(known) not in LIST_CLASSES:
        raise unsupported(
            "how many arguments `*` gives is known only when the graph runs",
            "Give the items as one argument, `f(items)` in place of `f(*items)`.",
        )
    return known


def _as_list(items):
    """The items; a list of them where they are staged, which may be one of the stager."""
    if type(items) in (*LIST_CLASSES, tuple) or not TRACE.get().stager.is_staged(items):
        return items
    return form_of(list)(items)
