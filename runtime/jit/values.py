"""What a kernel computes with while it is being written: numbers, arrays, tuples, and constants.

Each value has a kind, which says what it is made of in machine code. Constants are Python's own
objects (numbers, types, functions): they become machine code when a variable takes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from llvmlite import ir

from .kernel_types import BOOL, ArrayKind, Lanes, Static
from .llvm_types import number_type, vector_type
from .llvm_values import Number

WORD = ir.IntType(64)
BYTE = ir.IntType(8)


@dataclass(frozen=True, eq=False)
class Array:
    """The address of the first element, and for each axis its size and the distance between
    elements: integers, or numbers of machine code. Without distances the elements lie together.
    """

    dtype: np.dtype
    data: ir.Value
    sizes: tuple
    steps: tuple | None = None

    @property
    def kind(self) -> ArrayKind:
        steps = None if self.steps is None else _known(self.steps)
        return ArrayKind(self.dtype, _known(self.sizes), steps)


def _known(numbers: tuple) -> tuple[int | None, ...]:
    return tuple(number if isinstance(number, int) else None for number in numbers)


def memory_type(dtype: np.dtype) -> ir.Type:
    """What an element is in memory."""
    return BYTE if dtype == BOOL else number_type(dtype)


def kind_of(value):
    if isinstance(value, Number):
        return Lanes(value.dtype, value.lanes) if value.lanes else value.dtype
    if isinstance(value, Array):
        return value.kind
    if isinstance(value, tuple):
        return tuple(map(kind_of, value))
    return Static(value)


# ---- in machine code -------------------------------------------------------------------------


def types_of(kind) -> list[ir.Type]:
    """The machine types of which a value of this kind consists."""
    if isinstance(kind, np.dtype):
        return [number_type(kind)]
    if isinstance(kind, Lanes):
        return [vector_type(number_type(kind.dtype), kind.count)]
    if isinstance(kind, ArrayKind):
        dynamic = (*kind.shape, *(kind.steps or ())).count(None)
        return [memory_type(kind.dtype).as_pointer(), *[WORD] * dynamic]
    if isinstance(kind, Static):
        return []
    return [one for inner in kind for one in types_of(inner)]


def parts_of(value, kind) -> list[ir.Value]:
    """What a value consists of, as one of this kind."""
    if isinstance(kind, np.dtype):
        return [value.cast(kind).value]
    if isinstance(kind, Lanes):
        return [value.cast(kind.dtype).spread(kind.count).value]
    if isinstance(kind, ArrayKind):
        numbers = (*value.sizes, *(() if kind.steps is None else steps_of(value)))
        rows = zip(numbers, (*kind.shape, *(kind.steps or ())), strict=True)
        return [value.data, *(word(number) for number, known in rows if known is None)]
    if isinstance(kind, Static):
        return []
    return [one for pair in zip(value, kind, strict=True) for one in parts_of(*pair)]


def value_of(builder, kind, parts: Iterator[ir.Value]):
    """The value of this kind that consists of the next `parts`."""
    if isinstance(kind, np.dtype):
        return Number(builder, next(parts), kind.kind == "u")
    if isinstance(kind, Lanes):
        return Number(builder, next(parts), kind.dtype.kind == "u")
    if isinstance(kind, ArrayKind):
        data = next(parts)
        sizes, steps = (
            tuple(Number(builder, next(parts)) if one is None else one for one in numbers)
            for numbers in (kind.shape, kind.steps or ())
        )
        return Array(kind.dtype, data, sizes, None if kind.steps is None else steps)
    if isinstance(kind, Static):
        return kind.value
    return tuple(value_of(builder, inner, parts) for inner in kind)


def word(size) -> ir.Value:
    """A size as 64 bits."""
    return size.value if isinstance(size, Number) else WORD(size)


def steps_of(array: Array) -> tuple:
    """The distance between elements along each axis."""
    if array.steps is not None:
        return array.steps
    steps = [1]
    for size in reversed(array.sizes[1:]):
        steps.append(size * steps[-1])
    return tuple(steps[::-1])
