"""Products of matrices and systems of equations in native code, by the BLAS and LAPACK of SciPy.

These libraries count elements of matrices column by column, so they are given what is the
transposed matrix for them: a product `c = a @ b` is `c.T = b.T @ a.T`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
from llvmlite import ir

from ..jit.loader.symbols import LINEAR_ALGEBRA
from ..jit.loop_hints import helper, written
from ..jit.values import BYTE, Array, memory_type, steps_of

INT = ir.IntType(32)


@functools.cache
def functions() -> dict[str, Callable]:
    """The functions that the text calls."""
    made = (product_of_matrices, product_added, product_of_column, product_of_row)
    made += (solved, inverse_of, determinant_of, cholesky_of)
    return {function.__name__: function for function in made}


def _call(writer, name: str, dtype: np.dtype, arguments) -> None:
    """Call a function of Fortran, which takes addresses: of letters, integers, numbers, arrays."""
    builder, given = writer.builder, []
    letter = {4: "s", 8: "d"}[dtype.itemsize]
    for one in arguments:
        if isinstance(one, Array):
            given.append(one.data)
            continue
        if isinstance(one, str):
            value = BYTE(ord(one))
        elif isinstance(one, float):
            value = memory_type(dtype)(one)
        else:
            value = writer.number(one, np.dtype(np.int32)).value
        place = writer.on_stack(value.type)
        builder.store(value, place)
        given.append(place)
    kind = ir.FunctionType(ir.VoidType(), [one.type for one in given])
    library = "lapack" if name in LAPACK else "blas"
    function = writer.module.declared(f"{LINEAR_ALGEBRA}{library}.{letter}{name}", kind)
    builder.call(function, given)


LAPACK = ("gesv", "getrf", "getri", "potrf")


# ---- products --------------------------------------------------------------------------------


def _operand(matrix: Array) -> tuple:
    """A matrix, the letter that says whether it is turned, and the distance between its rows, or
    columns: either have to lie together.
    """
    first, second = steps_of(matrix)
    is_plain = isinstance(second, int) and second == 1
    return ("N", matrix, first) if is_plain else ("T", matrix, second)


def _product(writer, left: Array, right: Array, out: Array, before: float) -> None:
    (rows, terms), columns = left.sizes, right.sizes[1]
    (left_letter, *a), (right_letter, *b), (_, *c) = map(_operand, (left, right, out))
    numbers = (columns, rows, terms, 1.0, *b, *a, before, *c)
    _call(writer, "gemm", out.dtype, (right_letter, left_letter, *numbers))


@written
def product_of_matrices(writer, left: Array, right: Array, out: Array) -> None:
    """`out = left @ right`."""
    _product(writer, left, right, out, 0.0)


@written
def product_added(writer, left: Array, right: Array, out: Array) -> None:
    """`out += left @ right`."""
    _product(writer, left, right, out, 1.0)


@written
def product_of_column(writer, left: Array, right: Array, out: Array) -> None:
    """`out = left @ right`, where `right` is one column."""
    rows, terms = left.sizes
    given = (terms, rows, 1.0, left, terms, right, 1, 0.0, out, 1)
    _call(writer, "gemv", out.dtype, ("T", *given))


@written
def product_of_row(writer, left: Array, right: Array, out: Array) -> None:
    """`out = left @ right`, where `left` is one row."""
    terms, columns = right.sizes
    given = (columns, terms, 1.0, right, columns, left, 1, 0.0, out, 1)
    _call(writer, "gemv", out.dtype, ("N", *given))


# ---- systems of equations --------------------------------------------------------------------


def _lapack(name: str, arguments: Callable) -> Callable:
    """`function(matrix, ..., report)`, which LAPACK leaves its result in; `report[0]` is 0 then."""

    @written
    def call(writer, matrix: Array, *more) -> None:
        _call(writer, name, matrix.dtype, arguments(matrix.sizes[0], matrix, *more))

    return call


gesv = _lapack("gesv", lambda n, a, b, at, report: (n, b.sizes[0], a, n, at, b, n, report))
getrf = _lapack("getrf", lambda n, a, at, report: (n, n, a, n, at, report))
getri = _lapack("getri", lambda n, a, at, work, size, report: (n, a, n, at, work, size, report))
potrf = _lapack("potrf", lambda n, a, report: ("U", n, a, n, report))


@helper
def transposed(given, made):
    for row in range(len(given)):
        for column in range(given.shape[1]):
            made[column, row] = given[row, column]


@helper
def solved(matrix, right, out):
    """The solution of a system; fails where there is none."""
    size = len(matrix)
    across = np.empty((size, size), matrix.dtype)
    columns = np.empty((right.shape[1], size), matrix.dtype)
    at, report = np.empty(size, np.int32), np.zeros(1, np.int32)
    transposed(matrix, across)
    transposed(right, columns)
    gesv(across, columns, at, report)
    if report[0] != 0:
        raise ValueError
    transposed(columns, out)


@helper
def inverse_of(matrix, out):
    size = len(matrix)
    at, report = np.empty(size, np.int32), np.zeros(1, np.int32)
    work = np.empty(64 * size, matrix.dtype)
    out[:] = matrix  # the inverse of what is transposed is the transposed inverse
    getrf(out, at, report)
    if report[0] != 0:
        raise ValueError
    getri(out, at, work, 64 * size, report)


@helper
def determinant_of(matrix):
    size = len(matrix)
    work = matrix.copy()
    at, report = np.empty(size, np.int32), np.zeros(1, np.int32)
    getrf(work, at, report)
    made = matrix.dtype.type(1)
    for i in range(size):
        made *= work[i, i]
        if at[i] != i + 1:
            made = -made
    return made


@helper
def cholesky_of(matrix, out):
    """The lower factor; for LAPACK the upper one of what is transposed."""
    out[:] = matrix
    report = np.zeros(1, np.int32)
    potrf(out, report)
    if report[0] != 0:
        raise ValueError
    for row in range(len(out)):
        for column in range(row + 1, len(out)):
            out[row, column] = 0
