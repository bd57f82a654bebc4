"""Sorting, top-k and binary search in kernels, for each type of element.

An array has the shape [before, size, after] and is sorted along the middle axis. Rows are sorted by
the keys of `ops/array/radix_keys.py`, so results are those of the NumPy program. Short rows are
sorted by insertion, others by an LSD radix sort of 64-bit integers that hold a key and an index.
"""

from __future__ import annotations

import functools

import numpy as np

from ..core.numpy_dtypes import is_floating
from ..jit.loop_hints import kernel_function

U32, U64 = np.uint32, np.uint64
SHORT = 40  # elements: rows up to this length are sorted by insertion
CHUNKS, TOP = 16, 11  # of a row that threads share: the chunks, and the bits of a bucket
BUCKETS = 1 << TOP
MANY = 1 << 13  # elements: longer rows have fewer passes with larger tables


@functools.cache
def functions(dtype: str) -> dict[str, object]:
    """The functions that kernels call, for elements of one type."""
    named = {
        **_shared(dtype, False),
        **_shared(dtype, True),
        "values": _values(dtype),
        "places": _places(dtype),
        "largest": _largest(dtype),
        "insertions": _insertions(),
    }
    return {f"sorted_{name}_{dtype}": function for name, function in named.items()}


@functools.cache
def _steps():
    """`insert(items, size)` sorts the first items. `begin(counts)` turns the number of items with
    each digit into the index of the first of them.
    """

    @kernel_function(vectors=False)
    def insert(items, size):
        for i in range(1, size):
            item, to = items[i], i
            while to > 0 and items[to - 1] > item:
                items[to] = items[to - 1]
                to -= 1
            items[to] = item

    @kernel_function(vectors=False)
    def begin(counts):
        total = U32(0)
        for place in range(len(counts)):
            here = counts[place]
            counts[place] = total
            total += here

    return insert, begin


@functools.cache
def _keys(dtype: str, zeros_are_equal: bool):
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


@functools.cache
def _digits(dtype: str):
    """`by_digits(bits, start, step, size, flip, half, places, out, first, second)`: indices
    that sort by 32 bits of the keys. With `half` 1 they are the upper bits of 64, and `places` are
    the indices that sort by the lower ones. `flip` are the bits of a key to invert.
    """
    key, (_, begin) = _keys(dtype, True), _steps()
    width = min(32, 8 * np.dtype(dtype).itemsize)
    few = (2, 4) if width == 8 else (2, 8) if width == 16 else (3, 11)
    many = few if width < 32 else (4, 8)

    @kernel_function(vectors=False, polls=True)
    def by_digits(bits, start, step, size, flip, half, places, out, first, second):
        passes, digit = few if size >= MANY else many
        mask, move = U64((1 << digit) - 1), U64(32 * half)
        counts = np.zeros((passes, 1 << digit), U32)
        for i in range(size):
            word = ((key(bits[start + i * step]) ^ flip) >> move) & U64(0xFFFFFFFF)
            for number in range(passes):
                counts[number, (word >> U64(number * digit)) & mask] += U32(1)
        for number in range(passes):
            begin(counts[number])
        free = counts[0]
        for i in range(size):
            place = np.int64(places[i]) if half else i
            word = ((key(bits[start + place * step]) ^ flip) >> move) & U64(0xFFFFFFFF)
            at = word & mask
            first[free[at]] = word << U64(32) | U64(place)
            free[at] += U32(1)
        for number in range(1, passes - 1):
            free, down = counts[number], U64(32 + number * digit)
            for i in range(size):
                at = (first[i] >> down) & mask
                second[free[at]] = first[i]
                free[at] += U32(1)
            first, second = second, first
        free, down = counts[passes - 1], U64(32 + (passes - 1) * digit)
        for i in range(size):
            at = (first[i] >> down) & mask
            out[free[at]] = np.int32(first[i] & U64(0xFFFFFFFF))
            free[at] += U32(1)

    return by_digits


@functools.cache
def _row(dtype: str):
    """`row(bits, start, step, size, flip, out, first, second)`: the indices that sort a row."""
    key, by_digits = _keys(dtype, True), _digits(dtype)
    is_wide = np.dtype(dtype).itemsize == 8

    @kernel_function(vectors=False)
    def row(bits, start, step, size, flip, out, first, second):
        if size > SHORT:
            by_digits(bits, start, step, size, flip, 0, out, out, first, second)
            if is_wide:
                by_digits(bits, start, step, size, flip, 1, out.copy(), out, first, second)
            return
        for i in range(size):
            word, to = key(bits[start + i * step]) ^ flip, i
            while to > 0 and first[to - 1] > word:
                first[to], out[to] = first[to - 1], out[to - 1]
                to -= 1
            first[to], out[to] = word, i

    return row


def _bits_of(dtype: str) -> tuple[type, np.uint64]:
    """The unsigned type of the same size, and its largest number."""
    unsigned = np.dtype(f"u{np.dtype(dtype).itemsize}")
    return unsigned.type, U64(np.iinfo(unsigned).max)


def _places(dtype: str):
    row, (unsigned, full) = _row(dtype), _bits_of(dtype)

    @kernel_function(vectors=False, polls=True)
    def sorted_places(x, y, first, second, descending):
        before, size, after = x.shape
        bits, flip = x.reshape(x.size).view(unsigned), full if descending else U64(0)
        for i in range(before):
            for j in range(after):
                row(bits, i * size * after + j, after, size, flip, y[i, :, j], first, second)

    return sorted_places


def _shared(dtype: str, gives_values: bool) -> dict[str, object]:
    """A parallel sort of one long row of four-byte elements: chunks are distributed over buckets by
    the upper bits of keys, then each bucket is sorted by the lower bits. The result is the sorted
    elements, or their indices.

    `starts` is [CHUNKS, BUCKETS]: the elements of a chunk in a bucket, then their first index.
    """
    key, (unsigned, full) = _keys(dtype, not gives_values), _bits_of(dtype)
    number_of = _numbers(dtype)
    insert, begin_at = _steps()
    lower, mask = U64(32 - TOP), U64(0xFFFFFFFF)

    @kernel_function(vectors=False)
    def chunk_of(number, size):
        return number * size // CHUNKS, (number + 1) * size // CHUNKS

    @kernel_function(vectors=False, polls=True)
    def sorted_counts(x, starts, first, count, descending):
        bits, flip = x.view(unsigned), full if descending else U64(0)
        for number in range(first, first + count):
            begin, end = chunk_of(number, x.size)
            counts = starts[number]
            counts[:] = 0
            for i in range(begin, end):
                counts[(key(bits[i]) ^ flip) >> lower] += U32(1)

    @kernel_function(vectors=False)
    def sorted_starts(starts):
        total = U32(0)
        for bucket in range(BUCKETS):
            for number in range(CHUNKS):
                here = starts[number, bucket]
                starts[number, bucket] = total
                total += here

    @kernel_function(vectors=False, polls=True)
    def sorted_chunks(x, starts, to, first, count, descending):
        """Move keys and indices to their buckets. Afterwards `starts` holds the ends."""
        bits, flip = x.view(unsigned), full if descending else U64(0)
        for number in range(first, first + count):
            begin, end = chunk_of(number, x.size)
            free = starts[number]
            for i in range(begin, end):
                word = key(bits[i]) ^ flip
                at = word >> lower
                to[free[at]] = word << U64(32) | U64(i)
                free[at] += U32(1)

    @kernel_function(vectors=False)
    def places(items, out, flip):
        for i in range(len(items)):
            out[i] = np.int32(items[i] & mask)

    @kernel_function(vectors=False)
    def values(items, out, flip):
        made = out.view(unsigned)
        for i in range(len(items)):
            made[i] = number_of((items[i] >> U64(32)) ^ flip)

    results = values if gives_values else places

    @kernel_function(vectors=False, polls=True)
    def by_digits(items, other, out, flip):
        passes, digit = (2, 11) if len(items) >= MANY else (3, 7)
        low = U64((1 << digit) - 1)
        counts = np.zeros((passes, 1 << digit), U32)
        for i in range(len(items)):
            for number in range(passes):
                counts[number, (items[i] >> U64(32 + number * digit)) & low] += U32(1)
        for number in range(passes):
            free, down = counts[number], U64(32 + number * digit)
            begin_at(free)
            for i in range(len(items)):
                at = (items[i] >> down) & low
                other[free[at]] = items[i]
                free[at] += U32(1)
            items, other = other, items
        results(items, out, flip)

    @kernel_function(vectors=False)
    def sorted_buckets(starts, items, other, out, first, count, descending):
        flip = full if descending else U64(0)
        for bucket in range(first, first + count):
            begin = starts[CHUNKS - 1, bucket - 1] if bucket else U32(0)
            end = starts[CHUNKS - 1, bucket]
            if end - begin <= SHORT:
                insert(items[begin:end], end - begin)
                results(items[begin:end], out[begin:end], flip)
            else:
                by_digits(items[begin:end], other[begin:end], out[begin:end], flip)

    named = {"counts": sorted_counts, "starts": sorted_starts, "chunks": sorted_chunks}
    prefix = "value_" if gives_values else ""
    return {f"{prefix}{name}": one for name, one in {**named, "buckets": sorted_buckets}.items()}


@functools.cache
def _numbers(dtype: str):
    """`number(word)`: the bits of the element of a key."""
    unsigned, full = _bits_of(dtype)
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


def _values(dtype: str):
    """Sort the keys of rows, and convert them back."""
    key, number_of, (unsigned, _) = _keys(dtype, False), _numbers(dtype), _bits_of(dtype)
    insert, begin = _steps()
    few, many = (-(-8 * np.dtype(dtype).itemsize // digit) for digit in (11, 8))

    @kernel_function(vectors=False, polls=True)
    def sort_keys(first, second, size):
        """The one of the two arrays that holds the sorted keys."""
        passes, digit = (few, 11) if size >= MANY else (many, 8)
        mask = U64((1 << digit) - 1)
        counts = np.zeros((passes, 1 << digit), U32)
        for i in range(size):
            for number in range(passes):
                counts[number, (first[i] >> U64(number * digit)) & mask] += U32(1)
        for number in range(passes):
            free, down = counts[number], U64(number * digit)
            if free[(first[0] >> down) & mask] == size:
                continue  # all have the same digit
            begin(free)
            for i in range(size):
                at = (first[i] >> down) & mask
                second[free[at]] = first[i]
                free[at] += U32(1)
            first, second = second, first
        return first

    @kernel_function(vectors=False, polls=True)
    def sorted_values(x, y, first, second, descending):
        before, size, after = x.shape
        bits, made = x.reshape(x.size).view(unsigned), y.reshape(y.size).view(unsigned)
        for i in range(before):
            for j in range(after):
                start, keys = i * size * after + j, first
                for t in range(size):
                    first[t] = key(bits[start + t * after])
                if size > SHORT:
                    keys = sort_keys(first, second, size)
                else:
                    insert(first, size)
                for t in range(size):
                    word = keys[size - 1 - t if descending else t]
                    made[start + t * after] = number_of(word)

    return sorted_values


def _largest(dtype: str):
    """The k largest elements of rows, by a heap with the smallest of them on top."""
    row, key, (unsigned, full) = _row(dtype), _keys(dtype, True), _bits_of(dtype)

    @kernel_function(vectors=False)
    def sink(keys, places, at, size):
        """Restore a heap whose element `at` may belong further down."""
        while True:
            worst = at
            for child in range(2 * at + 1, min(2 * at + 3, size)):
                one, other = keys[child], keys[worst]
                if one > other or (one == other and places[child] > places[worst]):
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
