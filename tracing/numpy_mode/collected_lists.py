"""Comprehensions over items that a loop goes over, or with a test that the graph computes."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np

from ...autograph.operators.comprehensions import StagedTestError
from ...runtime.ir.op import TABLE as OPS
from ...runtime.tensors.apply import BUILDER, constant_of
from ...runtime.tensors.graph_builder import Builder
from .growing_lists import GrowingList
from .iteration import Items, items_of
from .new_arrays import is_traced
from .refusal import RefusedError
from .staged_loops import record_for
from .staged_statements import StateType, record_if, state_type_of
from .traced_array import TracedList, fresh
from .traced_scalar import TracedScalar, scalar_of


def collected(source, build: Callable) -> TracedList:
    """The list `build(items)` for a comprehension over items that a loop goes over."""
    items = items_of(source)
    if items is None:
        raise RefusedError(f"a comprehension over a {type(source).__name__}")
    try:
        with Builder("sample", BUILDER.get()):  # of an item, whose type the list is made for
            state_type = _state_type_of(build([items.at(scalar_of(0))]))
    except StagedTestError:
        state_type = None
    if state_type is None:
        made = GrowingList([])
        record_for(items, lambda item: _appended(item, build, made), None, (), ())
        return made
    return _of_known_length(items, build, state_type)


def collected_each(items, build: Callable) -> GrowingList:
    """The list `build(items)` for a comprehension with a computed test over Python's items."""
    made = GrowingList([])
    for item in items:
        _appended(item, build, made)
    return made


class _OneItem:
    """What a comprehension goes over in one iteration, and the list that it makes."""

    def __init__(self, item, made: GrowingList):
        self.item = item
        self.made = made

    def __iter__(self):
        return iter((self.item,))


def _appended(item, build: Callable, made: GrowingList) -> tuple:
    for one in build(_OneItem(item, made)):
        made.append(one)
    return ()


def appended_when(items, test, value: Callable) -> bool:
    """Whether `value()` is appended where a computed test holds."""
    if type(items) is not _OneItem:
        return False

    def append() -> tuple:
        items.made.append(value())
        return ()

    if is_traced(test):
        record_if(test, append, tuple, ())
    elif test:
        append()
    return True


def _of_known_length(items: Items, build: Callable, state_type: StateType) -> TracedList:
    count = known_count(items.count)
    if not count:
        raise RefusedError("a comprehension over nothing")
    array = fresh(OPS["fill"]([count], constant_of(np.zeros((), state_type.dtype))))

    def store(item):
        index, one = item
        made = build([one])
        if _state_type_of(made) != state_type:
            raise RefusedError("a comprehension that makes numbers of several types")
        array[index] = made[0]
        return ()

    record_for(Items(items.count, lambda index: (index, items.at(index))), store, None, (), ())
    return TracedList(array, state_type.python)


def _state_type_of(made: list) -> StateType | None:
    """The type of the numbers that a comprehension makes; None for other items."""
    state_type = state_type_of(made[0]) if len(made) == 1 else None
    if state_type is None or state_type.shape is not None or state_type.alternative is not None:
        return None
    return state_type


def known_count(count: TracedScalar) -> int:
    """A number of items while tracing; an argument that decides it becomes a constant."""
    constant = count.tensor
    value = constant.graph_value.constant if hasattr(constant, "graph_value") else constant.array
    return operator.index(count) if value is None else int(value)
