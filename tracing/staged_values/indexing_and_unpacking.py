"""Rows of a tensor as Python values, and Python's sequences at an index known later."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ...autograph.forms import form_of
from ...autograph.operators.items import Rest
from ...runtime.core.errors import DTypeError, ShapeError, UnimplementedError
from ...runtime.ir.op import TABLE
from ...runtime.numpy_protocol.registry import is_symbolic
from ...runtime.ops.array.joining import stack, unstack
from ...runtime.ops.array.slicing import set_item
from ...runtime.tensors.apply import convert_to_tensor, tensor_of
from ...runtime.tensors.tensor import SymbolicTensor
from ..structures import nest
from ..structures.leaves import adopt, described, dtype_of
from .chosen_functions import at_index, is_function
from .iterables import length_of
from .staged_list import NO_SUCH_ITEM, StagedList, require, require_index

HELD_BY_A_VIEW = 2  # references to the array below a view that nobody else holds


def rows(value, pattern: tuple):
    """The rows of a tensor that is unpacked to names; anything else as it is.

    A length that is not known is checked when the graph runs. Raises ShapeError where the number of
    rows and of names do not fit.
    """
    count, starred = len(pattern), any(type(part) is str for part in pattern)
    if isinstance(value, StagedList):
        return _with_rest(value, pattern) if starred else value.unpacked(count)
    tensor = value if isinstance(value, SymbolicTensor) else None
    if tensor is None or tensor.dims == ():
        return value
    shape = tensor.dims
    if shape is None or shape[0] is None:
        if shape is not None and "rest" in pattern:
            return _with_rest(StagedList(tensor, length_of(tensor)), pattern)
        if starred or shape is None:
            raise ShapeError(
                f"{tensor} is unpacked to names, but the length of its first axis is not known "
                "while tracing",
                "Give it a known length, with ag.ensure_shape or an input_signature.",
            )
        tensor = TABLE["ensure_shape"](tensor, shape=(count, *shape[1:]))
        shape = tensor.dims
    least = count - 1 if starred else count
    rows: Any = shape[0]
    if rows < least or (rows != count and not starred):
        few = "not enough" if rows < least else "too many"
        raise ShapeError(
            f"{few} values to unpack: {tensor} has {shape[0]} rows along its first axis, "
            f"{'at least ' if starred else ''}{least} are expected"
        )
    return unstack(tensor)


def _with_rest(items: StagedList, pattern: tuple) -> list:
    """The items of a list for names, one of which is starred and gets a list."""
    if "rest" not in pattern:
        raise UnimplementedError(
            "a list that grows in a staged statement is unpacked with `*`",
            "Take its parts: first, rest = rows[0], rows[1:].",
        )
    before = pattern.index("rest")
    after = len(pattern) - before - 1
    message = f"not enough values to unpack (expected at least {before + after})"
    require(items.size >= before + after, message, ValueError)
    return [
        *(items[index] for index in range(before)),
        Rest(items[before : items.size - after].renewed()),
        *(items[items.size - index] for index in range(after, 0, -1)),
    ]


def item_of(target, key):
    """`target[key]` for a list, tuple or array; its items have to be of one type and shape."""
    if isinstance(target, np.ndarray):
        return convert_to_tensor(target)[key]
    index = tensor_of(key)
    plain = index is not None and index.dims == () and index.dtype.is_integer
    if isinstance(target, range) and plain:
        return form_of(range)(target.start, target.stop, target.step)[key]
    if isinstance(target, dict):
        raise UnimplementedError(
            "a dictionary is read with a key that is known only when the graph runs",
            "Use a Python key, or a list of the values and an index.",
        )
    if not isinstance(target, (list, tuple)) or not plain:
        return target[key]
    if not target:
        raise IndexError("an empty list or tuple has no item at an index known later")
    if not all(nest.same_structure(target[0], item) for item in target[1:]):
        raise UnimplementedError(
            "a list is read at an index that is known only when the graph runs, but its items have "
            f"different structures: {_differing(target, nest.same_structure)}"
        )
    columns = zip(*map(nest.flatten, target), strict=True)
    require_index(index, len(target))
    items = [
        at_index(index, column) if all(map(is_function, column)) else _stacked(column)[key]
        for column in columns
    ]
    return nest.pack_sequence_as(target[0], items)


def with_item(target: list, key, value) -> list:
    """The items of a list after `target[key] = value`, where the key is known when the graph runs.

    Numbers adopt the data types of the tensors among them.
    """
    if not target or not all(nest.same_structure(value, item) for item in target):
        return unstack(set_item(stack(target), key, value))
    require_index(key, len(target), NO_SUCH_ITEM)
    columns = []
    for column in zip(*map(nest.flatten, (*target, value)), strict=True):
        *items, new = unstack(_stacked(column), num=len(target) + 1)
        columns.append(unstack(set_item(stack(items), key, new), num=len(target)))
    return [nest.pack_sequence_as(value, row) for row in zip(*columns, strict=True)]


def tensor_for(array, *operands):
    """The tensor that an array becomes where one of `operands`, a key or an item, is symbolic.

    None for everything else. Raises UnimplementedError for a view of another array, which would not
    see the change.
    """
    if not isinstance(array, np.ndarray) or not is_symbolic(operands):
        return None
    if array.base is not None and sys.getrefcount(array.base) > HELD_BY_A_VIEW:
        raise UnimplementedError(
            "an item known only when the graph runs is put into a view of another NumPy array, "
            "which would not see it",
            "Put it into the array itself, `array[i, j] = value`, or into a copy.",
        )
    return convert_to_tensor(array)


def _stacked(items):
    hint = next((dtype_of(item) for item in items if dtype_of(item) is not None), None)
    tensors = [adopt(item, hint) for item in items]
    where = "a list is used at an index that is known only when the graph runs, but"
    for position, (item, tensor) in enumerate(zip(items, tensors, strict=True)):
        if tensor is None:
            raise UnimplementedError(
                f"{where} item {position} is {described(item)}, no tensor or number",
                "Use ag.switch_case for a choice among objects.",
            )
        for error, property_of in ((DTypeError, _dtype), (ShapeError, _shape)):
            if property_of(tensor) != property_of(tensors[0]):
                refused = error(
                    f"{where} its items differ: item 0 is {described(tensors[0])}, item {position} "
                    f"is {described(tensor)}",
                    "Give all of them one type and shape.",
                )
                refused.operands = tuple(tensors)  # numbers, which a loop may make wider
                raise refused
    return stack(tensors)


def _dtype(tensor):
    return tensor.dtype.name


def _shape(tensor):
    return tensor.dims


def _differing(items, same) -> str:
    position = next(position for position, item in enumerate(items) if not same(items[0], item))
    return f"item 0 is {items[0]!r}, item {position} is {items[position]!r}"
