"""Weak types: promotion where Python numbers adopt the data types of what they meet.

Under `dtype_conversion_mode` "all" and "safe", Python numbers, constants made of them, and what is
computed of these alone have a *weak* type: int32 or int64, float32 or float64, complex128. The type
of two operands is their least upper bound in a lattice:

    bool < int* < unsigned and signed integers < float* < bfloat16, float16 < float32 < float64
                                                float64 < complex128, float32 < complex64, complex*

where a star is a weak type. A weak float beside integers gives a weak float64, and a weak complex
number beside integers a weak complex128.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from ..core.dtypes import DType, as_dtype, complex64, complex128, float32, float64
from ..core.dtypes import bool_ as boolean
from ..core.errors import DTypeError
from ..core.numpy_dtypes import is_bool
from ..tensors.apply import BEHAVIOR, constant_of, holds_tensor
from ..tensors.array_conversion import to_array
from ..tensors.python_numbers import roots
from ..tensors.tensor import EagerTensor, Operators, SymbolicTensor, Tensor
from .registry import ag

Type = tuple[DType, bool]  # a data type, and whether it is weak

PRECISION = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}
WEAK = {"int32", "int64", "float32", "float64", "complex128"}


def is_weak(tensor) -> bool:
    """Whether the type of a tensor is weak."""
    if type(tensor) is EagerTensor:
        return getattr(tensor, "weak", False)
    if type(tensor) is not SymbolicTensor:
        return False
    value = tensor.graph_value
    if value in tensor.builder.weak or roots(tensor) is not None:
        return True
    return any(
        captured is value and is_weak(outer) for outer, captured in tensor.builder.captures.values()
    )


def weakened(tensor: Tensor) -> Tensor:
    """A new tensor, with its type made weak if there is such a weak type."""
    if tensor.dtype.name in WEAK:
        if type(tensor) is EagerTensor:
            tensor.weak = True  # type: ignore[attr-defined]
        elif type(tensor) is SymbolicTensor:
            tensor.builder.weak.add(tensor.graph_value)
    return tensor


def type_of(value) -> Type | None:
    """The type of an operand; None for what takes no part in promotion, such as strings."""
    if isinstance(value, Operators):
        dtype, weak = value.dtype, is_weak(value)
    elif isinstance(value, (np.ndarray, np.generic)):
        dtype, weak = as_dtype(value.dtype), False
    elif isinstance(value, (list, tuple)) and holds_tensor(value):
        return common_type([type_of(item) for item in value])
    elif isinstance(value, (bool, int, float, complex, list, tuple)):
        dtype = as_dtype(to_array(value).dtype)
        dtype, weak = (complex128, True) if dtype.is_complex else (dtype, True)
    else:
        return None
    if not (dtype.is_numeric or dtype.is_bool):
        return None
    return dtype, weak and not dtype.is_bool


def _rank(dtype: DType) -> int:
    """Sorts bools, integers, floats and complex numbers."""
    return 0 if dtype.is_bool else 1 if dtype.is_integer else 2 if dtype.is_floating else 3


def _upper_bound(left: Type, right: Type) -> Type:
    """The least upper bound of two types."""
    (low, low_weak), (high, high_weak) = sorted(
        (left, right), key=lambda type_: (_rank(type_[0]), type_[0].size)
    )
    if low is high:
        return low, low_weak and high_weak
    if low is boolean or (low_weak and high_weak):
        return high, high_weak
    if _rank(low) == _rank(high):
        if low_weak or high_weak:
            return (high, False) if low_weak else (low, False)
        return _of_one_category(low, high)
    if not high_weak:
        is_double = high is complex64 and low is float64 and not low_weak
        return (complex128 if is_double else high), False
    if low.is_integer:
        return (float64 if high.is_floating else complex128), True
    return (complex128 if low is float64 else complex64), False


def _of_one_category(low: DType, high: DType) -> Type:
    """Two strong integers, floats or complex numbers, the first not larger than the second."""
    if low.is_integer and low.is_unsigned != high.is_unsigned:
        if low.size < high.size and low.is_unsigned:
            return high, False
        unsigned = low if low.is_unsigned else high
        return (
            (float64, True) if unsigned.size == 8 else (as_dtype(f"int{16 * unsigned.size}"), False)
        )
    return (float32, False) if low.size == high.size else (high, False)


def common_type(types) -> Type | None:
    """The type of several operands together; None if one takes no part.

    Raises DTypeError in the mode "safe" if it is wider than all of them, or less precise.
    """
    if any(type_ is None for type_ in types) or not types:
        return None
    result = functools.reduce(_upper_bound, types)
    if BEHAVIOR.mode == "safe":
        _check_safe(types, result)
    return result


def _check_safe(types, common: Type) -> None:
    result = common[0]
    others = [dtype for dtype, weak in types if not (weak or _fits(dtype, result))]
    if others or all(dtype is not result for dtype, _ in types):
        names = [dtype.name + "*" * weak for dtype, weak in types]
        raise DTypeError(
            f"{' and '.join(dict.fromkeys(names))} would become {result.name}, which the mode "
            "'safe' does not allow",
            "Cast one side with ag.cast, or choose dtype_conversion_mode='all'.",
        )


def _fits(dtype: DType, result: DType) -> bool:
    """Whether each value of a type is one of the result's."""
    if not dtype.is_integer or result.is_integer:
        return True
    bits = 8 * dtype.size - (not dtype.is_unsigned)
    return bits <= PRECISION[result.real_dtype.name]


def as_type(value, dtype: DType) -> Any:
    """An operand as a tensor of a data type. Raises OverflowError for a number beyond its range."""
    if isinstance(value, (list, tuple)) and holds_tensor(value):
        return ag.stack([as_type(item, dtype) for item in value])
    if isinstance(value, Operators):
        return value if value.dtype is dtype and not is_weak(value) else ag.cast(value, dtype)
    if isinstance(value, (np.ndarray, np.generic)):
        return constant_of(np.asarray(value).astype(dtype.numpy_dtype))
    array = to_array(value)
    if is_bool(array.dtype):  # the numbers 0 and 1
        return constant_of(array.astype(dtype.numpy_dtype))
    return constant_of(to_array(value, dtype))


def _related(op, inputs) -> list:
    return [value for index, value in enumerate(inputs) if op.alike[op.input_index(index)]]


def promoted_inputs(op, inputs: tuple) -> tuple:
    """The inputs of an operation, with those that need one type promoted to a common one."""
    related = _related(op, inputs)
    if len(related) < 2:
        return inputs
    types = [type_ for value in related if (type_ := type_of(value)) is not None]
    if len(types) < len(related):
        return inputs
    are_tensors = all(isinstance(value, Tensor) for value in related)
    if are_tensors and len({dtype for dtype, _ in types}) == 1:
        return inputs
    dtype, _ = common_type(types)  # type: ignore[misc]  # of types that are known
    return tuple(
        as_type(value, dtype) if op.alike[op.input_index(index)] else value
        for index, value in enumerate(inputs)
    )


def marked(op, inputs: tuple, result):
    """The result of an operation, whose type is weak where that of its operands is.

    Operations that compute an element from the elements at one index, reductions and reshaping keep
    weak types. A data type that an attribute names is not weak.
    """
    keeps = op.elementwise or op.reduce is not None or op.only_reshapes
    if not keeps or "dtype" in op.attrs or not isinstance(result, Tensor):
        return result
    related = inputs[:1] if op.only_reshapes or len(inputs) == 1 else _related(op, inputs)
    types = [type_ for value in related if (type_ := type_of(value)) is not None]
    if not types or len(types) < len(related):
        return result
    return weakened(result) if functools.reduce(_upper_bound, types)[1] else result
