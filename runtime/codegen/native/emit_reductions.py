"""The parts of a reduction in native text: before, inside and after the loops that it runs over."""

from __future__ import annotations

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


class ReductionWriter:
    """The part of a NestWriter that writes reductions."""

    def start_reduction(self, node: Node, depth: int, place: str | None = None) -> None:
        """Make an accumulator, or use the `place` in an array for it."""
        name = place or f"a{next(self.count)}"
        self.accumulators[node.output] = name
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
            text = self.literal(np.asarray(number, dtype.numpy_dtype))
        else:
            text = (
                initial if initial in ("True", "False") else f"np.{self.wide(node).name}({initial})"
            )
        self.line(depth, f"{name} = {text}")
        if place is None and self.is_extreme(node):
            self.line(depth, f"{name}_nan = False")

    def is_extreme(self, node: Node) -> bool:
        """Whether it is the largest or smallest float. NaN, which is the result if there is one,
        is looked for apart: to do both in one step takes four times as long.
        """
        return node.op.reduce.combine in EXTREMES and node.inputs[0].dtype.is_floating

    def wide(self, node: Node) -> np.dtype:
        """The type of an accumulator: sums of float32 are kept in float64, which loses nothing."""
        dtype = node.inputs[0].dtype.numpy_dtype
        sums = node.op.reduce.combine.startswith(("plus(", "times("))
        return np.dtype(np.float64) if sums and dtype == np.float32 else dtype

    def take_in(self, node: Node, indices, depth: int) -> None:
        self.combine(node, self.element_at(node.inputs[0], indices), depth)

    def combine(self, node: Node, item: str, depth: int) -> None:
        """Take one more item into an accumulator."""
        name, value = self.accumulators[node.output], node.inputs[0]
        text = node.op.reduce.combine
        if name.isidentifier() and self.is_extreme(node):
            text = EXTREMES[text]
            self.line(depth, f"{name}_nan |= {item} != {item}")
        text = self.with_functions(text.format(acc=name, x=item), value.dtype)
        kind = value.dtype.numpy_dtype if name.endswith("_part") else self.wide(node)
        self.line(depth, f"{name} = {text if value.dtype.is_bool else f'np.{kind.name}({text})'}")

    def finish_reduction(self, node: Node, kept, depth: int, parts=()) -> None:
        name, value, result = self.accumulators[node.output], node.inputs[0], node.output
        count = size_of(value.shape) // max(size_of(result.shape), 1)
        self.complete(node, name, depth, parts)
        text = self.with_functions(node.op.reduce.finish.format(acc=name, n=count), value.dtype)
        text = self.cast(text, result.dtype)
        if not result.shape:
            self.line(depth, f"{self.name(result)} = {text}")
            return
        places = [f"i{axis}" for axis in kept]
        if node.attrs["keepdims"]:
            places = [f"i{axis}" if axis in kept else "0" for axis in range(len(value.shape))]
        self.store(result, places, text, depth)

    def complete(self, node: Node, name: str, depth: int, parts) -> None:
        """Put what was kept apart back into an accumulator."""
        if name.isidentifier() and self.is_extreme(node):
            nan = f"np.{node.inputs[0].dtype.name}(np.nan)"
            self.line(depth, f"{name} = {nan} if {name}_nan else {name}")
        if (
            name in parts and node.inputs[0].dtype is float64
        ):  # an infinite sum has no error to add, but NaN
            self.line(depth, f"{name} += {name}_lost if {name}_lost == {name}_lost else 0.0")

    def keep_partial(self, node: Node, depth: int, parts) -> None:
        """What one piece of a shared loop reduces to."""
        name = self.accumulators[node.output]
        self.complete(node, name, depth, parts)
        self.line(depth, f"{self.partials[node].name}[number] = {name}")

    # ---- accurate sums -------------------------------------------------------------------

    def start_parts(self, nest: Nest, reduced, depth: int) -> list[tuple[Node, str]]:
        """Sums that add partial sums instead of elements, with the names of their totals.

        In float64 the rounding error of each addition is kept (T. J. Dekker's sum of two numbers).
        """
        for node in compensated_sums(nest, reduced):
            self.line(depth, f"{self.accumulators[node.output]}_lost = 0.0")
        return [(node, self.accumulators[node.output]) for node in partial_sums(nest, reduced)]

    def open_blocks(self, reduced, shape, depth: int, parts) -> int:
        """The innermost loop, in blocks where the parts of a sum are to stay small."""
        if not reduced:
            return depth
        axis, size = reduced[-1], shape[reduced[-1]]
        in_blocks = bool(parts) and size > SUM_BLOCK
        if in_blocks:
            depth = self.open_pieces(size, SUM_BLOCK, depth)
        for node, total in parts:
            self.accumulators[node.output] = f"{total}_part"
            kind = node.inputs[0].dtype.name
            self.line(depth, f"{total}_part = np.{kind}(0)")
        return self.open_innermost(axis, size, SUM_BLOCK if in_blocks else None, depth)

    def open_pieces(self, size: int, piece: int, depth: int) -> int:
        """A loop over pieces of an axis, of which the last may be shorter."""
        if self.is_outermost and self.split is not None:
            self.line(depth, f"for piece in range({-(-self.split // piece)}):")
            self.line(depth + 1, f"start = first + piece * {piece}")
        else:
            self.line(depth, f"for piece in range({-(-size // piece)}):")
            self.line(depth + 1, f"start = piece * {piece}")
        return depth + 1

    def open_innermost(self, axis: int, size: int, piece: int | None, depth: int) -> int:
        """The loop over an axis, or over a piece of it. It counts from 0: a loop with another start
        is one that LLVM cannot see to stay inside of the array.
        """
        if piece is None:
            return self.outermost(f"i{axis}", size, depth)
        is_part = self.is_outermost and self.split is not None
        end = f"min({size}, first + {self.split})" if is_part else size
        self.is_outermost = False
        self.line(depth, f"for j in range(min({piece}, {end} - start)):")
        self.line(depth + 1, f"i{axis} = start + j")
        return depth + 1

    def add_parts(self, parts, depth: int) -> None:
        for node, total in parts:
            self.accumulators[node.output] = total
            if node.inputs[0].dtype is not float64:
                self.line(depth, f"{total} += np.float64({total}_part)")
                continue
            self.line(depth, f"{total}_more = {total} + {total}_part")
            self.line(depth, f"{total}_back = {total}_more - {total}")
            lost = f"({total} - ({total}_more - {total}_back)) + ({total}_part - {total}_back)"
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
        places = {node: self.column_accumulators(node, inner, shape, depth) for node in reductions}
        depth = self.open_loops(outer, shape, depth, inside_rows)
        piece = schedule.column_tile
        if piece is not None:
            depth = self.open_pieces(shape[last], piece, depth)

        def open_columns(axes, depth):
            depth = self.open_loops([axis for axis in axes if axis != last], shape, depth)
            return self.open_innermost(last, shape[last], piece, depth)

        inside = open_columns(inner, depth)
        for node in reductions:
            self.start_reduction(node, inside, places[node])
        self.elements(nest, open_columns(range(reduced[0], last + 1), depth))
        inside = open_columns(inner, depth)
        for node in reductions:
            self.finish_reduction(node, kept, inside)

    def column_accumulators(self, node: Node, inner, shape, depth: int) -> str:
        """An array of accumulators; its element at the place of the loops."""
        name = f"a{next(self.count)}"
        size = tuple(shape[axis] for axis in inner)
        text = f"{name} = new_array({size}, np.{self.wide(node).name})"
        if self.private is None:
            self.scratch(text, depth)
        else:  # each thread has its own
            self.private.append(text)
        return f"{name}[{', '.join(f'i{axis}' for axis in inner)}]"
