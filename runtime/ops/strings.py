"""Texts: tensors of bytes."""

from __future__ import annotations

import functools

import numpy as np

from ..apply import convert_to_tensor
from ..dtypes import STRINGS, as_dtype, float32, int32
from ..errors import InvalidArgumentError
from ..op import Spec, op
from ..vocabulary import public
from .rules import same_as_input


def _mapped(function, x, dtype=object) -> np.ndarray:
    """`function` of each text, as an array of the same shape."""
    x = np.asarray(x)
    made = np.empty(x.size, dtype)
    for place, text in enumerate(x.reshape(-1)):
        made[place] = function(text)
    return made.reshape(x.shape)


@op
class StringLength:
    """The number of bytes of each text."""

    accepts = STRINGS
    public = ("strings.length",)

    def kernel(x):
        return _mapped(len, x, np.int32)

    def result(x):
        return Spec(int32, x.shape)


@op
class Lower:
    """Each text in lower case."""

    accepts = STRINGS
    result = same_as_input
    public = ("strings.lower",)

    def kernel(x):
        return _mapped(bytes.lower, x)


@op
class Upper:
    """Each text in upper case."""

    accepts = STRINGS
    result = same_as_input
    public = ("strings.upper",)

    def kernel(x):
        return _mapped(bytes.upper, x)


@op
class ToNumber:
    """The number that each text spells."""

    accepts = STRINGS
    hidden = True

    def kernel(x, *, dtype):
        try:
            return _mapped(int if dtype.is_integer else float, x, dtype.numpy_dtype)
        except ValueError as error:
            raise InvalidArgumentError(f"strings.to_number: {error}") from None

    def result(x, *, dtype):
        return Spec(dtype, x.shape)


@public("strings.to_number")
def to_number(input, out_type=float32, name=None):
    """The number that each text spells.

    >>> float(to_number("2.5"))
    2.5
    """
    return ToNumber(input, dtype=as_dtype(out_type))


@public("strings.join")
def join(inputs, separator="", name=None):
    """Texts joined element by element.

    >>> join(["a", "b"], separator="-").numpy()
    b'a-b'
    """
    parts = [convert_to_tensor(one) for one in inputs]
    glue = (
        [part for one in parts for part in (convert_to_tensor(separator), one)][1:]
        if separator
        else parts
    )
    return functools.reduce(lambda a, b: a + b, glue)
