"""Comprehensions over tensors, and what else gathers items into a list while the graph runs."""

from __future__ import annotations

from collections.abc import Callable

from ..runtime.apply import convert_to_tensor, tensor_of
from ..runtime.dtypes import int32
from ..runtime.op import TABLE
from . import control_flow
from .leaves import Missing, as_test
from .loop_options import loop
from .staged_iterables import StagedIterable, Streamed, iterable_of
from .staged_list import StagedList, UnknownRows

NAMES = ("the items of the list",)


class OneItem:
    """What a comprehension walks over while it is traced: the one item of an iteration."""

    def __init__(self, item, out: StagedList | list, missing: Missing):
        self.item = item
        self.out = out
        self.missing = missing

    def __iter__(self):
        return iter((self.item,))

    def add_when(self, test, value: Callable) -> None:
        """Append `value()` where the test holds; it is not evaluated elsewhere."""

        def taken():
            grown = before.copy()
            grown.append(value())
            return (grown,)

        before = self.out
        (self.out,) = control_flow.cond(test, taken, lambda: (before,), NAMES, self.missing)


def for_each(items, body: Callable, extra_test, state, names, options, missing: Missing) -> tuple:
    """A `While` that counts: the item is computed from the counter, never stored."""
    if isinstance(items, Streamed):
        return _for_streamed(items, body, extra_test, state, names, options, missing)
    source = iterable_of(items)
    count = source.length()
    start = convert_to_tensor(0, count.dtype)

    def test(index, *state):
        inside = index < count
        if extra_test is None:
            return inside
        tests = (lambda: (extra_test(*state),), lambda: (inside,))
        return control_flow.cond(inside, *tests, ("the test of `for`",), missing)[0]

    def step(index, *state):
        item = source.at(index)
        if source.keeps is None:
            return (index + 1, *body(item, *state))
        kept = as_test(source.keeps(item))
        after = control_flow.cond(kept, lambda: body(item, *state), lambda: state, names, missing)
        return (index + 1, *after)

    names_of_state = ("loop counter", *names)
    after = loop(test, step, (start, *state), names_of_state, missing, options)
    return after[1:]


def _for_streamed(items, body, extra_test, state, names, options, missing: Missing) -> tuple:
    """A `While` whose test asks for the next item, so that none is taken after a `break`."""
    advance, item = items.staged_stream()

    def test(*state):
        if extra_test is None:
            return advance()
        going_on = as_test(extra_test(*state))
        tests = (lambda: (advance(),), lambda: (going_on,))
        return control_flow.cond(going_on, *tests, ("the test of `for`",), missing)[0]

    def step(*state):
        return body(item(), *state)

    return loop(test, step, state, names, missing, options)


def collect(items, part: Callable, missing: Missing) -> StagedList:
    """The list `part(items)`, for a `part` such as `lambda items: [2 * x for x in items]`."""

    def body(item, out):
        one = OneItem(item, out.copy(), missing)
        made = part(one)
        for value in made:
            one.out.append(value)
        return (one.out,)

    empty = StagedList(UnknownRows(), convert_to_tensor(0, int32))
    return for_each(items, body, None, (empty,), NAMES, {}, missing)[0]


def collect_each(items, part: Callable, missing: Missing) -> StagedList | list:
    """The list `part(items)` for plain items; where a test is staged, so is its length."""
    out: StagedList | list = []
    for item in items:
        one = OneItem(item, out, missing)
        made = part(one)
        out = one.out
        out.extend(made)
    return out


def as_list(items, missing: Missing) -> StagedList:
    """The items of anything staged that can be walked over."""
    return items if isinstance(items, StagedList) else collect(items, list, missing)


def unfiltered(items, missing: Missing) -> StagedIterable:
    """A walk whose length is known before it starts."""
    if isinstance(items, Streamed):
        return iterable_of(as_list(items, missing))
    source = iterable_of(items)
    return source if source.keeps is None else iterable_of(as_list(source, missing))


def contains(container, item, missing: Missing):
    """`item in container`: of a plain sequence by comparing one after the other."""
    if isinstance(container, (list, tuple, set, frozenset, dict, range)):
        tests = [one == item for one in container]
        found = convert_to_tensor([as_test(test) for test in tests] if tests else False)
    else:
        rows = container if tensor_of(container) is not None else as_list(container, missing)
        found = convert_to_tensor(rows) == item
    return TABLE["reduce_any"](found, axis=None, keepdims=False)
