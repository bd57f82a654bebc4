"""Random numbers in kernels: the streams of NumPy's Philox generator.

Sources: Lemire, "Fast random integer generation in an interval", 2019, for integers; Marsaglia and
Tsang, "The ziggurat method for generating random variables", 2000, for the normal distribution,
with the numbers of NumPy's tables.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np

from ...extend.kernels import (
    group_blocks,
    group_size,
    high_product,
    intrinsic,
    kernel_function,
    philox_block,
    philox_blocks,
    step_blocks,
    unit32,
    unit64,
    where,
    ziggurat_tables,
)

START = ziggurat_tables.START
U32, U64 = np.uint32, np.uint64
STATE = 5  # integers of 64 bits


@functools.cache
def functions() -> dict[str, Callable]:
    """`draw_DISTRIBUTION_TYPE(out, key0, key1, counter, first, second)`.

    `draw_few` is for a few numbers; in `draw_each`, each number has parameters of its own. For many
    uniform numbers, the first group of `out` and the number of groups follow after `out`.
    """
    table = {}
    for bits, real in ((32, np.float32), (64, np.float64)):
        table[f"draw_uniform_f{bits}"] = _uniform_fill(real)
        for few in (False, True):
            words = "_few" * few
            table[f"draw{words}_uniform_i{bits}"] = _integer_fill(bits, few)
            for at in (of_all, of_each):
                variant = words + "_each" * (at is of_each)
                table.setdefault(f"draw{variant}_uniform_f{bits}", _uniform_in_order(real, few, at))
                table[f"draw{variant}_normal_f{bits}"] = _normal_fill(bits, real, few, at)
                table[f"draw{variant}_truncated_normal_f{bits}"] = _truncated_fill(real, few, at)
    return table


@kernel_function(inline=True)
def of_all(parameter, index):
    return parameter


@kernel_function(inline=True)
def of_each(parameters, index):
    return parameters[index]


@functools.cache
def generator_of(few: bool):
    """`start(state, words, key0, key1, counter)` initializes a generator, and `following(state,
    words)` draws an integer from it, of the type of `words`.

    `words` holds the integers of one step. The state is the key, the counter, the next block, and
    the number of integers that are used.
    """
    blocks, step = _blocks(few)

    @kernel_function
    def start(state, words, key0, key1, counter):
        state[0], state[1], state[2], state[3] = key0, key1, counter, U64(1)
        state[4] = U64(len(words))

    @kernel_function
    def following(state, words):
        index = np.int64(state[4])
        if index == len(words):
            blocks(words, step, state[0], state[1], state[3], state[2])
            state[3] += U64(step)
            index = 0
        state[4] = U64(index + 1)
        return words[index]

    return start, following


@intrinsic
def negative_where(writer, sign, x):
    """`-x` if the sign is set: a `select`. Half of the branches would be mispredicted."""
    x = writer.number(x)
    return where(writer.number(sign) != 0, -x, x)


@functools.cache
def _tables(bits: int) -> tuple[np.ndarray, ...]:
    """For each layer of the ziggurat: the limit below which a draw is inside, the width of a unit,
    and the height of the curve. Draws of float32 have 23 bits instead of 52.
    """
    limits, widths, heights = ziggurat_tables.ziggurat()
    if bits == 64:
        return limits, widths, heights
    narrow = np.rint(limits * 2.0**-29).astype(np.uint32)
    return narrow, (widths * 2.0**29).astype(np.float32), heights.astype(np.float32)


def _blocks(few: bool) -> tuple[Callable, int]:
    """The function that computes the blocks of a step, and their number."""
    return (philox_block, 1) if few else (philox_blocks, step_blocks())


def _unit(bits: int):
    return unit32 if bits == 32 else unit64


@functools.cache
def normal_of(bits: int, few: bool):
    """Standard normal numbers."""
    _, following = generator_of(few)
    unit, real = _unit(bits), np.float32 if bits == 32 else np.float64
    limits, widths, heights = _tables(bits)
    end, rate = real(START), real(1 / START)
    half = real(0.5)

    @kernel_function(inline=True)
    def split32(word):
        return word & U32(255), (word >> U32(8)) & U32(1), (word >> U32(9)) & U32(0x7FFFFF)

    @kernel_function(inline=True)
    def split64(word):
        rest = word >> U64(8)
        return word & U64(255), rest & U64(1), (rest >> U64(1)) & U64(0xFFFFFFFFFFFFF)

    split = split32 if bits == 32 else split64

    @kernel_function
    def tail(state, words, size):
        while True:
            x = -rate * real(np.log1p(-unit(following(state, words))))
            y = -real(np.log1p(-unit(following(state, words))))
            if y + y > x * x:
                return -(end + x) if (np.int64(size) >> 8) & 1 else end + x

    @kernel_function(inline=False)
    def beyond(state, words, word):
        """The number of a word that does not decide alone."""
        while True:
            row, sign, size = split(word)
            index = np.int64(row)
            x = real(size) * widths[index]
            x = -x if sign else x
            if size < limits[index]:
                return x
            if index == 0:
                return tail(state, words, size)
            step = heights[index - 1] - heights[index]
            height = step * unit(following(state, words)) + heights[index]
            if height < real(np.exp(-half * x * x)):
                return x
            word = following(state, words)

    @kernel_function(inline=True)
    def normal(state, words):
        word = following(state, words)
        row, sign, size = split(word)
        index = np.int64(row)
        if size < limits[index]:
            x = real(np.int64(size)) * widths[index]
            return negative_where(sign, x)
        return beyond(state, words, word)

    return normal


def words_of(bits: int, few: bool) -> tuple[type, int]:
    """The type of the integers that a distribution draws, and their number in a step."""
    return (U32 if bits == 32 else U64), _blocks(few)[1] * (256 // bits)


def _uniform_fill(real):
    """Uniform numbers: `groups` groups, from the group `begin` on."""
    bits = np.dtype(real).itemsize * 8
    word, unit = words_of(bits, False)[0], _unit(bits)
    blocks, size = group_blocks(), group_size(bits // 8)
    count = size // blocks  # numbers in a block

    @kernel_function(polls=True)
    def fill(out, begin, groups, key0, key1, counter, low, high):
        width, last, up = real(high - low), real(np.nextafter(high, low)), low < high
        words = np.empty(size, word)
        made = out[begin * size : (begin + groups) * size]
        for first in range(0, made.size, size):
            left = min(made.size - first, size)
            block = U64(begin * blocks + first // count + 1)
            philox_blocks(words, (left + count - 1) // count, key0, key1, block, counter)
            if low == 0 and high == 1:
                for index in range(left):
                    made[first + index] = unit(words[index])
                continue
            for index in range(left):
                drawn = real(real(unit(words[index]) * width) + low)
                beyond = drawn >= high if up else drawn <= high
                made[first + index] = last if beyond else drawn

    return fill


def _uniform_in_order(real, few: bool, at: Callable):
    """Uniform numbers, one after the other."""
    bits = np.dtype(real).itemsize * 8
    (start, following), unit = generator_of(few), _unit(bits)
    word, count = words_of(bits, few)

    @kernel_function(polls=True)
    def fill(out, key0, key1, counter, lows, highs):
        state, words = np.empty(STATE, U64), np.empty(count, word)
        start(state, words, key0, key1, counter)
        for index in range(out.size):
            low, high = at(lows, index), at(highs, index)
            drawn = real(real(unit(following(state, words)) * real(high - low)) + low)
            beyond = drawn >= high if low < high else drawn <= high
            out[index] = real(np.nextafter(high, low)) if beyond else drawn

    return fill


def _integer_fill(bits: int, few: bool):
    """Integers of an interval: the upper half of a random integer times the size of the interval.
    A draw is rejected where the lower half shows a bias. Small intervals use 32 bits.
    """
    whole = np.int32 if bits == 32 else np.int64
    narrow, wide = _integers_below(32, whole, few), _integers_below(64, whole, few)

    @kernel_function(polls=True)
    def fill(out, key0, key1, counter, low, high):
        if not low < high:
            raise ValueError
        base = U64(np.int64(low))
        last = U64(np.int64(high)) - U64(1) - base
        if last == U64(0):
            out[:] = low
        elif last <= U64(0xFFFFFFFF):
            narrow(out, key0, key1, counter, base, last)
        else:
            wide(out, key0, key1, counter, base, last)

    return fill


def _integers_below(bits: int, whole, few: bool):
    """`fill(out, key0, key1, counter, base, last)`: integers from 0 to `last`, plus `base`."""
    blocks, step = _blocks(few)
    word, count = words_of(bits, few)
    low_half = U64(0xFFFFFFFF)

    @kernel_function(inline=True)
    def scaled32(drawn, size):
        product = U64(drawn) * size
        return product >> U64(32), product & low_half

    @kernel_function(inline=True)
    def scaled64(drawn, size):
        """An interval of 2 ** 64 integers has a size of 0 here: every draw counts."""
        upper = drawn if size == U64(0) else high_product(drawn, size)
        return upper, drawn * size

    scaled = scaled32 if bits == 32 else scaled64
    span = U64((1 << bits) % 2**64)

    @kernel_function(polls=True)
    def fill(out, key0, key1, counter, base, last):
        size = last + U64(1)
        unfair = U64(0) if size == U64(0) else (span - size) % size
        words, block, made = np.empty(count, word), U64(1), 0
        while made < out.size:
            blocks(words, step, key0, key1, block, counter)
            block += U64(step)
            left, rejects = min(out.size - made, count), False
            for index in range(left):
                upper, lower = scaled(words[index], size)
                rejects |= lower < unfair
                out[made + index] = whole(np.int64(base + upper))
            if not rejects:
                made += left
                continue
            for index in range(count):
                upper, lower = scaled(words[index], size)
                if lower >= unfair and made < out.size:
                    out[made] = whole(np.int64(base + upper))
                    made += 1

    return fill


def _normal_fill(bits: int, real, few: bool, at: Callable):
    start, normal = generator_of(few)[0], normal_of(bits, few)
    word, count = words_of(bits, few)

    @kernel_function(polls=True)
    def fill(out, key0, key1, counter, mean, deviation):
        state, words = np.empty(STATE, U64), np.empty(count, word)
        start(state, words, key0, key1, counter)
        for index in range(out.size):
            drawn = real(normal(state, words) * at(deviation, index))
            out[index] = real(drawn + at(mean, index))

    return fill


def _truncated_fill(real, few: bool, at: Callable):
    """Normal numbers. Those that are too far from the mean are drawn again, in their order."""
    start, normal = generator_of(few)[0], normal_of(64, few)
    word, count = words_of(64, few)

    @kernel_function(polls=True)
    def fill(out, key0, key1, counter, mean, deviation):
        state, words = np.empty(STATE, U64), np.empty(count, word)
        start(state, words, key0, key1, counter)
        drawn, places = np.empty(out.size), np.empty(out.size, np.int64)
        left = 0
        for index in range(out.size):
            drawn[index] = normal(state, words)
            places[left] = index
            left += abs(drawn[index]) > 2
        while left:
            again = left
            left = 0
            for index in range(again):
                place = places[index]
                drawn[place] = normal(state, words)
                places[left] = place
                left += abs(drawn[place]) > 2
        for index in range(out.size):
            out[index] = real(drawn[index] * at(deviation, index) + at(mean, index))

    return fill
