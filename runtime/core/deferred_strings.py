"""Strings and exceptions that are built while tracing and contain tensors: formatted at run time.

While `DEFERRED` holds a list, the string of a symbolic tensor is a placeholder with the index of a
list entry, which holds the tensor and how it is formatted. A *form* is a structure with holes for
tensors and for strings with placeholders.
"""

from __future__ import annotations

import inspect
import re
import types
from contextvars import ContextVar
from functools import partial
from typing import Any

from .classes import record

DEFERRED: ContextVar[list | None] = ContextVar("allograph_quotes", default=None)
_PLACEHOLDER = re.compile("\ue000(\\d+)\ue001")


def deferred(tensor, show) -> str | None:
    """The placeholder of the string `show(tensor)`; None where strings are not deferred."""
    rows = DEFERRED.get()
    if rows is None:
        return None
    rows.append((tensor, show))
    return f"\ue000{len(rows) - 1}\ue001"


@record(eq=True)
class Hole:
    """A hole for a tensor: its index among the values, and how it is formatted (None: as it is)."""

    index: int
    show: Any = None

    def fill(self, values):
        value = values[self.index]
        return value if self.show is None else self.show(value)


@record(eq=True)
class Items:
    """A string, list, tuple or dictionary with holes; `make` builds it from the filled parts."""

    make: Any
    parts: tuple

    def fill(self, values):
        return self.make([fill(part, values) for part in self.parts])


@record(eq=True)
class ErrorForm:
    """An exception, its arguments and attributes with holes."""

    error_class: type
    args: Any
    attributes: Any
    cause: Any
    suppresses: bool

    def fill(self, values) -> BaseException:
        args = tuple(fill(self.args, values))
        init = inspect.getattr_static(self.error_class, "__init__")
        if isinstance(init, types.FunctionType):  # it has run, and may take other arguments
            error = self.error_class.__new__(self.error_class, *args)
            error.args = args
        else:
            error = self.error_class(*args)
        error.__dict__.update(fill(self.attributes, values))
        error.__cause__ = fill(self.cause, values)
        error.__suppress_context__ = self.suppresses
        return error


def fill(form, values):
    """The object that a form describes, given the values of its tensors."""
    return form.fill(values) if isinstance(form, (Hole, Items, ErrorForm)) else form


def _made_dict(keys: list, values) -> dict:
    return dict(zip(keys, values, strict=True))


class Forms:
    """Makes forms; `tensors` are those that the holes of all of them stand for."""

    def __init__(self, rows: list, is_tensor):
        self.rows = rows
        self.is_tensor = is_tensor
        self.tensors: list = []

    def of(self, value):
        if self.is_tensor(value):
            return Hole(self._index(value))
        if type(value) is str:
            return self._of_string(value)
        if isinstance(value, BaseException):
            return self._of_error(value)
        if isinstance(value, tuple):
            make = value._make if hasattr(value, "_make") else type(value)
            return self._of_items(value, make, list(value))
        if type(value) is list:
            return self._of_items(value, list, value)
        if type(value) is dict:
            return self._of_items(value, partial(_made_dict, list(value)), list(value.values()))
        return value

    def _of_items(self, value, make, items: list):
        parts = tuple(map(self.of, items))
        same = all(one is other for one, other in zip(items, parts, strict=True))
        return value if same and not isinstance(value, dict) else Items(make, parts)

    def _of_string(self, string: str):
        segments = _PLACEHOLDER.split(string)
        if len(segments) == 1:
            return string
        holes = [
            Hole(self._index(self.rows[int(segment)][0]), self.rows[int(segment)][1])
            if position % 2
            else segment
            for position, segment in enumerate(segments)
        ]
        return Items("".join, tuple(holes))

    def _of_error(self, error: BaseException) -> ErrorForm:
        return ErrorForm(
            type(error),
            self.of(error.args),
            self.of(dict(error.__dict__)),
            None if error.__cause__ is None else self._of_error(error.__cause__),
            error.__suppress_context__,
        )

    def _index(self, tensor) -> int:
        for index, other in enumerate(self.tensors):
            if other is tensor:
                return index
        self.tensors.append(tensor)
        return len(self.tensors) - 1
