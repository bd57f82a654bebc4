"""Regular expressions, substrings and sections of strings, and strings joined by segments."""

from __future__ import annotations

import re

import numpy as np

from ... import bool as bool_
from ... import int64, string
from ...extend.errors import InvalidArgumentError
from ...extend.operations import (
    INTEGERS,
    STRINGS,
    Spec,
    apply,
    broadcast_shapes,
    full_constant,
    hidden_op,
    map_elements,
    same_as_input,
)
from ...extend.registration import public
from ...extend.specs import size_of


def _compiled(pattern: str):
    try:
        return re.compile(pattern.encode())
    except re.error as error:
        raise InvalidArgumentError(f"{pattern!r} is not a regular expression: {error}") from None


@hidden_op
class RegexReplace:
    """Each string with the matches of a pattern replaced."""

    accepts = STRINGS
    elementwise = True
    result = same_as_input

    def kernel(input, *, pattern, rewrite, count):
        regex, replacement = _compiled(pattern), re.sub(r"\\0", r"\\g<0>", rewrite).encode()
        return map_elements(lambda item: regex.sub(replacement, item, count), input)


@public("strings.regex_replace")
def regex_replace(input, pattern, rewrite, replace_global=True, name=None):
    r"""Each string with the matches of the regular expression `pattern` replaced by `rewrite`.

    `rewrite` may contain `\1`, `\2`, ... for groups and `\0` for the whole match. With
    `replace_global=False` only the first match is replaced. The shape is that of `input`.

    >>> ag.strings.regex_replace("2 cats, 3 dogs", r"(\d) (\w+)", r"\2: \1").numpy()
    b'cats: 2, dogs: 3'

    Raises InvalidArgumentError if `pattern` is not a regular expression.
    """
    _compiled(pattern)
    attrs = {"pattern": pattern, "rewrite": rewrite, "count": 0 if replace_global else 1}
    return apply(RegexReplace, (input,), attrs, name)


@hidden_op
class RegexFullMatch:
    """Whether a pattern matches each whole string."""

    accepts = STRINGS
    elementwise = True

    def kernel(input, *, pattern):
        regex = _compiled(pattern)
        return map_elements(lambda item: regex.fullmatch(item) is not None, input, np.bool_)

    def result(input, *, pattern):
        return Spec(bool_, input.shape)


@public("strings.regex_full_match")
def regex_full_match(input, pattern, name=None):
    """Whether the regular expression `pattern` matches each whole string, as bool.

    >>> ag.strings.regex_full_match(["a1", "b"], "[a-z][0-9]").numpy()
    array([ True, False])

    Raises InvalidArgumentError if `pattern` is not a regular expression.
    """
    _compiled(pattern)
    return apply(RegexFullMatch, (input,), {"pattern": pattern}, name)


# ---- substrings ------------------------------------------------------------------------------


@hidden_op
class Substr:
    """A substring of each string."""

    accepts = {"input": STRINGS, "pos": INTEGERS, "len": INTEGERS}
    elementwise = True

    def kernel(input, pos, len, *, unit):
        operands = np.broadcast_arrays(np.asarray(input, object), pos, len)
        result = np.empty(operands[0].size, object)
        for index, (string_, start, count) in enumerate(
            zip(*(r.flat for r in operands), strict=True)
        ):
            result[index] = _substring(string_, int(start), int(count), unit)
        return result.reshape(operands[0].shape)

    def result(input, pos, len, *, unit):
        return Spec(string, broadcast_shapes(input, pos, len))


def _substring(string_: bytes, start: int, count: int, unit: str) -> bytes:
    whole = string_ if unit == "BYTE" else string_.decode("utf-8", "replace")
    if not -len(whole) <= start <= len(whole):
        raise InvalidArgumentError(f"strings.substr: {start} is out of range of {string_!r}")
    start += len(whole) if start < 0 else 0
    section = whole[start : start + max(count, 0)]
    return section if isinstance(section, bytes) else section.encode()


@public("strings.substr")
def substr(input, pos, len, unit="BYTE", name=None):
    """`len` bytes of each string from `pos` on; characters with `unit="UTF8_CHAR"`.

    A negative position counts from the end. The shapes of `input`, `pos` and `len` broadcast.

    >>> ag.strings.substr(["Hello", "World"], 1, 3).numpy().tolist()
    [b'ell', b'orl']

    Raises InvalidArgumentError for a position outside the string.
    """
    if unit not in ("BYTE", "UTF8_CHAR"):
        raise ValueError(f"strings.substr: unit is 'BYTE' or 'UTF8_CHAR', not {unit!r}")
    return apply(Substr, (input, pos, len), {"unit": unit}, name)


@hidden_op
class StringSplit:
    """The sections of all strings in one vector, and their number for each string."""

    accepts = STRINGS

    def kernel(input, *, sep, maxsplit):
        return _sections(input, lambda item: item.split(sep.encode() or None, maxsplit))

    def result(input, *, sep, maxsplit):
        return _specs_of_sections(input)


@hidden_op
class BytesSplit:
    """The bytes of all strings in one vector, and their number for each string."""

    accepts = STRINGS

    def kernel(input):
        return _sections(input, lambda item: [item[at : at + 1] for at in range(len(item))])

    def result(input):
        return _specs_of_sections(input)


def _sections(strings, split_one) -> tuple[np.ndarray, np.ndarray]:
    rows = [split_one(item) for item in np.asarray(strings, object).reshape(-1).tolist()]
    counts = np.array([len(row) for row in rows], np.int64)
    sections = np.empty(counts.sum(), object)
    sections[:] = [section for row in rows for section in row]
    return sections, counts


def _specs_of_sections(strings) -> tuple[Spec, Spec]:
    return Spec(string, (None,)), Spec(int64, (size_of(strings.shape),))


@hidden_op
class UnsortedSegmentJoin:
    """Strings of equal segment numbers joined, in their order."""

    accepts = {"inputs": STRINGS, "segment_ids": INTEGERS, "num_segments": INTEGERS}
    alike = ()

    def kernel(inputs, segment_ids, num_segments, *, separator):
        if inputs.shape[: segment_ids.ndim] != segment_ids.shape:
            raise InvalidArgumentError(
                f"unsorted_segment_join: segment_ids of shape {segment_ids.shape} for strings of "
                f"shape {inputs.shape}"
            )
        inner = inputs.shape[segment_ids.ndim :]
        rows = np.asarray(inputs, object).reshape(-1, int(np.prod(inner)))
        joined = [[[] for _ in range(rows.shape[1])] for _ in range(int(num_segments))]
        for row, number in zip(rows, segment_ids.reshape(-1).tolist(), strict=True):
            if not 0 <= number < len(joined):
                raise InvalidArgumentError(
                    f"unsorted_segment_join: the segment {number} of {len(joined)}"
                )
            for parts, item in zip(joined[number], row, strict=True):
                parts.append(item)
        result = np.empty((len(joined), rows.shape[1]), object)
        for index in np.ndindex(result.shape):
            result[index] = separator.encode().join(joined[index[0]][index[1]])
        return result.reshape(len(joined), *inner)

    def result(inputs, segment_ids, num_segments, *, separator):
        if inputs.shape is None or segment_ids.shape is None:
            return Spec(string, None)
        known = full_constant(num_segments)
        count = None if known is None else int(known)
        return Spec(string, (count, *inputs.shape[len(segment_ids.shape) :]))


@public("strings.unsorted_segment_join")
def unsorted_segment_join(inputs, segment_ids, num_segments, separator="", name=None):
    """The strings of each segment joined by `separator`.

    Row i of `inputs` belongs to the segment `segment_ids[i]`.

    >>> ag.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 2, "-").numpy().tolist()
    [b'b', b'a-c']
    """
    return UnsortedSegmentJoin(inputs, segment_ids, num_segments, separator=separator, name=name)
