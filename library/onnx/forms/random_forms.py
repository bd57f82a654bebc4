"""ONNX forms of random numbers that a seed determines: the generator itself, in 64-bit integers.

Source: Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011.
"""

from __future__ import annotations

import numpy as np

from .... import float32, float64, uint64
from ....extend.graphs import Node, Value
from ....extend.operations import full_constant
from ....extend.state import MULTIPLIERS, WEYL
from .counted_loops import repeated
from .table import NoFormError, form
from .writer import Writer

ROUNDS = 10
UNIFORM = "Draw uniform numbers, or pass the numbers as an argument."
SEEDED = "Use a seed that is an argument: ag.random.stateless_uniform(shape, seed=seed)."


@form("random_draw", "counted_draw", "shuffle")
def draw(to: Writer, node: Node, *operands: str):
    raise NoFormError("random numbers that depend on a state have no ONNX form", SEEDED)


@form("stateless_draw")
def stateless_draw(to: Writer, node: Node, shape: str, seed: str, first: str, second: str):
    """The same numbers, from the blocks of four words that belong to one counter each."""
    dtype, distribution = node.output.dtype, node.attrs["kind"]
    if distribution != "uniform" or dtype not in (float32, float64):
        raise NoFormError(
            f"random numbers of type {dtype.name} with the distribution {distribution} have no "
            "ONNX form: how many words one takes depends on the words",
            UNIFORM,
        )
    shape = to.int64(shape)
    halves = 2 if dtype is float32 else 1
    count = to.op("ReduceProd", shape, keepdims=0)
    per_block = to.const(np.int64(4 * halves))
    blocks = to.op("Div", to.op("Add", count, to.const(np.int64(4 * halves - 1))), per_block)
    words = _words(to, blocks, to.cast(seed, uint64))
    shifts = np.array([8, 40] if dtype is float32 else [11], np.uint64)
    bits = 24 if dtype is float32 else 53
    words = to.op(
        "BitShift", to.op("Unsqueeze", words, to.ints(2)), to.const(shifts), direction="RIGHT"
    )
    words = to.op("BitwiseAnd", words, to.const(np.uint64(2**bits - 1)))
    words = to.op("Reshape", words, to.ints(-1))
    words = to.op("Slice", words, to.ints(0), to.op("Reshape", count, to.ints(1)))
    unit = to.op("Mul", to.cast(words, dtype), to.like(2.0**-bits, node.output))
    return _between(to, node, to.op("Reshape", unit, shape, allowzero=1), first, second)


def _between(to: Writer, node: Node, unit: str, first: str, second: str) -> str:
    """Numbers from `first` to `second`, which is not reached by rounding."""
    low, high = (full_constant(value) for value in node.inputs[2:])
    if low is None or high is None:
        raise NoFormError("random numbers between limits that are computed have no ONNX form",
                          "Draw numbers from 0 to 1, and scale them.")  # fmt: skip
    if (low == 0).all() and (high == 1).all():
        return unit
    drawn = to.op("Add", to.op("Mul", unit, to.op("Sub", second, first)), first)
    last = to.const(np.nextafter(high, low))
    up = to.op("And", to.const(low < high), to.op("GreaterOrEqual", drawn, second))
    down = to.op("And", to.const(low >= high), to.op("LessOrEqual", drawn, second))
    return to.op("Where", to.op("Or", up, down), last, drawn)


def _words(to: Writer, blocks: str, seed: str) -> str:
    """The words of the first blocks [blocks, 4]: ten rounds of products and additions."""
    end = to.op("Add", blocks, to.const(np.int64(1)))
    counters = to.cast(to.op("Range", to.const(np.int64(1)), end, to.const(np.int64(1))), uint64)
    zero = to.op("BitwiseXor", counters, counters)
    keys = [to.op("Gather", seed, to.const(np.int64(at))) for at in (0, 1)]
    many, one = Value(uint64, (None,)), Value(uint64, ())

    def next_round(iteration, values):
        a, b, c, d, *keys = values
        (high0, low0), (high1, low1) = (
            _product(to, *pair) for pair in zip(MULTIPLIERS, (a, c), strict=True)
        )
        a = to.op("BitwiseXor", to.op("BitwiseXor", high1, b), keys[0])
        c = to.op("BitwiseXor", to.op("BitwiseXor", high0, d), keys[1])
        following = [
            to.op("Add", key, to.const(step)) for key, step in zip(keys, WEYL, strict=True)
        ]
        return [a, low1, c, low0, *following]

    starts = [counters, zero, zero, zero, *keys]
    found = repeated(to, to.const(np.int64(ROUNDS)), starts, [many] * 4 + [one] * 2, next_round)
    return to.op("Concat", *(to.op("Unsqueeze", x, to.ints(1)) for x in found[:4]), axis=1)


def _product(to: Writer, factor: np.uint64, x: str) -> tuple[str, str]:
    """The upper and the lower 64 bits of a product, from products of halves."""
    mask, half = to.const(np.uint64(0xFFFFFFFF)), to.const(np.uint64(32))

    def low(x):
        return to.op("BitwiseAnd", x, mask)

    def high(x):
        return to.op("BitShift", x, half, direction="RIGHT")

    f0, f1 = (to.const(one) for one in (factor & np.uint64(0xFFFFFFFF), factor >> np.uint64(32)))
    x0, x1 = low(x), high(x)
    across = to.op("Mul", f0, x1)
    middle = to.op("Add", high(to.op("Mul", f0, x0)), low(across))
    middle = to.op("Add", middle, to.op("Mul", f1, x0))
    upper = to.op("Add", to.op("Mul", f1, x1), high(across))
    return to.op("Add", upper, high(middle)), to.op("Mul", to.const(factor), x)
