"""Containers and arrays of globals and closures, which a trace must leave as they are.

What stands for an array is an argument of the graph. What stands for a container is a copy of it,
so that an assignment while tracing is noticed and does no harm. Converted functions are bound to
these values in place of those that their names hold.
"""

from __future__ import annotations

import copy
import sys
import threading
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
from typing import Any

import numpy as np

from ...autograph.current_trace import TRACE

CONTAINERS = (list, dict, set, bytearray, deque, defaultdict, OrderedDict, Counter)


class OuterValues:
    """The values of globals and closures; `traced` gives that of an array."""

    def __init__(self, traced: Callable[[np.ndarray], Any]):
        self.traced = traced
        self.known: dict[int, tuple] = {}  # a value and what stands for it, by its identity
        self.copies: list[tuple] = []  # each with its content at first
        self.kept: dict[tuple, tuple] = {}  # locations that nothing stands for, with their values
        self.has_begun = self.has_changed = False

    def __enter__(self) -> OuterValues:
        TRACE.get().bound = self.bound
        self.others = _other_threads()
        return self

    def __exit__(self, *error) -> None:
        TRACE.get().bound = None
        others, self.others = self.others, {}
        is_alone = _other_threads() == others  # they have waited meanwhile
        for location, value in self.kept.values():
            if not location.holds(value):
                self.has_changed = True
                if is_alone:  # else another thread may have set it
                    location.restore(value)

    def keep(self, locations: list) -> None:
        """At the end of the trace, these hold what they hold now."""
        for location in locations:
            key = location.form, id(location.holder), location.key
            if key not in self.kept:
                self.kept[key] = (location, location.kept())

    def have_changed(self) -> bool:
        """Whether the trace has changed a container, or what is in a location."""
        changed = (_content(copied) != content for copied, content in self.copies)
        return self.has_changed or any(changed)

    def bound(self, function: types.FunctionType) -> types.FunctionType:
        """A function whose names hold what stands for their values."""
        names, code = _Names(function.__globals__, self), function.__code__
        cells = [self._cell(cell) for cell in function.__closure__ or ()]
        copied = types.FunctionType(code, names, function.__name__, None, tuple(cells))
        if self.has_begun:  # the first one gets all of its arguments
            copied.__defaults__ = self.stands_for(function.__defaults__)
            copied.__kwdefaults__ = self.stands_for(function.__kwdefaults__)
        self.has_begun = True
        return copied

    def stands_for(self, value):
        if id(value) in self.known:
            return self.known[id(value)][1]
        if type(value) is np.ndarray:
            stand_in = self.traced(value)
        elif type(value) is tuple:
            stand_in = tuple(map(self.stands_for, value))
            if all(part is original for part, original in zip(stand_in, value, strict=True)):
                stand_in = value
        elif type(value) in CONTAINERS:
            return self._copied(value)
        else:
            return value
        self.known[id(value)] = (value, stand_in)
        return stand_in

    def _copied(self, container):
        copied = copy.copy(container)
        self.known[id(container)] = (container, copied)
        if isinstance(copied, dict):
            items = list(copied.items())
        else:
            items = [] if isinstance(copied, (set, bytearray)) else list(enumerate(copied))
        for key, item in items:
            copied[key] = self.stands_for(item)
        self.copies.append((copied, _content(copied)))
        return copied

    def _cell(self, cell: types.CellType) -> types.CellType:
        try:
            value = cell.cell_contents
        except ValueError:  # it is empty
            return cell
        stand_in = self.stands_for(value)
        return cell if stand_in is value else types.CellType(stand_in)


class _Names(dict):
    """The globals of a function, in which Python looks names up one by one."""

    _noun = "dictionary of globals"

    def __init__(self, table: dict, outer: OuterValues):
        super().__init__(table)
        self.original = table
        self.outer = outer

    def __getitem__(self, name):
        return self.outer.stands_for(super().__getitem__(name))


def _other_threads() -> dict:
    """The frame that each other thread of the program is in, and its place there."""
    frames, own = sys._current_frames(), threading.get_ident()
    numbers = {each.ident for each in threading.enumerate() if each.name.startswith("allograph")}
    return {
        number: (frame, frame.f_lasti)
        for number, frame in frames.items()
        if number != own and number not in numbers
    }


def is_bound(names: dict) -> bool:
    """Whether these are the globals of a function that a trace has bound."""
    return type(names) is _Names


def _content(container):
    """A key of the items of a container."""
    if isinstance(container, dict):
        return [(key, id(item)) for key, item in container.items()]
    if isinstance(container, (set, bytearray)):
        return copy.copy(container)
    return list(map(id, container))
