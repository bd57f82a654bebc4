"""The sort of one long row, which threads share: of its elements, or of their indices.

Each chunk of the row is sorted by itself, then chunks are merged, two by two. Threads share a merge
too: each part of its result begins where a binary search in both chunks says.

Keys that are equal are the same, and words of indices all differ. So the result depends neither on
the chunks nor on the threads.
"""

from __future__ import annotations

import functools

from ..jit.loop_hints import kernel_function
from . import sort_kernels
from .sort_kernels import U64, bits_of, item_type, keys, numbers, sort_items, word_form, words


@kernel_function(vectors=False)
def bound(number, chunks, size):
    """Where a chunk begins."""
    return number * size // chunks


@kernel_function(inline=False, vectors=False, unrolled=False)
def split(items, left, middle, right, count):
    """How many of the first `count` results of a merge come from `items[left:middle]`."""
    low, high = max(0, count - (right - middle)), min(count, middle - left)
    while low < high:
        here = (low + high) // 2
        if items[middle + count - here - 1] <= items[left + here]:
            high = here
        else:
            low = here + 1
    return low


@kernel_function(inline=False, vectors=False, unrolled=False, polls=True)
def merge(items, i, last_i, j, last_j, out, at):
    """Merge `items[i : last_i + 1]` and `items[j : last_j + 1]` from both ends, which the processor
    overlaps. No step has a branch that depends on the items.
    """
    end = at + (last_i - i) + (last_j - j) + 1
    steps = min(last_i - i + 1, last_j - j + 1) // 2
    while steps > 0:
        for _ in range(steps):
            x, y, u, v = items[i], items[j], items[last_i], items[last_j]
            takes_second, leaves_second = 1 if y < x else 0, 1 if v < u else 0
            out[at], out[end] = min(x, y), max(u, v)
            j, i = j + takes_second, i + 1 - takes_second
            last_i, last_j = last_i - leaves_second, last_j - 1 + leaves_second
            at, end = at + 1, end - 1
        steps = min(last_i - i + 1, last_j - j + 1) // 2
    while i <= last_i and j <= last_j:
        if items[j] < items[i]:
            out[at], j = items[j], j + 1
        else:
            out[at], i = items[i], i + 1
        at += 1
    for rest in range(last_i - i + 1):
        out[at + rest] = items[i + rest]
    for rest in range(last_j - j + 1):
        out[at + rest] = items[j + rest]


@kernel_function(vectors=False)
def merged_parts(both, level, chunks, parts, first, count):
    """Some parts of the merges of a round, from the first half of `both` into the second, or back
    in odd rounds.
    """
    items, other = both[level % 2], both[1 - level % 2]
    size, half = len(items), 1 << level
    each = parts // (chunks // (2 * half))
    for part in range(first, first + count):
        run = part // each * 2 * half
        left, middle = bound(run, chunks, size), bound(run + half, chunks, size)
        right = bound(run + 2 * half, chunks, size)
        begin = (right - left) * (part % each) // each
        end = (right - left) * (part % each + 1) // each
        i, j = split(items, left, middle, right, begin), split(items, left, middle, right, end)
        merge(
            items, left + i, left + j - 1, middle + begin - i, middle + end - j - 1, other,
            left + begin,
        )  # fmt: skip


@functools.cache
def functions(dtype: str) -> dict[str, object]:
    """The functions that kernels call, for elements of one type."""
    own = {f"sorted_{name}_{dtype}": one for name, one in _steps(dtype).items()}
    return {**sort_kernels.functions(dtype), **own}


def _steps(dtype: str) -> dict[str, object]:
    """The steps of a sort. `spans` notes what is found in each chunk, `form` the form of words in
    the first row of the same array.
    """
    key, number_of, (unsigned, full) = keys(dtype, False), numbers(dtype), bits_of(dtype)
    span, encode, decode = words(dtype)
    item = item_type(dtype)

    @kernel_function(vectors=False)
    def spans(x, found, chunks, first, count, descending):
        bits, flip = x.view(unsigned), full if descending else U64(0)
        for number in range(first, first + count):
            begin, end = bound(number, chunks, x.size), bound(number + 1, chunks, x.size)
            found[number, 0], found[number, 1], found[number, 2] = span(
                bits, 0, 1, begin, end, flip
            )

    @kernel_function(vectors=False)
    def form(found, chunks, size):
        least, most, differs = found[0, 0], found[0, 1], U64(0)
        for number in range(chunks):
            least, most = min(least, found[number, 0]), max(most, found[number, 1])
            differs |= found[number, 2] | (found[number, 0] ^ found[0, 0])
        shift, below, width = word_form(least, most, differs, size)
        found[0, 0], found[0, 1], found[0, 2], found[0, 3] = least, shift, below, width

    @kernel_function(vectors=False, polls=True)
    def chunks_of_words(x, both, found, chunks, first, count, descending):
        items = both[0]
        bits, flip = x.view(unsigned), full if descending else U64(0)
        least, shift, width = found[0, 0], found[0, 1], found[0, 3]
        for number in range(first, first + count):
            begin, end = bound(number, chunks, x.size), bound(number + 1, chunks, x.size)
            encode(bits, 0, 1, begin, end, flip, least, shift, width, items)
            sort_items(items[begin:end])

    @kernel_function(vectors=False, polls=True)
    def indices(x, both, last, found, out, chunks, first, count, descending):
        items, other = both[last], both[1 - last]
        bits, flip = x.view(unsigned), full if descending else U64(0)
        least, below, width = found[0, 0], found[0, 2], found[0, 3]
        for number in range(first, first + count):
            begin, end = bound(number, chunks, x.size), bound(number + 1, chunks, x.size)
            decode(bits, 0, 1, begin, end, flip, least, below, width, items, other, out)

    @kernel_function(unrolled=False, polls=True)
    def chunks_of_keys(x, both, chunks, first, count, descending):
        items = both[0]
        bits, flip = x.view(unsigned), full if descending else U64(0)
        for number in range(first, first + count):
            begin, end = bound(number, chunks, x.size), bound(number + 1, chunks, x.size)
            for i in range(begin, end):
                items[i] = item(key(bits[i]) ^ flip)
            sort_items(items[begin:end])

    @kernel_function(unrolled=False, polls=True)
    def values(both, last, out, chunks, first, count, descending):
        items = both[last]
        made, flip = out.view(unsigned), full if descending else U64(0)
        for number in range(first, first + count):
            for i in range(
                bound(number, chunks, len(items)), bound(number + 1, chunks, len(items))
            ):
                made[i] = number_of(U64(items[i]) ^ flip)

    return {
        "spans": spans, "form": form, "merges": merged_parts,
        "chunk_words": chunks_of_words, "long_indices": indices,
        "chunk_keys": chunks_of_keys, "long_values": values,
    }  # fmt: skip
