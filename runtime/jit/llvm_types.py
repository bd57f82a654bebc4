"""The LLVM types of scalars and vectors.

LLVM is imported where it is needed: the package works without it.
"""

from __future__ import annotations

import numpy as np

from ..core.numpy_dtypes import is_bool, is_floating


def number_type(dtype: np.dtype):
    """The LLVM type of a scalar in a register."""
    if is_floating(dtype):
        return float_type(8 * dtype.itemsize)
    return integer_type(1 if is_bool(dtype) else 8 * dtype.itemsize)


def vector_type(type_, lanes: int | None):
    """The LLVM type of a vector; of a scalar where `lanes` is None."""
    from llvmlite import ir

    return type_ if lanes is None else ir.VectorType(type_, lanes)


def target_bits(type_) -> int:
    return int(type_.intrinsic_name[1:])


def float_type(bits: int):
    from llvmlite import ir

    return ir.FloatType() if bits == 32 else ir.DoubleType()


def integer_type(bits: int):
    from llvmlite import ir

    return ir.IntType(bits)


def is_constant(value) -> bool:
    from llvmlite import ir

    return isinstance(value, ir.Constant)


def formatted_constant(type_, source: str):
    """A constant in LLVM's notation, which is short for vectors: `undef`, `splat (i32 1)`."""
    from llvmlite import ir

    constant = ir.FormattedConstant(integer_type(1), source)
    constant.type = type_  # in the constructor, llvmlite would repeat the source for each lane
    return constant
