"""Fields of CSV tables as numbers and strings."""

from __future__ import annotations

import csv

import numpy as np

from .... import DType, as_dtype, string
from ....extend.errors import InvalidArgumentError
from ....extend.specs import FROM_NUMPY
from ....extend.tensors import EagerTensor, SymbolicTensor, to_array
from ..elements.nodes import boxed


def dialect_of(delimiter: str, quotes: bool) -> dict:
    """The options of Python's `csv` module for a table."""
    quoting = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    return {"delimiter": delimiter, "quoting": quoting}


def read_field(fields, column: int, dtype: DType, default, na_value: str, where: str):
    """A field of a row as an array of its dtype. Raises InvalidArgumentError if it cannot be."""
    if column >= len(fields):
        raise InvalidArgumentError(f"{where}: expected field {column} in the row {fields}")
    field = fields[column]
    if field == na_value or not field:
        if default is None:
            raise InvalidArgumentError(
                f"{where}: field {column} is required but missing in the row {fields}",
                "Give a default value instead of a dtype.",
            )
        return default
    if dtype is string:
        return boxed(field.encode("utf-8", "surrogateescape"))
    try:
        value = int(field) if dtype.is_integer else float(field)
        return to_array(value, dtype)[()]
    except (ValueError, TypeError, OverflowError):
        raise InvalidArgumentError(
            f"{where}: field {column} in the row {fields} is not a valid {dtype.name}: {field}"
        ) from None


def selected_columns(count: int, selected, excluded) -> list[int]:
    """The indices of the `count` columns that are read."""
    if selected is not None and excluded is not None:
        raise ValueError("give select_cols or exclude_cols, not both")
    if selected is not None:
        columns = [int(column) for column in selected]
        if len(columns) != count or columns != sorted(set(columns)):
            raise InvalidArgumentError(
                f"select_cols {columns} must be increasing, and as many as the {count} "
                "record_defaults"
            )
        return columns
    excluded_columns = set(map(int, excluded or ()))
    return [
        column for column in range(count + len(excluded_columns)) if column not in excluded_columns
    ][:count]


def as_default(default) -> tuple:
    """The dtype and the default of a column; the default is None if the field is required."""
    if isinstance(default, (DType, type)):
        return as_dtype(default), None
    array = _constant_array(default)
    if array.shape not in ((), (1,), (0,)):
        raise ValueError(f"the default of a column is a scalar, not {default!r}")
    dtype = FROM_NUMPY[array.dtype]
    if not array.size:
        return dtype, None
    array = array.reshape(())
    return dtype, array if dtype is string else array[()]


def _constant_array(default) -> np.ndarray:
    """A value that is constant while a function is traced, as an array."""
    if not isinstance(default, SymbolicTensor):
        return np.asarray(default.array if isinstance(default, EagerTensor) else to_array(default))
    node = default.op
    if node.type != "Const":
        raise TypeError(f"the default of a column has to be a constant, not {default!r}")
    return np.asarray(node.attrs["value"])
