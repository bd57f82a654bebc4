"""Sorts of vectors of unsigned integers: by their digits, or by NumPy's sort.

A sort by digits (least significant digit first) moves the items once for each digit, and takes the
same time for all numbers. NumPy's sort uses vectors, and is faster for short vectors and long keys.
"""

from __future__ import annotations

import functools
import sys

import numpy as np
from llvmlite import ir

from ..core.classes import NamedTuple
from ..jit.cpu import compresses_slowly, has
from ..jit.loader.symbols import NUMPY_SORT
from ..jit.loop_hints import intrinsic, kernel_function
from ..jit.values import I8, I64

U32, U64 = np.uint32, np.uint64
SHORT = 40  # elements: vectors up to this length are sorted by insertion
NARROW, WIDE = 8, 11  # bits of a digit, at most
WIDE_FROM, WIDE_BYTES = (
    1 << 12,
    1 << 22,
)  # elements, and bytes at most, that are cut into wide digits


class Limits(NamedTuple):
    """Where a vector is sorted by digits: from `shortest` elements on if there are no more than
    `most_passes`, and from `every_from` elements on.
    """

    shortest: int
    most_passes: int
    every_from: int


NEVER = sys.maxsize
# By the bytes of an item, measured. On AMD's fourth generation NumPy's sort takes five times as
# long as with AVX2: it stores compressed vectors, which takes that processor 100 cycles.
WITH_AVX2 = {4: Limits(512, 2, NEVER), 8: Limits(1024, 4, NEVER)}
WITH_AVX512 = {4: Limits(512, 1, NEVER), 8: Limits(4096, 3, NEVER)}
WITH_SLOW_COMPRESSION = {4: Limits(512, 2, 2048), 8: Limits(512, 4, 2048)}


def limits_of(itemsize: int) -> Limits:
    """Where a vector of unsigned integers of so many bytes is sorted by digits."""
    if compresses_slowly():
        return WITH_SLOW_COMPRESSION[itemsize]
    return (WITH_AVX512 if has("avx512dq") else WITH_AVX2)[itemsize]


@intrinsic
def sort_by_numpy(writer, items):
    """Sort a contiguous vector by NumPy's sort of its type."""
    type_ = ir.FunctionType(ir.IntType(32), [items.data.type, I64, I8.as_pointer()])
    function = writer.module.declared(f"{NUMPY_SORT}{items.dtype.name}", type_)
    size = writer.int64(items.sizes[0])
    writer.builder.call(function, [items.data, size, ir.Constant(I8.as_pointer(), None)])


@kernel_function(inline=False, vectors=False, unrolled=False)
def sort_items(items):
    """Sort a vector of unsigned integers."""
    if len(items) > SHORT:
        sort_by_numpy(items)
        return
    for i in range(1, len(items)):
        item, to = items[i], i
        while to > 0 and items[to - 1] > item:
            items[to] = items[to - 1]
            to -= 1
        items[to] = item


@kernel_function(vectors=False, unrolled=False)
def bit_length(number):
    """The bits that an unsigned integer needs."""
    count = U64(0)
    while number:
        number >>= U64(1)
        count += U64(1)
    return count


@kernel_function(vectors=False, unrolled=False)
def digit_of(length, size, itemsize):
    """Into how many digits keys of so many bits are cut, and the bits of a digit. Wide digits need
    fewer passes. They are slow where a row is short beside the table of their counts, and where
    the places that a pass writes to lie on too many pages of memory.
    """
    is_wide = size >= WIDE_FROM and size * itemsize <= WIDE_BYTES
    most = U64(WIDE if is_wide else NARROW)
    passes = (length + most - U64(1)) // most
    return passes, (length + passes - U64(1)) // max(passes, U64(1))


@kernel_function(inline=False, vectors=False, unrolled=False)
def count_digits(items, begin, end, shift, mask, counts):
    """Add to `counts` how often a part of a vector has each digit."""
    for i in range(begin, end):
        counts[(U64(items[i]) >> shift) & mask] += U32(1)


@kernel_function(inline=False, vectors=False, unrolled=False)
def scatter_by_digit(items, begin, end, shift, mask, free, out):
    """Move a part of a vector to the next free place of each digit."""
    for i in range(begin, end):
        item = items[i]
        at = (U64(item) >> shift) & mask
        place = free[at]
        out[place] = item
        free[at] = place + U32(1)


@kernel_function(inline=False, vectors=False, unrolled=False)
def sort_by_digits(items, other, low, passes, digit):
    """Two vectors: the sorted items, whose keys begin at the bit `low`, and the other one."""
    mask, size = (U64(1) << digit) - U64(1), len(items)
    table = np.empty(1 << WIDE, U32)
    for _ in range(np.int64(passes)):
        free = table[: np.int64(mask) + 1]
        free[:] = U32(0)
        count_digits(items, 0, size, low, mask, free)
        if free[(U64(items[0]) >> low) & mask] != size:  # not all have the same digit
            total = U32(0)
            for at in range(len(free)):
                free[at], total = total, total + free[at]
            scatter_by_digit(items, 0, size, low, mask, free, other)
            items, other = other, items
        low += digit
    return items, other


@functools.cache
def sort_vector(itemsize: int):
    """`sort_vector(items, other, low, length)`: sort unsigned integers of so many bytes by the
    `length` bits from `low` on, or by all of them where NumPy's sort is faster. Returns two
    vectors: the sorted ones, and the other one.
    """
    shortest, most_passes, every_from = limits_of(itemsize)

    @kernel_function(inline=False, vectors=False, unrolled=False)
    def sort_vector(items, other, low, length):
        size = len(items)
        if size >= shortest:
            passes, digit = digit_of(length, size, itemsize)
            if passes <= most_passes or size >= every_from:
                return sort_by_digits(items, other, low, passes, digit)
        sort_items(items)
        return items, other

    return sort_vector
