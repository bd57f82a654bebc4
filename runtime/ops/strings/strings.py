"""Lengths of strings, and numbers that strings hold: `len` and `int` of tensors."""

from __future__ import annotations

import numpy as np

from ...core.dtypes import STRINGS, int32
from ...core.errors import InvalidArgumentError
from ...ir.op import Spec
from ...tensors.operation import op


def map_elements(function, x, dtype=object) -> np.ndarray:
    """`function` applied to each element, as an array of the same shape."""
    x = np.asarray(x)
    result = np.empty(x.size, dtype)
    for index, item in enumerate(x.reshape(-1)):
        result[index] = function(item)
    return result.reshape(x.shape)


@op
class StringLength:
    """The number of bytes, or of characters, of each string."""

    accepts = STRINGS
    elementwise = True
    hidden = True

    def kernel(x, *, unit):
        measure = len if unit == "BYTE" else lambda string_: len(string_.decode("utf-8", "replace"))
        return map_elements(measure, x, np.int32)

    def result(x, *, unit):
        return Spec(int32, x.shape)


@op
class ToNumber:
    """Strings parsed as numbers."""

    accepts = STRINGS
    elementwise = True
    hidden = True
    moves_only = True

    def kernel(x, *, dtype):
        try:
            return map_elements(int if dtype.is_integer else float, x, dtype.numpy_dtype)
        except (ValueError, OverflowError) as error:
            raise InvalidArgumentError(f"strings.to_number: {error}") from None

    def result(x, *, dtype):
        return Spec(dtype, x.shape)
