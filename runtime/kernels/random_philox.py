"""Random numbers in kernels: the streams of NumPy's Philox generator.

Sources: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011, for the generator;
Lemire, "Fast random integer generation in an interval", 2019, for integers; Marsaglia and Tsang,
"The ziggurat method for generating random variables", 2000, for the normal distribution, with
the numbers of NumPy's tables.
"""

from __future__ import annotations

import functools
import pathlib
from collections.abc import Callable

import numpy as np

from ..jit.loop_hints import intrinsic, kernel_function

U32, U64 = np.uint32, np.uint64
MULTIPLIERS = U64(0xD2E7470EE14C6C93), U64(0xCA5A826395121157)
WEYL = U64(0x9E3779B97F4A7C15), U64(0xBB67AE8584CAA73B)
SIDE_BY_SIDE = 64  # blocks that are computed at once, with vectors
GROUP = {4: 8 * SIDE_BY_SIDE, 8: 4 * SIDE_BY_SIDE}  # numbers in them, by the size of one
STATE = 12  # integers of 64 bits
END = 3.6541528853610088  # the beginning of the tail of the normal distribution


@functools.cache
def functions() -> dict[str, Callable]:
    """`draw_DISTRIBUTION_TYPE(out, key0, key1, counter, first, second)`.

    For uniform numbers, the first group of `out` and the number of groups follow after `out`.
    """
    generator = _generator()
    table = {}
    for bits, real in ((32, np.float32), (64, np.float64)):
        unit = _unit(generator, bits)
        normal = _normal(generator, unit, bits)
        wide = normal if bits == 64 else _normal(generator, _unit(generator, 64), 64)
        table[f"draw_uniform_f{bits}"] = _uniform_fill(generator[3], real)
        table[f"draw_normal_f{bits}"] = _normal_fill(generator, normal, real)
        table[f"draw_truncated_normal_f{bits}"] = _truncated_fill(generator, wide, real)
        table[f"draw_uniform_i{bits}"] = _integer_fill(generator, bits)
    return table


def _generator():
    """`start(state, key0, key1, counter)` initializes a state, `next64` and `next32` draw integers
    from it, and `block` computes the four integers of one counter.

    The state is an array of 64-bit integers: the key, the counter, the current block of four, the
    number of them that are used, and the unused half of the last one.
    """
    m0, m1 = MULTIPLIERS
    w0, w1 = WEYL

    @kernel_function
    def start(state, key0, key1, counter):
        state[:] = U64(0)
        state[0], state[1], state[5] = key0, key1, counter
        state[10] = U64(4)

    @kernel_function
    def block(k0, k1, a, d):
        b = c = U64(0)
        for round in range(10):
            if round:
                k0 += w0
                k1 += w1
            high0, high1 = high_product(m0, a), high_product(m1, c)
            a, b, c, d = high1 ^ b ^ k0, m1 * c, high0 ^ d ^ k1, m0 * a
        return a, b, c, d

    @kernel_function
    def fill(state):
        state[2] += U64(1)  # fewer than 2**64 blocks are drawn: the next word stays 0
        state[6], state[7], state[8], state[9] = block(state[0], state[1], state[2], state[5])

    @kernel_function
    def next64(state):
        index = state[10]
        if index == U64(4):
            fill(state)
            index = U64(0)
        state[10] = index + U64(1)
        return state[6 + np.int64(index)]

    @kernel_function
    def next32(state):
        if state[11] != U64(0):  # bit 32 marks a half that is left
            half = U32(state[11] & U64(0xFFFFFFFF))
            state[11] = U64(0)
            return half
        word = next64(state)
        state[11] = (word >> U64(32)) | U64(0x100000000)
        return U32(word & U64(0xFFFFFFFF))

    return start, next64, next32, block


@intrinsic
def high_product(writer, a, b):
    """The upper 64 bits of a product of 64-bit integers."""
    from llvmlite import ir

    builder, wide = writer.builder, ir.IntType(128)
    a, b = map(writer.number, (a, b))
    product = builder.mul(builder.zext(a.value, wide), builder.zext(b.value, wide))
    return a.with_value(builder.trunc(builder.lshr(product, wide(64)), a.type))


@functools.cache
def _tables(bits: int) -> tuple[np.ndarray, ...]:
    """For each layer of the ziggurat: the limit below which a draw is inside, the width of a unit,
    and the height of the curve. Draws of float32 have 23 bits instead of 52.
    """
    path = pathlib.Path(__file__).with_name("ziggurat.npy")
    limits, widths, heights = np.load(path)
    widths, heights = widths.view(np.float64), heights.view(np.float64)
    if bits == 64:
        return limits, widths, heights
    narrow = np.rint(limits * 2.0**-29).astype(np.uint32)
    return narrow, (widths * 2.0**29).astype(np.float32), heights.astype(np.float32)


def _unit(generator, bits: int):
    """Uniform numbers from 0 to 1."""
    _, next64, next32, _ = generator

    @kernel_function
    def unit32(state):
        return np.float32(next32(state) >> U32(8)) * np.float32(2.0**-24)

    @kernel_function
    def unit64(state):
        return np.float64(next64(state) >> U64(11)) * 2.0**-53

    return unit32 if bits == 32 else unit64


def _normal(generator, unit, bits: int):
    """Standard normal numbers."""
    _, next64, next32, _ = generator
    real = np.float32 if bits == 32 else np.float64
    limits, widths, heights = _tables(bits)
    end, rate = real(END), real(1 / END)
    half = real(0.5)

    @kernel_function
    def word32(state):
        word = next32(state)
        return word & U32(255), (word >> U32(8)) & U32(1), (word >> U32(9)) & U32(0x7FFFFF)

    @kernel_function
    def word64(state):
        word = next64(state)
        rest = word >> U64(8)
        return word & U64(255), rest & U64(1), (rest >> U64(1)) & U64(0xFFFFFFFFFFFFF)

    split = word32 if bits == 32 else word64

    @kernel_function
    def tail(state, size):
        while True:
            x = -rate * real(np.log1p(-unit(state)))
            y = -real(np.log1p(-unit(state)))
            if y + y > x * x:
                return -(end + x) if (np.int64(size) >> 8) & 1 else end + x

    @kernel_function
    def normal(state):
        while True:
            row, sign, size = split(state)
            index = np.int64(row)
            x = real(size) * widths[index]
            x = -x if sign else x
            if size < limits[index]:
                return x
            if index == 0:
                return tail(state, size)
            step = heights[index - 1] - heights[index]
            if step * unit(state) + heights[index] < real(np.exp(-half * x * x)):
                return x

    return normal


def _blocks_side_by_side():
    """`blocks(words, key0, key1, first, counter)` computes SIDE_BY_SIDE blocks from the block
    `first` on. The four rows of `words` are their four integers.
    """
    low, half = U64(0xFFFFFFFF), U64(32)
    m0, m1 = MULTIPLIERS
    w0, w1 = WEYL

    @kernel_function(inline=True)
    def high_product(a, b):
        """The upper half of a product from products of halves, which vectors can compute."""
        a0, a1, b0, b1 = a & low, a >> half, b & low, b >> half
        across = a0 * b1
        middle = ((a0 * b0) >> half) + (across & low) + a1 * b0
        return a1 * b1 + (across >> half) + (middle >> half)

    @kernel_function
    def blocks(words, key0, key1, first, counter):
        a, b, c, d = words[0], words[1], words[2], words[3]
        for lane in range(SIDE_BY_SIDE):
            a[lane], b[lane], c[lane], d[lane] = first + U64(lane), U64(0), U64(0), counter
        for _ in range(10):
            for lane in range(SIDE_BY_SIDE):
                high0, high1 = high_product(m0, a[lane]), high_product(m1, c[lane])
                low0, low1 = m0 * a[lane], m1 * c[lane]
                a[lane] = high1 ^ b[lane] ^ key0
                c[lane] = high0 ^ d[lane] ^ key1
                b[lane], d[lane] = low1, low0
            key0 += w0
            key1 += w1

    return blocks


def _uniform_fill(block, real):
    """Uniform numbers from many blocks at once. The remainder is drawn block by block.

    `groups` groups of GROUP numbers are drawn, from the group `begin` on.
    """
    blocks = _blocks_side_by_side()
    per_word = 8 // np.dtype(real).itemsize
    count = 4 * per_word  # numbers in a block

    @kernel_function(inline=True)
    def unit32(word, index):
        number = (word >> U64(32 * (index & 1) + 8)) & U64(0xFFFFFF)
        return np.float32(number) * np.float32(2.0**-24)

    @kernel_function(inline=True)
    def unit64(word, index):
        return np.float64(word >> U64(11)) * 2.0**-53

    unit = unit32 if real is np.float32 else unit64

    @kernel_function(polls=True)
    def fill(out, begin, groups, key0, key1, counter, low, high):
        width, last, up = real(high - low), real(np.nextafter(high, low)), low < high
        words, few = np.empty((4, SIDE_BY_SIDE), np.uint64), np.empty(4, np.uint64)
        start = U64(begin * SIDE_BY_SIDE + 1)
        made = out[begin * SIDE_BY_SIDE * count : (begin + groups) * SIDE_BY_SIDE * count]
        whole = made.size - made.size % (SIDE_BY_SIDE * count)
        for first in range(0, whole, SIDE_BY_SIDE * count):
            blocks(words, key0, key1, start + U64(first // count), counter)
            for lane in range(SIDE_BY_SIDE):
                for index in range(count):
                    word = words[index // per_word, lane]
                    drawn = real(real(unit(word, index) * width) + low)
                    beyond = drawn >= high if up else drawn <= high
                    made[first + lane * count + index] = last if beyond else drawn
        for first in range(whole, made.size, count):
            few[0], few[1], few[2], few[3] = block(key0, key1, start + U64(first // count), counter)
            for index in range(min(count, made.size - first)):
                drawn = real(real(unit(few[index // per_word], index) * width) + low)
                made[first + index] = last if (drawn >= high if up else drawn <= high) else drawn

    return fill


def _integer_fill(generator, bits: int):
    """Integers of an interval: the upper half of a random integer times the size of the interval.
    A draw is rejected where the lower half shows a bias. Small intervals use 32 bits.
    """
    start, next64, next32, _ = generator
    whole = np.int32 if bits == 32 else np.int64
    most32, most64 = U64(0xFFFFFFFF), U64(0xFFFFFFFFFFFFFFFF)

    @kernel_function
    def below32(state, size):
        product = U64(next32(state)) * size
        if (product & most32) < size:
            unfair = (U64(1 << 32) - size) % size
            while (product & most32) < unfair:
                product = U64(next32(state)) * size
        return product >> U64(32)

    @kernel_function
    def below64(state, size):
        word = next64(state)
        if word * size < size:
            unfair = (U64(0) - size) % size
            while word * size < unfair:
                word = next64(state)
        return high_product(word, size)

    @kernel_function(polls=True)
    def fill(out, key0, key1, counter, low, high):
        if not low < high:
            raise ValueError
        state = np.empty(STATE, np.uint64)
        start(state, key0, key1, counter)
        base = U64(np.int64(low))
        last = U64(np.int64(high)) - U64(1) - base
        for index in range(out.size):
            if last == U64(0):
                drawn = U64(0)
            elif last == most32:
                drawn = U64(next32(state))
            elif last < most32:
                drawn = below32(state, last + U64(1))
            elif last == most64:
                drawn = next64(state)
            else:
                drawn = below64(state, last + U64(1))
            out[index] = whole(np.int64(base + drawn))

    return fill


def _normal_fill(generator, normal, real):
    start = generator[0]

    @kernel_function(polls=True)
    def fill(out, key0, key1, counter, mean, deviation):
        state = np.empty(STATE, np.uint64)
        start(state, key0, key1, counter)
        for index in range(out.size):
            out[index] = real(real(normal(state) * deviation) + mean)

    return fill


def _truncated_fill(generator, normal, real):
    start = generator[0]

    @kernel_function(polls=True)
    def fill(out, key0, key1, counter, mean, deviation):
        state = np.empty(STATE, np.uint64)
        start(state, key0, key1, counter)
        drawn = np.empty(out.size)
        for index in range(out.size):
            drawn[index] = normal(state)
        again = True
        while again:
            again = False
            for index in range(out.size):
                again |= abs(drawn[index]) > 2
            if again:
                for index in range(out.size):
                    fresh = normal(state)
                    if abs(drawn[index]) > 2:
                        drawn[index] = fresh
        for index in range(out.size):
            out[index] = real(drawn[index] * deviation + mean)

    return fill
