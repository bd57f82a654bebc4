"""Loop distribution: a loop with a long chain of formulas becomes several loops, each with some of
its operations, over a block of elements that stays in the nearest cache.

A processor works on as many iterations of a loop at a time as the results of their instructions
fit into its registers. Where an element takes a long way from its first operation to its last,
these are one or two, which mostly wait for themselves. Of short loops there are many at a time, and
fewer constants of formulas compete for registers. What one loop hands on to the next costs a store
and a load.

Each element goes through the same operations in the same order, so results are the same to the last
bit, but for sums: they add the partial sums of these blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..core import thresholds
from ..core.classes import NamedTuple
from ..ir.graph import Node, Value
from . import cost_model
from .cost_model import chain_step
from .program import Nest

Nodes = tuple[Node, ...]


class Distribution(NamedTuple):
    """The loops that a nest is distributed over.

    loops      the operations of each
    handed_on  values of one loop that later ones read, or that the last one stores
    block      elements that each loop treats before the next one does
    """

    loops: tuple[Nodes, ...]
    handed_on: tuple[Value, ...]
    block: int


def distribution(nest: Nest, length: int) -> Distribution | None:
    """How a loop over `length` elements is distributed; None where it stays one loop."""
    if length < thresholds.SHORTEST_DISTRIBUTED:
        return None
    read = {value for node in nest.nodes for value in node.inputs if value.shape}
    read -= {node.output for node in nest.nodes}
    reduced = {node.output for node in nest.nodes if node.op.reduce}
    stores = [value for value in nest.stores if value not in reduced]
    part = _Part(tuple(nest.nodes), frozenset(read), frozenset(stores))
    loops = tuple(_distributed(part, 0 if _is_in_cache(part) else cost_model.LINE_CYCLES))
    if len(loops) == 1:
        return None
    handed_on = _handed_on(loops, stores)
    item_bytes = sum(value.dtype.size for value in (*read, *stores, *handed_on))
    alignment = thresholds.CHUNK_ALIGNMENT
    block = thresholds.DISTRIBUTED_BYTES // item_bytes // alignment
    return Distribution(loops, handed_on, max(block, 4) * alignment)


class _Part(NamedTuple):
    """Some operations of a nest in their order, with the arrays that they are the first to read,
    and the results that they store.
    """

    nodes: Nodes
    read: frozenset[Value]
    stores: frozenset[Value]


def _is_in_cache(nest: _Part) -> bool:
    moved = sum(value.size_in_bytes or 0 for value in (*nest.read, *nest.stores))
    return moved <= cost_model.CACHED_BYTES


def _distributed(part: _Part, line: float) -> Iterator[Nodes]:
    """The loops of a part: the best cut in two, each cut further; `line` is the cycles that a
    vector takes from or to memory.
    """
    most = (1 - thresholds.WORTH_DISTRIBUTING) * _cycles(part, line)
    best: tuple[_Part, _Part] | None = None
    for early, late in _cuts(part):
        passed = _handed_on((early.nodes, late.nodes), part.stores)
        cycles = _cycles(early, line) + _cycles(late, line) + cost_model.HANDING_ON * len(passed)
        if cycles < most:
            best, most = (early, late), cycles
    if best is None:
        yield part.nodes
        return
    for nodes_of_part in best:
        yield from _distributed(nodes_of_part, line)


def _cycles(part: _Part, line: float) -> float:
    """About how many cycles a loop takes for a vector of elements: those of its instructions, or
    what an iteration waits for its own, if few iterations are worked on at a time, or those of
    memory, which is read before it is written.
    """
    instructions = sum(chain_step(node).instructions for node in part.nodes)
    longest = max(_finish(part.nodes).values(), default=0)
    issued = instructions / cost_model.INSTRUCTIONS_A_CYCLE
    waited = longest * instructions / cost_model.INSTRUCTION_WINDOW
    return max(issued, waited, line * (len(part.read) + 2 * len(part.stores)))


def _finish(nodes: Iterable[Node]) -> dict[Value, int]:
    """When each result is there, in cycles after the iteration began."""
    finish: dict[Value, int] = {}
    for node in nodes:
        start = max((finish.get(value, 0) for value in node.inputs), default=0)
        finish[node.output] = start + chain_step(node).latency
    return finish


def _rest(nodes: Nodes) -> dict[Value, int]:
    """The cycles from each result to the end of the iteration."""
    rest: dict[Value, int] = {}
    for node in reversed(nodes):
        after = rest.setdefault(node.output, 0) + chain_step(node).latency
        for value in node.inputs:
            rest[value] = max(rest.get(value, 0), after)
    return rest


def _cuts(part: _Part) -> Iterator[tuple[_Part, _Part]]:
    """The ways to cut: at some time of the longest chain, what is there by then, and the others.
    Operations beside that chain which the second loop has time for belong to it.
    """
    finish, rest = _finish(part.nodes), _rest(part.nodes)
    longest = max(finish.values())
    for time in sorted({finish[node.output] for node in part.nodes} - {longest}):
        needed: set[Value] = set()
        early: set[Node] = set()
        for node in reversed(part.nodes):
            value = node.output
            through = finish[value] + rest[value]
            if value in needed or (finish[value] <= time and through > longest - time):
                early.add(node)
                needed.update(node.inputs)
        first = tuple(node for node in part.nodes if node in early)
        second = tuple(node for node in part.nodes if node not in early)
        read = part.read & needed
        if first and second:
            yield _Part(first, read, frozenset()), _Part(second, part.read - read, part.stores)


def _handed_on(loops: tuple[Nodes, ...], stores: Iterable[Value]) -> tuple[Value, ...]:
    """The values of loops that a later one reads or that the last one has to store."""
    last = len(loops) - 1
    handed_on: dict[Value, None] = {}
    maker: dict[Value, int] = {node.output: at for at, nodes in enumerate(loops) for node in nodes}
    for at, nodes in enumerate(loops):
        for node in nodes:
            handed_on.update((value, None) for value in node.inputs if maker.get(value, at) < at)
    handed_on.update((value, None) for value in stores if maker.get(value, last) < last)
    return tuple(handed_on)
