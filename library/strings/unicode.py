"""Code points: strings of an encoding decoded to them, and encoded."""

from __future__ import annotations

import codecs

import numpy as np

from ... import int32, int64, string
from ...extend.errors import InvalidArgumentError
from ...extend.operations import STRINGS, Spec, hidden_op, map_elements, same_as_input
from ...extend.registration import public

OUTPUTS = ("UTF-8", "UTF-16-BE", "UTF-32-BE")
REPLACEMENT = 0xFFFD
LAST, SURROGATES = 0x10FFFF, range(0xD800, 0xE000)


def check_encoding(name: str, known: tuple[str, ...] | None = None) -> str:
    """The name of an encoding. Raises ValueError if there is none of this name."""
    if known is not None:
        if name not in known:
            raise ValueError(f"the encoding is {', '.join(known)}, not {name!r}")
        return name
    try:
        codecs.lookup(name)
    except LookupError:
        raise ValueError(f"there is no encoding {name!r}; {', '.join(OUTPUTS)} exist") from None
    return name


def check_errors(errors: str) -> str:
    """What happens to malformed strings. Raises ValueError for another word."""
    if errors not in ("strict", "replace", "ignore"):
        raise ValueError(f"errors is 'strict', 'replace' or 'ignore', not {errors!r}")
    return errors


def _decoded(data: bytes, encoding: str, errors: str, replacement: int, controls: bool):
    """The code points of a string, and the position of the first byte of each."""
    points: list[int] = []
    starts: list[int] = []
    position = 0
    while position < len(data):
        try:
            valid, bad = data[position:].decode(encoding), None
        except UnicodeDecodeError as error:
            valid, bad = data[position : position + error.start].decode(encoding), error
        for character in valid:
            points.append(ord(character))
            starts.append(position)
            position += len(character.encode(encoding))
        if bad is None:
            break
        if errors == "strict":
            raise InvalidArgumentError(f"the string {data!r} is not {encoding}: {bad.reason}")
        if errors == "replace":
            points.append(replacement)
            starts.append(position)
        position += bad.end - bad.start
    if controls:
        points = [replacement if point < 32 else point for point in points]
    return points, starts


def _encoded(points, encoding: str, errors: str, replacement: int) -> bytes:
    """Code points as a string of an encoding."""
    found = []
    for point in points:
        if not 0 <= point <= LAST or point in SURROGATES:
            if errors == "strict":
                raise InvalidArgumentError(f"{point} is not a code point")
            if errors == "ignore":
                continue
            point = replacement
        found.append(chr(point))
    return "".join(found).encode(encoding)


@hidden_op
class UnicodeDecode:
    """The code points of all strings, their first bytes, and how many each string has."""

    accepts = STRINGS

    def kernel(x, *, encoding, errors, replacement, controls):
        found = [
            _decoded(item, encoding, errors, replacement, controls)
            for item in np.asarray(x, object).reshape(-1)
        ]
        return (
            np.array([point for points, _ in found for point in points], np.int32),
            np.array([start for _, starts in found for start in starts], np.int64),
            np.array([len(points) for points, _ in found], np.int64),
        )

    def result(x, *, encoding, errors, replacement, controls):
        count = None if x.shape is None or None in x.shape else int(np.prod(x.shape))
        return Spec(int32, (None,)), Spec(int64, (None,)), Spec(int64, (count,))


@hidden_op
class UnicodeEncode:
    """The strings of code points, of which the first lengths[0] are those of the first string."""

    accepts = {"points": frozenset({int32}), "lengths": frozenset({int64})}

    def kernel(points, lengths, *, encoding, errors, replacement):
        ends = np.cumsum(lengths).tolist()
        result = np.empty(len(ends), object)
        for index, (end, length) in enumerate(zip(ends, lengths.tolist(), strict=True)):
            row = points[end - length : end].tolist()
            result[index] = _encoded(row, encoding, errors, replacement)
        return result

    def result(points, lengths, *, encoding, errors, replacement):
        return Spec(string, lengths.shape)


@hidden_op
class UnicodeTranscode:
    """Each string in another encoding."""

    accepts = STRINGS
    elementwise = True
    result = same_as_input

    def kernel(x, *, encoding, target, errors, replacement, controls):
        def transcoded(item):
            points, _ = _decoded(item, encoding, errors, replacement, controls)
            return _encoded(points, target, errors, replacement)

        return map_elements(transcoded, x)


@public("strings.unicode_transcode")
def unicode_transcode(
    input,
    input_encoding,
    output_encoding,
    errors="replace",
    replacement_char=REPLACEMENT,
    replace_control_characters=False,
    name=None,
):
    """Each string of one encoding in another: "UTF-8", "UTF-16-BE" or "UTF-32-BE".

    Malformed parts become `replacement_char`; with `errors="ignore"` they are left out, and with
    `errors="strict"` they are an error. So are control characters where that is asked for.

    >>> ag.strings.unicode_transcode(["\\u00e9"], "UTF-8", "UTF-16-BE").numpy()
    array([b'\\x00\\xe9'], dtype=object)

    Raises ValueError for an unknown encoding, InvalidArgumentError for a malformed string.
    """
    return UnicodeTranscode(
        input,
        encoding=check_encoding(input_encoding),
        target=check_encoding(output_encoding, OUTPUTS),
        errors=check_errors(errors),
        replacement=int(replacement_char),
        controls=bool(replace_control_characters),
        name=name,
    )
