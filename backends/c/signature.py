"""What functions of C take and return, written as `float64(float64[3], out int32)`."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ...runtime.core.classes import NamedTuple
from ...runtime.core.errors import InvalidArgumentError

_PARAMETER = re.compile(r"(out\s+)?(\w+)\s*(?:\[([\d,\s]*)\])?")
NUMBERS = "biuf"  # the kinds of data types that C has
STATUS = np.dtype(np.int32)


class Parameter(NamedTuple):
    """A parameter of a function of C. With a shape it is the address of an array; without a data
    type, an address that is ignored.
    """

    dtype: Any  # a data type of NumPy, or None
    shape: tuple | None = None
    is_out: bool = False

    @property
    def is_address(self) -> bool:
        return self.dtype is None or self.shape is not None or self.is_out


class Signature(NamedTuple):
    """What a function of C takes and returns: its result, or whether it has succeeded."""

    result: np.dtype | None
    parameters: tuple[Parameter, ...]
    has_status: bool = False

    @property
    def arguments(self) -> list[Parameter]:
        """The parameters that the function in Python has."""
        return [param for param in self.parameters if param.dtype is not None and not param.is_out]

    @property
    def outs(self) -> list[Parameter]:
        return [parameter for parameter in self.parameters if parameter.is_out]


def parsed_signature(written: str) -> Signature:
    match = re.fullmatch(r"\s*(\w+)\s*\((.*)\)\s*", written)
    words = re.split(r",(?![^\[]*\])", match[2]) if match and match[2].strip() else []
    parameters = [_PARAMETER.fullmatch(word.strip()) for word in words]
    if match is None or None in parameters:
        raise InvalidArgumentError(
            f"as_cfunc: {written!r} is no signature", 'Write it like "float64(float64, int32[3])".'
        )
    returned = None if match[1] == "void" else _dtype(match[1])
    signature = Signature(returned, tuple(_parameter(*p.groups()) for p in parameters if p))
    if not signature.outs:
        return signature
    if returned != STATUS:
        raise InvalidArgumentError(
            f"as_cfunc: {written!r} has out parameters, so it returns a status",
            f'Let it return int32: "int32({match[2]})".',
        )
    return signature._replace(has_status=True)


def _parameter(out: str | None, name: str, sizes: str | None) -> Parameter:
    if name == "voidptr":
        return Parameter(None)
    shape = None if sizes is None else tuple(int(n) for n in sizes.split(",") if n.strip())
    return Parameter(_dtype(name), shape, out is not None)


def _dtype(name: str) -> np.dtype:
    try:
        dtype = np.dtype(name)
    except TypeError:
        dtype = np.dtype(object)
    if dtype.kind not in NUMBERS or dtype == np.float16 or dtype.itemsize > 8:
        raise InvalidArgumentError(
            f"as_cfunc: C has no data type {name!r}", "Use float64, float32, int32, bool..."
        )
    return dtype
