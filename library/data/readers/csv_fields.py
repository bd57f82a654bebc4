"""Fields of text tables as numbers and texts."""

from __future__ import annotations

import csv

import numpy as np

from ....runtime.core.dtypes import FROM_NUMPY, DType, as_dtype, string
from ....runtime.core.errors import InvalidArgumentError
from ....runtime.tensors.array_conversion import as_array
from ....runtime.tensors.tensor import EagerTensor, SymbolicTensor
from ..elements.nodes import boxed


def dialect_of(delimiter: str, quotes: bool) -> dict:
    """How Python's `csv` is to read a table."""
    quoting = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    return {"delimiter": delimiter, "quoting": quoting}


def read_field(fields, place: int, dtype: DType, default, na_value: str, where: str):
    """One field of a row as an array of its type; InvalidArgumentError when it has none."""
    if place >= len(fields):
        raise InvalidArgumentError(f"{where}: expected field {place} in the row {fields}")
    text = fields[place]
    if text == na_value or not text:
        if default is None:
            raise InvalidArgumentError(
                f"{where}: field {place} is required but missing in the row {fields}",
                "Give a default value instead of a data type.",
            )
        return default
    if dtype is string:
        return boxed(text.encode("utf-8", "surrogateescape"))
    try:
        number = int(text) if dtype.is_integer else float(text)
        return as_array(number, dtype)[()]
    except (ValueError, TypeError, OverflowError):
        raise InvalidArgumentError(
            f"{where}: field {place} in the row {fields} is not a valid {dtype.name}: {text}"
        ) from None


def places_of(count: int, selected, excluded) -> list[int]:
    """The places of the `count` columns that are read."""
    if selected is not None and excluded is not None:
        raise ValueError("give select_cols or exclude_cols, not both")
    if selected is not None:
        places = [int(place) for place in selected]
        if len(places) != count or places != sorted(set(places)):
            raise InvalidArgumentError(
                f"select_cols {places} must be increasing, and as many as the {count} "
                "record_defaults"
            )
        return places
    left_out = set(map(int, excluded or ()))
    return [place for place in range(count + len(left_out)) if place not in left_out][:count]


def as_default(given) -> tuple:
    """Data type and default of a column; the default is None where a field is required."""
    if isinstance(given, (DType, type)):
        return as_dtype(given), None
    array = _known(given)
    if array.shape not in ((), (1,), (0,)):
        raise ValueError(f"the default of a column is a scalar, not {given!r}")
    dtype = FROM_NUMPY[array.dtype]
    if not array.size:
        return dtype, None
    array = array.reshape(())
    return dtype, array if dtype is string else array[()]


def _known(given) -> np.ndarray:
    """A value that is known already while a function is traced, as an array."""
    if not isinstance(given, SymbolicTensor):
        return np.asarray(given.array if isinstance(given, EagerTensor) else as_array(given))
    node = given.op
    if node.type != "Const":
        raise TypeError(f"the default of a column has to be a constant, not {given!r}")
    return np.asarray(node.attrs["value"])
