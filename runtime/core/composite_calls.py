"""Calls of public functions and operations with composite values: ragged and sparse tensors.

A composite value consists of tensors and is none. What a function means for it is asked after the
function has refused it, so calls with tensors pay nothing. A class answers in a static method
`__tf_dispatch__(function, args, kwargs)`, or returns NotImplemented.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

REFUSALS = (TypeError, ValueError, AttributeError)


def call_for_composites(function: Any, args, kwargs) -> Any:
    """What the composite values among the arguments make of a call, else NotImplemented."""
    function = getattr(function, "__wrapped__", function)
    for handler in _handlers([*args, *kwargs.values()]):
        result = handler(function, args, kwargs)
        if result is not NotImplemented:
            return result
    return NotImplemented


def _handlers(values) -> Iterator:
    """The handlers of the classes of values, and of the items of lists, each once."""
    seen = set()
    for value in values:
        for one in value if isinstance(value, (list, tuple)) else (value,):
            handler = getattr(type(one), "__tf_dispatch__", None)
            if handler is not None and handler not in seen:
                seen.add(handler)
                yield handler
