"""Texts: tensors of bytes."""

from __future__ import annotations

import functools

import numpy as np

from ...core.dtypes import BOOLS, NUMBERS, STRINGS, as_dtype, float32, int32, string
from ...core.errors import InvalidArgumentError
from ...core.public_names import public
from ...ir.op import Spec
from ...tensors.apply import convert_to_tensor
from ...tensors.operation import op
from ..shape_rules import same_as_input


def _mapped(function, x, dtype=object) -> np.ndarray:
    """`function` of each element, as an array of the same shape."""
    x = np.asarray(x)
    made = np.empty(x.size, dtype)
    for place, item in enumerate(x.reshape(-1)):
        made[place] = function(item)
    return made.reshape(x.shape)


@op
class StringLength:
    """The number of bytes of each text, or of its characters."""

    accepts = STRINGS
    hidden = True

    def kernel(x, *, unit):
        measure = len if unit == "BYTE" else lambda text: len(text.decode("utf-8", "replace"))
        return _mapped(measure, x, np.int32)

    def result(x, *, unit):
        return Spec(int32, x.shape)


@public("strings.length")
def length(input, unit="BYTE", name=None):
    """The number of bytes of each text; of its characters with `unit="UTF8_CHAR"`.

    >>> ag.strings.length(["a", "bcd"]).numpy()
    array([1, 3], dtype=int32)
    """
    if unit not in ("BYTE", "UTF8_CHAR"):
        raise ValueError(f"strings.length: unit is 'BYTE' or 'UTF8_CHAR', not {unit!r}")
    return StringLength(input, unit=unit, name=name)


def _in_case(change: str, encoding: str):
    """Bytes in another case: only ASCII letters, or every letter of UTF-8."""
    if encoding == "":
        return getattr(bytes, change)
    if encoding == "utf-8":
        return lambda text: getattr(text.decode("utf-8"), change)().encode("utf-8")
    raise InvalidArgumentError(f"strings.{change}: encoding is '' or 'utf-8', not {encoding!r}")


@op
class Lower:
    """Each text in lower case; letters beyond ASCII too with `encoding="utf-8"`.

    >>> ag.strings.lower("Fizz").numpy()
    b'fizz'
    """

    accepts = STRINGS
    result = same_as_input
    public = ("strings.lower",)

    def kernel(input, *, encoding=""):
        return _mapped(_in_case("lower", encoding), input)


@op
class Upper:
    """Each text in upper case; letters beyond ASCII too with `encoding="utf-8"`.

    >>> ag.strings.upper("Fizz").numpy()
    b'FIZZ'
    """

    accepts = STRINGS
    result = same_as_input
    public = ("strings.upper",)

    def kernel(input, *, encoding=""):
        return _mapped(_in_case("upper", encoding), input)


@op
class Strip:
    """Each text without spaces at its ends.

    >>> ag.strings.strip(" fizz ").numpy()
    b'fizz'
    """

    accepts = STRINGS
    result = same_as_input
    public = ("strings.strip",)

    def kernel(input):
        return _mapped(bytes.strip, input)


# ---- numbers and texts -----------------------------------------------------------------------


@op
class AsString:
    """Numbers as text."""

    accepts = NUMBERS | BOOLS | STRINGS
    hidden = True

    def kernel(x, *, form):
        return _mapped(lambda item: _spelled(item, form), x)

    def result(x, *, form):
        return Spec(string, x.shape)


def _spelled(item, form: str) -> bytes:
    """One element as text; `form` is what Python's `format` takes for floats."""
    if isinstance(item, bytes):
        return item
    if isinstance(item, (bool, np.bool_)):
        return b"true" if item else b"false"
    if isinstance(item, (int, np.integer)):
        return str(int(item)).encode()
    if isinstance(item, (complex, np.complexfloating)):
        return f"({item.real:{form}},{item.imag:{form}})".encode()
    return format(float(item), form).encode()


@public("as_string", "strings.as_string")
def as_string(input, precision=-1, scientific=False, shortest=False, width=-1, fill="", name=None):
    """Numbers as text; floats with `precision` digits (6 when negative), padded to `width`.

    `scientific` writes exponents, `shortest` whichever form is shorter. `fill` is what pads on the
    left: "" for spaces, or "0".

    >>> ag.strings.as_string([1, 20]).numpy().tolist()
    [b'1', b'20']
    >>> ag.strings.as_string(3.14159, precision=2).numpy()
    b'3.14'
    """
    kind = "e" if scientific else "g" if shortest else "f"
    digits = f".{precision}" if precision >= 0 else ""
    texts = AsString(input, form=digits + kind)
    return Padded(texts, width=width, fill=fill or " ") if width > 0 else texts


@op
class Padded:
    """Each text filled on the left to a width."""

    accepts = STRINGS
    result = same_as_input
    hidden = True

    def kernel(x, *, width, fill):
        return _mapped(lambda text: text.rjust(width, fill.encode()), x)


@op
class ToNumber:
    """The number that each text spells."""

    accepts = STRINGS
    hidden = True
    moves_only = True

    def kernel(x, *, dtype):
        try:
            return _mapped(int if dtype.is_integer else float, x, dtype.numpy_dtype)
        except (ValueError, OverflowError) as error:
            raise InvalidArgumentError(f"strings.to_number: {error}") from None

    def result(x, *, dtype):
        return Spec(dtype, x.shape)


@public("strings.to_number")
def to_number(input, out_type=float32, name=None):
    """The number that each text spells.

    >>> float(ag.strings.to_number("2.5"))
    2.5

    Raises InvalidArgumentError for a text that spells no number of this type.
    """
    return ToNumber(input, dtype=as_dtype(out_type), name=name)


@public("strings.join")
def join(inputs, separator="", name=None):
    """Texts joined element by element; their shapes broadcast.

    >>> ag.strings.join(["a", "b"], separator="-").numpy()
    b'a-b'
    """
    parts = [convert_to_tensor(one, string) for one in inputs]
    if not parts:
        raise InvalidArgumentError("strings.join: there is nothing to join")
    if separator:
        between = convert_to_tensor(separator)
        parts = [part for one in parts for part in (between, one)][1:]
    return functools.reduce(lambda start, part: start + part, parts)
