"""Messages of protocol buffers: declared fields, their bytes, and the methods of the reference.

A class declares its fields:

    class Numbers(Message):
        fields = (Field("value", 1, INTEGER, "repeated"),)

A field that holds a message gives one when it is read. It counts as set once something in it
changes, and then takes the place of the other fields of its `group`, of which one is set at most.
"""

from __future__ import annotations

import struct
from typing import Any, ClassVar

import numpy as np

from ...extend.errors import InvalidArgumentError
from .message_fields import Field, Map, Repeated, Scalar
from .protobuf_wire import field, fields_of


class Message:
    """Base class of messages, which declare their `fields`.

    Arguments are the values of the fields, by name or in their order.
    """

    fields: ClassVar[tuple[Field, ...]] = ()

    def __init__(self, *args, **values):
        self.parent: tuple[Message, Field] | None = None
        self.content: dict[str, Any] = {}
        self.present: set[str] = set()
        given = {
            **dict(zip((field.name for field in self.fields), args, strict=False)),
            **values,
        }
        names = [declared.name for declared in self.fields]
        if unknown := [name for name in given if name not in names]:
            raise ValueError(f"{type(self).__name__} has no field {', '.join(unknown)}")
        for declared in self.fields:
            if given.get(declared.name) is not None:
                self._set(declared, given[declared.name])

    def _set(self, declared: Field, value) -> None:
        """Give a field its first value."""
        others = [
            field.name for field in self.fields if field.group and field.group == declared.group
        ]
        if self.present.intersection(others):
            raise ValueError(f"a {type(self).__name__} holds one of {', '.join(others)}")
        if declared.label == "repeated":
            value = Repeated(self, declared, value)
        elif declared.label == "map":
            value = Map(self, declared, value)
        else:
            if type(value) is not declared.content:
                raise TypeError(f"{value!r} is not a {declared.content.__name__}")
            value.parent = (self, declared)
            self.present.add(declared.name)
        self.content[declared.name] = value

    def __getattr__(self, name: str):
        declared = next((field for field in type(self).fields if field.name == name), None)
        if declared is None:
            raise AttributeError(f"{type(self).__name__} has no field {name!r}")
        if name not in self.content:
            made: Any
            if declared.label == "repeated":
                made = Repeated(self, declared)
            elif declared.label == "map":
                made = Map(self, declared)
            else:
                made = declared.content()
                made.parent = (self, declared)
            self.content[name] = made
        return self.content[name]

    def __setattr__(self, name: str, value) -> None:
        if any(field.name == name for field in type(self).fields):
            raise AttributeError(
                f"the field {name!r} of a {type(self).__name__} is not assigned: use CopyFrom, "
                "extend or append"
            )
        super().__setattr__(name, value)

    def changed(self, declared: Field) -> None:
        """Note that the content of a field changed: it is set, and others of its group are not."""
        if declared.label == "one":
            self.present.add(declared.name)
            for other in self.fields:
                if declared.group and other.group == declared.group and other is not declared:
                    self.present.discard(other.name)
                    self.content.pop(other.name, None)
        if self.parent is not None:
            self.parent[0].changed(self.parent[1])

    def _is_set(self, declared: Field) -> bool:
        if declared.label == "one":
            return declared.name in self.present
        return bool(self.content.get(declared.name))

    # ---- bytes -----------------------------------------------------------------------------------

    def SerializeToString(self, deterministic: bool = True) -> bytes:  # noqa: N802
        """The message as bytes, with maps in the order of their names."""
        return b"".join(
            _written(declared, self.content[declared.name])
            for declared in self.fields
            if self._is_set(declared)
        )

    SerializePartialToString = SerializeToString

    def MergeFromString(self, serialized: bytes) -> int:  # noqa: N802
        """Add the content of a message. Raises InvalidArgumentError if it is none."""
        try:
            self.merge_bytes(bytes(serialized))
        except (
            ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError, struct.error
        ) as error:  # fmt: skip
            name = type(self).__name__
            article = "an" if name[0] in "AEIO" else "a"
            raise InvalidArgumentError(f"the string is not {article} {name}: {error}") from None
        return len(serialized)

    def merge_bytes(self, serialized: bytes) -> None:
        by_number = {declared.number: declared for declared in self.fields}
        for number, content in fields_of(serialized):
            if number in by_number:
                self._merge_field(by_number[number], content)

    def _merge_field(self, declared: Field, content) -> None:
        target = getattr(self, declared.name)
        if declared.label == "map":
            entry: dict[int, Any] = dict(fields_of(content))
            value = declared.content()
            value.merge_bytes(entry.get(2, b""))
            target[entry.get(1, b"").decode()] = value
        elif declared.label == "one":
            target.merge_bytes(content)
            self.changed(declared)
        elif isinstance(declared.content, Scalar):
            target.extend(declared.content.read(content))
        else:
            target.add().merge_bytes(content)

    def ParseFromString(self, serialized: bytes) -> int:  # noqa: N802
        """Replace the content by that of a message. Raises InvalidArgumentError if it is none."""
        made = type(self)()
        size = made.MergeFromString(serialized)
        self.CopyFrom(made)
        return size

    @classmethod
    def FromString(cls, serialized: bytes):  # noqa: N802
        """The object of a message. Raises InvalidArgumentError if it is none."""
        result = cls()
        result.MergeFromString(serialized)
        return result

    def ByteSize(self) -> int:  # noqa: N802
        """The number of bytes of the message."""
        return len(self.SerializeToString())

    # ---- content ---------------------------------------------------------------------------------

    def CopyFrom(self, other) -> None:  # noqa: N802
        """Replace the content by that of another message of the class."""
        if other is not self:
            self._check_class(other)
            self.Clear()
            self.MergeFrom(other)
            self._set_in_parent()

    def MergeFrom(self, other) -> None:  # noqa: N802
        """Add the content of another message of the class: lists grow, other fields are merged."""
        self._check_class(other)
        self.merge_bytes(other.SerializeToString())

    def _check_class(self, other) -> None:
        if type(other) is not type(self):
            raise TypeError(f"{type(self).__name__} cannot copy {other!r}")

    def _set_in_parent(self) -> None:
        if self.parent is not None:
            self.parent[0].changed(self.parent[1])

    SetInParent = _set_in_parent

    def Clear(self) -> None:  # noqa: N802
        """Remove the content."""
        self.content.clear()
        self.present.clear()

    def ClearField(self, field_name: str) -> None:  # noqa: N802
        """Remove the content of a field."""
        self._field(field_name)
        self.content.pop(field_name, None)
        self.present.discard(field_name)

    def _field(self, name: str) -> Field:
        found = [declared for declared in self.fields if declared.name == name]
        if not found:
            raise ValueError(f"{type(self).__name__} has no field {name!r}")
        return found[0]

    def HasField(self, field_name: str) -> bool:  # noqa: N802
        """Whether a field that holds one message is set."""
        declared = self._field(field_name)
        if declared.label != "one":
            raise ValueError(f"the field {field_name!r} holds several values: use len")
        return self._is_set(declared)

    def WhichOneof(self, oneof_group: str = "kind") -> str | None:  # noqa: N802
        """The name of the field of this group that is set, or None."""
        names = [field.name for field in self.fields if field.group == oneof_group]
        if not names:
            raise ValueError(f"{type(self).__name__} has no group {oneof_group!r}")
        return next((name for name in names if name in self.present), None)

    def ListFields(self) -> list:  # noqa: N802
        """The declaration and the value of each field that is set."""
        return [(field, self.content[field.name]) for field in self.fields if self._is_set(field)]

    def IsInitialized(self) -> bool:  # noqa: N802
        """True: no field is required."""
        return True

    def __eq__(self, other):
        return type(self) is type(other) and self.SerializeToString() == other.SerializeToString()

    __hash__ = None  # type: ignore[assignment]

    def __deepcopy__(self, memo):
        return type(self).FromString(self.SerializeToString())

    def __reduce__(self):
        return type(self).FromString, (self.SerializeToString(),)

    def __repr__(self):
        return "".join(f"{line}\n" for line in _lines(self))


def _written(declared: Field, value) -> bytes:
    """A field as bytes."""
    number, content = declared.number, declared.content
    if declared.label == "map":
        return b"".join(
            field(number, field(1, name.encode()) + field(2, one.SerializeToString()))
            for name, one in sorted(value.items())
        )
    if declared.label == "one":
        return field(number, value.SerializeToString())
    if not isinstance(content, Scalar):
        return b"".join(field(number, one.SerializeToString()) for one in value)
    if content.packed:
        return field(number, content.write(value))
    return b"".join(field(number, one) for one in value)


def _lines(message: Message) -> list[str]:
    """A message as text, a line for each value."""
    lines = []
    for declared, value in message.ListFields():
        if declared.label == "map":
            for name, one in sorted(value.items()):
                entry = [f"key: {_quoted(name.encode())}", *_braced("value", one)]
                lines += [f"{declared.name} {{", *("  " + line for line in entry), "}"]
        elif declared.label == "one":
            lines += _braced(declared.name, value)
        elif isinstance(declared.content, Scalar):
            lines += [f"{declared.name}: {_shown(item)}" for item in value]
        else:
            lines += [line for one in value for line in _braced(declared.name, one)]
    return lines


def _braced(name: str, message: Message) -> list[str]:
    return [f"{name} {{", *("  " + line for line in _lines(message)), "}"]


def _shown(item) -> str:
    if isinstance(item, bytes):
        return _quoted(item)
    if isinstance(item, float):
        shown = (f"{item:.{digits}g}" for digits in range(6, 10))  # as few as tell it apart
        return next((one for one in shown if np.float32(one) == item), repr(item))
    return str(item)


ESCAPES = {ord("\n"): "\\n", ord("\r"): "\\r", ord("\t"): "\\t", ord('"'): '\\"',
           ord("'"): "\\'", ord("\\"): "\\\\"}  # fmt: skip


def _quoted(content: bytes) -> str:
    shown = [
        ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}")
        for byte in content
    ]
    return f'"{"".join(shown)}"'
