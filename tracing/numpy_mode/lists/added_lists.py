"""`+` and `*` of lists, one of which, or the count of which, the graph computes."""

from __future__ import annotations

import dis
import operator

import numpy as np

from ....python_library.items import repeat
from ....runtime.core.numpy_dtypes import is_integer
from ....runtime.core.source_locations import user_location
from ..calls.library_calls import call_library
from ..python_builtins import BUILTINS
from ..refusal import RefusedError, noun, numpy_trace
from ..traced_scalar import DISPATCH, TracedScalar, is_mixed, scalar_of
from .growing_lists import GrowingList, place_of_list
from .traced_list import TracedList


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
