"""Conversions between float32 and the bits of 16-bit floats, as functions of kernels.

Rounding is to the nearest number, ties to even. A NaN stays one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from llvmlite import ir

from ...jit.llvm_values import Number, where
from ...jit.loop_hints import intrinsic

FLOATS, NUMBERS = ("f32", "f64", "l32", "l64"), ("i32", "i64")
UINT16, UINT32, FLOAT32 = map(np.dtype, (np.uint16, np.uint32, np.float32))
QUIET = 0x40  # of a NaN: else its upper half could be that of an infinity


@functools.cache
def functions() -> dict[str, Callable]:
    """`half_as_float_TYPE(bits)`, `half_of_float_TYPE(number)`, and the same of `brain`."""
    both = {
        "as_float": (NUMBERS, _half_as_float, _brain_as_float),
        "of_float": (FLOATS, _half_of_float, _brain_of_float),
    }
    table: dict[str, Callable] = {}
    for name, (suffixes, half, brain) in both.items():
        for suffix in suffixes:
            table |= {f"half_{name}_{suffix}": half, f"brain_{name}_{suffix}": brain}
    return table


@intrinsic
def _half_as_float(writer, bits) -> Number:
    narrow = writer.number(bits).cast(UINT16).value
    half = writer.builder.bitcast(narrow, ir.HalfType())
    return Number(writer.builder, writer.builder.fpext(half, ir.FloatType()))


@intrinsic
def _half_of_float(writer, number) -> Number:
    half = writer.builder.fptrunc(writer.number(number).value, ir.HalfType())
    return Number(writer.builder, writer.builder.bitcast(half, ir.IntType(16)), unsigned=True)


@intrinsic
def _brain_as_float(writer, bits) -> Number:
    return (writer.number(bits).cast(UINT16).cast(UINT32) << 16).as_float()


@intrinsic
def _brain_of_float(writer, number) -> Number:
    """By way of float32, as `ml_dtypes` does it."""
    single = writer.number(number).cast(FLOAT32)
    bits = single.as_bits()
    word = Number(bits.builder, bits.value, unsigned=True)
    rounded = word + 0x7FFF + ((word >> 16) & 1)
    return (where(single == single, rounded, word | (QUIET << 16)) >> 16).cast(UINT16)
