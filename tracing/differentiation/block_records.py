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
from ...runtime.tensors.tensor import SymbolicTensor


class Watched(NamedTuple):
    """Something that a tape watches since so many nodes of a block."""

    builder: Builder
    position: int
    thing: Any


def blocks_inside(outer: Builder | None) -> list[Builder]:
    """The builders of the staged blocks in a builder which this is in, the outermost first."""
    found, builder = [], BUILDER.get()
    while builder is not None and builder is not outer and not builder.captures_eagerly:
        found.append(builder)
        builder = builder.outer
    return found[::-1] if builder is outer and outer is not None else []


def check_targets(targets, outer: Builder | None) -> None:
    """Refuse what a function has computed that is traced inside of where the tape was opened: the
    trace serves other calls too, with other tapes.
    """
    builder = BUILDER.get()
    if builder is outer or blocks_inside(outer):
        return
    inside = set()
    while builder is not None and builder is not outer:
        inside.add(builder)
        builder = builder.outer
    if any(type(one) is SymbolicTensor and one.builder in inside for one in targets):
        raise UnimplementedError(
            "a tape that was opened around a function is asked in the function for the gradient of "
            "what the function computes",
            "Open the tape in the function, or ask it where it was opened.",
        )


def handed_on(blocks) -> dict[int, SymbolicTensor]:
    """By their keys, what iterations of loops hand on. It may depend on anything."""
    return {
        id(value): SymbolicTensor(value, builder)
        for builder in blocks
        for value in builder.inputs
        if is_differentiable(value.dtype)
    }


def heard(blocks, known: dict, watched: list[Watched], is_watched: Callable) -> list[Record]:
    """The records of some blocks. `known` are the things that the tape knows by their keys, to
    which those of the blocks are added; `is_watched(cell)` is asked about others.
    """
    records, others = [], set(handed_on(blocks))
    for builder in blocks:
        later = [one for one in watched if one.builder is builder]
        for one in later:
            known.pop(key(one.thing), None)
        for position, node in enumerate(builder.nodes):
            known.update((key(one.thing), one.thing) for one in later if one.position == position)
            record = record_of(builder, node)
            record.inputs = tuple(_original(one, builder) for one in record.inputs)
            outputs = {key(out): out for out in record.outputs if _has_gradient(out)}
            if any(key(one) in known or is_watched(one) for one in record.inputs):
                known.update(outputs)
            elif any(key(one) in others for one in record.inputs):
                others.update(outputs)
            else:
                continue
            records.append(record)
        known.update((key(one.thing), one.thing) for one in later)
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
    """What a capture of a block stands for."""
    if type(thing) is not SymbolicTensor:
        return thing
    return builder.originals.get(thing.graph_value, thing)


def _has_gradient(output) -> bool:
    return is_differentiable(output.dtype)
