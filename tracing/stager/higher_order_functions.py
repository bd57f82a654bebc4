"""Functions of libraries that call a function of the user, which is converted while tracing.

functools.reduce(max, [x, y, z])        # `max` of tensors
ag.nest.map_structure(clip, state)      # `clip` may branch on tensors
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable

from ...autograph.operators.calls import converted_call
from ...runtime.tensors.apply import BUILDER
from ..structures import nest


def _calling_converted(function: Callable, position: int = 0, keyword: str = "func") -> Callable:
    """`function`, whose argument at a position is a function that is converted."""

    @functools.wraps(function, updated=())
    def call(*args, **kwargs):
        if BUILDER.get() is None:
            return function(*args, **kwargs)
        if len(args) > position:
            before, inner, after = args[:position], args[position], args[position + 1 :]
            args = (*before, _converted(inner), *after)
        elif keyword in kwargs:
            kwargs = {**kwargs, keyword: _converted(kwargs[keyword])}
        return function(*args, **kwargs)

    return call


def _converted(function):
    if not callable(function):  # which is Python's own error, or None
        return function
    return lambda *args: converted_call(function, args, None, None)


TABLE: dict[Callable, Callable] = {
    functools.reduce: _calling_converted(functools.reduce),
    itertools.accumulate: _calling_converted(itertools.accumulate, 1),
    itertools.starmap: _calling_converted(itertools.starmap),
    nest.mapped_structure: _calling_converted(nest.mapped_structure),
}
