"""Texts taken apart and put together: patterns, parts, templates."""

from __future__ import annotations

import re

import numpy as np

from ...core.axes import normal_axes
from ...core.dtypes import ANY, INTEGERS, STRINGS, bool_, string
from ...core.errors import InvalidArgumentError, ShapeError
from ...core.public_names import public
from ...core.shapes import show
from ...ir.op import Spec
from ...tensors.apply import apply, convert_to_tensor
from ...tensors.operation import op
from ..math.reductions import static_axis
from ..shape_rules import broadcast_shapes, reduced_shape, same_as_input
from ..state.printing import filled
from .strings import _mapped as mapped


def _compiled(pattern: str):
    try:
        return re.compile(pattern.encode())
    except re.error as error:
        raise InvalidArgumentError(f"{pattern!r} is not a pattern: {error}") from None


@op
class RegexReplace:
    """Each text with what a pattern matches replaced."""

    accepts = STRINGS
    result = same_as_input
    hidden = True

    def kernel(input, *, pattern, rewrite, count):
        found, text = _compiled(pattern), re.sub(r"\\0", r"\\g<0>", rewrite).encode()
        return mapped(lambda item: found.sub(text, item, count), input)


@public("strings.regex_replace")
def regex_replace(input, pattern, rewrite, replace_global=True, name=None):
    r"""Each text with all (or only the first) matches of a pattern replaced.

    `rewrite` may hold `\1`, `\2`, ... for groups and `\0` for the whole match.

    >>> ag.strings.regex_replace("2 cats, 3 dogs", r"(\d) (\w+)", r"\2: \1").numpy()
    b'cats: 2, dogs: 3'

    Raises InvalidArgumentError for what is no pattern.
    """
    _compiled(pattern)
    attrs = {"pattern": pattern, "rewrite": rewrite, "count": 0 if replace_global else 1}
    return apply(RegexReplace, (input,), attrs, name)


@op
class RegexFullMatch:
    """Whether a pattern matches the whole of each text."""

    accepts = STRINGS
    hidden = True

    def kernel(input, *, pattern):
        found = _compiled(pattern)
        return mapped(lambda item: found.fullmatch(item) is not None, input, np.bool_)

    def result(input, *, pattern):
        return Spec(bool_, input.shape)


@public("strings.regex_full_match")
def regex_full_match(input, pattern, name=None):
    """Whether a pattern matches the whole of each text.

    >>> ag.strings.regex_full_match(["a1", "b"], "[a-z][0-9]").numpy()
    array([ True, False])
    """
    _compiled(pattern)
    return apply(RegexFullMatch, (input,), {"pattern": pattern}, name)


# ---- parts -----------------------------------------------------------------------------------

LENGTHS = set(INTEGERS)


@op
class Substr:
    """A part of each text."""

    accepts = {"input": STRINGS, "pos": INTEGERS, "len": INTEGERS}
    hidden = True

    def kernel(input, pos, len, *, unit):
        rows = np.broadcast_arrays(np.asarray(input, object), pos, len)
        made = np.empty(rows[0].size, object)
        for place, (text, start, count) in enumerate(zip(*(r.flat for r in rows), strict=True)):
            made[place] = _part(text, int(start), int(count), unit)
        return made.reshape(rows[0].shape)

    def result(input, pos, len, *, unit):
        return Spec(string, broadcast_shapes(input, pos, len))


def _part(text: bytes, start: int, count: int, unit: str) -> bytes:
    whole = text if unit == "BYTE" else text.decode("utf-8", "replace")
    if not -len(whole) <= start <= len(whole):
        raise InvalidArgumentError(f"strings.substr: {start} is out of range of {text!r}")
    start += len(whole) if start < 0 else 0
    part = whole[start : start + max(count, 0)]
    return part if isinstance(part, bytes) else part.encode()


@public("strings.substr")
def substr(input, pos, len, unit="BYTE", name=None):
    """`len` bytes of each text from `pos` on; characters with `unit="UTF8_CHAR"`.

    A negative position counts from the end. Raises InvalidArgumentError for a position outside.

    >>> ag.strings.substr(["Hello", "World"], 1, 3).numpy().tolist()
    [b'ell', b'orl']
    """
    if unit not in ("BYTE", "UTF8_CHAR"):
        raise ValueError(f"strings.substr: unit is 'BYTE' or 'UTF8_CHAR', not {unit!r}")
    return apply(Substr, (input, pos, len), {"unit": unit}, name)


@op
class StringSplit:
    """The parts of one text."""

    accepts = STRINGS
    hidden = True

    def kernel(input, *, sep, maxsplit):
        parts = _text(input).split(sep.encode() or None, maxsplit)
        return _row(parts)

    def result(input, *, sep, maxsplit):
        return Spec(string, (None,))


@op
class BytesSplit:
    """The bytes of one text, each a text."""

    accepts = STRINGS
    hidden = True

    def kernel(input):
        text = _text(input)
        return _row([text[place : place + 1] for place in range(len(text))])

    def result(input):
        return Spec(string, (None,))


def _text(array) -> bytes:
    return array if isinstance(array, bytes) else array.item()


def _row(items: list[bytes]) -> np.ndarray:
    made = np.empty(len(items), object)
    made[:] = items
    return made


def _one_text(input, name: str):
    """One text as a tensor; rows of unequal length would need ragged tensors."""
    text = convert_to_tensor(input)
    if text.dims not in ((), None):
        raise ShapeError(
            f"strings.{name} takes one text, not a tensor of shape {show(text.dims)}",
            "Split each text on its own: ag.map_fn, or a loop.",
        )
    return text


@public("strings.split")
def split(input, sep=None, maxsplit=-1, name=None):
    """The parts of a text between blanks, or between separators.

    >>> ag.strings.split("to be  or").numpy().tolist()
    [b'to', b'be', b'or']
    >>> ag.strings.split("a,,b", sep=",").numpy().tolist()
    [b'a', b'', b'b']

    Raises ShapeError for more than one text.
    """
    attrs = {"sep": sep or "", "maxsplit": maxsplit}
    return apply(StringSplit, (_one_text(input, "split"),), attrs, name)


@public("strings.bytes_split")
def bytes_split(input, name=None):
    """The bytes of a text, each a text of its own.

    >>> ag.strings.bytes_split("abc").numpy().tolist()
    [b'a', b'b', b'c']
    """
    return apply(BytesSplit, (_one_text(input, "bytes_split"),), {}, name)


# ---- together --------------------------------------------------------------------------------


@op
class ReduceJoin:
    """Texts joined along axes."""

    accepts = STRINGS
    hidden = True

    def kernel(input, *, axis, keepdims, separator):
        x = np.asarray(input, object)
        for one in sorted(normal_axes(axis, x.ndim), reverse=True):
            rows = np.moveaxis(x, one, -1)
            joined = np.empty(rows.shape[:-1], object)
            for place in np.ndindex(joined.shape):
                joined[place] = separator.encode().join(rows[place])
            x = np.expand_dims(joined, one) if keepdims else joined
        return x

    def result(input, *, axis, keepdims, separator):
        return Spec(string, reduced_shape(input, axis, keepdims))


@public("strings.reduce_join")
def reduce_join(inputs, axis=None, keepdims=False, separator="", name=None):
    """Texts joined along axes, along all of them by default.

    >>> ag.strings.reduce_join([["a", "b"], ["c", "d"]], axis=1, separator="-").numpy().tolist()
    [b'a-b', b'c-d']
    """
    attrs = {"axis": static_axis(axis), "keepdims": keepdims, "separator": separator}
    return apply(ReduceJoin, (inputs,), attrs, name)


@op
class StringFormat:
    """A template with values in its places."""

    accepts = {"values": ANY}
    inputs = ("*values",)
    hidden = True

    def kernel(*values, template, summarize):
        return np.array(filled(template, values, summarize).encode(), object)

    def result(*values, template, summarize):
        return Spec(string, ())


@public("strings.format")
def format_(template, inputs, placeholder="{}", summarize=3, name=None):
    """A template with the values of tensors in the places of `{}`.

    >>> ag.strings.format("x is {}", ag.constant([1, 2])).numpy()
    b'x is [1 2]'

    Raises ValueError when there are more or fewer places than tensors.
    """
    values = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    texts = template.split(placeholder)
    if len(texts) != len(values) + 1:
        raise ValueError(f"{template!r} has {len(texts) - 1} places for {len(values)} tensors")
    parts = [part for text in texts for part in (None, text)][1:]
    attrs = {"template": tuple(parts), "summarize": summarize}
    return apply(StringFormat, tuple(map(convert_to_tensor, values)), attrs, name)
