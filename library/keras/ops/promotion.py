"""Data types of `keras.ops`: integers become float32 beside floats, Python numbers adapt."""

from __future__ import annotations

import functools

import numpy as np

from .... import DType, as_dtype, cast, complex64, convert_to_tensor, float32, int32
from .... import bool as bool_
from ....extend.specs import is_floating
from ....extend.tensors import tensor_of
from ..mixed_precision import dtype_of


def common_dtype(*values) -> DType:
    """The data type of an operation on arrays and numbers.

    Any float is wider than any integer, so int64 beside float16 is float16.

    >>> common_dtype(np.int64(1), np.float16(1)).name, common_dtype(1, 2.5).name
    ('float16', 'float32')
    """
    strong: set[DType] = set()
    weak: set[type] = set()
    for value in values:
        if type(value) in (int, float, complex):
            weak.add(type(value))
        else:
            strong.add(_dtype_of(value))
    return _common(strong, weak)


def _dtype_of(value) -> DType:
    found = getattr(value, "dtype", None)
    return as_dtype(found) if found is not None else convert_to_tensor(value).dtype


def _common(strong: set[DType], weak: set[type]) -> DType:
    wide = {dtype for dtype in strong if dtype.is_floating or dtype.is_complex}
    if complex in weak and not any(dtype.is_complex for dtype in wide):
        wide.add(complex64)
    if not wide and float in weak:
        return dtype_of(None)
    if not wide and not strong - {bool_}:
        return int32 if weak else bool_
    if len(wide) > 1:  # the half floats meet in float32
        wide = {float32 if dtype.name == "bfloat16" else dtype for dtype in wide}
    return _least_upper_bound(frozenset(wide or strong))


@functools.cache
def _least_upper_bound(dtypes: frozenset[DType]) -> DType:
    if len(dtypes) == 1:
        return next(iter(dtypes))
    found = np.result_type(*(dtype.numpy_dtype for dtype in dtypes))
    only_integers = not any(dtype.is_floating or dtype.is_complex for dtype in dtypes)
    return float32 if only_integers and is_floating(found) else as_dtype(found)


def floating(dtype: DType, int64_as: DType | None = None) -> DType:
    """The data type of quotients, means and elementary functions: integers become `floatx`."""
    if dtype.is_floating or dtype.is_complex:
        return dtype
    return int64_as if int64_as is not None and dtype.name == "int64" else dtype_of(None)


def summing(dtype: DType) -> DType:
    """The data type of sums and products: at least 32 bits."""
    if dtype.is_floating or dtype.is_complex or dtype.size >= 4:
        return dtype
    return as_dtype("uint32" if dtype.is_unsigned else "int32")


def operands(*values, dtype: DType | None = None) -> list:
    """The values as tensors of one data type, by default their common one."""
    found = common_dtype(*values) if dtype is None else dtype
    return [as_operand(value, found) for value in values]


def as_operand(value, dtype: DType | None = None):
    """A value as a tensor, of a data type if one is given."""
    found = tensor_of(value)
    if found is None:
        if dtype is not None and type(value) in (bool, int, float):
            return convert_to_tensor(value, dtype)
        found = convert_to_tensor(value)
    return _cast(found, dtype)


def _cast(tensor, dtype: DType | None):
    return tensor if dtype is None or tensor.dtype == dtype else cast(tensor, dtype)
