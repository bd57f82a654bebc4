"""Blocks of the Philox generator: the four integers of a key and a counter.

Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011. A block takes ten rounds
of two products of 64 bits. Vectors have no such products and build them from smaller ones. But a
processor multiplies in vectors and in plain registers at the same time: a step computes vectors of
blocks and, between their rounds, single blocks in plain registers. There are just so many of these
that neither their latency nor their instructions delay the vectors. The first two rounds take one
product each from a block: their other products are the same for all blocks.

Kernels share this function, which is compiled once (see `written`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ...jit import supported_functions
from ...jit.cpu import has
from ...jit.kernel_types import INT64
from ...jit.llvm_types import integer_type, vector_type
from ...jit.llvm_values import Number, target_instruction
from ...jit.loader.symbols import SHARED
from ...jit.loop_hints import intrinsic, kernel_function
from ...jit.translate import Module
from ..library_functions import caller_of, define
from .philox_parameters import (
    BEGUN,
    MULTIPLIERS,
    ROUNDS,
    SINGLES,
    VECTORS,
    WEYL,
    WORDS,
    step_blocks,
    vector_blocks,
)

if TYPE_CHECKING:
    from ...jit.values import Array

U32, U64 = np.uint32, np.uint64
LOW, HALF = 0xFFFFFFFF, 32
_add_low = target_instruction("llvm.x86.avx512.vpmadd52l.uq.512")
_add_high = target_instruction("llvm.x86.avx512.vpmadd52h.uq.512")
SYMBOL, PARAMETERS = f"{SHARED}philox.blocks", 6  # the parameters are integers
_call = caller_of(SYMBOL)
array_at = intrinsic(supported_functions.array_at)


@kernel_function(inline=True)
def philox_blocks(words, count, key0, key1, first, counter):
    """At least `count` blocks, from the block `first` on, as many whole steps as that takes.

    `words` has space for them: four integers of 64 bits each, or eight of 32 bits.
    """
    _call(words.ctypes.data, count, (key0, key1), (first, counter))


@kernel_function
def philox_block(words, count, key0, key1, first, counter):
    """The same for the block `first` alone, for draws of a few numbers."""
    whole = array_at(words.ctypes.data, WORDS, np.uint64)
    a, b, c, d = first, U64(0), U64(0), counter
    for _ in range(ROUNDS):
        upper, lower = high_product(a, MULTIPLIERS[0]), a * MULTIPLIERS[0]
        high, low = high_product(c, MULTIPLIERS[1]), c * MULTIPLIERS[1]
        a, b, c, d = high ^ b ^ key0, low, upper ^ d ^ key1, lower
        key0 += WEYL[0]
        key1 += WEYL[1]
    whole[0], whole[1], whole[2], whole[3] = a, b, c, d


@intrinsic
def high_product(writer, a, b):
    """The upper 64 bits of a product of 64-bit integers."""
    builder, wide = writer.builder, integer_type(128)
    a, b = map(writer.number, (a, b))
    product = builder.mul(builder.zext(a.value, wide), builder.zext(b.value, wide))
    return a.with_value(builder.trunc(builder.lshr(product, wide(64)), a.type))


# ---- the library that kernels share ----------------------------------------------------------


def written() -> str:
    """The library, in LLVM's assembly language."""
    module = Module("philox")
    define(module, SYMBOL, _blocks(), (INT64,) * PARAMETERS, PARAMETERS)
    return str(module.ir)


def _blocks() -> Callable:
    step, in_vectors = step_blocks(), VECTORS * vector_blocks()
    weyl0, weyl1 = WEYL

    @kernel_function(vectors=False, unrolled=False)
    def blocks(address, count, low_key, high_key, begin, stream):
        words = array_at(address, (count + step) * WORDS, np.uint64)
        key0, key1, first, counter = U64(low_key), U64(high_key), U64(begin), U64(stream)
        keys = np.empty((ROUNDS, 2), np.uint64)
        for index in range(ROUNDS):
            keys[index, 0], keys[index, 1] = key0, key1
            key0 += weyl0
            key1 += weyl1
        shared = _shared(keys[0, 0], keys[0, 1] ^ counter, keys[1, 0], keys[1, 1])
        for at in range(0, count, step):
            vectors = _vectors(first + U64(at), shared)
            for index in range(SINGLES):
                start = at + in_vectors + index
                single = _single(first + U64(start), shared)
                vectors = _rounds(vectors, single, keys, index, words, start)
            _store(words, at, vectors)

    return blocks


@intrinsic
def _shared(writer, a: Number, c: Number, key0: Number, key1: Number) -> tuple[Number, ...]:
    """What the first two rounds take from the key and the counter: the same for all blocks.

    The two inner integers of a counter are zero. So the first round multiplies zero, and the second
    one a key.
    """
    high, low = _product(MULTIPLIERS[0], a)
    return c, key0, key1 ^ high, low


@intrinsic
def _vectors(writer, first: Number, shared: tuple) -> tuple[Number, ...]:
    """All vectors of a step after two rounds. The blocks begin with `first`."""
    length, vectors = vector_blocks(), []
    type_ = vector_type(first.type, length)
    for start in range(0, VECTORS * length, length):
        numbers = first.with_value(type_(list(range(start, start + length)))) + first
        vectors += _begun(numbers, shared)
    return tuple(vectors)


@intrinsic
def _single(writer, number: Number, shared: tuple) -> tuple[Number, ...]:
    """A single block after two rounds."""
    return tuple(_begun(number, shared))


def _begun(number: Number, shared: tuple) -> list[Number]:
    """The state of a block, or of a vector of blocks, after two rounds."""
    product = _product_in_vectors if number.length else _product
    in_first, in_second, across, last = (word.spread(number.length) for word in shared)
    high, low = product(MULTIPLIERS[0], number)
    upper, lower = product(MULTIPLIERS[1], high ^ in_first)
    return [upper ^ in_second, lower, low ^ across, last]


@intrinsic
def _rounds(
    writer, vectors: tuple, single: tuple, keys: Array, index, words: Array, start
) -> tuple[Number, ...]:
    """The vectors after their next round. Meanwhile a single block is computed and stored."""
    builder, word = writer.builder, integer_type(64)
    whole = builder.bitcast(keys.data, word.as_pointer())

    def key(number) -> list[Number]:
        at = builder.mul(number, word(2))
        halves = (builder.gep(whole, [builder.add(at, word(half))]) for half in (0, 1))
        return [vectors[0].with_value(builder.load(half)) for half in halves]

    vectors = _round(vectors, *key(builder.add(writer.int64(index), word(BEGUN))))
    for number in range(BEGUN, ROUNDS):
        single = _round(single, *key(word(number)))
    _store(writer, words, start, single)
    return vectors


def _round(states: tuple, key0: Number, key1: Number) -> tuple[Number, ...]:
    """One round of each state of four integers, or of four vectors."""
    rounded: list[Number] = []
    for at in range(0, len(states), 4):
        a, b, c, d = states[at : at + 4]
        product = _product_in_vectors if a.length else _product
        (high0, low0), (high1, low1) = product(MULTIPLIERS[0], a), product(MULTIPLIERS[1], c)
        rounded += [high1 ^ b ^ key0, low1, high0 ^ d ^ key1, low0]
    return tuple(rounded)


def _product(constant: np.uint64, x: Number) -> tuple[Number, Number]:
    """The upper and the lower half of a product."""
    wide = integer_type(128)
    product = x.builder.mul(x.builder.zext(x.value, wide), wide(int(constant)))
    high = x.builder.trunc(x.builder.lshr(product, wide(64)), x.type)
    return x.with_value(high), x.with_value(x.builder.trunc(product, x.type))


def _product_in_vectors(constant: np.uint64, x: Number) -> tuple[Number, Number]:
    """The same from smaller products."""
    if x.length == 8 and has("avx512ifma"):
        return _product_of_52_bits(int(constant), x)
    low, high = int(constant) & LOW, int(constant) >> HALF
    x_low, x_high = x & LOW, x >> HALF
    first = x_low * low
    middle = x_high * low + (first >> HALF)
    across = x_low * high + (middle & LOW)
    upper = x_high * high + (middle >> HALF) + (across >> HALF)
    return upper, (across << HALF) | (first & LOW)


def _product_of_52_bits(constant: int, x: Number) -> tuple[Number, Number]:
    """The same with instructions that add the upper half of a product of the lower 52 bits.

    The constant is `low` + 2 ** 52 `high`. The sum `middle` is (x * low >> 52) + (x % 2 ** 12) *
    high, which has 64 bits: 2 ** 52 - `low` is large enough.
    """
    high, low = constant >> 52, x.like(constant % (1 << 52))
    middle = _add_high(_add_high((x >> 52) * low, x, low), x << 40, x.like(high << 12))
    return (x >> 12) * high + (middle >> 12), x * constant


@intrinsic
def _store(writer, words: Array, at, states: tuple) -> None:
    """Write the integers of the blocks from `at` on, those of each block together."""
    builder, type_ = writer.builder, integer_type(64)
    start = builder.bitcast(words.data, type_.as_pointer())
    start = builder.gep(start, [builder.mul(writer.int64(at), type_(4))], inbounds=True)
    length = states[0].length or 1
    for index in range(0, len(states), 4):
        values = [number.value for number in states[index : index + 4]]
        place = builder.gep(start, [type_(index * length)], inbounds=True)
        if length == 1:
            for offset, value in enumerate(values):
                builder.store(value, builder.gep(place, [type_(offset)], inbounds=True))
            continue
        for half in (0, 1):
            whole = _half_of_blocks(builder, values, half)
            to = builder.gep(place, [type_(half * 2 * length)], inbounds=True)
            builder.store(whole, builder.bitcast(to, whole.type.as_pointer())).align = 8


def _half_of_blocks(builder, values: list, half: int):
    """Four vectors, each with an integer of every block, as blocks: the first half or the second.

    Each step takes the elements of two vectors, for which processors have one instruction.
    """
    length = values[0].type.count
    begin = half * length // 2
    order = [at + lane for at in range(begin, begin + length // 2) for lane in (0, length)]
    first, second, third, fourth = values
    pairs = _shuffled(builder, first, second, order), _shuffled(builder, third, fourth, order)
    across = (0, 1, length, length + 1)
    order = [at + lane for at in range(0, length, 2) for lane in across]
    return _shuffled(builder, *pairs, order)


def _shuffled(builder, x, y, order: list[int]):
    """The elements of two vectors, in this order."""
    return builder.shuffle_vector(x, y, vector_type(integer_type(32), len(order))(order))


# ---- uniform numbers -----------------------------------------------------------------------------


@kernel_function(inline=True)
def unit32(word):
    """A uniform number from 0 to 1."""
    return np.float32(np.int32(word >> U32(8))) * np.float32(2.0**-24)


@kernel_function(inline=True)
def unit64(word):
    return np.float64(word >> U64(11)) * 2.0**-53
