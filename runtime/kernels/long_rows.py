"""The sort of one long row, which threads share: of its elements, or of their indices.

A sort by digits: each pass counts a digit in each chunk of the row, then moves the items of each
chunk to where those of its digit and of the same digit in earlier chunks end.

The passes keep the order of items with equal keys. So the result depends neither on the chunks nor
on the threads.
"""

from __future__ import annotations

import functools

import numpy as np

from ..jit.loop_hints import kernel_function
from . import sort_kernels
from .radix_sort import (
    U32,
    U64,
    bit_length,
    count_digits,
    digit_of,
    scatter_by_digit,
    sort_vector,
)
from .sort_kernels import bits_of, item_type, keys, numbers, spans, word_form, words

UPPER = 40  # bits of keys that are sorted by digits: few random numbers agree in them
sort_tied = sort_vector(8)


@kernel_function(vectors=False)
def bound(number, chunks, size):
    """Where a chunk begins."""
    return number * size // chunks


@kernel_function(vectors=False)
def counts(both, level, table, facts, chunks, first, count):
    """Count the digits of a pass in some chunks."""
    items, low, digit = both[level % 2], facts[0, 2], facts[0, 5]
    shift, mask = low + U64(level) * digit, (U64(1) << digit) - U64(1)
    for number in range(first, first + count):
        own = table[number, : np.int64(mask) + 1]
        own[:] = U32(0)
        begin, end = bound(number, chunks, len(items)), bound(number + 1, chunks, len(items))
        count_digits(items, begin, end, shift, mask, own)


@kernel_function(vectors=False, unrolled=False)
def starts(table, facts, chunks):
    """Turn counts into the first place of each digit of each chunk."""
    total = U32(0)
    for at in range(1 << np.int64(facts[0, 5])):
        for number in range(chunks):
            table[number, at], total = total, total + table[number, at]


@kernel_function(vectors=False, polls=True)
def moves(both, level, table, facts, chunks, first, count):
    """A pass over some chunks, from the first half of `both` into the second, or back in odd
    passes.
    """
    items, other = both[level % 2], both[1 - level % 2]
    low, digit = facts[0, 2], facts[0, 5]
    shift, mask = low + U64(level) * digit, (U64(1) << digit) - U64(1)
    for number in range(first, first + count):
        begin, end = bound(number, chunks, len(items)), bound(number + 1, chunks, len(items))
        scatter_by_digit(items, begin, end, shift, mask, table[number], other)


@kernel_function(inline=False, vectors=False, unrolled=False)
def tie_end(items, at, below):
    """Where the items end that agree with the one before `at` in all but the last bits."""
    while 0 < at < len(items) and items[at] >> below == items[at - 1] >> below:
        at += 1
    return at


@kernel_function(inline=False, vectors=False, unrolled=False, polls=True)
def sort_ties(items, other, begin, end, below):
    """Sort a part of a vector that is sorted but for the last bits, and in which ties end. The same
    part of `other` is overwritten.
    """
    at = begin + 1
    while at < end:
        if items[at] < items[at - 1]:
            start, stop = at - 1, tie_end(items, at, below)
            while start > begin and items[start - 1] >> below == items[at] >> below:
                start -= 1
            sorted_items, _ = sort_tied(items[start:stop], other[start:stop], U64(0), below)
            for i in range(stop - start):
                items[start + i] = sorted_items[i]
            at = stop
        at += 1


@functools.cache
def functions(dtype: str) -> dict[str, object]:
    """The functions that kernels call, for elements of one type."""
    own = {f"sorted_{name}_{dtype}": function for name, function in _steps(dtype).items()}
    return {**sort_kernels.functions(dtype), **own}


def _steps(dtype: str) -> dict[str, object]:
    """The steps of a sort. `found` holds what is found in each chunk, then in its first row: the
    smallest key, the shift, where digits begin, the bits below them that differ, the passes, and
    the bits of a digit.
    """
    number_of, (unsigned, full) = numbers(dtype), bits_of(dtype)
    encode, decode = words(dtype)
    item = item_type(dtype)
    key, itemsize = keys(dtype, False), np.dtype(item).itemsize

    def spans_of(zeros_are_equal):
        span = spans(dtype, zeros_are_equal)

        @kernel_function(vectors=False)
        def spans_of(x, facts, chunks, first, count, descending):
            bits, flip = x.view(unsigned), full if descending else U64(0)
            for number in range(first, first + count):
                begin, end = bound(number, chunks, x.size), bound(number + 1, chunks, x.size)
                facts[number, 0], facts[number, 1], facts[number, 2] = span(
                    bits, 0, 1, begin, end, flip
                )

        return spans_of

    @kernel_function(vectors=False)
    def form(facts, chunks, size, is_words):
        least, most, differs = facts[0, 0], facts[0, 1], U64(0)
        for number in range(chunks):
            least, most = min(least, facts[number, 0]), max(most, facts[number, 1])
            differs |= facts[number, 2] | (facts[number, 0] ^ facts[0, 0])
        facts[0, 0] = least
        if is_words:
            shift, below, width, length = word_form(least, most, differs, size)
            facts[0, 1], facts[0, 2], facts[0, 3] = shift, width, below
            facts[0, 4], facts[0, 5] = digit_of(length, size, 8)
        else:
            length = bit_length(most - least)
            below = max(length, U64(UPPER)) - U64(UPPER)
            facts[0, 2] = facts[0, 3] = below
            facts[0, 4], facts[0, 5] = digit_of(length - below, size, itemsize)
        return np.int64(facts[0, 4])

    @kernel_function(vectors=False, polls=True)
    def make_words(x, both, facts, chunks, first, count, descending):
        items = both[0]
        bits, flip = x.view(unsigned), full if descending else U64(0)
        least, shift, width = facts[0, 0], facts[0, 1], facts[0, 2]
        for number in range(first, first + count):
            begin, end = bound(number, chunks, x.size), bound(number + 1, chunks, x.size)
            encode(bits, 0, 1, begin, end, flip, least, shift, width, items)

    @kernel_function(vectors=False, polls=True)
    def indices(x, both, passes, facts, out, chunks, first, count, descending):
        items, other = both[passes % 2], both[1 - passes % 2]
        bits, flip = x.view(unsigned), full if descending else U64(0)
        least, width, below = facts[0, 0], facts[0, 2], facts[0, 3]
        for number in range(first, first + count):
            begin, end = bound(number, chunks, x.size), bound(number + 1, chunks, x.size)
            decode(bits, 0, 1, begin, end, flip, least, below, width, items, other, out)

    @kernel_function(unrolled=False, polls=True)
    def make_keys(x, both, facts, chunks, first, count, descending):
        items, least = both[0], facts[0, 0]
        bits, flip = x.view(unsigned), full if descending else U64(0)
        for number in range(first, first + count):
            begin, end = bound(number, chunks, x.size), bound(number + 1, chunks, x.size)
            for i in range(begin, end):
                items[i] = item((key(bits[i]) ^ flip) - least)

    @kernel_function(unrolled=False, polls=True)
    def values(both, passes, facts, out, chunks, first, count, descending):
        items, least, below = both[passes % 2], facts[0, 0], facts[0, 3]
        words, flip = out.view(unsigned), full if descending else U64(0)
        for number in range(first, first + count):
            begin, end = bound(number, chunks, len(items)), bound(number + 1, chunks, len(items))
            if below != U64(0):
                begin, end = tie_end(items, begin, below), tie_end(items, end, below)
                sort_ties(items, both[1 - passes % 2], begin, end, below)
            for i in range(begin, end):
                words[i] = number_of((U64(items[i]) + least) ^ flip)

    return {
        "long_form": form, "digit_counts": counts, "digit_starts": starts, "digit_moves": moves,
        "word_spans": spans_of(True), "long_words": make_words, "long_indices": indices,
        "key_spans": spans_of(False), "long_keys": make_keys, "long_values": values,
    }  # fmt: skip
