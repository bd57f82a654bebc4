"""Blocks of the Philox generator: the four integers of a key and a counter.

Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011. A block takes ten rounds
of two products of 64 bits. Vectors have no such products and build them from four of 32 bits, which
is nearly as slow as one block after another. But a processor multiplies in vectors and in plain
registers at the same time: a step computes some blocks in vectors and, between their rounds, some
more in plain registers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ..jit.cpu import vector_registers
from ..jit.llvm_types import integer_type, vector_type
from ..jit.llvm_values import Number
from ..jit.loop_hints import intrinsic, kernel_function

if TYPE_CHECKING:
    from ..jit.values import Array

U64 = np.uint64
MULTIPLIERS = U64(0xD2E7470EE14C6C93), U64(0xCA5A826395121157)
WEYL = U64(0x9E3779B97F4A7C15), U64(0xBB67AE8584CAA73B)
ROUNDS = 10
LOW, HALF = 0xFFFFFFFF, 32


def vector_blocks() -> int:
    """The blocks of a vector."""
    return vector_registers()[0] // 8


def step_blocks() -> int:
    """The blocks of a step: two vectors and four in plain registers; 8, 12 or 20."""
    return 2 * vector_blocks() + 4


@intrinsic
def philox_blocks(writer, words: Array, count, key0, key1, first, counter) -> None:
    """At least `count` blocks, from the block `first` on, as many whole steps as that takes.

    `words` has space for them: four integers of 64 bits each, or eight of 32 bits.
    """
    writer.module.call(writer, _blocks(), [words, count, key0, key1, first, counter])


@functools.cache
def _blocks() -> Callable:
    step, width = step_blocks(), vector_blocks()
    weyl0, weyl1 = WEYL

    @kernel_function(inline=False, vectors=False, unrolled=False)
    def blocks(words, count, key0, key1, first, counter):
        keys = np.empty((ROUNDS, 2), np.uint64)
        for index in range(ROUNDS):
            keys[index, 0], keys[index, 1] = key0, key1
            key0 += weyl0
            key1 += weyl1
        for at in range(0, count, step):
            number = first + U64(at)
            one, two = _vector(number, 0, counter), _vector(number, width, counter)
            for pair in range(2):
                number = first + U64(at + 2 * width + 2 * pair)
                three, four = _plain(number, counter), _plain(number + U64(1), counter)
                for half in range(ROUNDS // 2):
                    index = pair * (ROUNDS // 2) + half
                    one = _round(one, keys[index, 0], keys[index, 1])
                    three = _round(three, keys[2 * half, 0], keys[2 * half, 1])
                    four = _round(four, keys[2 * half, 0], keys[2 * half, 1])
                    two = _round(two, keys[index, 0], keys[index, 1])
                    three = _round(three, keys[2 * half + 1, 0], keys[2 * half + 1, 1])
                    four = _round(four, keys[2 * half + 1, 0], keys[2 * half + 1, 1])
                _store(words, at + 2 * width + 2 * pair, three)
                _store(words, at + 2 * width + 2 * pair + 1, four)
            _store(words, at, one)
            _store(words, at + width, two)

    return blocks


@intrinsic
def _vector(writer, first: Number, start: int, counter: Number) -> tuple[Number, ...]:
    """The counters of a vector of blocks, `first + start` and those that follow."""
    count = vector_blocks()
    type_ = vector_type(first.type, count)
    numbers = first.with_value(type_(list(range(start, start + count)))) + first
    return numbers, first.like(0).spread(count), first.like(0).spread(count), counter.spread(count)


@intrinsic
def _plain(writer, first: Number, counter: Number) -> tuple[Number, ...]:
    """The counter of one block."""
    return first, first.like(0), first.like(0), counter


@intrinsic
def _round(writer, state: tuple, key0: Number, key1: Number) -> tuple[Number, ...]:
    a, b, c, d = state
    product = _product_in_vectors if a.length else _product
    (high0, low0), (high1, low1) = product(MULTIPLIERS[0], a), product(MULTIPLIERS[1], c)
    return high1 ^ b ^ key0, low1, high0 ^ d ^ key1, low0


def _product(constant: np.uint64, x: Number) -> tuple[Number, Number]:
    """The upper and the lower half of a product."""
    wide = integer_type(128)
    product = x.builder.mul(x.builder.zext(x.value, wide), wide(int(constant)))
    high = x.builder.trunc(x.builder.lshr(product, wide(64)), x.type)
    return x.with_value(high), x.with_value(x.builder.trunc(product, x.type))


def _product_in_vectors(constant: np.uint64, x: Number) -> tuple[Number, Number]:
    """The same from products of halves."""
    low, high = int(constant) & LOW, int(constant) >> HALF
    x_low, x_high = x & LOW, x >> HALF
    first = x_low * low
    middle = x_high * low + (first >> HALF)
    across = x_low * high + (middle & LOW)
    upper = x_high * high + (middle >> HALF) + (across >> HALF)
    return upper, (across << HALF) | (first & LOW)


@intrinsic
def _store(writer, words: Array, at, state: tuple) -> None:
    """Write the integers of the block `at`; of a vector of blocks, those of each block together."""
    builder, count = writer.builder, state[0].length or 1
    start = builder.bitcast(words.data, integer_type(64).as_pointer())
    place = builder.gep(start, [builder.mul(writer.int64(at), integer_type(64)(4))], inbounds=True)
    if count == 1:
        for index, one in enumerate(state):
            builder.store(one.value, builder.gep(place, [integer_type(64)(index)], inbounds=True))
        return
    pairs = [_joined(builder, *(one.value for one in state[at : at + 2])) for at in (0, 2)]
    order = [part * count + lane for lane in range(count) for part in range(4)]
    whole = _joined(builder, *pairs, order)
    builder.store(whole, builder.bitcast(place, whole.type.as_pointer())).align = 8


def _joined(builder, x, y, order: list[int] | None = None):
    """The lanes of two vectors, in this order."""
    order = list(range(2 * x.type.count)) if order is None else order
    return builder.shuffle_vector(x, y, vector_type(integer_type(32), len(order))(order))
