"""Lists of Python's that a loop changes, which become lists of the graph before it."""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable

from ....autograph.operators.raising import Retrace
from ..refusal import RefusedError
from .growing_lists import GrowingList, has_one_name, joined_types, references, types_of


def with_growing_lists(get_state: Callable, set_state: Callable, names, options, loop) -> None:
    """Replace the lists that a loop changes by lists of the graph, where nothing else refers to
    them. Those of names that grow, by the options of the loop, may be empty. `loop` is its code.
    """
    values, growing = get_state(), options.get("lists", ())
    for _, value in zip(names, values, strict=True):
        if isinstance(value, GrowingList):
            is_unaliased = has_one_name(value)
            value.note_names(options if is_unaliased else None)
    value = None  # it would count as another name
    replaced = [
        GrowingList(value, loop, (loop, name), options)
        if type(value) is list and (value or name in growing) and _may_grow(value)
        else value
        for name, value in zip(names, values, strict=True)
    ]
    if any(map(operator.is_not, replaced, values)):
        set_state(tuple(replaced))


def _may_grow(items: list) -> bool:
    """Whether such a list has one name besides, and can be one of numbers."""
    if sys.getrefcount(items) > references():
        return False
    try:
        functools.reduce(joined_types, map(types_of, items)) if items else None
    except (RefusedError, Retrace):  # it has lists as items
        return False
    return True
