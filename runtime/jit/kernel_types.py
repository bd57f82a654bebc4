"""The types of values in kernels: scalars, which have a NumPy type, arrays, vectors, tuples."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.classes import NamedTuple
from ..core.numpy_dtypes import is_complex, is_exact, is_floating, is_signed

INT64, FLOAT64, BOOL = map(np.dtype, (np.int64, np.float64, np.bool_))


# Integers that a kernel takes in place of constants: products of two do not overflow.
LEAST_SIZE, MOST_SIZE = 2, (1 << 31) - 1


class UntranslatableError(Exception):
    """The source uses something of Python that kernels do not support."""


class RunTimeSize(NamedTuple):
    """A size that the caller of a kernel passes: the number at a position of an argument, which is
    an array.
    """

    argument: int
    position: int


class ArrayType(NamedTuple):
    """Arrays of one data type, with their shape, and their strides in elements unless they are
    contiguous. None stands for a number that is known only when the kernel runs. Parameters and
    results of kernels may have sizes that the caller passes: the entry compares them.
    """

    dtype: np.dtype
    shape: tuple[Any, ...]  # of int, None or RunTimeSize
    strides: tuple[int | None, ...] | None = None


def inside_kernel(type_):
    """The type that a parameter or a result of a kernel has in its source: sizes that the caller
    passes are known when it runs.
    """
    if not isinstance(type_, ArrayType):
        return type_
    shape = tuple(None if isinstance(size, RunTimeSize) else size for size in type_.shape)
    return type_._replace(shape=shape)


def part_type(dtype: np.dtype) -> np.dtype:
    """The type of the parts of a complex number; that of another number itself."""
    return np.dtype(f"f{dtype.itemsize // 2}") if is_complex(dtype) else dtype


class VectorType(NamedTuple):
    """Vectors of `length` numbers of one data type, in registers."""

    dtype: np.dtype
    length: int


class Static(NamedTuple):
    """The type of a compile-time constant that has no machine code: a dtype, a function."""

    value: object


def join(first, second):
    """The type to which values of both types convert."""
    if type(first) is type(second) and first == second:
        return first
    if isinstance(first, np.dtype) and isinstance(second, np.dtype):
        return common_type(first, second)
    if isinstance(first, VectorType) or isinstance(second, VectorType):
        return _join_vectors(first, second)
    if isinstance(first, ArrayType) and isinstance(second, ArrayType):
        if first.dtype == second.dtype and len(first.shape) == len(second.shape):
            shape = _alike(first.shape, second.shape)
            if first.strides == second.strides:
                return ArrayType(first.dtype, shape, first.strides)
            strides = (
                type_.strides or (*[None] * (len(shape) - 1), 1) for type_ in (first, second)
            )
            return ArrayType(first.dtype, shape, _alike(*strides))
    elif isinstance(first, tuple) and isinstance(second, tuple) and len(first) == len(second):
        return tuple(map(join, first, second))
    raise UntranslatableError(f"a variable is {first} and {second}")


def _join_vectors(first, second) -> VectorType:
    """The type of two vectors, or of a vector and a scalar, which is in every lane."""
    dtypes, counts = [], set()
    for type_ in (first, second):
        dtypes.append(type_.dtype if isinstance(type_, VectorType) else type_)
        counts |= {type_.length} if isinstance(type_, VectorType) else set()
    if len(counts) > 1:
        raise UntranslatableError(f"a variable is {first} and {second}")
    return VectorType(join(*dtypes), *counts)


def _alike(first: tuple, second: tuple) -> tuple:
    """The numbers that both have; None where they differ."""
    pairs = zip(first, second, strict=True)
    return tuple(first_number if first_number == other else None for first_number, other in pairs)


def common_type(first: np.dtype, second: np.dtype) -> np.dtype:
    """The type in which two scalars meet. Integers become int64 or uint64."""
    if first == second and is_floating(first):
        return first
    if is_exact(first) and is_exact(second):
        if first == second == BOOL:
            return BOOL
        unsigned = not (is_signed(first) or is_signed(second))
        if not unsigned and np.dtype(np.uint64) in (first, second):
            raise UntranslatableError(f"{first} meets {second}: nothing holds both")
        return np.dtype(np.uint64 if unsigned else np.int64)
    return np.promote_types(first, second)
