"""What functions of C take and return, written as `float64(float64[3], out int32)`."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ...core.classes import NamedTuple
from ...core.errors import InvalidArgumentError

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
        return [one for one in self.parameters if one.dtype is not None and not one.is_out]

    @property
    def outs(self) -> list[Parameter]:
        return [one for one in self.parameters if one.is_out]


def parsed_signature(written: str) -> Signature:
    found = re.fullmatch(r"\s*(\w+)\s*\((.*)\)\s*", written)
    words = re.split(r",(?![^\[]*\])", found[2]) if found and found[2].strip() else []
    parameters = [_PARAMETER.fullmatch(word.strip()) for word in words]
    if found is None or None in parameters:
        raise InvalidArgumentError(
            f"as_cfunc: {written!r} is no signature", 'Write it like "float64(float64, int32[3])".'
        )
    returned = None if found[1] == "void" else _dtype(found[1])
    made = Signature(returned, tuple(_parameter(*one.groups()) for one in parameters if one))
    if not made.outs:
        return made
    if returned != STATUS:
        raise InvalidArgumentError(
            f"as_cfunc: {written!r} has out parameters, so it returns a status",
            f'Let it return int32: "int32({found[2]})".',
        )
    return made._replace(has_status=True)


def _parameter(out: str | None, name: str, sizes: str | None) -> Parameter:
    if name == "voidptr":
        return Parameter(None)
    shape = None if sizes is None else tuple(int(n) for n in sizes.split(",") if n.strip())
    return Parameter(_dtype(name), shape, out is not None)


def _dtype(name: str) -> np.dtype:
    try:
        found = np.dtype(name)
    except TypeError:
        found = np.dtype(object)
    if found.kind not in NUMBERS or found == np.float16 or found.itemsize > 8:
        raise InvalidArgumentError(
            f"as_cfunc: C has no data type {name!r}", "Use float64, float32, int32, bool..."
        )
    return found
