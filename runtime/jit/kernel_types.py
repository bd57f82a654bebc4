"""Of what kind a value of a kernel is: numbers of a NumPy type, arrays, tuples, constants."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

INT64, FLOAT64, BOOL = map(np.dtype, (np.int64, np.float64, np.bool_))


class UntranslatableError(Exception):
    """The text uses something of Python that kernels have not."""


class ArrayKind(NamedTuple):
    """Arrays of one type: their sizes, and the distances between elements along each axis, unless
    these lie together. In both, None stands for what is known when the kernel runs.
    """

    dtype: np.dtype
    shape: tuple[int | None, ...]
    steps: tuple[int | None, ...] | None = None


class Lanes(NamedTuple):
    """Vectors: so many numbers of one type in registers."""

    dtype: np.dtype
    count: int


class Static(NamedTuple):
    """Something that only the translator knows: a type, a function."""

    value: object


def join(first, second):
    """The kind that values of both kinds have."""
    if type(first) is type(second) and first == second:
        return first
    if isinstance(first, np.dtype) and isinstance(second, np.dtype):
        return common_type(first, second)
    if isinstance(first, Lanes) or isinstance(second, Lanes):
        return _join_lanes(first, second)
    if isinstance(first, ArrayKind) and isinstance(second, ArrayKind):
        if first.dtype == second.dtype and len(first.shape) == len(second.shape):
            shape = _alike(first.shape, second.shape)
            if first.steps == second.steps:
                return ArrayKind(first.dtype, shape, first.steps)
            steps = (one.steps or (*[None] * (len(shape) - 1), 1) for one in (first, second))
            return ArrayKind(first.dtype, shape, _alike(*steps))
    elif isinstance(first, tuple) and isinstance(second, tuple) and len(first) == len(second):
        return tuple(map(join, first, second))
    raise UntranslatableError(f"a variable is {first} and {second}")


def _join_lanes(first, second) -> Lanes:
    """Lanes that hold those of both kinds; a number is in each of them."""
    dtypes, counts = [], set()
    for kind in (first, second):
        dtypes.append(kind.dtype if isinstance(kind, Lanes) else kind)
        counts |= {kind.count} if isinstance(kind, Lanes) else set()
    if len(counts) > 1:
        raise UntranslatableError(f"a variable is {first} and {second}")
    return Lanes(join(*dtypes), *counts)


def _alike(first: tuple, second: tuple) -> tuple:
    """What both have; None where they differ."""
    pairs = zip(first, second, strict=True)
    return tuple(one if one == other else None for one, other in pairs)


def common_type(first: np.dtype, second: np.dtype) -> np.dtype:
    """The type in which numbers of two types meet: integers become words of 64 bits."""
    if first == second and first.kind == "f":
        return first
    if first.kind in "iub" and second.kind in "iub":
        if first == second == BOOL:
            return BOOL
        unsigned = {one.kind for one in (first, second)} <= {"u", "b"}
        if not unsigned and np.dtype(np.uint64) in (first, second):
            raise UntranslatableError(f"{first} meets {second}: nothing holds both")
        return np.dtype(np.uint64 if unsigned else np.int64)
    return np.promote_types(first, second)
