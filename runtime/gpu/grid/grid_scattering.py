"""Slices at indices are replaced, or combined, by threads of a grid, in the order of the indices.

Each element of the result is for one thread, which goes through all indices and takes what is for
it. Where that would be too much work, a thread has one element of each slice, and sets all of them.
"""

from __future__ import annotations

import math

from ...codegen.native.data_movement import changeable
from ...codegen.native.elements import computed
from ...ir.graph import Node, dims, elements_of
from ...kernel_ir.nodes import Expression, Name, Operand, as_node, call
from ...lowering.not_native import NotNativeError
from .grid_writer import GridWriter

MOST_LOOKS = 1 << 34  # at indices, by all threads


def scatter(combined: str):
    """Slices at indices: `old` with `new`, in place where that is free to do."""

    def write(writer: GridWriter, node: Node) -> None:
        tensor, indices, updates = node.inputs
        output = node.output
        if not output.shape:
            raise NotNativeError(f"'{node.op.name}' of a scalar", node.where)
        changed = changeable(writer, output, tensor)
        operands = (indices, updates)
        accesses = writer.accesses(operands, [output], writes=[changed])
        writer.synchronize(writer.position(), accesses)
        _Scattering(writer, node, changed, combined).write()

    return write


class _Scattering:
    """One operation: `rows` slices of `inner` elements go to some of the places of the result."""

    def __init__(self, writer: GridWriter, node: Node, changed: Name, combined: str):
        _, indices, updates = node.inputs
        self.writer, self.node, self.combined = writer, node, combined
        self.axes = dims(indices)[-1]
        self.shape = dims(node.output)[: self.axes]
        self.rows = math.prod(dims(indices)[:-1])
        self.inner = math.prod(dims(node.output)[self.axes :])
        self.size = elements_of(node.output)
        name = self.name = writer.unused("s")
        self.target, self.at, self.new, self.place = (
            name.with_suffix(suffix) for suffix in ("_out", "_at", "_new", "_place")
        )
        writer.let(self.target, call("reshaped", changed, (self.size,)))
        writer.let(self.at, call("reshaped", writer.read(indices), (self.rows, self.axes)))
        updated = call("reshaped", writer.read(updates), (self.rows, self.inner))
        writer.let(self.new, updated)

    def write(self) -> None:
        if not self.rows:
            return
        if not self.size:
            self.check()
            return
        writer, old = self.writer, self.name.with_suffix("_old")
        is_by_element = self.size * self.rows <= MOST_LOOKS
        with writer.over_threads("k", self.size if is_by_element else self.inner):
            block = writer.block
            if is_by_element:
                writer.let(old, self.target["k"])
                writer.let("j", Name("k") % self.inner)
                with writer.loop("t", self.rows):
                    self.find()
                    with writer.when((self.place * self.inner + "j").equals("k")):
                        writer.let(old, self.combination(old, "j"))
                writer.let(self.target["k"], old)
            else:
                with writer.loop("t", self.rows):
                    self.find()
                    element = self.target[self.place * self.inner + "k"]
                    writer.let(element, self.combination(element, "k"))
        if writer.guard(block, 0, "k", self.node):
            writer.leave_if_failed()

    def check(self) -> None:
        """Look at the indices alone, where slices have no elements."""
        with self.writer.over_threads("t", self.rows):
            block = self.writer.block
            self.find()
        if self.writer.guard(block, 0, "t", self.node):
            self.writer.leave_if_failed()

    def find(self) -> None:
        """The number of the slice that the indices of row `t` name."""
        writer, index = self.writer, self.name.with_suffix("_index")
        writer.let(self.place, call("np.int64", 0))
        for axis, size in enumerate(self.shape):
            writer.let(index, call("checked_index", self.at["t", axis], size))
            writer.let(self.place, self.place * size + index)

    def combination(self, old: Expression, at: Operand) -> Expression:
        items: dict[str, Expression] = {"old": old, "new": self.new["t", as_node(at)]}
        dtype = self.node.output.dtype
        return self.writer.cast(computed(self.writer, self.combined, items, dtype), dtype)
