"""The parts of a reduction in native text: before, inside and after the loops that it runs over."""

from __future__ import annotations

import re

import numpy as np

from .graph import Node
from .program import Nest
from .shapes import size_of

LATE_ROWS = range(64, 8193)  # sizes of rows that are worth it, and stay in the nearest cache
CALLS = re.compile(r"\b(exp|expm1|log|log1p|tanh|sigmoid|softplus|erf)\(")  # many instructions


class ReductionWriter:
    """The part of a NestWriter that writes reductions."""

    def start_reduction(self, node: Node, depth: int) -> None:
        name = f"a{next(self.count)}"
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

    def wide(self, node: Node) -> np.dtype:
        """The type of an accumulator: sums of float32 are kept in float64, which loses nothing."""
        dtype = node.inputs[0].dtype.numpy_dtype
        sums = node.op.reduce.combine.startswith(("plus(", "times("))
        return np.dtype(np.float64) if sums and dtype == np.float32 else dtype

    def take_in(self, node: Node, indices, depth: int) -> None:
        name = self.accumulators[node.output]
        value = node.inputs[0]
        item = self.element_at(value, indices)
        text = self.with_functions(node.op.reduce.combine.format(acc=name, x=item), value.dtype)
        kind = self.wide(node)
        self.line(depth, f"{name} = {text if value.dtype.is_bool else f'np.{kind.name}({text})'}")

    def finish_reduction(self, node: Node, kept, depth: int) -> None:
        name, value, result = self.accumulators[node.output], node.inputs[0], node.output
        count = size_of(value.shape) // max(size_of(result.shape), 1)
        text = self.with_functions(node.op.reduce.finish.format(acc=name, n=count), value.dtype)
        text = self.cast(text, result.dtype)
        if not result.shape:
            self.line(depth, f"{self.name(result)} = {text}")
            return
        places = [f"i{axis}" for axis in kept]
        if node.attrs["keepdims"]:
            places = [f"i{axis}" if axis in kept else "0" for axis in range(len(value.shape))]
        self.store(result, places, text, depth)

    def late_sums(self, nest: Nest, reductions, reduced) -> list[Node]:
        """Sums that a loop of their own takes from the row just stored.

        They are kept in wider numbers than the row has. In the loop that computes the row, these
        would halve the vectors of everything else; where that is little, one loop is better.
        """
        if len(reduced) != 1 or nest.space.shape[reduced[0]] not in LATE_ROWS:
            return []
        heavy = any(
            CALLS.search(node.op.scalar) for node in nest.nodes if type(node.op.scalar) is str
        )
        return [
            node
            for node in reductions
            if heavy
            and node.inputs[0] in nest.stores
            and self.wide(node) != node.inputs[0].dtype.numpy_dtype
        ]
