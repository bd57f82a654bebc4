"""Protocol buffer messages: fields by number, as bytes.

Source: the documented wire format of protocol buffers.
"""

from __future__ import annotations

from collections.abc import Iterator

WHOLE, BYTES = 0, 2  # the two ways in which these fields are written
WIDTHS = {1: 8, 5: 4}  # of fields of other ways, which are passed over


def varint(number: int) -> bytes:
    """A whole number, seven bits a byte; negative ones as 64 bits.

    >>> varint(300)
    b'\\xac\\x02'
    """
    number %= 2**64
    made = bytearray()
    while number > 127:
        made.append(number & 127 | 128)
        number >>= 7
    return bytes([*made, number])


def field(number: int, content: bytes | int) -> bytes:
    """A field of a message: a whole number, or bytes.

    >>> field(1, b"ab")
    b'\\n\\x02ab'
    """
    if isinstance(content, int):
        return varint(number << 3 | WHOLE) + varint(content)
    return varint(number << 3 | BYTES) + varint(len(content)) + content


def fields_of(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of a message: numbers and contents; ValueError where it is none."""
    content: int | bytes
    position = 0
    while position < len(message):
        key, position = read_varint(message, position)
        if key & 7 == WHOLE:
            content, position = read_varint(message, position)
        else:
            if key & 7 == BYTES:
                size, position = read_varint(message, position)
            elif (width := WIDTHS.get(key & 7)) is not None:
                size = width
            else:
                raise ValueError(f"a field is written in the unknown way {key & 7}")
            content, position = message[position : position + size], position + size
            if position > len(message):
                raise ValueError("it is cut short")
        yield key >> 3, content


def read_varint(message: bytes, position: int) -> tuple[int, int]:
    """The number at a position, and the position after it.

    Raises ValueError where the message ends, and for a number of more than 64 bits.
    """
    number = shift = 0
    while True:
        if position >= len(message):
            raise ValueError("it is cut short")
        byte = message[position]
        number |= (byte & 127) << shift
        position, shift = position + 1, shift + 7
        if number >= 2**64:
            raise ValueError("a number has more than 64 bits")
        if byte < 128:
            return number, position
        if shift > 63:
            raise ValueError("a number has more than 10 bytes")
