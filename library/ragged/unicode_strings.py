"""Strings as code points and as characters, in ragged tensors."""

from __future__ import annotations

from ... import cast, convert_to_tensor, int32, int64, repeat, reshape, shape, size
from ...extend.registration import public
from ..strings.unicode import (
    OUTPUTS,
    REPLACEMENT,
    UnicodeDecode,
    UnicodeEncode,
    check_encoding,
    check_errors,
)
from .ragged_strings import sections_of
from .ragged_tensor import RaggedTensor


def _points(input, encoding, errors, replacement, controls=False) -> tuple:
    """The code points of strings, and their first bytes."""
    attrs = {
        "encoding": check_encoding(encoding),
        "errors": check_errors(errors),
        "replacement": int(replacement),
        "controls": bool(controls),
    }
    return sections_of(input, lambda strings: UnicodeDecode(strings, **attrs))


@public("strings.unicode_decode")
def unicode_decode(
    input,
    input_encoding,
    errors="replace",
    replacement_char=REPLACEMENT,
    replace_control_characters=False,
    name=None,
):
    """The code points of each string, int32.

    A scalar gives a vector; a tensor, ragged or not, a ragged tensor with an axis more. Malformed
    parts become `replacement_char`; with `errors="ignore"` they are left out, and with
    `errors="strict"` they are an error.

    >>> ag.strings.unicode_decode(["G\\u00f6", "a"], "UTF-8")
    <ag.RaggedTensor [[71, 246], [97]]>

    Raises ValueError for an unknown encoding, InvalidArgumentError for a malformed string.
    """
    return _points(input, input_encoding, errors, replacement_char, replace_control_characters)[0]


@public("strings.unicode_decode_with_offsets")
def unicode_decode_with_offsets(
    input,
    input_encoding,
    errors="replace",
    replacement_char=REPLACEMENT,
    replace_control_characters=False,
    name=None,
):
    """The code points of each string, as of `strings.unicode_decode`, and their first bytes, int64.

    >>> points, starts = ag.strings.unicode_decode_with_offsets("\\u00f6a", "UTF-8")
    >>> points.numpy().tolist(), starts.numpy().tolist()
    ([246, 97], [0, 2])
    """
    return _points(input, input_encoding, errors, replacement_char, replace_control_characters)


@public("strings.unicode_split")
def unicode_split(input, input_encoding, errors="replace", replacement_char=REPLACEMENT, name=None):
    """The characters of each string, as strings of the same encoding.

    A scalar gives a vector; a tensor, ragged or not, a ragged tensor with an axis more. The
    arguments are those of `strings.unicode_decode`.

    >>> ag.strings.unicode_split(["ab", "c"], "UTF-8")
    <ag.RaggedTensor [[b'a', b'b'], [b'c']]>
    """
    return unicode_split_with_offsets(input, input_encoding, errors, replacement_char)[0]


@public("strings.unicode_split_with_offsets")
def unicode_split_with_offsets(
    input, input_encoding, errors="replace", replacement_char=REPLACEMENT, name=None
):
    """The characters of each string, as of `strings.unicode_split`, and their first bytes, int64.

    >>> parts, starts = ag.strings.unicode_split_with_offsets("\\u00f6a", "UTF-8")
    >>> parts.numpy().tolist(), starts.numpy().tolist()
    ([b'\\xc3\\xb6', b'a'], [0, 2])
    """
    points, starts = _points(input, input_encoding, errors, replacement_char)
    if isinstance(points, RaggedTensor):
        characters = points.with_flat_values(_each(points.flat_values, input_encoding))
    else:
        characters = _each(points, input_encoding)
    return characters, starts


def _each(points, encoding: str):
    """Each code point as a string."""
    ones = repeat(convert_to_tensor(1, int64), size(points))
    attrs = {"encoding": encoding, "errors": "replace", "replacement": REPLACEMENT}
    return UnicodeEncode(points, ones, **attrs)


@public("strings.unicode_encode")
def unicode_encode(
    input, output_encoding, errors="replace", replacement_char=REPLACEMENT, name=None
):
    """The string of each row of code points; the encoding is "UTF-8", "UTF-16-BE" or "UTF-32-BE".

    `input` is an int32 tensor, ragged or not; the result has an axis less. What is no code point
    becomes `replacement_char`; with `errors="ignore"` it is left out, and with `errors="strict"`
    it is an error.

    >>> ag.strings.unicode_encode(ag.ragged.constant([[71, 246], [97]]), "UTF-8").numpy()
    array([b'G\\xc3\\xb6', b'a'], dtype=object)

    Raises ValueError for an unknown encoding, InvalidArgumentError for what is no code point.
    """
    attrs = {
        "encoding": check_encoding(output_encoding, OUTPUTS),
        "errors": check_errors(errors),
        "replacement": int(replacement_char),
    }
    if isinstance(input, RaggedTensor):
        if isinstance(input.values, RaggedTensor):
            return input.with_values(unicode_encode(input.values, output_encoding, errors,
                                                    replacement_char))  # fmt: skip
        if len(input.values.dims) > 1:
            inner = unicode_encode(input.values, output_encoding, errors, replacement_char)
            return input.with_values(inner)
        return UnicodeEncode(cast(input.values, int32), cast(input.row_lengths(), int64), **attrs)
    points = cast(convert_to_tensor(input), int32)
    batch, length = shape(points)[:-1], shape(points, int64)[-1]
    count = size(points[..., 0])
    found = UnicodeEncode(reshape(points, [-1]), repeat(length, count), **attrs)
    return reshape(found, batch)
