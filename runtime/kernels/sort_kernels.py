"""Sorting, top-k and binary search in kernels, for each type of element.

An array has the shape [before, size, after] and is sorted along the middle axis. The sorts of
`radix_sort.py` sort the keys of `ops/array/radix_keys.py`, so results are those of the NumPy
program. Short rows are sorted by insertion.

Where indices are sorted, 64-bit words are sorted: a key in the upper bits, an index in the lower
ones, so equal keys keep their order. A key of 64 bits does not fit. The words then hold the upper
bits of the differences from the smallest key. Those that are tied in these bits are sorted again by
the bits below.

`long_rows.py` has the sort of one long row, which threads share.
"""

from __future__ import annotations

import functools

import numpy as np

from ..core.numpy_dtypes import is_floating
from ..jit.loop_hints import kernel_function
from .radix_sort import (
    SHORT,
    U32,
    U64,
    bit_length,
    limits_of,
    sort_by_numpy,
    sort_items,
    sort_vector,
)

LOWER = U64(0xFFFFFFFF)
BITS = 32  # of an index in a word, where the key has no more than 32


@functools.cache
def functions(dtype: str) -> dict[str, object]:
    """The functions that kernels call, for elements of one type."""
    named = {
        "values": _values(dtype),
        "indices": _indices(dtype),
        "largest": _largest(dtype),
        "insertions": _insertions(),
    }
    return {f"sorted_{name}_{dtype}": function for name, function in named.items()}


# ---- one row ---------------------------------------------------------------------------------


@functools.cache
def keys(dtype: str, zeros_are_equal: bool):
    """`key(bits)`: see `radix_keys.keys_of`."""
    element = np.dtype(dtype)
    unsigned = np.dtype(f"u{element.itemsize}").type
    bits = 8 * element.itemsize
    top, full = U64(1 << (bits - 1)), U64(2**bits - 1)
    infinity = U64(np.array(np.inf, element).view(unsigned)) if is_floating(element) else U64(0)

    def plain(bits):
        return U64(bits)

    def signed(bits):
        return U64(bits) ^ top

    def real(bits):
        word = U64(bits)
        size = word & (full ^ top)
        if size > infinity:
            return full
        if zeros_are_equal and size == U64(0):
            return top
        return word ^ (full if word & top else top)

    return kernel_function({"i": signed, "f": real}.get(element.kind, plain), inline=True)


def bits_of(dtype: str) -> tuple[type, np.uint64]:
    """The unsigned type of the same size, and its largest number."""
    unsigned = np.dtype(f"u{np.dtype(dtype).itemsize}")
    return unsigned.type, U64(np.iinfo(unsigned).max)


@functools.cache
def numbers(dtype: str):
    """`number(word)`: the bits of the element of a key."""
    unsigned, full = bits_of(dtype)
    letter, width = np.dtype(dtype).kind, 8 * np.dtype(dtype).itemsize
    top = U64(1 << (width - 1))
    nan = unsigned(np.array(np.nan, dtype).view(unsigned)) if letter == "f" else unsigned(0)

    def real(word):
        return nan if word == full else unsigned(word ^ (top if word & top else full))

    def signed(word):
        return unsigned(word ^ top)

    def plain(word):
        return unsigned(word)

    return kernel_function({"f": real, "i": signed}.get(letter, plain), inline=True)


@functools.cache
def spans(dtype: str, zeros_are_equal: bool):
    """`span(bits, start, step, begin, end, flip)`: the smallest and largest key of a part of a row,
    and the bits in which keys differ. `flip` are the bits of a key to invert.
    """
    key = keys(dtype, zeros_are_equal)

    @kernel_function(inline=False, unrolled=False)
    def span(bits, start, step, begin, end, flip):
        least = most = U64(key(bits[start + begin * step]) ^ flip)
        differs, first_word = U64(0), least
        for i in range(begin, end):
            word = key(bits[start + i * step]) ^ flip
            least, most = min(least, word), max(most, word)
            differs |= word ^ first_word
        return least, most, differs

    return span


@functools.cache
def words(dtype: str) -> tuple:
    """Two functions: `encode` makes words of a part of a row, and `decode` the sorted indices of
    sorted words.
    """
    key = keys(dtype, True)

    @kernel_function(inline=False, unrolled=False)
    def encode(bits, start, step, begin, end, flip, least, shift, width, items):
        for i in range(begin, end):
            word = key(bits[start + i * step]) ^ flip
            items[i] = ((word - least) >> shift) << width | U64(i)

    @kernel_function(inline=False, vectors=False, unrolled=False, polls=True)
    def decode(bits, start, step, begin, end, flip, least, below, width, items, other, out):
        """The indices of sorted words from `begin` to `end`; of tied ones, all those that begin
        there. `other` is for the words of their lower bits.
        """
        mask = (U64(1) << width) - U64(1)
        if below == U64(0):
            for i in range(begin, end):
                out[i] = np.int32(items[i] & mask)
            return
        low, size, i = (U64(1) << below) - U64(1), len(items), begin
        while 0 < i < size and items[i] >> width == items[i - 1] >> width:
            i += 1
        while i < end:
            stop, prefix = i + 1, items[i] >> width
            out[i] = np.int32(items[i] & mask)
            while stop < size and items[stop] >> width == prefix:
                stop += 1
            if stop - i > 1:
                is_sorted, before = True, U64(0)
                for at in range(i, stop):
                    index = items[at] & mask
                    word = key(bits[start + np.int64(index) * step]) ^ flip
                    word = ((word - least) & low) << width | index
                    is_sorted &= before <= word
                    other[at], before = word, word
                if not is_sorted:
                    sort_items(other[i:stop])
                for at in range(i, stop):
                    out[at] = np.int32(other[at] & mask)
            i = stop

    return encode, decode


@kernel_function(vectors=False)
def word_form(least, most, differs, size):
    """How far the differences of keys are shifted to the right in words, how many of the bits that
    fall out differ, the bits of indices, and those of shifted differences.
    """
    width, length = bit_length(U64(size)), bit_length(most - least)
    if length + width <= U64(64):
        return U64(0), U64(0), width, length
    shift = length + width - U64(64)
    below = shift if differs & ((U64(1) << shift) - U64(1)) else U64(0)
    return shift, below, width, U64(64) - width


@functools.cache
def _row(dtype: str):
    """`row(bits, start, step, size, flip, out, first, second)`: the indices that sort a row."""
    key, span, (encode, decode) = keys(dtype, True), spans(dtype, True), words(dtype)
    is_wide, medium, sort_words = (
        np.dtype(dtype).itemsize == 8,
        limits_of(8).shortest,
        sort_vector(8),
    )

    @kernel_function(inline=False, vectors=False)
    def long_row(bits, start, step, size, flip, out, first, second):
        least, most, differs = span(bits, start, step, 0, size, flip)
        shift, below, width, length = word_form(least, most, differs, size)
        items, other = first[:size], second[:size]
        encode(bits, start, step, 0, size, flip, least, shift, width, items)
        items, other = sort_words(items, other, width, length)
        decode(bits, start, step, 0, size, flip, least, below, width, items, other, out)

    @kernel_function(vectors=False)
    def row(bits, start, step, size, flip, out, first, second):
        if size >= medium:
            long_row(bits, start, step, size, flip, out, first, second)
            return
        if size > SHORT:
            least, shift, below, width = U64(0), U64(0), U64(0), U64(BITS)
            if is_wide:
                least, most, differs = span(bits, start, step, 0, size, flip)
                shift, below, width, _ = word_form(least, most, differs, size)
            items = first[:size]
            encode(bits, start, step, 0, size, flip, least, shift, width, items)
            sort_by_numpy(items)
            decode(bits, start, step, 0, size, flip, least, below, width, items, second, out)
            return
        for i in range(size):
            word, to = key(bits[start + i * step]) ^ flip, i
            while to > 0 and first[to - 1] > word:
                first[to], out[to] = first[to - 1], out[to - 1]
                to -= 1
            first[to], out[to] = word, i

    return row


def _indices(dtype: str):
    row, (unsigned, full) = _row(dtype), bits_of(dtype)

    @kernel_function(vectors=False, polls=True)
    def sorted_indices(x, y, first, second, descending):
        before, size, after = x.shape
        bits, flip = x.reshape(x.size).view(unsigned), full if descending else U64(0)
        for i in range(before):
            for j in range(after):
                row(bits, i * size * after + j, after, size, flip, y[i, :, j], first, second)

    return sorted_indices


def item_type(dtype: str) -> type:
    """The type of the keys that NumPy sorts."""
    return U64 if np.dtype(dtype).itemsize == 8 else U32


def _values(dtype: str):
    """Sort the keys of rows, or their differences from the smallest, and convert them back."""
    key, span, number_of = keys(dtype, False), spans(dtype, False), numbers(dtype)
    (unsigned, _), item = bits_of(dtype), item_type(dtype)
    itemsize = np.dtype(item).itemsize
    spanned_from, sort_keys = limits_of(itemsize).shortest, sort_vector(itemsize)

    @kernel_function(vectors=False, polls=True)
    def sorted_values(x, y, first, second, descending):
        before, size, after = x.shape
        bits, results = x.reshape(x.size).view(unsigned), y.reshape(y.size).view(unsigned)
        items, other = first.view(item)[:size], second.view(item)[:size]
        for i in range(before):
            for j in range(after):
                start, least, length = i * size * after + j, U64(0), U64(0)
                if size >= spanned_from:
                    least, most, _ = span(bits, start, after, 0, size, U64(0))
                    length = bit_length(most - least)
                for t in range(size):
                    items[t] = item(key(bits[start + t * after]) - least)
                ordered, _unused = sort_keys(items, other, U64(0), length)
                for t in range(size):
                    word = ordered[size - 1 - t if descending else t]
                    results[start + t * after] = number_of(U64(word) + least)

    return sorted_values


def _largest(dtype: str):
    """The k largest elements of rows, by a heap with the smallest of them on top."""
    row, key, (unsigned, full) = _row(dtype), keys(dtype, True), bits_of(dtype)

    @kernel_function(vectors=False)
    def sink(keys, places, at, size):
        """Restore a heap whose element `at` may belong further down."""
        while True:
            worst = at
            for child in range(2 * at + 1, min(2 * at + 3, size)):
                largest, other = keys[child], keys[worst]
                if largest > other or (largest == other and places[child] > places[worst]):
                    worst = child
            if worst == at:
                return
            keys[at], keys[worst] = keys[worst], keys[at]
            places[at], places[worst] = places[worst], places[at]
            at = worst

    @kernel_function(vectors=False)
    def by_heap(bits, start, size, keys, places):
        k = len(keys)
        for i in range(k):
            keys[i], places[i] = key(bits[start + i]) ^ full, i
        for i in range(k // 2 - 1, -1, -1):
            sink(keys, places, i, k)
        for i in range(k, size):
            word = key(bits[start + i]) ^ full
            if word < keys[0]:
                keys[0], places[0] = word, i
                sink(keys, places, 0, k)
        for left in range(k - 1, 0, -1):
            keys[0], keys[left] = keys[left], keys[0]
            places[0], places[left] = places[left], places[0]
            sink(keys, places, 0, left)

    @kernel_function(vectors=False)
    def sorted_largest(x, values, places, first, second):
        (rows, size), k = x.shape, values.shape[1]
        bits = x.reshape(x.size).view(unsigned)
        out = np.empty(size, np.int32)
        for i in range(rows):
            if k > 0 and 16 * k <= size:
                by_heap(bits, i * size, size, first[:k], places[i])
            else:
                row(bits, i * size, 1, size, full, out, first, second)
                places[i] = out[:k]
            for t in range(k):
                values[i, t] = x[i, places[i, t]]

    return sorted_largest


def _insertions():
    @kernel_function(vectors=False, polls=True)
    def sorted_insertions(rows, values, y, right):
        """Insertion points of values in sorted rows. NaN is larger than every number."""
        size = rows.shape[1]
        for i in range(values.shape[0]):
            row = rows[i] if len(rows) > 1 else rows[0]
            for j in range(values.shape[1]):
                value, low, high = values[i, j], 0, size
                while low < high:
                    middle = (low + high) // 2
                    item = row[middle]
                    if right:
                        goes_on = not (value < item or (item != item and value == value))
                    else:
                        goes_on = item < value or (value != value and item == item)
                    if goes_on:
                        low = middle + 1
                    else:
                        high = middle
                y[i, j] = low

    return sorted_insertions
