"""Sorting, the largest elements and search as loops that native code calls, by type of element.

Arrays are taken as [before, size, after] and sorted along the middle. Rows are sorted by the keys
of `sort_keys.py`, so results are those of the plan: short rows by insertion, others digit by digit
from the lowest, with key and place together in one integer of 64 bits.
"""

from __future__ import annotations

import functools

import numpy as np

from ..jit.loop_hints import helper

U32, U64 = np.uint32, np.uint64
SHORT = 40  # elements that are sorted by insertion
CHUNKS, TOP = 16, 11  # of a row that threads share: its chunks, and the bits that say the bucket
BUCKETS = 1 << TOP
MANY = 1 << 13  # elements from which on fewer passes with larger tables are faster


@functools.cache
def functions(dtype: str) -> dict[str, object]:
    """What the text of a kernel calls, for elements of one type."""
    made = {
        **_shared(dtype),
        "values": _values(dtype),
        "places": _places(dtype),
        "largest": _largest(dtype),
        "insertions": _insertions(),
    }
    return {f"sorted_{name}_{dtype}": function for name, function in made.items()}


@functools.cache
def _steps():
    """`insert(items, size)` sorts the first items; `begin(counts)` makes the number of items with
    each digit the place of the first of them.
    """

    @helper(vectors=False)
    def insert(items, size):
        for i in range(1, size):
            item, to = items[i], i
            while to > 0 and items[to - 1] > item:
                items[to] = items[to - 1]
                to -= 1
            items[to] = item

    @helper(vectors=False)
    def begin(counts):
        total = U32(0)
        for place in range(len(counts)):
            here = counts[place]
            counts[place] = total
            total += here

    return insert, begin


@functools.cache
def _keys(dtype: str, zeros_are_equal: bool):
    """`key(bits)`: see `sort_keys.keys_of`."""
    kind = np.dtype(dtype)
    unsigned = np.dtype(f"u{kind.itemsize}").type
    bits = 8 * kind.itemsize
    top, full = U64(1 << (bits - 1)), U64(2**bits - 1)
    infinity = U64(np.array(np.inf, kind).view(unsigned)) if kind.kind == "f" else U64(0)

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

    return helper({"i": signed, "f": real}.get(kind.kind, plain), inline=True)


@functools.cache
def _digits(dtype: str):
    """`by_digits(bits, start, step, size, flip, half, places, out, first, second)`: places in the
    order of 32 bits of the keys; `half` 1 are the upper ones of 64, where `places` are in the order
    of the lower ones already. `flip` are the bits of a key to turn round.
    """
    key, (_, begin) = _keys(dtype, True), _steps()
    width = min(32, 8 * np.dtype(dtype).itemsize)
    few = (2, 4) if width == 8 else (2, 8) if width == 16 else (3, 11)
    many = few if width < 32 else (4, 8)

    @helper(vectors=False)
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
    """`row(bits, start, step, size, flip, out, first, second)`: the places of a row in order."""
    key, by_digits = _keys(dtype, True), _digits(dtype)
    is_wide = np.dtype(dtype).itemsize == 8

    @helper(vectors=False)
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
    kind = np.dtype(f"u{np.dtype(dtype).itemsize}")
    return kind.type, U64(np.iinfo(kind).max)


def _places(dtype: str):
    row, (unsigned, full) = _row(dtype), _bits_of(dtype)

    @helper(vectors=False)
    def sorted_places(x, y, first, second, descending):
        before, size, after = x.shape
        bits, flip = x.reshape(x.size).view(unsigned), full if descending else U64(0)
        for i in range(before):
            for j in range(after):
                row(bits, i * size * after + j, after, size, flip, y[i, :, j], first, second)

    return sorted_places


def _shared(dtype: str) -> dict[str, object]:
    """One long row by threads, for elements of four bytes: chunks of it are spread over buckets by
    the upper bits of keys, then the buckets are sorted, each by the rest of the bits.

    `starts` is [CHUNKS, BUCKETS]: how many of a chunk belong to a bucket, then where they begin.
    """
    key, (unsigned, full) = _keys(dtype, True), _bits_of(dtype)
    insert, begin_at = _steps()
    lower, mask = U64(32 - TOP), U64(0xFFFFFFFF)

    @helper(vectors=False)
    def chunk_of(number, size):
        return number * size // CHUNKS, (number + 1) * size // CHUNKS

    @helper(vectors=False)
    def sorted_counts(x, starts, first, count, descending):
        bits, flip = x.view(unsigned), full if descending else U64(0)
        for number in range(first, first + count):
            begin, end = chunk_of(number, x.size)
            counts = starts[number]
            counts[:] = 0
            for i in range(begin, end):
                counts[(key(bits[i]) ^ flip) >> lower] += U32(1)

    @helper(vectors=False)
    def sorted_starts(starts):
        total = U32(0)
        for bucket in range(BUCKETS):
            for number in range(CHUNKS):
                here = starts[number, bucket]
                starts[number, bucket] = total
                total += here

    @helper(vectors=False)
    def sorted_chunks(x, starts, to, first, count, descending):
        """Keys and places go to their buckets; afterwards `starts` are where they end."""
        bits, flip = x.view(unsigned), full if descending else U64(0)
        for number in range(first, first + count):
            begin, end = chunk_of(number, x.size)
            free = starts[number]
            for i in range(begin, end):
                word = key(bits[i]) ^ flip
                at = word >> lower
                to[free[at]] = word << U64(32) | U64(i)
                free[at] += U32(1)

    @helper(vectors=False)
    def by_insertion(items, out):
        insert(items, len(items))
        for i in range(len(items)):
            out[i] = np.int32(items[i] & mask)

    @helper(vectors=False)
    def by_digits(items, other, out):
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
        for i in range(len(items)):
            out[i] = np.int32(items[i] & mask)

    @helper(vectors=False)
    def sorted_buckets(starts, items, other, out, first, count):
        for bucket in range(first, first + count):
            begin = starts[CHUNKS - 1, bucket - 1] if bucket else U32(0)
            end = starts[CHUNKS - 1, bucket]
            if end - begin <= SHORT:
                by_insertion(items[begin:end], out[begin:end])
            else:
                by_digits(items[begin:end], other[begin:end], out[begin:end])

    made = {"counts": sorted_counts, "starts": sorted_starts, "chunks": sorted_chunks}
    return {**made, "buckets": sorted_buckets}


def _values(dtype: str):
    """Rows of keys are sorted, and become numbers again."""
    key, (unsigned, full) = _keys(dtype, False), _bits_of(dtype)
    insert, begin = _steps()
    kind, width = np.dtype(dtype).kind, 8 * np.dtype(dtype).itemsize
    top = U64(1 << (width - 1))
    few, many = (-(-width // digit) for digit in (11, 8))

    def real(word):
        return word ^ (top if word & top else full)

    def signed(word):
        return word ^ top

    def plain(word):
        return word

    bits_of = helper({"f": real, "i": signed}.get(kind, plain), inline=True)
    nan = unsigned(np.array(np.nan, dtype).view(unsigned)) if kind == "f" else unsigned(0)
    is_real = kind == "f"

    @helper(vectors=False)
    def sort_keys(first, second, size):
        """Gives the array of the two in which the keys are in order."""
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

    @helper(vectors=False)
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
                    number = unsigned(bits_of(word))
                    made[start + t * after] = nan if is_real and word == full else number

    return sorted_values


def _largest(dtype: str):
    """The k largest of rows: those found so far are a heap, with the worst of them on top."""
    row, key, (unsigned, full) = _row(dtype), _keys(dtype, True), _bits_of(dtype)

    @helper(vectors=False)
    def sink(keys, places, at, size):
        """Put right a heap whose element `at` may belong further down."""
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

    @helper(vectors=False)
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

    @helper(vectors=False)
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
    @helper(vectors=False)
    def sorted_insertions(rows, values, y, right):
        """Where values belong in sorted rows; NaN is larger than every number."""
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
