"""What a tape hears of the staged blocks that are being traced inside of where it was opened.

    with ag.GradientTape(persistent=True) as tape:
        tape.watch(x)
        for i in ag.range(n):
            y = x * x
            slope += tape.gradient(y, x)    # asked in the block that computes y

A finished block reaches the tape as one node. While it is traced, its nodes are read as the steps
of eager code, in their order: a step is recorded if it uses what the tape knows by then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...runtime.core.classes import NamedTuple
from ...runtime.core.errors import UnimplementedError
from ...runtime.gradients.records import Record, key, record_of
from ...runtime.ir.saved_lists import is_differentiable
from ...runtime.tensors.apply import BUILDER
from ...runtime.tensors.graph_builder import Builder
from ...runtime.tensors.tensor import SymbolicTensor, Tensor


class Watched(NamedTuple):
    """Something that a tape watches since so many nodes of a block."""

    builder: Builder
    position: int
    thing: Any


def blocks_inside(outer: Builder | None) -> list[Builder]:
    """The builders of the staged blocks in a builder which this is in, the outermost first."""
    blocks, builder = [], BUILDER.get()
    while builder is not None and builder is not outer and not builder.captures_eagerly:
        blocks.append(builder)
        builder = builder.outer
    return blocks[::-1] if builder is outer and outer is not None else []


def check_targets(targets, outer: Builder | None) -> None:
    """Refuse what a function has computed that is traced inside of where the tape was opened: the
    trace serves other calls too, with other tapes.
    """
    if any(_is_of_function(target, outer) for target in targets):
        raise UnimplementedError(
            "a tape that was opened around a function is asked in the function for the gradient of "
            "what the function computes, or takes as an argument",
            "Open the tape in the function, or ask it where it was opened.",
        )


def check_watched(thing, outer: Builder | None) -> None:
    """Refuse to watch an argument, or a result, of a function that is traced inside of where the
    tape was opened: the call reaches the tape as one step, whose arguments it does not watch.
    """
    if _is_of_function(thing, outer):
        raise UnimplementedError(
            "a tape that was opened around a function watches in the function what the function "
            "computes, or takes as an argument",
            "Watch it where the tape was opened, or open the tape in the function.",
        )


def _is_of_function(thing, outer: Builder | None) -> bool:
    """Whether a tensor is one of a function that is traced inside of where a tape was opened."""
    builder = BUILDER.get()
    if builder is outer or blocks_inside(outer) or type(thing) is not SymbolicTensor:
        return False
    while builder is not None and builder is not outer:
        if thing.builder is builder:
            return True
        builder = builder.outer
    return False


def check_not_used(thing, outer: Builder | None) -> None:
    """Refuse to watch what a block around has used before: a finished block reaches the tape as one
    node, with all that it used. In a loop, the first iteration differs from the others.
    """
    blocks = blocks_inside(outer)
    inside = blocks if is_outside(thing, blocks) else blocks[blocks.index(thing.builder) + 1 :]
    for builder in inside:
        used = (operand for node in builder.nodes for operand in record_of(builder, node).inputs)
        if any(key(_original(operand, builder)) == key(thing) for operand in used):
            raise UnimplementedError(
                "a tape begins to watch in a staged block what the block has used before",
                "Watch it before the `if` or loop.",
            )


def check_in_blocks(in_blocks: dict[int, int], wanted, records: list[Record]) -> None:
    """Refuse a gradient by what a block alone watches, if other steps use it: they count where the
    block runs. `in_blocks` has the number of the record of the block, by keys.
    """
    watched = {each: place for each, place in in_blocks.items() if each in wanted}
    for position, record in enumerate(records):
        if any(watched.get(key(operand), position) != position for operand in record.inputs):
            raise UnimplementedError(
                "a tape watches in a staged block alone what is used outside of the block, too, "
                "whose gradient depends on whether the block runs",
                "Watch it before the `if` or loop.",
            )


def check_watched_by_loops(watched: list[Watched]) -> None:
    """Refuse to say that there is no gradient where a loop watched what its iterations hand on: in
    the first of them, that is a tensor from before the loop.
    """
    for builder, _, thing in watched:
        if builder.closed and key(thing) in handed_on([builder]):
            raise UnimplementedError(
                f"a tape watched '{thing.graph_value.name}' in a loop, which iterations hand on, "
                "and is asked after the loop for what it may have been before",
                "Watch it before the loop.",
            )


def handed_on(blocks) -> dict[int, SymbolicTensor]:
    """By their keys, what iterations of loops hand on. It may depend on anything."""
    return {
        id(value): SymbolicTensor(value, builder)
        for builder in blocks
        for value in builder.inputs
        if is_differentiable(value.dtype)
    }


def heard(
    blocks, known: dict, watched: list[Watched], is_watched: Callable, handed=()
) -> list[Record]:
    """The records of some blocks, of what depends on things that are known or `handed` on.

    `known` are the things that the tape knows by their keys, to which those of the blocks are
    added; `is_watched(cell)` is asked about cells.
    """

    def is_known(thing) -> bool:
        return key(thing) in known or (not isinstance(thing, Tensor) and is_watched(thing))

    records, others = [], set(handed)
    for builder in blocks:
        later = [entry for entry in watched if entry.builder is builder]
        for entry in later:
            known.pop(key(entry.thing), None)
        for position, node in enumerate(builder.nodes):
            known.update(
                (key(each.thing), each.thing) for each in later if each.position == position
            )
            record = record_of(builder, node)
            record.inputs = tuple(_original(operand, builder) for operand in record.inputs)
            outputs = {key(out): out for out in record.outputs if is_differentiable(out.dtype)}
            if any(map(is_known, record.inputs)):
                known.update(outputs)
            elif any(key(operand) in others for operand in record.inputs):
                others.update(outputs)
            else:
                continue
            records.append(record)
        known.update((key(entry.thing), entry.thing) for entry in later)
    return records


def is_outside(thing, blocks) -> bool:
    """Whether a source is a variable, or a tensor of no block."""
    return type(thing) is not SymbolicTensor or thing.builder not in blocks


def refusal(name: str) -> Exception:
    """The error for a gradient through what an iteration hands on, which no block knows."""
    return UnimplementedError(
        f"a tape that was opened around a loop is asked in the loop, and what it is asked about "
        f"depends on '{name}', which iterations hand on",
        "Open the tape in the loop, or ask it after the loop.",
    )


def _original(thing, builder: Builder):
    """The tensor that a capture of a block stands for."""
    if type(thing) is not SymbolicTensor:
        return thing
    return builder.originals.get(thing.graph_value, thing)
