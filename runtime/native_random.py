"""Random numbers in native code: the streams of NumPy's Philox generator, bit for bit.

Sources: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011, for the generator;
Lemire, "Fast random integer generation in an interval", 2019, for integers; Marsaglia and Tsang,
"The ziggurat method for generating random variables", 2000, for the normal distribution, with
NumPy's tables, which Numba brings along.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from .graph import Node
from .loop_nests import NotNativeError
from .shapes import size_of

if TYPE_CHECKING:
    from .loop_nests import NestWriter

U32, U64 = np.uint32, np.uint64
MULTIPLIERS = U64(0xD2E7470EE14C6C93), U64(0xCA5A826395121157)
WEYL = U64(0x9E3779B97F4A7C15), U64(0xBB67AE8584CAA73B)
LANES = 64  # blocks that are computed side by side, with vectors
GROUP = {4: 8 * LANES, 8: 4 * LANES}  # numbers that they give, by the size of one
UNIFORM = 0.95  # nanoseconds for a uniform number, as measured


def draw(writer: NestWriter, node: Node, depth: int) -> None:
    """The call that draws the numbers of the stream that a seed, or a place in one, stands for."""
    _, key, *parameters = node.inputs
    made, kind = node.output, node.attrs["kind"]
    plain = not any(value.shape for value in parameters) and made.shape
    if made.dtype.name not in ("float32", "float64", "int32", "int64") or not plain:
        raise NotNativeError(f"random.{kind} of this type or shape", node.where)
    words = [f"np.uint64({writer.read(key)}[{place}])" for place in range(key.shape[0])]
    words += ["np.uint64(0)"] * (3 - len(words))
    numbers = ", ".join([*words, *map(writer.read, parameters)])
    name, size = writer.buffer(made, depth), size_of(made.shape)
    call = (
        f"draw_{kind}_{made.dtype.numpy_dtype.kind}{made.dtype.size * 8}({name}.reshape({size}), "
    )
    if kind != "uniform" or made.dtype.is_integer:  # these take as many words as it happens
        writer.line(depth, f"{call}{numbers})")
        return

    def write(at: int, first: str, count: str) -> None:
        writer.line(at, f"{call}{first}, {count}, {numbers})")

    given = {writer.read(value): value for value in (made, key, *parameters)}
    values = {word: value for word, value in given.items() if word.isidentifier()}
    writer.spread(values, -(-size // GROUP[made.dtype.size]), size * UNIFORM, write, depth)


@functools.cache
def functions() -> dict[str, Callable]:
    """`draw_KIND_TYPE(out, key0, key1, counter, first, second)` for each kind and type.

    Uniform ones take after `out` which groups of it are wanted, from one on, and how many.
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
    """`start(key0, key1, counter)` gives the state; `next64`, `next32` take words from it; `block`
    gives the four words of one counter.

    The state is an array of words: the key, the counter, the block of four words that it gives, how
    many of them are used, and the half of a word that is left.
    """
    from numba import njit, types
    from numba.extending import intrinsic

    @intrinsic
    def high_product(context, a, b):
        def write(context, builder, signature, words):
            wide = builder.mul(*(builder.zext(word, _i128()) for word in words))
            return builder.trunc(builder.lshr(wide, wide.type(64)), words[0].type)

        return types.uint64(types.uint64, types.uint64), write

    m0, m1 = MULTIPLIERS
    w0, w1 = WEYL

    @njit
    def start(key0, key1, counter):
        state = np.zeros(12, np.uint64)
        state[0], state[1], state[5] = key0, key1, counter
        state[10] = U64(4)
        return state

    @njit
    def block(k0, k1, a, d):
        b = c = U64(0)
        for turn in range(10):
            if turn:
                k0 += w0
                k1 += w1
            high0, high1 = high_product(m0, a), high_product(m1, c)
            a, b, c, d = high1 ^ b ^ k0, m1 * c, high0 ^ d ^ k1, m0 * a
        return a, b, c, d

    @njit
    def fill(state):
        state[2] += U64(1)  # nobody draws 2**64 blocks: the next word of the counter stays 0
        state[6], state[7], state[8], state[9] = block(state[0], state[1], state[2], state[5])

    @njit
    def next64(state):
        place = state[10]
        if place == U64(4):
            fill(state)
            place = U64(0)
        state[10] = place + U64(1)
        return state[6 + np.int64(place)]

    @njit
    def next32(state):
        if state[11] != U64(0):  # bit 32 says that a half is there
            half = U32(state[11] & U64(0xFFFFFFFF))
            state[11] = U64(0)
            return half
        word = next64(state)
        state[11] = (word >> U64(32)) | U64(0x100000000)
        return U32(word & U64(0xFFFFFFFF))

    return start, next64, next32, block, high_product


def _i128():
    from llvmlite import ir

    return ir.IntType(128)


def _unit(generator, bits: int):
    """Uniform numbers from 0 to 1."""
    from numba import njit

    _, next64, next32, *_ = generator
    if bits == 32:
        return njit(lambda state: np.float32(next32(state) >> U32(8)) * np.float32(2.0**-24))
    return njit(lambda state: np.float64(next64(state) >> U64(11)) * 2.0**-53)


def _normal(generator, unit, bits: int):
    """Standard normal numbers."""
    from numba import njit
    from numba.np.random import _constants as tables

    _, next64, next32, *_ = generator
    real = np.float32 if bits == 32 else np.float64
    kind = "float" if bits == 32 else "double"
    limits, widths, heights = (getattr(tables, f"{name}_{kind}") for name in ("ki", "wi", "fi"))
    end = real(tables.ziggurat_nor_r)
    rate = real(tables.ziggurat_nor_inv_r)
    half = real(0.5)

    @njit
    def word32(state):
        word = next32(state)
        return word & U32(255), (word >> U32(8)) & U32(1), (word >> U32(9)) & U32(0x7FFFFF)

    @njit
    def word64(state):
        word = next64(state)
        rest = word >> U64(8)
        return word & U64(255), rest & U64(1), (rest >> U64(1)) & U64(0xFFFFFFFFFFFFF)

    split = word32 if bits == 32 else word64

    @njit
    def tail(state, size):
        while True:
            x = -rate * real(np.log1p(-unit(state)))
            y = -real(np.log1p(-unit(state)))
            if y + y > x * x:
                return -(end + x) if (np.int64(size) >> 8) & 1 else end + x

    @njit
    def normal(state):
        while True:
            row, sign, size = split(state)
            place = np.int64(row)
            x = real(size) * widths[place]
            x = -x if sign else x
            if size < limits[place]:
                return x
            if place == 0:
                return tail(state, size)
            step = heights[place - 1] - heights[place]
            if step * unit(state) + heights[place] < real(np.exp(-half * x * x)):
                return x

    return normal


def _blocks_side_by_side():
    """`blocks(words, key0, key1, first, counter)` fills the four rows of `words` with the words of
    as many blocks, from the block `first` on.
    """
    from numba import njit

    low, half = U64(0xFFFFFFFF), U64(32)
    m0, m1 = MULTIPLIERS
    w0, w1 = WEYL

    @njit(inline="always")
    def high_product(a, b):
        """The upper half of a product, from products of halves: vectors have no wider ones."""
        a0, a1, b0, b1 = a & low, a >> half, b & low, b >> half
        across = a0 * b1
        middle = ((a0 * b0) >> half) + (across & low) + a1 * b0
        return a1 * b1 + (across >> half) + (middle >> half)

    @njit
    def blocks(words, key0, key1, first, counter):
        a, b, c, d = words[0], words[1], words[2], words[3]
        for lane in range(LANES):
            a[lane], b[lane], c[lane], d[lane] = first + U64(lane), U64(0), U64(0), counter
        for _ in range(10):
            for lane in range(LANES):
                high0, high1 = high_product(m0, a[lane]), high_product(m1, c[lane])
                low0, low1 = m0 * a[lane], m1 * c[lane]
                a[lane] = high1 ^ b[lane] ^ key0
                c[lane] = high0 ^ d[lane] ^ key1
                b[lane], d[lane] = low1, low0
            key0 += w0
            key1 += w1

    return blocks


def _uniform_fill(block, real):
    """Straight from the blocks: many side by side, and the rest one after the other.

    Of the numbers, `groups` times as many as GROUP says are drawn, from the group `begin` on.
    """
    from numba import njit

    blocks = _blocks_side_by_side()
    per_word = 8 // np.dtype(real).itemsize
    count = 4 * per_word  # numbers in a block

    @njit(inline="always")
    def unit32(word, place):
        number = (word >> U64(32 * (place & 1) + 8)) & U64(0xFFFFFF)
        return np.float32(number) * np.float32(2.0**-24)

    @njit(inline="always")
    def unit64(word, place):
        return np.float64(word >> U64(11)) * 2.0**-53

    unit = unit32 if real is np.float32 else unit64

    @njit
    def fill(out, begin, groups, key0, key1, counter, low, high):
        width, last, up = real(high - low), real(np.nextafter(high, low)), low < high
        words = np.empty((4, LANES), np.uint64)
        start = U64(begin * LANES + 1)
        # Indices that count from 0 need no check for negative ones, which would cost half the time.
        made = out[begin * LANES * count : (begin + groups) * LANES * count]
        whole = made.size - made.size % (LANES * count)
        for first in range(0, whole, LANES * count):
            blocks(words, key0, key1, start + U64(first // count), counter)
            for lane in range(LANES):
                for place in range(count):
                    word = words[place // per_word, lane]
                    drawn = real(real(unit(word, place) * width) + low)
                    beyond = drawn >= high if up else drawn <= high
                    made[first + lane * count + place] = last if beyond else drawn
        for first in range(whole, made.size, count):
            few = block(key0, key1, start + U64(first // count), counter)
            for place in range(min(count, made.size - first)):
                drawn = real(real(unit(few[place // per_word], place) * width) + low)
                made[first + place] = last if (drawn >= high if up else drawn <= high) else drawn

    return fill


def _integer_fill(generator, bits: int):
    """Integers of an interval: the upper half of a word times the size of the interval, unless the
    lower half says that this would prefer some of them. Small intervals take words of 32 bits.
    """
    from numba import njit

    start, next64, next32, _, high_product = generator
    whole = np.int32 if bits == 32 else np.int64
    most32, most64 = U64(0xFFFFFFFF), U64(0xFFFFFFFFFFFFFFFF)

    @njit
    def below32(state, size):
        product = U64(next32(state)) * size
        if (product & most32) < size:
            unfair = (U64(1 << 32) - size) % size
            while (product & most32) < unfair:
                product = U64(next32(state)) * size
        return product >> U64(32)

    @njit
    def below64(state, size):
        word = next64(state)
        if word * size < size:
            unfair = (U64(0) - size) % size
            while word * size < unfair:
                word = next64(state)
        return high_product(word, size)

    @njit
    def fill(out, key0, key1, counter, low, high):
        if not low < high:
            raise ValueError
        state = start(key0, key1, counter)
        base = U64(np.int64(low))
        last = U64(np.int64(high)) - U64(1) - base
        for place in range(out.size):
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
            out[place] = whole(np.int64(base + drawn))

    return fill


def _normal_fill(generator, normal, real):
    from numba import njit

    start = generator[0]

    @njit
    def fill(out, key0, key1, counter, mean, deviation):
        state = start(key0, key1, counter)
        for place in range(out.size):
            out[place] = real(real(normal(state) * deviation) + mean)

    return fill


def _truncated_fill(generator, normal, real):
    from numba import njit

    start = generator[0]

    @njit
    def fill(out, key0, key1, counter, mean, deviation):
        state = start(key0, key1, counter)
        drawn = np.empty(out.size)
        for place in range(out.size):
            drawn[place] = normal(state)
        again = True
        while again:
            again = False
            for place in range(out.size):
                again |= abs(drawn[place]) > 2
            if again:
                for place in range(out.size):
                    fresh = normal(state)
                    if abs(drawn[place]) > 2:
                        drawn[place] = fresh
        for place in range(out.size):
            out[place] = real(drawn[place] * deviation + mean)

    return fill
