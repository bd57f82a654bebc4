"""Data types as NumPy chooses them: numbers written in Python adapt, all others are promoted."""

from __future__ import annotations

import functools

import numpy as np

from ..core.dtypes import DType, as_dtype
from ..tensors.apply import constant_of, convert_to_tensor, holds_tensor
from ..tensors.numpy_behavior_switch import BEHAVIOR
from ..tensors.tensor import Operators, Tensor
from .registry import ag


def tensor(value, dtype=None) -> Tensor:
    """A tensor of a value under NumPy's rules (a float in a list is float64), cast to `dtype`."""
    if isinstance(value, (list, tuple)) and holds_tensor(value):
        value = ag.stack(promoted(*value))
    elif not isinstance(value, Operators):
        value = constant_of(np.asarray(value))
    found = convert_to_tensor(value)
    return found if dtype is None else ag.cast(found, as_dtype(dtype))


def common_dtype(*values) -> np.dtype:
    """The type that NumPy gives a computation with these values (see `enable_numpy_behavior`)."""
    kinds = list(map(_kind, values))
    found = np.result_type(*kinds)
    if BEHAVIOR.prefer_float32 and found == np.float64 and found not in kinds:
        return np.dtype(np.float32)
    return found


def _kind(value):
    if isinstance(value, Operators):
        return value.dtype.numpy_dtype
    if isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic):
        return value
    if isinstance(value, (list, tuple)) and holds_tensor(value):
        return common_dtype(*value)
    return np.asarray(value).dtype


def promoted(*values) -> list[Tensor]:
    """The values as tensors of the one type that NumPy would compute in."""
    dtype = common_dtype(*values)
    return [tensor(value, dtype) for value in values]


def promoted_inputs(op, inputs: tuple) -> tuple:
    """The inputs of an operation, those that share a type promoted to a common one."""
    alike = [value for place, value in enumerate(inputs) if op.alike[op.place(place)]]
    if not any(isinstance(value, Operators) for value in alike) or len(alike) < 2:
        return inputs
    kinds = [_kind(value) for value in alike]
    if any(isinstance(kind, np.dtype) and kind.kind in "OSU" for kind in kinds):
        return inputs
    dtype = common_dtype(*alike)
    return tuple(
        tensor(value, dtype) if op.alike[op.place(place)] else value
        for place, value in enumerate(inputs)
    )


def promoted_arrays(*values) -> list[Tensor]:
    """As `promoted`, for functions of NumPy that make arrays of numbers first."""
    return promoted(*(value if isinstance(value, Operators) else tensor(value) for value in values))


@functools.cache
def _dtype_after(function, dtype: np.dtype) -> np.dtype:
    return np.asarray(function(np.ones((1, 1), dtype))).dtype


def computed_by(function, value, dtype=None) -> Tensor:
    """A tensor of the type in which a NumPy function of one argument gives its result."""
    found = tensor(value)
    if dtype is None:
        dtype = _dtype_after(function, found.dtype.numpy_dtype)
    return ag.cast(found, as_dtype(dtype))


def floating(value) -> Tensor:
    """A tensor whose integers have become floats as by NumPy's division."""
    return computed_by(_halved, value)


def _halved(array):
    return array / 2 if array.dtype.kind != "b" else array / np.int64(2)


def as_truth(value) -> Tensor:
    """Whether each element is other than zero."""
    found = tensor(value)
    return found if found.dtype.is_bool else ag.not_equal(found, zero(found.dtype))


def zero(dtype: DType) -> Tensor:
    return constant_of(np.zeros((), dtype.numpy_dtype))
