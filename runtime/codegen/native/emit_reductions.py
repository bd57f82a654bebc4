"""Reductions as source: accumulators before, inside and after the loops that they run over."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...core.dtypes import float64
from ...core.shapes import size_of
from ...ir.graph import Node
from ...lowering.cost_model import SUM_BLOCK
from ...lowering.nest_schedule import NestSchedule, compensated_sums, partial_sums
from ...lowering.program import Nest

# Steps that a NaN may not meet, for those that it may.
EXTREMES = {
    "maximum({acc}, {x})": "larger({acc}, {x})",
    "minimum({acc}, {x})": "smaller({acc}, {x})",
}


class Accumulator(NamedTuple):
    """Where a reduction keeps what it has so far: a variable, or an element of an array.

    A partial one adds up a block of elements, in their own dtype.
    """

    name: str
    is_element: bool = False
    is_partial: bool = False


class ReductionWriter:
    """The methods of a NestWriter that write reductions."""

    def start_reduction(self, node: Node, depth: int, element: str | None = None) -> None:
        """Make an accumulator, or use the `element` in an array for it."""
        name = element or f"a{next(self.count)}"
        self.accumulators[node.output] = Accumulator(name, element is not None)
        dtype = node.inputs[0].dtype
        limits = (
            None
            if dtype.is_bool
            else (np.finfo if dtype.is_floating else np.iinfo)(dtype.numpy_dtype)
        )
        initial = node.op.reduce.initial
        if initial in ("lowest", "highest"):
            number = {"lowest": -np.inf, "highest": np.inf}[initial] if dtype.is_floating else None
            if number is None:
                number = limits.min if initial == "lowest" else limits.max
            source = self.literal(np.asarray(number, dtype.numpy_dtype))
        else:
            source = (
                initial
                if initial in ("True", "False")
                else f"np.{self.accumulator_dtype(node).name}({initial})"
            )
        self.line(depth, f"{name} = {source}")
        if element is None and self.is_extreme(node):
            self.line(depth, f"{name}_nan = False")

    def is_extreme(self, node: Node) -> bool:
        """Whether it is the largest or smallest float. NaN, which is the result if there is one,
        is looked for apart: to do both in one step takes four times as long.
        """
        return node.op.reduce.combine in EXTREMES and node.inputs[0].dtype.is_floating

    def accumulator_dtype(self, node: Node) -> np.dtype:
        """The type of an accumulator: sums of float32 are kept in float64, which loses nothing."""
        dtype = node.inputs[0].dtype.numpy_dtype
        sums = node.op.reduce.combine.startswith(("plus(", "times("))
        return np.dtype(np.float64) if sums and dtype == np.float32 else dtype

    def take_in(self, node: Node, indices, depth: int) -> None:
        self.combine(node, self.element_at(node.inputs[0], indices), depth)

    def combine(self, node: Node, item: str, depth: int) -> None:
        """Take one more item into an accumulator."""
        accumulator, value = self.accumulators[node.output], node.inputs[0]
        name, source = accumulator.name, node.op.reduce.combine
        if not accumulator.is_element and self.is_extreme(node):
            source = EXTREMES[source]
            self.line(depth, f"{name}_nan |= {item} != {item}")
        source = self.with_functions(source.format(acc=name, x=item), value.dtype)
        own_dtype = value.dtype.numpy_dtype
        dtype = own_dtype if accumulator.is_partial else self.accumulator_dtype(node)
        self.line(
            depth, f"{name} = {source if value.dtype.is_bool else f'np.{dtype.name}({source})'}"
        )

    def finish_reduction(self, node: Node, kept, depth: int, sums=()) -> None:
        accumulator, value, result = self.accumulators[node.output], node.inputs[0], node.output
        name = accumulator.name
        count = size_of(value.shape) // max(size_of(result.shape), 1)
        self.complete(node, accumulator, depth, sums)
        source = self.with_functions(node.op.reduce.finish.format(acc=name, n=count), value.dtype)
        source = self.cast(source, result.dtype)
        if not result.shape:
            self.line(depth, f"{self.name(result)} = {source}")
            return
        indices = [f"i{axis}" for axis in kept]
        if node.attrs["keepdims"]:
            indices = [f"i{axis}" if axis in kept else "0" for axis in range(len(value.shape))]
        self.store(result, indices, source, depth)

    def complete(self, node: Node, accumulator: Accumulator, depth: int, sums) -> None:
        """Put what was kept apart back into an accumulator."""
        name = accumulator.name
        if not accumulator.is_element and self.is_extreme(node):
            nan = f"np.{node.inputs[0].dtype.name}(np.nan)"
            self.line(depth, f"{name} = {nan} if {name}_nan else {name}")
        if (
            name in sums and node.inputs[0].dtype is float64
        ):  # an infinite sum has no error to add, but NaN
            self.line(depth, f"{name} += {name}_lost if {name}_lost == {name}_lost else 0.0")

    def keep_partial(self, node: Node, depth: int, sums) -> None:
        """Keep the partial result of one chunk of a parallel loop."""
        accumulator = self.accumulators[node.output]
        self.complete(node, accumulator, depth, sums)
        self.line(depth, f"{self.partials[node].name}[chunk] = {accumulator.name}")

    # ---- accurate sums -------------------------------------------------------------------

    def start_partial_sums(self, nest: Nest, reduced, depth: int) -> list[tuple[Node, str]]:
        """Sums that add partial sums instead of elements, with the names of their totals.

        In float64 the rounding error of each addition is kept (T. J. Dekker's sum of two numbers).
        """
        for node in compensated_sums(nest, reduced):
            self.line(depth, f"{self.accumulators[node.output].name}_lost = 0.0")
        sums = partial_sums(nest, reduced)
        return [(node, self.accumulators[node.output].name) for node in sums]

    def open_blocks(self, reduced, shape, depth: int, sums) -> int:
        """The innermost loop, in blocks where partial sums are to stay short."""
        if not reduced:
            return depth
        axis, size = reduced[-1], shape[reduced[-1]]
        in_blocks = bool(sums) and size > SUM_BLOCK
        if in_blocks:
            depth = self.open_block_loop(size, SUM_BLOCK, depth)
        for node, total in sums:
            self.accumulators[node.output] = Accumulator(f"{total}_partial", is_partial=True)
            dtype_name = node.inputs[0].dtype.name
            self.line(depth, f"{total}_partial = np.{dtype_name}(0)")
        return self.open_innermost(axis, size, SUM_BLOCK if in_blocks else None, depth)

    def open_block_loop(self, size: int, block: int, depth: int) -> int:
        """A loop over blocks of an axis, of which the last may be shorter."""
        if self.is_outermost and self.split is not None:
            self.line(depth, f"for block in range({-(-self.split // block)}):")
            self.line(depth + 1, f"start = first + block * {block}")
        else:
            self.line(depth, f"for block in range({-(-size // block)}):")
            self.line(depth + 1, f"start = block * {block}")
        return depth + 1

    def open_innermost(self, axis: int, size: int, block: int | None, depth: int) -> int:
        """The loop over an axis, or over a block of it. It counts from 0: a loop with another start
        is one that LLVM cannot see to stay inside of the array.
        """
        if block is None:
            return self.outermost(f"i{axis}", size, depth)
        is_chunked = self.is_outermost and self.split is not None
        end = f"min({size}, first + {self.split})" if is_chunked else size
        self.is_outermost = False
        self.line(depth, f"for j in range(min({block}, {end} - start)):")
        self.line(depth + 1, f"i{axis} = start + j")
        return depth + 1

    def add_partial_sums(self, sums, depth: int) -> None:
        for node, total in sums:
            self.accumulators[node.output] = Accumulator(total)
            if node.inputs[0].dtype is not float64:
                self.line(depth, f"{total} += np.float64({total}_partial)")
                continue
            self.line(depth, f"{total}_more = {total} + {total}_partial")
            self.line(depth, f"{total}_back = {total}_more - {total}")
            lost = f"({total} - ({total}_more - {total}_back)) + ({total}_partial - {total}_back)"
            self.line(depth, f"{total}_lost += {lost}")
            self.line(depth, f"{total} = {total}_more")

    # ---- columns -------------------------------------------------------------------------

    def columns(self, nest: Nest, schedule: NestSchedule, depth: int, inside_rows: bool) -> None:
        """Every column has an accumulator, in an array; the loop over the columns is innermost."""
        kept, reduced = schedule.kept, schedule.reduced
        reductions = [node for node in nest.nodes if node.op.reduce]
        shape, last = nest.space.shape, len(nest.space.shape) - 1
        outer = [axis for axis in kept if axis < reduced[0]]
        inner = [axis for axis in kept if axis > reduced[0]]
        indices = {node: self.column_accumulators(node, inner, shape, depth) for node in reductions}
        depth = self.open_loops(outer, shape, depth, inside_rows)
        block = schedule.column_tile
        if block is not None:
            depth = self.open_block_loop(shape[last], block, depth)

        def open_columns(axes, depth):
            depth = self.open_loops([axis for axis in axes if axis != last], shape, depth)
            return self.open_innermost(last, shape[last], block, depth)

        inside = open_columns(inner, depth)
        for node in reductions:
            self.start_reduction(node, inside, indices[node])
        self.elements(nest, open_columns(range(reduced[0], last + 1), depth))
        inside = open_columns(inner, depth)
        for node in reductions:
            self.finish_reduction(node, kept, inside)

    def column_accumulators(self, node: Node, inner, shape, depth: int) -> str:
        """An array of accumulators; its element at the index of the loops."""
        name = f"a{next(self.count)}"
        size = tuple(shape[axis] for axis in inner)
        source = f"{name} = new_array({size}, np.{self.accumulator_dtype(node).name})"
        if self.preamble is None:
            self.scratch(source, depth)
        else:  # each thread has its own
            self.preamble.append(source)
        return f"{name}[{', '.join(f'i{axis}' for axis in inner)}]"
