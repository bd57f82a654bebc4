"""NumPy's type promotion: Python scalars adapt to the other operands, all others are promoted."""

from __future__ import annotations

import functools

import numpy as np

from ..core.dtypes import DType, as_dtype
from ..core.numpy_dtypes import is_bool, is_exact, is_string
from ..tensors.apply import BEHAVIOR, constant_of, convert_to_tensor, holds_tensor
from ..tensors.tensor import Operators, Tensor
from . import weak_types
from .registry import NARROWER, SharedArray, ag, is_narrowed


def tensor(value, dtype=None) -> Tensor:
    """A value as a tensor under NumPy's rules (a Python float is float64), cast to `dtype`."""
    if isinstance(value, (list, tuple)) and holds_tensor(value):
        value = ag.stack(promoted(*value))
    elif not isinstance(value, Operators):
        if BEHAVIOR.mode != "legacy" and not isinstance(value, (np.ndarray, np.generic)):
            value = ag.constant(value)  # a Python number is weak
        else:
            value = constant_of(np.asarray(value))
    result = convert_to_tensor(value)
    if dtype is None:
        return result
    wanted = named_dtype(dtype)
    if result.dtype.is_complex and not wanted.is_complex:
        raise TypeError(f"Cannot cast array data from {result.dtype.name} to {wanted.name}")
    return ag.cast(result, wanted)


def viewed(value):
    """An array of `jit` as it is, anything else as a tensor."""
    return value if isinstance(value, SharedArray) else tensor(value)


def named_dtype(dtype) -> DType:
    """The dtype that NumPy means by a type or a name: `float` is float64."""
    if isinstance(dtype, type) and dtype in (float, int, complex, bool):
        dtype = np.dtype(dtype)
        dtype = NARROWER.get(dtype, dtype) if BEHAVIOR.prefer_float32 else dtype
    return as_dtype(dtype)


def common_dtype(*values) -> np.dtype:
    """The dtype in which NumPy computes with these values (see `enable_numpy_behavior`)."""
    if BEHAVIOR.mode != "legacy":
        common = weak_types.common_type([weak_types.type_of(value) for value in values])
        if common is not None:
            return common[0].numpy_dtype
    dtypes = list(map(_dtype_of, values))
    result = np.result_type(*dtypes)
    if BEHAVIOR.prefer_float32 and not any(dtype in NARROWER for dtype in dtypes):
        return np.dtype(NARROWER.get(result, result))
    return result


def _dtype_of(value):
    if isinstance(value, Operators):
        return value.dtype.numpy_dtype
    if isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic):
        return value
    if isinstance(value, (list, tuple)) and holds_tensor(value):
        return common_dtype(*value)
    dtype = np.asarray(value).dtype
    return np.dtype(NARROWER.get(dtype, dtype)) if is_narrowed(value) else dtype


def promoted(*values) -> list[Tensor]:
    """The values as tensors of the dtype in which NumPy computes with them."""
    dtype = common_dtype(*values)
    return [tensor(value, dtype) for value in values]


def promoted_inputs(op, inputs: tuple) -> tuple:
    """The inputs of an operation, with those that need one dtype promoted to a common one."""
    related = [value for index, value in enumerate(inputs) if op.alike[op.input_index(index)]]
    if not any(isinstance(value, Operators) for value in related) or len(related) < 2:
        return inputs
    dtypes = [_dtype_of(value) for value in related]
    if any(isinstance(dtype_, np.dtype) and is_string(dtype_) for dtype_ in dtypes):
        return inputs
    dtype = common_dtype(*related)
    if BEHAVIOR.prefer_float32 and is_exact(dtype) and op.float_ufunc is np.divide:
        dtype = np.dtype(np.float32)
    return tuple(
        tensor(value, dtype) if op.alike[op.input_index(index)] else value
        for index, value in enumerate(inputs)
    )


def promoted_arrays(*values) -> list[Tensor]:
    """Like `promoted`, for NumPy functions that convert scalars to arrays first."""
    return promoted(*(value if isinstance(value, Operators) else tensor(value) for value in values))


@functools.cache
def _dtype_after(function, dtype: np.dtype) -> np.dtype:
    return np.asarray(function(np.ones((1, 1), dtype))).dtype


def computed_by(function, value, dtype=None) -> Tensor:
    """A tensor with the dtype of the result of a NumPy function of one argument."""
    result = tensor(value)
    if dtype is None:
        dtype = _dtype_after(function, result.dtype.numpy_dtype)
    return ag.cast(result, named_dtype(dtype))


def floating(value) -> Tensor:
    """A tensor of floats; integers are converted as by NumPy's division."""
    return computed_by(_halved, value)


def _halved(array):
    return array / 2 if not is_bool(array.dtype) else array / np.int64(2)


def as_bool(value) -> Tensor:
    """Whether each element is nonzero, as bool."""
    result = tensor(value)
    return result if result.dtype.is_bool else ag.not_equal(result, zero(result.dtype))


def zero(dtype: DType) -> Tensor:
    """A scalar tensor 0 of a dtype."""
    return constant_of(np.zeros((), dtype.numpy_dtype))
