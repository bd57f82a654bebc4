"""The LLVM types of scalars and vectors.

LLVM is imported where it is needed: the package works without it.
"""

from __future__ import annotations

import functools

import numpy as np

from ..core.numpy_dtypes import is_bool, is_floating


def number_type(dtype: np.dtype):
    """The LLVM type of a scalar in a register."""
    if is_floating(dtype):
        return float_type(8 * dtype.itemsize)
    return integer_type(1 if is_bool(dtype) else 8 * dtype.itemsize)


def vector_type(type_, length: int | None):
    """The LLVM type of a vector; of a scalar where `length` is None."""
    return type_ if length is None else _llvm().VectorType(type_, length)


def target_bits(type_) -> int:
    return int(type_.intrinsic_name[1:])


@functools.cache
def float_type(bits: int):
    return _llvm().FloatType() if bits == 32 else _llvm().DoubleType()


@functools.cache
def integer_type(bits: int):
    return _llvm().IntType(bits)


def is_constant(value) -> bool:
    return isinstance(value, _llvm().Constant)


def formatted_constant(type_, source: str):
    """A constant in LLVM's notation, which is short for vectors: `undef`, `splat (i32 1)`."""
    constant = _llvm().FormattedConstant(integer_type(1), source)
    constant.type = type_  # in the constructor, llvmlite would repeat the source for each lane
    return constant


def truncated(builder, number, type_):
    """A float as an integer: some integer, but always the same one, where it is too large. LLVM may
    else assume that nobody reads it.
    """
    value = builder.fptosi(number, type_)
    result = builder.add(value, value)
    result.opname, result.operands = "freeze", [value]  # which llvmlite has no method for
    return result


@functools.cache
def dtype_of(type_name: str, unsigned: bool) -> np.dtype:
    """The NumPy type of a scalar, by the name that LLVM's intrinsic functions have for its type."""
    if type_name[0] == "f":
        return np.dtype({"f32": np.float32, "f64": np.float64}[type_name])
    bits = type_name[1:]
    return np.dtype("bool" if bits == "1" else f"{'u' if unsigned else ''}int{bits}")


@functools.cache
def _llvm():
    from llvmlite import ir

    return ir
