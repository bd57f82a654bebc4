"""Lists of Python's that become lists of the graph: those that a loop changes, and results of `+`
and `*`, where the graph computes an operand.
"""

from __future__ import annotations

import dis
import functools
import operator
import sys
from collections.abc import Callable

import numpy as np

from ....autograph.operators.raising import Retrace
from ....python_library.items import repeat
from ....runtime.core.numpy_dtypes import is_integer
from ....runtime.core.source_locations import user_location
from ..calls.library_calls import call_library
from ..python_builtins import BUILTINS
from ..refusal import RefusedError, noun, numpy_trace
from ..traced_scalar import DISPATCH, TracedScalar, is_mixed, scalar_of
from .growing_lists import (
    GrowingList,
    has_one_name,
    joined_types,
    place_of_list,
    references,
    types_of,
)
from .traced_list import TracedList


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


def concatenated(*parts) -> GrowingList:
    """A new list of the items of lists."""
    result = GrowingList([])
    for items in parts:
        result.extend(items)
    return result


def repeated(items, count):
    """`items * count`, of a list of the graph, or of any sequence and a number of the graph."""
    number = scalar_of(count)
    if not isinstance(items, (list, TracedList)) or (type(items) is list and number.arguments):
        return items * operator.index(number)
    is_whole = is_integer(number.numpy_dtype) or number.python is bool
    if noun(items) != "a list" or is_mixed(number) or not is_whole:
        raise RefusedError(f"{noun(items)} times a number that is, or may be, no integer")
    _refuse_in_place(items)
    source, result = concatenated(items), GrowingList([], key=(place_of_list(), "repeated"))
    call_library(repeat, source, result, BUILTINS[int](number))
    return result


def _refuse_in_place(items) -> None:
    """Refuse that `items += others`, or `items *= count`, changes a list of Python's."""
    where = user_location() if type(items) is list else None
    if where is not None and where.instruction not in _NEW:
        numpy_trace().let_change(items)
        raise RefusedError("a list from outside gets computed items")


def _added(first, second):
    if not noun(first) == noun(second) == "a list":
        return NotImplemented
    _refuse_in_place(first)
    return concatenated(first, second)


def _times(items, count):
    is_number = isinstance(count, (int, np.integer, TracedScalar))
    return repeated(items, count) if is_number else NotImplemented


_CODE = (lambda a, b: (a + b, a * b)).__code__
_STEPS = [each for each in dis.Bytecode(_CODE) if each.opname == "BINARY_OP"]
_NEW = {_CODE.co_code[each.offset :][:2] for each in _STEPS}
DISPATCH.repeated = repeated
for name, form in (("add", _added), ("radd", lambda own, other: _added(other, own)),
                   ("mul", _times), ("rmul", _times)):  # fmt: skip
    setattr(TracedList, f"__{name}__", form)
