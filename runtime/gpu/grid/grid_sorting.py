"""Sorting by threads of a grid: each counts the elements that come before its own.

The count is where its element goes. That takes as many comparisons as a line has elements, for each
of them, and no barrier; long lines are for the CPU.
"""

from __future__ import annotations

import math

from ...codegen.native.kernel_writer import numpy_type
from ...core.axes import normal_axis
from ...ir.graph import Node, dims, elements_of
from ...kernel_ir.nodes import Expression, Name, as_node, call
from ...lowering.not_native import NotNativeError
from .grid_nests import decoded
from .grid_writer import GridWriter

LONGEST = 1 << 14  # elements of a line


def sort(writer: GridWriter, node: Node) -> None:
    """The elements of each line in order; a zero with a sign comes before one without."""
    _ranked(writer, node, has_values=True)


def argsort(writer: GridWriter, node: Node) -> None:
    """The numbers of the elements of each line in order; equal ones keep theirs."""
    _ranked(writer, node, has_values=False)


def _ranked(writer: GridWriter, node: Node, has_values: bool) -> None:
    (x,), output, attrs = node.inputs, node.output, node.attrs
    shape = dims(x)
    axis = normal_axis(attrs["axis"], len(shape))
    cubic = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
    if cubic[1] > LONGEST:
        raise NotNativeError(f"sorting more than {LONGEST:,} elements", node.where)
    is_down = attrs["descending"]
    name, unit = writer.unused("s"), numpy_type(x.dtype.numpy_dtype.name)(1)
    parts = "_x", "_out", "_own", "_other", "_rank"
    source, target, own, other, rank = map(name.with_suffix, parts)
    writer.let(source, call("reshaped", writer.read(x), cubic))
    writer.let(target, call("reshaped", writer.buffer(output), cubic))

    def less(first: Expression, second: Expression) -> Expression:
        if not x.dtype.is_floating:
            return first < second
        is_number, is_nan = first.equals(first), second.differs(second)
        tests = [is_nan.joined("and", is_number)]
        if has_values:  # of zeros, the reciprocals have signs
            tests.append(first.equals(second).joined("and", unit / first < unit / second))
        return (first < second).joined("or", *tests)

    with writer.over_threads("k", elements_of(x)):
        before, at, after = decoded(writer, "k", range(3), cubic)
        writer.let(own, source[before, at, after])
        writer.let(rank, call("np.int64", 0))
        with writer.loop("t", cubic[1]):
            writer.let(other, source[before, "t", after])
            # Equal elements keep their order, where indices are sorted down, too.
            pair = (own, other) if is_down and not has_values else (other, own)
            is_equal = (Name("t") < at).joined("and", less(*pair[::-1]).negated())
            with writer.when(less(*pair).joined("or", is_equal)):
                writer.let(rank, rank + 1)
        place = as_node(cubic[1] - 1) - rank if is_down and has_values else rank
        writer.let(target[before, place, after], own if has_values else call("np.int32", at))
