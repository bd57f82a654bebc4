"""The types of numbers and vectors in LLVM.

LLVM is imported where it is needed: the package works without it.
"""

from __future__ import annotations

import numpy as np


def number_type(dtype: np.dtype):
    """LLVM's type of a number in a register."""
    if dtype.kind == "f":
        return float_type(8 * dtype.itemsize)
    return integer_type(1 if dtype.kind == "b" else 8 * dtype.itemsize)


def vector_type(kind, lanes: int | None):
    """LLVM's type of a vector, or without lanes of one number."""
    from llvmlite import ir

    return kind if lanes is None else ir.VectorType(kind, lanes)


def target_bits(kind) -> int:
    return int(kind.intrinsic_name[1:])


def float_type(bits: int):
    from llvmlite import ir

    return ir.FloatType() if bits == 32 else ir.DoubleType()


def integer_type(bits: int):
    from llvmlite import ir

    return ir.IntType(bits)


def is_constant(value) -> bool:
    from llvmlite import ir

    return isinstance(value, ir.Constant)


def written_constant(kind, text: str):
    """A constant in LLVM's own words, which are short for vectors: `undef`, `splat (i32 1)`."""
    from llvmlite import ir

    made = ir.FormattedConstant(integer_type(1), text)
    made.type = kind  # given at once, llvmlite would repeat the text for each lane
    return made
