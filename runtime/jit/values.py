"""Values in a kernel during translation: scalars, arrays, tuples, and compile-time constants.

The type of a value says which LLVM values it consists of. Constants are Python objects (numbers,
dtypes, functions). They become LLVM values when they are assigned to a variable.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from llvmlite import ir

from ..core.classes import record
from ..core.numpy_dtypes import is_complex, is_unsigned
from .kernel_types import BOOL, ArrayType, Static, VectorType, part_type
from .llvm_types import number_type, vector_type
from .llvm_values import Number

I64 = ir.IntType(64)
I8 = ir.IntType(8)

# When llvmlite first writes a string, it fills a table, and whoever writes another one meanwhile,
# or in a process that is forked then, finds a part of it. Nothing of that interrupts an import.
str(ir.MetaDataString(ir.Module(), ""))


@record()
class Array:
    """The address of the first element, and the size and the stride of each axis: integers, or
    LLVM values. Without strides the array is contiguous.
    """

    dtype: np.dtype
    data: ir.Value
    sizes: tuple
    strides: tuple | None = None

    @property
    def type(self) -> ArrayType:
        strides = None if self.strides is None else _known(self.strides)
        return ArrayType(self.dtype, _known(self.sizes), strides)


@record()
class Complex:
    """A complex number: its real and its imaginary part, which are floats."""

    real: Number
    imag: Number

    @property
    def dtype(self) -> np.dtype:
        return np.result_type(self.real.dtype, np.complex64)

    def cast(self, dtype: np.dtype) -> Complex:
        return Complex(*(part.cast(part_type(dtype)) for part in (self.real, self.imag)))


def _known(numbers: tuple) -> tuple[int | None, ...]:
    return tuple(number if isinstance(number, int) else None for number in numbers)


def memory_type(dtype: np.dtype) -> ir.Type:
    """The LLVM type of an element in memory."""
    if is_complex(dtype):
        return ir.LiteralStructType(llvm_types_of(dtype))
    return I8 if dtype == BOOL else number_type(dtype)


def places_of(builder, address, dtype: np.dtype) -> list[ir.Value]:
    """The addresses of the components of an element in memory."""
    if not is_complex(dtype):
        return [address]
    zero, unit = (ir.IntType(32)(at) for at in (0, 1))
    return [builder.gep(address, [zero, at], inbounds=True) for at in (zero, unit)]


def type_of(value):
    if isinstance(value, Number):
        return VectorType(value.dtype, value.length) if value.length else value.dtype
    if isinstance(value, (Array, Complex)):
        return value.type if isinstance(value, Array) else value.dtype
    if isinstance(value, tuple):
        return tuple(map(type_of, value))
    return Static(value)


# ---- as LLVM values --------------------------------------------------------------------------


def llvm_types_of(type_) -> list[ir.Type]:
    """The LLVM types of the components of a value of this type."""
    if isinstance(type_, np.dtype):
        number = number_type(part_type(type_))
        return [number, number] if is_complex(type_) else [number]
    if isinstance(type_, VectorType):
        return [vector_type(number_type(type_.dtype), type_.length)]
    if isinstance(type_, ArrayType):
        dynamic = (*type_.shape, *(type_.strides or ())).count(None)
        return [memory_type(type_.dtype).as_pointer(), *[I64] * dynamic]
    if isinstance(type_, Static):
        return []
    return [part for inner in type_ for part in llvm_types_of(inner)]


def components_of(value, type_) -> list[ir.Value]:
    """The components of a value that is converted to this type."""
    if isinstance(type_, np.dtype):
        number = value.cast(type_)
        return [number.real.value, number.imag.value] if is_complex(type_) else [number.value]
    if isinstance(type_, VectorType):
        return [value.cast(type_.dtype).spread(type_.length).value]
    if isinstance(type_, ArrayType):
        numbers = (*value.sizes, *(() if type_.strides is None else strides_of(value)))
        rows = zip(numbers, (*type_.shape, *(type_.strides or ())), strict=True)
        return [value.data, *(int64(number) for number, known in rows if known is None)]
    if isinstance(type_, Static):
        return []
    return [part for pair in zip(value, type_, strict=True) for part in components_of(*pair)]


def value_of(builder, type_, parts: Iterator[ir.Value]):
    """The value of this type that consists of the next components."""
    if isinstance(type_, np.dtype):
        number = Number(builder, next(parts), is_unsigned(type_))
        return Complex(number, Number(builder, next(parts))) if is_complex(type_) else number
    if isinstance(type_, VectorType):
        return Number(builder, next(parts), is_unsigned(type_.dtype))
    if isinstance(type_, ArrayType):
        data = next(parts)
        sizes, strides = (
            tuple(Number(builder, next(parts)) if known is None else known for known in numbers)
            for numbers in (type_.shape, type_.strides or ())
        )
        return Array(type_.dtype, data, sizes, None if type_.strides is None else strides)
    if isinstance(type_, Static):
        return type_.value
    return tuple(value_of(builder, inner, parts) for inner in type_)


def int64(size) -> ir.Value:
    """A size as an LLVM value."""
    return size.value if isinstance(size, Number) else I64(size)


def strides_of(array: Array) -> tuple:
    """The strides of an array, in elements."""
    if array.strides is not None:
        return array.strides
    strides = [1]
    for size in reversed(array.sizes[1:]):
        strides.append(size * strides[-1])
    return tuple(strides[::-1])
