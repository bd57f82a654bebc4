"""Strings and exceptions that are built while tracing and contain tensors: formatted at run time.

While `DEFERRED` holds a list, the string of a symbolic tensor is a placeholder with the index of a
list entry, which holds the tensor and how it is formatted. A *form* is a structure with holes for
tensors and for strings with placeholders.
"""

from __future__ import annotations

import builtins
import inspect
import re
import types
from collections.abc import Callable
from contextvars import ContextVar
from operator import methodcaller
from typing import Any

from .classes import class_of, record
from .public_names import lookup

DEFERRED: ContextVar[list | None] = ContextVar("allograph_quotes", default=None)
_PLACEHOLDER = re.compile("\ue000(\\d+)\ue001")


def deferred(tensor, show: Show) -> str | None:
    """The placeholder of the string `show(tensor)`; None where strings are not deferred."""
    rows = DEFERRED.get()
    if rows is None:
        return None
    rows.append((tensor, show))
    return f"\ue000{len(rows) - 1}\ue001"


@record(eq=True)
class Show:
    """How the value of a tensor is formatted: by `str`, `repr`, `format` or `%`; or that of the
    Python number or string that it stands for, "number str", "text repr" and so on.

    >>> Show("format", ">4")(5), Show("percent", "%x")(255)
    ('   5', 'ff')
    """

    how: str
    directive: str = ""

    def __call__(self, value) -> str:
        return FORMATS[self.how](value, self.directive)


FORMATS: dict[str, Callable] = {
    "str": lambda value, _: str(value),
    "repr": lambda value, _: repr(value),
    "format": format,
    "percent": lambda value, directive: directive % (value,),
}
NUMBER = "number "  # begins the name of the format of a tensor that stands for a Python number
STRING = "text "  # begins that of a string tensor that stands for a string of Python
FORMATS |= {
    prefix + how: lambda x, directive, show=show, read=read: show(read(x.numpy()), directive)
    for prefix, read in ((NUMBER, methodcaller("item")), (STRING, methodcaller("decode")))
    for how, show in FORMATS.items()
}


@record(eq=True)
class Hole:
    """A hole for a tensor: its index among the values, and how it is formatted (None: as it is)."""

    index: int
    show: Show | None = None

    def fill(self, values):
        value = values[self.index]
        return value if self.show is None else self.show(value)


@record(eq=True)
class Items:
    """A string, list, tuple or dictionary with holes; `make` builds it from the filled parts.

    `make` is "dict", a key of `CONTAINERS`, or the `_make` of a class of named tuples. `keys` are
    those of a dictionary.
    """

    make: Any
    parts: tuple
    keys: tuple = ()

    def fill(self, values):
        parts = [fill(part, values) for part in self.parts]
        if self.make == "dict":
            return dict(zip(self.keys, parts, strict=True))
        return CONTAINERS[self.make](parts) if isinstance(self.make, str) else self.make(parts)


CONTAINERS: dict[str, Callable] = {"str": "".join, "list": list, "tuple": tuple}


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


def check_holes(form, count: int) -> None:
    """Raise ValueError unless all holes are for the first `count` values."""
    if isinstance(form, Hole) and form.index >= count:
        raise ValueError(f"there is no value {form.index}")
    for inner in _inner(form):
        check_holes(inner, count)


def unsavable(form) -> str | None:
    """Why a file cannot hold a form: what it contains; None if it can.

    >>> unsavable(ErrorForm(ValueError, ("it is", object()), {}, None, False))
    'a value of the class object'
    """
    if isinstance(form, ErrorForm) and name_of_error(form.error_class) is None:
        return f"{form.error_class.__name__}, a class of the program"
    if isinstance(form, Items) and not isinstance(form.make, str):
        return "a named tuple"
    if type(form) not in (Hole, Items, ErrorForm, tuple, list, *_PLAIN):
        return f"a value of the class {type(form).__name__}"
    return next(filter(None, map(unsavable, _inner(form))), None)


_PLAIN = (type(None), bool, int, float, complex, str, bytes)


def _inner(form) -> list:
    if isinstance(form, ErrorForm):
        return [form.args, form.attributes, form.cause]
    if isinstance(form, Items):
        if form.make != "dict":
            return list(form.parts)
        named = zip(form.keys, form.parts, strict=True)  # no file holds the line of an error
        return [*form.keys, *(part for key, part in named if key != "where")]
    return list(form) if type(form) in (tuple, list) else []


def error_named(name: str) -> type[Exception] | None:
    """The exception class of this name: one of the library's public ones, or one of Python's."""
    error = lookup(f"errors.{name}") or getattr(builtins, name, None)
    return error if isinstance(error, type) and issubclass(error, Exception) else None


def name_of_error(error_class: type) -> str | None:
    """The name by which `error_named` finds a class."""
    name = error_class.__name__
    return name if error_named(name) is error_class else None


def fill(form, values):
    """The object that a form describes, given the values of its tensors."""
    return form.fill(values) if isinstance(form, (Hole, Items, ErrorForm)) else form


def segments(string: str, rows: list) -> list:
    """A string cut where it refers to a tensor: strings, and rows of the list."""
    cut = _PLACEHOLDER.split(string)
    return [rows[int(part)] if position % 2 else part for position, part in enumerate(cut)]


class Forms:
    """Makes forms; `tensors` are those that the holes of all of them stand for."""

    def __init__(self, rows: list, is_tensor):
        self.rows = rows
        self.is_tensor = is_tensor
        self.tensors: list = []

    def of(self, value):
        if self.is_tensor(value):
            return Hole(self._index(value))
        if type(value) is str or hasattr(value, "parts"):
            return self._of_string(value)
        if isinstance(value, BaseException):
            return self._of_error(value)
        if isinstance(value, tuple):
            make = "tuple" if type(value) is tuple else getattr(value, "_make", type(value))
            return self._of_items(value, make, list(value))
        if class_of(value) is list:
            return self._of_items(list(value), "list", value)
        if type(value) is dict:
            return Items("dict", tuple(map(self.of, value.values())), tuple(value))
        return value

    def _of_items(self, value, make, items: list):
        parts = tuple(map(self.of, items))
        same = all(item is other for item, other in zip(items, parts, strict=True))
        return value if same else Items(make, parts)

    def _of_string(self, string: str):
        parts = getattr(string, "parts", None) or segments(string, self.rows)
        if len(parts) == 1 and type(string) is str:
            return string
        holes = (
            part if isinstance(part, str) else Hole(self._index(part[0]), part[1]) for part in parts
        )
        return Items("str", tuple(holes))

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
