"""Functions of libraries that call a function of the user, which is converted while tracing.

functools.reduce(max, [x, y, z])        # `max` of tensors
ag.nest.map_structure(clip, state)      # `clip` may branch on tensors
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable

from ...autograph.operators.calls import converted_call
from ...runtime.tensors.tensor import SymbolicTensor
from ..staged_values.iterables import StagedIterable
from ..staged_values.staged_list import StagedList, require
from ..structures import nest
from .loops_and_comprehensions import for_each, unfiltered


def _calling_converted(function: Callable, position: int = 0, keyword: str = "func") -> Callable:
    """`function`, whose argument at a position is a function that is converted."""

    @functools.wraps(function, updated=())
    def call(*args, **kwargs):
        if len(args) > position:
            before, inner, after = args[:position], args[position], args[position + 1 :]
            args = (*before, _converted(inner), *after)
        elif keyword in kwargs:
            kwargs = {**kwargs, keyword: _converted(kwargs[keyword])}
        return function(*args, **kwargs)

    return call


def _reduce(function, items, *initial):
    """`functools.reduce`, of a tensor or a list of the stager by a staged loop, as `for` has it."""
    if isinstance(items, (SymbolicTensor, StagedIterable, StagedList)):
        return _reduced_by_a_loop(_converted(function), unfiltered(items), *initial)
    return functools.reduce(_converted(function), items, *initial)


def _reduced_by_a_loop(function, source: StagedIterable, *initial):
    if not initial:
        count = source.length()
        require(count > 0, "reduce() of empty iterable with no initial value", TypeError)
        initial, first = (source.at(0),), source
        source = StagedIterable(
            lambda: count - 1, lambda index: first.at(index + 1), lists=first.lists
        )

    def body(item, value) -> tuple:
        return (function(value, item),)

    return for_each(source, body, None, initial, ("the result of reduce()",), {})[0]


def _converted(function):
    if not callable(function):  # which is Python's own error, or None
        return function
    return lambda *args: converted_call(function, args, None, None)


TABLE: dict[Callable, Callable] = {
    functools.reduce: _reduce,
    itertools.accumulate: _calling_converted(itertools.accumulate, 1),
    itertools.starmap: _calling_converted(itertools.starmap),
    nest.mapped_structure: _calling_converted(nest.mapped_structure),
}
