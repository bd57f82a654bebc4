"""Strings: case, conversion from and to numbers, joining."""

from __future__ import annotations

import functools

import numpy as np

from ... import as_dtype, convert_to_tensor, float32, string
from ...extend.errors import InvalidArgumentError
from ...extend.operations import (
    BOOLS,
    NUMBERS,
    STRINGS,
    Spec,
    hidden_op,
    map_elements,
    op,
    ops,
    same_as_input,
)
from ...extend.registration import public


@public("strings.length")
def length(input, unit="BYTE", name=None):
    """The number of bytes of each string, int32; of characters with `unit="UTF8_CHAR"`.

    >>> ag.strings.length(["a", "bcd"]).numpy()
    array([1, 3], dtype=int32)
    """
    if unit not in ("BYTE", "UTF8_CHAR"):
        raise ValueError(f"strings.length: unit is 'BYTE' or 'UTF8_CHAR', not {unit!r}")
    return ops.string_length(input, unit=unit, name=name)


def _in_case(change: str, encoding: str):
    """The function that changes the case: of ASCII letters, or of all letters in UTF-8."""
    if encoding == "":
        return getattr(bytes, change)
    if encoding == "utf-8":
        return lambda string_: getattr(string_.decode("utf-8"), change)().encode("utf-8")
    raise InvalidArgumentError(f"strings.{change}: encoding is '' or 'utf-8', not {encoding!r}")


@op
class Lower:
    """Each string in lower case; `encoding="utf-8"` also changes letters beyond ASCII.

    >>> ag.strings.lower("Fizz").numpy()
    b'fizz'
    """

    accepts = STRINGS
    elementwise = True
    result = same_as_input
    public = ("strings.lower",)

    def kernel(input, *, encoding=""):
        return map_elements(_in_case("lower", encoding), input)


@op
class Upper:
    """Each string in upper case; `encoding="utf-8"` also changes letters beyond ASCII.

    >>> ag.strings.upper("Fizz").numpy()
    b'FIZZ'
    """

    accepts = STRINGS
    elementwise = True
    result = same_as_input
    public = ("strings.upper",)

    def kernel(input, *, encoding=""):
        return map_elements(_in_case("upper", encoding), input)


@op
class Strip:
    """Each string without leading and trailing whitespace.

    >>> ag.strings.strip(" fizz ").numpy()
    b'fizz'
    """

    accepts = STRINGS
    elementwise = True
    result = same_as_input
    public = ("strings.strip",)

    def kernel(input):
        return map_elements(bytes.strip, input)


# ---- numbers and strings ---------------------------------------------------------------------


@hidden_op
class AsString:
    """Numbers and bools formatted as strings."""

    accepts = NUMBERS | BOOLS | STRINGS
    elementwise = True

    def kernel(x, *, form):
        return map_elements(lambda item: _format_element(item, form), x)

    def result(x, *, form):
        return Spec(string, x.shape)


def _format_element(item, format_spec: str) -> bytes:
    """One element as bytes; floats are formatted with `format_spec`."""
    if isinstance(item, bytes):
        return item
    if isinstance(item, (bool, np.bool_)):
        return b"true" if item else b"false"
    if isinstance(item, (int, np.integer)):
        return str(int(item)).encode()
    if isinstance(item, (complex, np.complexfloating)):
        return f"({item.real:{format_spec}},{item.imag:{format_spec}})".encode()
    return format(float(item), format_spec).encode()


@public("as_string", "strings.as_string")
def as_string(input, precision=-1, scientific=False, shortest=False, width=-1, fill="", name=None):
    """Each number or bool formatted as a string.

    Floats have `precision` digits after the point, or 6 if it is negative. `scientific=True` writes
    exponents, `shortest=True` the shorter notation. Strings are padded on the left to `width`
    characters with `fill`, by default spaces.

    >>> ag.strings.as_string([1, 20]).numpy().tolist()
    [b'1', b'20']
    >>> ag.strings.as_string(3.14159, precision=2).numpy()
    b'3.14'
    """
    style = "e" if scientific else "g" if shortest else "f"
    digits = f".{precision}" if precision >= 0 else ""
    strings = AsString(input, form=digits + style)
    return Padded(strings, width=width, fill=fill or " ") if width > 0 else strings


@hidden_op
class Padded:
    """Each string padded on the left to a width."""

    accepts = STRINGS
    elementwise = True
    result = same_as_input

    def kernel(x, *, width, fill):
        return map_elements(lambda string_: string_.rjust(width, fill.encode()), x)


@public("strings.to_number")
def to_number(input, out_type=float32, name=None):
    """Each string parsed as a number of `out_type`, in the shape of `input`.

    >>> float(ag.strings.to_number("2.5"))
    2.5

    Raises InvalidArgumentError for a string that is not a number of this dtype.
    """
    return ops.to_number(input, dtype=as_dtype(out_type), name=name)


@public("strings.join")
def join(inputs, separator="", name=None):
    """A list of string tensors joined elementwise, with `separator` between them.

    The shapes broadcast.

    >>> ag.strings.join(["a", "b"], separator="-").numpy()
    b'a-b'

    Raises InvalidArgumentError for an empty list.
    """
    strings = [convert_to_tensor(one, string) for one in inputs]
    if not strings:
        raise InvalidArgumentError("strings.join: there is nothing to join")
    if separator:
        between = convert_to_tensor(separator)
        strings = [string_ for one in strings for string_ in (between, one)][1:]
    return functools.reduce(lambda start, string_: start + string_, strings)
