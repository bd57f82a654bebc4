"""How long loops of native code take, and how they are divided into chunks for threads."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..core.shapes import size_of
from ..ir.graph import Node
from .program import Nest

PIECE = 50_000  # nanoseconds of work
SHARED_FROM = 2.5 * PIECE
MOST_PIECES = 128
BLOCK = 64  # elements: pieces of a vector begin where vectors do
# Nanoseconds an element of four bytes: of what becomes vectors, and of reads at other places.
QUICK, FUNCTION, LONG_FUNCTION, ELSEWHERE = 0.05, 0.25, 0.5, 0.5
BYTES = 40.0  # a nanosecond, from memory
SCALAR_COST = 0.5  # nanoseconds, of an operation on numbers
CALL_COST = 100.0  # of any other step
SOME_TURNS = 16  # of a loop whose number of turns is not known
FUNCTIONS = re.compile(r"\b(exp|sin|cos|tan|pow|sqrt|rsqrt|divide|exp2|log2|asin|acos|atan2?)\(")
CALLS = re.compile(r"\b(expm1|log|log1p|tanh|sigmoid|softplus|erf)\(")  # longer than exp


def pieces_of(nanoseconds: float, size: int) -> tuple[int, int]:
    """How many turns of a loop of `size` a piece has, and how many pieces there are."""
    count = min(int(nanoseconds / PIECE), MOST_PIECES, size)
    length = -(-size // max(count, 1))
    if length > BLOCK:
        length = -(-length // BLOCK) * BLOCK
    return length, -(-size // length)


def cost_of(nests: Iterable[Nest]) -> float:
    """About how many nanoseconds these loops take on one thread."""
    total = 0.0
    for nest in nests:
        elements = size_of(nest.space.shape)
        arrays = {value for node in nest.nodes for value in (*node.inputs, node.output)}
        inner = {node.output for node in nest.nodes} - set(nest.stores)
        moved = sum(size_of(value.shape) * value.dtype.size for value in arrays - inner)
        total += moved / BYTES + elements * sum(map(_cost_of_element, nest.nodes))
    return total


def _cost_of_element(node: Node) -> float:
    if node.op.element is not None:
        return ELSEWHERE
    kind = (QUICK, FUNCTION, LONG_FUNCTION)[formula_of(node)]
    return kind * max(node.output.dtype.size, 4) / 4


def formula_of(node: Node) -> int:
    """What an element takes: 0 for an instruction or two, 1 for a formula, 2 for a long one."""
    text = node.op.scalar if type(node.op.scalar) is str else ""
    return 2 if CALLS.search(text) else 1 if FUNCTIONS.search(text) else 0
