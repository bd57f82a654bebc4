"""Strings as compressed bytes."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from ... import convert_to_tensor, string
from ...extend.errors import InvalidArgumentError
from ...extend.operations import STRINGS, hidden_op, map_elements, same_as_input
from ...extend.registration import public

WINDOWS: dict[str, Any] = {"": None, "ZLIB": zlib.MAX_WBITS, "GZIP": zlib.MAX_WBITS | 16}


@hidden_op
class Decompress:
    """Each string, decompressed."""

    accepts = STRINGS
    result = same_as_input

    def kernel(input, *, compression):
        def decompressed(data: bytes) -> bytes:
            try:
                return zlib.decompress(data, WINDOWS[compression])
            except zlib.error as error:
                raise InvalidArgumentError(f"io.decode_compressed: {error}") from None

        return map_elements(decompressed, np.asarray(input, object))


@public("io.decode_compressed")
def decode_compressed(bytes, compression_type="", name=None):
    """Each string decompressed, for the `compression_type` "ZLIB", "GZIP" or "" (none).

    >>> import zlib
    >>> ag.io.decode_compressed(zlib.compress(b"text"), "ZLIB").numpy()
    b'text'

    Raises ValueError for another type, InvalidArgumentError for other bytes.
    """
    if compression_type not in WINDOWS:
        raise ValueError(f"compression_type is 'ZLIB', 'GZIP' or '', not {compression_type!r}")
    data = convert_to_tensor(bytes, string)
    return Decompress(data, compression=compression_type) if compression_type else data
