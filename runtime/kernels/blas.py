"""Matrix products in kernels, by the BLAS of SciPy.

BLAS uses column-major order, so a matrix is passed as its transpose: the product
`c = a @ b` is computed as `c.T = b.T @ a.T`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from llvmlite import ir

from ..jit.llvm_values import Number, where
from ..jit.loader.symbols import LINEAR_ALGEBRA
from ..jit.loop_hints import intrinsic
from ..jit.values import I8, Array, memory_type, strides_of

INT = ir.IntType(32)


@functools.cache
def functions() -> dict[str, Callable]:
    """The functions that kernels call."""
    named = product_of_matrices, product_added, product_with_itself
    return {function.__name__: function for function in named}


def call_fortran(writer, name: str, dtype: np.dtype, arguments) -> None:
    """Call a function of BLAS or LAPACK, `name` of which tells the library, as in "blas.gemm".

    It takes addresses of letters, integers, scalars and arrays.
    """
    builder, operands = writer.builder, []
    letter = {4: "s", 8: "d", 16: "z"}[dtype.itemsize]
    for arg in arguments:
        if isinstance(arg, Array):
            operands.append(arg.data)
            continue
        if isinstance(arg, str):
            value = I8(ord(arg))
        elif isinstance(arg, Number) and arg.bits == 8:  # a letter that is chosen at run time
            value = arg.value
        elif isinstance(arg, float):
            value = memory_type(dtype)(arg)
        else:
            value = writer.number(arg, np.dtype(np.int32)).value
        address = writer.on_stack(value.type)
        builder.store(value, address)
        operands.append(address)
    type_ = ir.FunctionType(ir.VoidType(), [arg.type for arg in operands])
    library, _, function_name = name.partition(".")
    function = writer.module.declared(f"{LINEAR_ALGEBRA}{library}.{letter}{function_name}", type_)
    builder.call(function, operands)


# ---- products --------------------------------------------------------------------------------


def _operand(matrix: Array) -> tuple:
    """The letter that says whether BLAS is to transpose a matrix, the matrix, and its leading
    dimension: the stride of its rows or columns. The other stride must be 1.
    """
    first, second = strides_of(matrix)
    rows, columns = matrix.sizes
    if isinstance(second, int):
        if second == 1:
            return "N", matrix, _at_least(columns, first)
        return "T", matrix, _at_least(rows, second)
    if isinstance(first, int):  # a transposed view, or strides that are known in part
        return "T", matrix, _at_least(rows, second)
    is_plain, letters = second == 1, (I8(ord(letter)) for letter in "NT")
    plain, across = (Number(second.builder, letter) for letter in letters)
    stride = where(is_plain, _at_least(columns, first), _at_least(rows, second))
    return where(is_plain, plain, across), matrix, stride


def _at_least(size, stride):
    """BLAS demands it of a leading dimension, even where one row or column has no next one: the
    transpose of a column has both strides 1.
    """
    if isinstance(size, int) and isinstance(stride, int):
        return max(size, stride)
    if isinstance(stride, int):
        return where(size > stride, size, stride)
    return where(stride > size, stride, size)


def _product(writer, left: Array, right: Array, out: Array, before: float) -> None:
    (rows, terms), columns = left.sizes, right.sizes[1]
    (left_letter, *a), (right_letter, *b), (_, *c) = map(_operand, (left, right, out))
    numbers = (columns, rows, terms, 1.0, *b, *a, before, *c)
    call_fortran(writer, "blas.gemm", out.dtype, (right_letter, left_letter, *numbers))


@intrinsic
def product_of_matrices(writer, left: Array, right: Array, out: Array) -> None:
    """`out = left @ right`."""
    _product(writer, left, right, out, 0.0)


@intrinsic
def product_added(writer, left: Array, right: Array, out: Array) -> None:
    """`out += left @ right`."""
    _product(writer, left, right, out, 1.0)


@intrinsic
def product_with_itself(writer, left: Array, out: Array) -> None:
    """The elements of `out = left @ left.T` on the diagonal and below it."""
    letter, _, leading = _operand(left)
    assert isinstance(letter, str)  # the strides are known
    letters = "U", "T" if letter == "N" else "N"
    operands = (*letters, *left.sizes, 1.0, left, leading, 0.0, out, left.sizes[0])
    call_fortran(writer, "blas.syrk", out.dtype, operands)
