"""The fields of messages: what they hold, and how it is written."""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...extend.tensors import Operators
from .protobuf_wire import read_varint, varint

if TYPE_CHECKING:
    from .messages import Message


def _as_bytes(item) -> bytes:
    item = item.numpy() if isinstance(item, Operators) else item
    if not isinstance(item, (str, bytes)):
        raise TypeError(f"{item!r} is not a string")
    return item.encode() if isinstance(item, str) else item


def _as_int(item) -> int:
    try:
        return operator.index(item.numpy() if isinstance(item, Operators) else item)
    except TypeError:
        raise TypeError(f"{item!r} is not an integer") from None


def _as_float(item) -> float:
    return float(np.float32(item))


def _signed(value: int) -> int:
    return value - 2**64 if value >= 2**63 else value


class Scalar(NamedTuple):
    """How values of a type are converted, written and read."""

    convert: Callable
    write: Callable[[list], bytes]  # the content of one packed field; of bytes, several fields
    read: Callable[[Any], list]  # the values of one field, packed or not
    packed: bool


def _read_varints(content) -> list:
    if isinstance(content, int):
        return [_signed(content)]
    values, position = [], 0
    while position < len(content):
        item, position = read_varint(content, position)
        values.append(_signed(item))
    return values


STRING = Scalar(_as_bytes, b"".join, lambda content: [bytes(content)], False)
FLOAT = Scalar(
    _as_float,
    lambda values: struct.pack(f"<{len(values)}f", *values),
    lambda content: list(struct.unpack(f"<{len(content) // 4}f", content)),
    True,
)
INTEGER = Scalar(_as_int, lambda values: b"".join(map(varint, values)), _read_varints, True)


class Field(NamedTuple):
    """A field: its name, its number, and what it holds: a `Scalar` or a class of messages."""

    name: str
    number: int
    content: Any
    label: str = "one"  # "one", "repeated" or "map"
    group: str = ""


def _flat(values) -> list:
    """The numbers or strings of an array, of a list, or of one value."""
    if isinstance(values, (np.ndarray, np.generic)):
        return values.reshape(-1).tolist()
    if isinstance(values, (str, bytes, int, float)):
        return [values]
    values = list(values)
    if any(isinstance(item, (list, tuple, np.ndarray)) for item in values):
        return [element for item in values for element in _flat(item)]
    return values


class Repeated(list):
    """The values of a repeated field. A change of them sets the field."""

    def __init__(self, owner: Message, declared: Field, values: Iterable = ()):
        self.owner, self.declared = owner, declared
        super().__init__(self._converted(values))

    def _converted(self, values) -> list:
        content = self.declared.content
        if isinstance(content, Scalar):
            values = values.numpy() if isinstance(values, Operators) else values
            return [content.convert(item) for item in _flat(values)]
        values = list(values)
        for item in values:
            if type(item) is not content:
                raise TypeError(f"{item!r} is not a {content.__name__}")
            item.parent = (self.owner, self.declared)
        return values

    def append(self, value) -> None:
        super().extend(self._converted([value]))
        self.owner.changed(self.declared)

    def extend(self, values) -> None:
        super().extend(self._converted(values))
        self.owner.changed(self.declared)

    MergeFrom = extend

    def insert(self, index, value) -> None:
        super().insert(index, *self._converted([value]))
        self.owner.changed(self.declared)

    def __setitem__(self, key, value) -> None:
        super().__setitem__(
            key, self._converted(value) if isinstance(key, slice) else self._converted([value])[0]
        )
        self.owner.changed(self.declared)

    def __iadd__(self, values):  # type: ignore[misc]
        self.extend(values)
        return self

    def add(self, **values):
        """A new message at the end, with these fields."""
        self.append(self.declared.content(**values))
        return self[-1]


class Map(dict):
    """The messages of a map field by name. Reading a name that is missing adds a message."""

    def __init__(self, owner: Message, declared: Field, items=()):
        super().__init__()
        self.owner, self.declared = owner, declared
        for name, value in dict(items).items():
            self[name] = value

    def __missing__(self, name):
        self[name] = self.declared.content()
        return self[name]

    get_or_create = __missing__

    def __setitem__(self, name, value) -> None:
        if not isinstance(name, str):
            raise TypeError(f"{name!r} is not a string")
        if type(value) is not self.declared.content:
            raise TypeError(f"{value!r} is not a {self.declared.content.__name__}")
        value.parent = (self.owner, self.declared)
        super().__setitem__(name, value)
        self.owner.changed(self.declared)
