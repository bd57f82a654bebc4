"""Texts and exceptions that are made while tracing and name tensors: filled in at run time.

While `QUOTES` holds a list, the text of a symbolic tensor is a mark, which tells the row of the
list with the tensor and the way it is shown. A *form* is a structure with holes for the tensors,
and for texts with marks in them.
"""

from __future__ import annotations

import re
import types
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

QUOTES: ContextVar[list | None] = ContextVar("allograph_quotes", default=None)
_MARK = re.compile("\ue000(\\d+)\ue001")


def quoted(tensor, show) -> str | None:
    """The mark for the text `show(tensor)`; None where texts are made at once."""
    rows = QUOTES.get()
    if rows is None:
        return None
    rows.append((tensor, show))
    return f"\ue000{len(rows) - 1}\ue001"


@dataclass(frozen=True)
class Hole:
    """The place of a tensor: its index among the values, and how it is shown (None: as it is)."""

    index: int
    show: Any = None

    def fill(self, values):
        value = values[self.index]
        return value if self.show is None else self.show(value)


@dataclass(frozen=True)
class Items:
    """A text, list, tuple or dictionary with holes; `make` puts the filled parts together."""

    make: Any
    parts: tuple

    def fill(self, values):
        return self.make([fill(part, values) for part in self.parts])


@dataclass(frozen=True)
class ErrorForm:
    """An exception, its arguments and attributes with holes."""

    kind: type
    args: Any
    attributes: Any
    cause: Any
    suppresses: bool

    def fill(self, values) -> BaseException:
        args = tuple(fill(self.args, values))
        if isinstance(self.kind.__init__, types.FunctionType):  # it has run, and may want others
            error = self.kind.__new__(self.kind, *args)
            error.args = args
        else:
            error = self.kind(*args)
        error.__dict__.update(fill(self.attributes, values))
        error.__cause__ = fill(self.cause, values)
        error.__suppress_context__ = self.suppresses
        return error


def fill(form, values):
    """What a form stands for, given the values of its tensors."""
    return form.fill(values) if isinstance(form, (Hole, Items, ErrorForm)) else form


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
            return self._of_text(value)
        if isinstance(value, BaseException):
            return self._of_error(value)
        if isinstance(value, tuple):
            make = value._make if hasattr(value, "_make") else type(value)
            return self._of_items(value, make, list(value))
        if type(value) is list:
            return self._of_items(value, list, value)
        if type(value) is dict:
            keys = list(value)
            return self._of_items(
                value, lambda made: dict(zip(keys, made, strict=True)), list(value.values())
            )
        return value

    def _of_items(self, value, make, items: list):
        parts = tuple(map(self.of, items))
        same = all(one is other for one, other in zip(items, parts, strict=True))
        return value if same and not isinstance(value, dict) else Items(make, parts)

    def _of_text(self, text: str):
        pieces = _MARK.split(text)
        if len(pieces) == 1:
            return text
        holes = [
            Hole(self._index(self.rows[int(piece)][0]), self.rows[int(piece)][1])
            if place % 2
            else piece
            for place, piece in enumerate(pieces)
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
        for index, known in enumerate(self.tensors):
            if known is tensor:
                return index
        self.tensors.append(tensor)
        return len(self.tensors) - 1
