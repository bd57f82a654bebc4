"""Reads attributes of the text form of graphs: literals and constructors.

The text may come from a stranger. It is read token by token, never evaluated as Python. Brackets
may be nested `DEPTH` times, arrays have exactly the elements that are written, and only the
constructors below are called.
"""

from __future__ import annotations

import base64
import binascii
import functools
import math
import re
from collections.abc import Callable
from typing import NoReturn

import numpy as np

from ...extend.graphs import FORMATS, ErrorForm, Hole, Items, Show, error_named, list_stack
from ...extend.operations import Slot, Spec
from ...extend.specs import dtype_named

DEPTH = 100  # of brackets inside brackets
MOST_KEYS = 10_000  # of one dictionary
_TOKEN = re.compile(
    r"""[ ]*+(?:
    (?P<string>b?'(?:[^'\\\n]++|\\.)*+'|b?"(?:[^"\\\n]++|\\.)*+")
    |(?P<number>-?\d++(?:\.\d++)?+(?:e[-+]?\d++)?+)
    |(?P<name>[A-Za-z_]\w*+)
    |(?P<punctuation>\.\.\.|[()\[\]{},:])
    )""",
    re.VERBOSE,
)
_ESCAPE = re.compile(
    r"""\\(?:[\\'"abfnrtv]|x[0-9a-f]{2}|u[0-9a-f]{4}|U00(?:0[0-9a-f]|10)[0-9a-f]{4})"""
)
_CONSTANTS = {"None": None, "True": True, "False": False}


class AttributeReader:
    """Reads attributes of one line, one after the other; `objects` are those written by name."""

    def __init__(self, objects: dict[str, object]):
        self.readers: dict[str, Callable] = {
            **_READERS,
            "object": functools.partial(_named, objects),
        }
        self.source, self.position, self.depth = "", 0, 0

    def read(self, source: str, position: int = 0) -> tuple[object, int]:
        """The attribute at a position of a line, and the position behind it; else ValueError."""
        self.source, self.position, self.depth = source, position, 0
        try:
            value = self.value()
        except (TypeError, KeyError, OverflowError, AttributeError) as error:
            raise ValueError(f"this is not an attribute: {_start(source, position)}") from error
        return value, self.position

    def token(self) -> re.Match:
        match = _TOKEN.match(self.source, self.position)
        if match is None:
            self.refuse()
        self.position = match.end()
        return match

    def refuse(self) -> NoReturn:
        raise ValueError(f"this is not an attribute: {_start(self.source, self.position)}")

    def value(self):
        token = self.token()
        if token["string"]:
            return _string(token["string"])
        if token["number"]:
            number = token["number"]
            return float(number) if "." in number or "e" in number else int(number)
        if token["name"]:
            return self.named(token["name"])
        if token["punctuation"] == "...":
            return ...
        return self.nested(token["punctuation"])

    def named(self, name: str):
        """A constant, or the result of a constructor."""
        if name in _CONSTANTS:
            return _CONSTANTS[name]
        if name not in self.readers or self.token()["punctuation"] != "(":
            self.refuse()
        arguments, _ = self.items(")")
        return self.readers[name](*arguments)

    def nested(self, punctuation: str | None):
        if punctuation == "[":
            return self.items("]")[0]
        if punctuation == "(":
            items, has_comma = self.items(")")
            return tuple(items) if has_comma or not items else items[0]
        if punctuation == "{":
            entries, _ = self.items("}", self.entry)
            if len(entries) > MOST_KEYS:  # each may be compared with all others
                raise ValueError(f"a dictionary has more than {MOST_KEYS:,} keys")
            return dict(entries)
        return self.refuse()

    def entry(self) -> tuple:
        key = self.value()
        if self.token()["punctuation"] != ":":
            self.refuse()
        return key, self.value()

    def items(self, end: str, item: Callable | None = None) -> tuple[list, bool]:
        """The items up to a bracket, and whether a comma stands among them."""
        self.depth += 1
        if self.depth > DEPTH:
            raise ValueError(f"brackets are nested more than {DEPTH} times")
        items, has_comma = [], False
        while not self.ends(end):
            items.append(self.value() if item is None else item())
            if self.ends(end):
                break
            if self.token()["punctuation"] != ",":
                self.refuse()
            has_comma = True
        self.depth -= 1
        return items, has_comma

    def ends(self, end: str) -> bool:
        match = _TOKEN.match(self.source, self.position)
        if match is None or match["punctuation"] != end:
            return False
        self.position = match.end()
        return True


def _start(source: str, position: int) -> str:
    """The beginning of what stands at a position, for messages."""
    return repr(source[position : position + 60])


def _string(token: str) -> str | bytes:
    is_bytes = token.startswith("b")
    content = token[1 + is_bytes : -1]
    if "\\" in content:
        if _ESCAPE.sub("", content).count("\\"):
            raise ValueError(f"a string with an unknown escape: {_start(token, 0)}")
        content = _ESCAPE.sub(_unescaped, content)
    return content.encode("latin-1") if is_bytes else content


def _unescaped(match: re.Match) -> str:
    return match[0].encode("ascii").decode("unicode_escape")


# ---- constructors ----------------------------------------------------------------------------


def _named(objects: dict[str, object], name: str):
    if name not in objects:
        raise ValueError(f"there is no object {name!r}")
    return objects[name]


def _shaped(items: np.ndarray, shape) -> np.ndarray:
    """The elements in a shape, which has to hold exactly them."""
    if type(shape) is not tuple or not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError(f"{shape!r} is not a shape")
    if math.prod(shape) != items.size:
        raise ValueError(f"{items.size} elements do not fill the shape {shape}")
    return items.reshape(shape)


def _numeric(name: str) -> np.dtype:
    dtype = dtype_named(name).numpy_dtype
    if dtype.hasobject:
        raise ValueError(f"an array of {name} is written in another form")
    return dtype


def _array(dtype, shape, items) -> np.ndarray:
    if type(items) is not tuple or not {type(item) for item in items} <= {bool, int, float}:
        raise ValueError("the elements of an array are numbers")
    return _shaped(np.array(items, _numeric(dtype)), shape)


def _data(dtype, shape, data) -> np.ndarray:
    try:
        content = base64.b64decode(data, validate=True)
    except binascii.Error as error:
        raise ValueError(f"data that is not base64: {error}") from None
    return _shaped(np.frombuffer(content, _numeric(dtype)), shape).copy()


def _strings(shape, items) -> np.ndarray:
    """Strings; or integers of which None are unknown."""
    types = {type(item) for item in items}
    if not types <= {bytes} and not types <= {int, type(None)}:
        raise ValueError("the elements of an array of strings are strings")
    array = np.empty(len(items), object)
    array[:] = items
    return _shaped(array, shape)


def _stack(items) -> np.ndarray:
    if type(items) is not list or not all(isinstance(x, (np.ndarray, type(None))) for x in items):
        raise ValueError("a stack holds arrays")
    return list_stack(items)


def _error(name: str) -> type:
    return error_named(name) or RuntimeError


def _hole(index, how=None, directive="") -> Hole:
    """A hole for an operand. A directive for more than 9,999 characters is refused."""
    if type(index) is not int or index < 0:
        raise ValueError(f"hole({index!r}) is not the number of an operand")
    if how is None:
        return Hole(index)
    if how not in FORMATS or type(directive) is not str or re.search(r"\d{5}|\*", directive):
        raise ValueError(f"hole({index}, {how!r}, {directive!r}) has no such format")
    return Hole(index, Show(how, directive))


def _items(make, parts, keys=()) -> Items:
    if make not in ("str", "list", "tuple", "dict") or {type(parts), type(keys)} != {tuple}:
        raise ValueError(f"items({make!r}) is no container")
    if len(keys) != len(parts) * (make == "dict"):
        raise ValueError(f"{len(keys)} keys of {len(parts)} items")
    if make == "str" and not all(map(_is_string, parts)):
        raise ValueError("a string is made of strings")
    return Items(make, parts, keys)


def _is_string(form) -> bool:
    return type(form) is str or (isinstance(form, Hole) and form.show is not None)


def _raised(error_class, args, attributes, cause, suppresses) -> ErrorForm:
    """An exception. Its attributes are data: none of them replaces a method."""
    is_whole = (
        isinstance(error_class, type)
        and (type(args) is tuple or (isinstance(args, Items) and args.make == "tuple"))
        and (isinstance(attributes, Items) and attributes.make == "dict")
        and (cause is None or isinstance(cause, ErrorForm))
        and type(suppresses) is bool
    )
    if not is_whole:
        raise ValueError("this is not an exception")
    for key, value in zip(attributes.keys, attributes.parts, strict=True):
        if type(key) is not str or (key != "__notes__" and hasattr(BaseException, key)):
            raise ValueError(f"an exception cannot have the attribute {key!r}")
        if key == "where" and value is not None:
            raise ValueError("a file knows no line of this program")
    return ErrorForm(error_class, args, attributes, cause, suppresses)


def _float(name) -> float:
    if name not in ("inf", "-inf", "nan"):
        raise ValueError(f"float({name!r}) is inf, -inf or nan")
    return float(name)


def _complex(real, imaginary) -> complex:
    if not {type(real), type(imaginary)} <= {int, float}:
        raise ValueError("a complex number has two floats")
    return complex(real, imaginary)


def _slot(position) -> Slot:
    if type(position) is not int or position < 0:
        raise ValueError(f"slot({position!r}) is not the number of an operand")
    return Slot(position)


def _spec(dtype, shape) -> Spec:
    if shape is not None and not all(
        size is None or (type(size) is int and size >= 0) for size in shape
    ):
        raise ValueError(f"{shape!r} is not a shape")
    return Spec(dtype_named(dtype), shape)


_READERS: dict[str, Callable] = {
    "float": _float,
    "complex": _complex,
    "dtype": dtype_named,
    "slot": _slot,
    "spec": _spec,
    "error": _error,
    "hole": _hole,
    "items": _items,
    "raised": _raised,
    "array": _array,
    "scalar": lambda array: array[()],
    "data": _data,
    "texts": _strings,
    "stack": _stack,
}
