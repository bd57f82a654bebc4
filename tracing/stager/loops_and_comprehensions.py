"""`for` loops and comprehensions over tensors."""

from __future__ import annotations

from collections.abc import Callable

from ...autograph.forms import both_hold, counted_for
from ...autograph.operators.checked_values import certain
from ...autograph.operators.comprehensions import CollectedItem
from ...autograph.operators.containers import children, is_container
from ...autograph.operators.noted_changes import note_copied, note_shared
from ...autograph.operators.reachable_state import Reachable
from ...runtime.core.dtypes import int32
from ...runtime.core.errors import UnimplementedError
from ...runtime.core.shapes import show
from ...runtime.ir.op import TABLE
from ...runtime.ops.array.slicing import refuse_scalar
from ...runtime.tensors.apply import convert_to_tensor, tensor_of
from ...runtime.tensors.python_numbers import (
    is_python_value,
    is_range,
    python_type,
    refuse_characters,
)
from ..control_flow.staged_cond import cond
from ..control_flow.staged_while import loop
from ..staged_values.iterables import StagedIterable, Streamed, iterable_of, python_number
from ..staged_values.staged_list import StagedList
from ..staged_values.unknown_rows import UnknownRows
from ..structures import nest
from ..structures.errors import InconsistentBranchError
from ..structures.leaves import as_test

NAMES = ("the items of the list",)


class OneItem(CollectedItem):
    """An item, and the list or StagedList of the comprehension so far."""

    def add_when(self, test, value: Callable) -> None:
        def taken():
            grown = before.renewed() if isinstance(before, StagedList) else before.copy()
            grown.append(value())
            return (grown,)

        before = self.made
        (self.made,) = cond(test, taken, lambda: (before,), NAMES)


def for_each(items, body: Callable, extra_test, state, names, options) -> tuple:
    """A `While` that counts: the item is computed from the counter, never stored."""
    if isinstance(items, Streamed):
        return _for_streamed(items, body, extra_test, state, names, options)
    if isinstance(items, StagedList) and items.has_no_item():
        return tuple(state)
    source = iterable_of(items)
    count = source.length()
    start = convert_to_tensor(0, count.dtype)

    def kept(item, *state) -> tuple:
        test = as_test(source.keeps(item))  # type: ignore[misc]
        return cond(test, lambda: body(item, *state), lambda: state, names)

    each = body if source.keeps is None else kept
    return counted_for(start, count, source.at, each, extra_test, state, names, options)


def _for_streamed(items, body, extra_test, state, names, options) -> tuple:
    """A `While` whose test asks for the next item, so that none is taken after a `break`."""
    advance, item = items.staged_stream()

    def test(*state):
        if extra_test is None:
            return advance()
        return both_hold(as_test(extra_test(*state)), advance)

    def step(*state):
        return body(item(), *state)

    return loop(test, step, state, names, options)


def collect(items, build: Callable) -> StagedList:
    """The list `build(items)`, for a `build` such as `lambda items: [2 * x for x in items]`."""

    def body(item, out):
        collected = OneItem(item, out.renewed())
        for value in build(collected):
            _note_shared(value, item)
            collected.made.append(value)
        return (collected.made,)

    empty = StagedList(UnknownRows(), convert_to_tensor(0, int32))
    return for_each(items, body, None, (empty,), NAMES, {})[0]


def _note_shared(value, item) -> None:
    """Note that a list may hold twice, or that another one holds, what a comprehension gives it."""
    leaves = nest.flatten(item)
    if any(leaf is part for leaf in nest.flatten(value) for part in leaves):
        note_copied(item)
    if is_container(value) or children(value):
        note_shared([value], {id(part): part for _, part, *_ in Reachable((), _note_shared).edges})


def collect_each(items, build: Callable, taken: list, first) -> StagedList:
    """The list of those `taken`, `first.value()` if `first.test` holds, and `build(items)`."""
    collected = OneItem(None, taken)
    collected.add_when(first.test, first.value)
    for item in items:
        collected = OneItem(item, collected.made)
        rest = build(collected)  # which may give `one` another list
        collected.made.extend(rest)
    return collected.made


def as_list(items) -> StagedList:
    """The items of anything staged that can be walked over."""
    return items if isinstance(items, StagedList) else collect(items, list)


def unfiltered(items) -> StagedIterable:
    """A walk whose length is known before it starts."""
    if isinstance(items, Streamed):
        return iterable_of(as_list(items))
    source = iterable_of(items)
    return source if source.keeps is None else iterable_of(as_list(source))


def _same(element, item):
    test = element == item
    _refuse_rows(getattr(tensor_of(test), "dims", None))
    return as_test(test)


def _refuse_rows(dims) -> None:
    if dims and not set(dims) <= {1, None}:
        raise InconsistentBranchError(
            f"`in` tests whether an item is equal, and this test has the shape {show(dims)}",
            "In place of `a in (b, ...)`, write ag.reduce_all(a == b), or ag.reduce_any(a == b).",
        )


def contains(container, item):
    """`item in container`: of a plain sequence by comparing one after the other."""
    container, is_staged_list = certain(container), isinstance(container, StagedList)
    if not is_staged_list and isinstance(container, (list, tuple, set, frozenset, dict, range)):
        tests = [True if element is item else _same(element, item) for element in container]
        equal = convert_to_tensor(tests or False)
    elif is_python_value(container):
        refuse_characters(container)
        raise TypeError(f"argument of type '{python_type(container).__name__}' is not iterable")
    else:
        is_list = is_staged_list or is_range(container) or tensor_of(container) is None
        rows = as_list(container) if is_list else container
        if is_list and rows.has_no_item():
            return False
        if is_list and (nest.is_nested(rows.rows) or len(rows.stack().dims or ()) != 1):
            raise UnimplementedError(
                "`in` of a list of tuples or lists whose length is known only when the graph runs",
                "Compare their parts: any(a == 1 and b == 2 for a, b in rows).",
            )
        values = convert_to_tensor(rows)
        refuse_scalar(values)
        equal = values == item
        _refuse_rows((getattr(equal, "dims", None) or ())[1:])
    return python_number(TABLE["reduce_any"](equal, axis=None, keepdims=False))
