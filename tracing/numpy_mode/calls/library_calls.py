"""Calls of the package's own functions in plain Python, which a trace converts."""

from __future__ import annotations

from collections.abc import Callable

from ....autograph.operators.calls import callee
from ....autograph.operators.reachable_state import APART
from ....runtime.core.source_locations import FORWARD, user_location
from ....runtime.tensors.name_scopes import within


def call_library(function: Callable, *args, **kwargs):
    """The result of a function of the Python library, whose operations are at the user's line. It
    changes nothing but arrays and lists of the graph.
    """
    with within(FORWARD, user_location()):  # asked for once, not by each operation
        return callee(function, None)(*args, **kwargs)


APART.add(id(call_library.__code__))
