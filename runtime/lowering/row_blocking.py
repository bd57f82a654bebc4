"""Row blocking: consecutive row-wise steps of the NumPy program run on a block of rows.

An operation on a whole array reads from memory what the one before has just written there, into
new memory. In blocks of rows, the intermediate results stay in the cache.
"""

from __future__ import annotations

import sys
from collections.abc import Container, Iterator

from ..core import thresholds
from ..core.classes import NamedTuple
from ..core.shapes import is_static, normal_axes
from ..ir.graph import Node, Value, dims, elements_of
from .cost_model import (
    LOADING_SECONDS,
    NUMPY_FORMULA,
    ROW_BLOCK,
    SCIPY_ELEMENT,
    WHOLE_ARRAY,
    formula_length,
)
from .program import LibraryCall, Nest, Program, Step


class RowGroup(NamedTuple):
    """Steps of a program that go through the same rows.

    steps    with constants among them, which belong to no row
    blocks   which rows are done together
    sliced   what comes from outside and is read row by row; everything else is read whole
    outputs  what the steps make, all of it row by row
    results  what is read afterwards, each with the value whose memory it takes over: itself, one
             that is made here, or an array from outside
    reuse    what is written over what: blocks over blocks, and over arrays that become results
    """

    steps: tuple[Step, ...]
    blocks: tuple[slice, ...]
    sliced: frozenset[Value]
    outputs: frozenset[Value]
    results: dict[Value, Value]
    reuse: dict[Value, Value]


def blocked_steps(program: Program, stops: Container[Step]) -> Iterator[RowGroup | Step]:
    """The steps of a program: together where they are worth doing row by row, but for `stops`."""
    at = 0
    while at < len(program.steps):
        group = _row_group(program, at, stops)
        yield program.steps[at] if group is None else group
        at += 1 if group is None else len(group.steps)


def _row_group(program: Program, at: int, stops: Container[Step]) -> RowGroup | None:
    """The steps from `at` on that are worth doing row by row."""
    steps = program.steps
    first = steps[at]
    if not isinstance(first, Nest) or not first.space.shape:
        return None
    rows = dims(first.space)[0]
    sliced: set[Value] = set()
    whole: set[Value] = set()
    outputs: set[Value] = set()
    end, largest = at, 0
    for index in range(at, min(len(steps), at + thresholds.MOST_ROW_STEPS)):
        step = steps[index]
        if isinstance(step, LibraryCall) and step.node.op.is_constant and step not in stops:
            continue
        if step in stops or not isinstance(step, Nest) or not _by_rows(step, rows):
            break
        row_operands, others = _operands(step, rows, outputs)
        if (sliced | row_operands) & (whole | others) or outputs & others:
            break
        sliced, whole = sliced | row_operands, whole | others
        outputs |= {node.output for node in step.nodes}
        end, largest = index + 1, max(largest, step.space.size_in_bytes or 0)
    is_worth = thresholds.ROWS_FROM <= largest <= thresholds.LONGEST_ROW * rows
    if not is_worth or len(outputs) < 2:
        return None
    some = max(1, rows * thresholds.ROWS_BLOCK // largest)
    blocks = tuple(slice(start, min(start + some, rows)) for start in range(0, rows, some))
    results = _results(program, at, end, outputs)
    allowed = outputs | set(results.values())
    reuse = {
        value: target
        for value, target in program.reuse.items()
        if value in outputs and target in allowed
    }
    return RowGroup(steps[at:end], blocks, frozenset(sliced), frozenset(outputs), results, reuse)


def _results(program: Program, at: int, end: int, outputs: set[Value]) -> dict[Value, Value]:
    """What is read after the steps from `at` to `end`, with the values whose memory it takes."""
    dead = frozenset().union(*program.dies[at:end])
    results = {}
    for step in program.steps[at:end]:
        for value in step.stores if isinstance(step, Nest) else ():
            root = value
            while root in outputs and root in program.reuse:
                root = program.reuse[root]
            if value not in dead:
                results[value] = root
    return results


def _by_rows(nest: Nest, rows: int) -> bool:
    """Whether each row of what a nest makes follows from that row of its operands."""
    shape = nest.space.shape
    if not shape or shape[0] != rows:
        return False
    for node in nest.nodes:
        if node.op.element is not None:
            return False
        if node.op.reduce and 0 in normal_axes(node.attrs["axis"], len(shape)):
            return False
    return True


def _operands(nest: Nest, rows: int, outputs: set[Value]) -> tuple[set[Value], set[Value]]:
    """What a nest reads from outside row by row, and what it reads whole."""
    rank = len(dims(nest.space))
    own = {node.output for node in nest.nodes}
    read = {value for node in nest.nodes for value in node.inputs} - own
    row_operands = {value for value in read if len(dims(value)) == rank and dims(value)[0] == rows}
    return row_operands - outputs, read - row_operands


# ---- how long it takes -------------------------------------------------------------------------


def plan_seconds(program: Program) -> float:
    """About how long the NumPy plan of a program takes, outside of loops and branches."""
    total, libraries = 0.0, set()
    for item in blocked_steps(program, ()):
        is_group = isinstance(item, RowGroup)
        for step in item.steps if isinstance(item, RowGroup) else (item,):
            for node in step.nodes if isinstance(step, Nest) else ():
                total += _nanoseconds(node, ROW_BLOCK if is_group else WHOLE_ARRAY)
                libraries.add(_library(node))
    return 1e-9 * total + LOADING_SECONDS * len(libraries - {*sys.modules, None})


def _nanoseconds(node: Node, each: float) -> float:
    space = max((*node.inputs, node.output), key=lambda value: len(value.shape or ()))
    if not is_static(space.shape):
        return 0.0
    elements = elements_of(space)  # of few, nothing depends on which formula it is
    is_formula = elements < thresholds.ROWS_FROM or formula_length(node)
    four_bytes = each + (NUMPY_FORMULA if is_formula else 0.0)
    more = SCIPY_ELEMENT if _library(node) else 0.0
    return elements * (four_bytes * node.output.dtype.size / 4 + more)


def _library(node: Node) -> str | None:
    """The library that has to be loaded for a node's kernel."""
    return getattr(node.op.kernel, "library", None)
