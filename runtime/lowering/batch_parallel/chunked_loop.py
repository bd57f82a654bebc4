"""A loop over a batch, as a loop over chunks of the batch around it.

    for t in range(steps):                       for c in range(chunks):        shared by threads
        h = tanh(x[t] @ w + h @ u)                   rows = h[c]
        out[t] = h                                   for t in range(steps):
                                                         rows = tanh(x[t, c] @ w + rows @ u)
                                                         out[t, c] = rows
                                                     h[c] = rows

On the right side, batch axes are two axes: chunks, and the rows of a chunk. Iterations of the inner
loop that are too short for threads then become work that is long enough, and threads meet once,
after all iterations. Rows go through the same operations in the same order as before.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ...core.dtypes import as_dtype, bool_, int32, int64
from ...ir.constant_values import constant_node
from ...ir.graph import Graph, Node, Value, dims
from ...ir.indexing import WHOLE, Slot, expanded
from ...ir.op import TABLE
from .batch_axes import BatchAxes, makes_rows


class ChunkedLoop:
    """One loop while it is divided into chunks of its batch.

    The outer loop carries the number of the chunk, then the arrays with their batches divided, then
    a row for each of the scalars that are read after the loop, which are the same for all chunks.
    """

    def __init__(
        self,
        loop: Node,
        batch: BatchAxes,
        chunks: int,
        scalars: tuple[int, ...],
        producers: dict[Value, Node],
    ):
        self.loop = loop
        self.batch = batch
        self.chunks = chunks
        self.scalars = scalars  # the positions of scalars that are read after the loop
        self.producers = producers
        self.body: Graph = loop.attrs["body"]
        self.carried = (*sorted((*batch.states, *batch.written)), *scalars)
        self.before: list[Node] = []  # nodes before the outer loop
        self.rows: list[Node] = []  # nodes before the inner loop, for one chunk

    def nodes(self) -> list[Node] | None:
        """The nodes that compute the results of the loop."""
        outer = self.outer_loop()
        if outer is None:
            return None
        after: list[Node] = []
        for at, chunked in zip(self.carried, outer.outputs[1:], strict=True):
            whole = self.loop.outputs[at]
            if at in self.scalars:
                after.append(self.node("strided_slice", (chunked,), {"index": (0,)}, whole))
            else:
                after += self.with_shape("reshape", (chunked,), dims(whole), (), whole)
        return [*self.before, outer, *after]

    # ---- the outer loop ------------------------------------------------------------------

    def outer_loop(self) -> Node | None:
        """The loop over chunks."""
        chunk = Value(int64, (), "chunk")
        starts = {at: self.start(at) for at in self.carried}
        inside = {at: replace(start) for at, start in starts.items()}
        operands: dict[Value, Value] = {}  # what the outer loop reads -> its name inside
        inner = self.inner_loop(chunk, starts, inside, operands)
        if inner is None:
            return None
        nodes = [*self.rows, inner]
        results = []
        for at in self.carried:
            result = inner.outputs[at]
            if at not in self.batch.written:
                row, result = result, replace(inside[at])
                index = {"index": (Slot(0),)}
                nodes.append(self.node("set_item", (inside[at], row, chunk), index, result))
            results.append(result)
        step, following = Value(int64, (), "one", np.array(1)), Value(int64, (), "chunk")
        nodes += [self.constant(np.array(1), step), self.node("add", (chunk, step), {}, following)]
        zero = self.before_loop(np.array(0))
        body = Graph(
            f"{self.body.name}.chunks",
            (chunk, *inside.values(), *operands.values()),
            tuple(nodes),
            (following, *results),
        )
        inputs = (zero, *starts.values(), *operands)
        outputs = tuple(replace(value) for value in (chunk, *starts.values()))
        attrs = {"test": self.test(inputs), "body": body, "carried": len(outputs)}
        return replace(self.loop, inputs=inputs, attrs=attrs, outputs=outputs)

    def start(self, at: int) -> Value:
        """What the outer loop carries at first for a value that the loop carries."""
        own = self.body.inputs[at]
        if at not in self.scalars:
            return self.divided(self.loop.inputs[at], self.batch.axis_of[own])
        zero = self.before_loop(np.zeros((), own.dtype.numpy_dtype))
        zeros = Value(own.dtype, (self.chunks,), own.name)
        self.before += self.with_shape("fill", (), dims(zeros), (zero,), zeros)
        return zeros

    def test(self, inputs: tuple[Value, ...]) -> Graph:
        """Whether there is another chunk."""
        own = tuple(replace(value, constant=None) for value in inputs)
        limit, more = Value(int64, (), "chunks", np.array(self.chunks)), Value(bool_, (), "more")
        nodes = (
            self.constant(np.array(self.chunks), limit),
            self.node("less", (own[0], limit), {}, more),
        )
        return Graph(f"{self.body.name}.more", own, nodes, (more,))

    # ---- the inner loop ------------------------------------------------------------------

    def inner_loop(
        self,
        chunk: Value,
        starts: dict[int, Value],
        inside: dict[int, Value],
        operands: dict[Value, Value],
    ) -> Node | None:
        """The loop as it runs for the rows of one chunk."""
        renamed: dict[Value, Value] = {}  # of the body
        inputs = []
        for at, (own, outer) in enumerate(zip(self.body.inputs, self.loop.inputs, strict=True)):
            axis, operand = self.batch.axis_of.get(own), inside.get(at)
            if at not in self.batch.written:
                outer = outer if axis is None else starts.get(at) or self.divided(outer, axis)
                operand = self.operand(outer, operands)
            assert operand is not None
            if axis == 0 and at not in self.batch.written:
                operand, renamed[own] = self.chunk_of(operand, chunk), self.narrowed(own)
            elif axis is not None:
                renamed[own] = replace(operand, name=own.name)
            inputs.append(operand)
        number = replace(chunk)
        chunk_body = _Body(self.batch, renamed, number, self.narrowed).made(self.body)
        if chunk_body is None:
            return None
        own_test: Graph = self.loop.attrs["test"]
        entering = [  # it reads no rows, whose shapes are others
            value if value.shape == other.shape else replace(value, shape=other.shape)
            for value, other in zip(own_test.inputs, chunk_body.inputs, strict=False)
        ]
        test = own_test.replace(inputs=(*entering, replace(chunk)))
        outputs = tuple(
            replace(value, shape=result.shape, constant=None)
            for value, result in zip(self.loop.outputs, chunk_body.outputs, strict=True)
        )
        attrs = {**self.loop.attrs, "test": test, "body": chunk_body}
        return replace(self.loop, inputs=(*inputs, chunk), attrs=attrs, outputs=outputs)

    def narrowed(self, value: Value) -> Value:
        """A value of the body with the rows of one chunk."""
        if value not in self.batch.axis_of:
            return value
        axis, shape = self.batch.axis_of[value], dims(value)
        rows = self.batch.size // self.chunks
        return replace(value, shape=(*shape[:axis], rows, *shape[axis + 1 :]), constant=None)

    def chunk_of(self, divided: Value, chunk: Value) -> Value:
        """The rows of one chunk."""
        rows_of_chunk = Value(divided.dtype, dims(divided)[1:], "rows")
        index = {"index": (Slot(0),)}
        self.rows.append(self.node("strided_slice", (divided, chunk), index, rows_of_chunk))
        return rows_of_chunk

    def operand(self, value: Value, operands: dict[Value, Value]) -> Value:
        """A value from outside, as the body of the outer loop reads it."""
        return operands.setdefault(value, replace(value))

    # ---- nodes ---------------------------------------------------------------------------

    def node(self, name: str, inputs: tuple[Value, ...], attrs: dict, output: Value) -> Node:
        return Node(TABLE[name], inputs, attrs, (output,), self.loop.where, name)

    def constant(self, array: np.ndarray, output: Value) -> Node:
        return self.node("const", (), {"value": array}, output)

    def before_loop(self, array: np.ndarray) -> Value:
        constant = Value(as_dtype(array.dtype), array.shape, "const", array)
        self.before.append(self.constant(array, constant))
        return constant

    def divided(self, value: Value, axis: int) -> Value:
        """An array with the chunks of its batch in an axis of their own, before that of the rows
        of a chunk.
        """
        shape, rows = dims(value), self.batch.size // self.chunks
        wanted = (*shape[:axis], self.chunks, rows, *shape[axis + 1 :])
        chunked = Value(value.dtype, wanted, value.name)
        filled = self.producers.get(value)
        if filled is not None and is_filled(filled):
            self.before += self.with_shape(filled.op.name, (), wanted, filled.inputs[1:], chunked)
            self.before[-1] = replace(self.before[-1], attrs=filled.attrs)
        else:
            self.before += self.with_shape("reshape", (value,), wanted, (), chunked)
        return chunked

    def with_shape(
        self, name: str, before: tuple[Value, ...], shape: tuple, after: tuple, output: Value
    ) -> list[Node]:
        """A node that takes a shape, between other operands."""
        sizes = np.array(shape, np.int32)
        wanted = Value(int32, (len(shape),), "shape", sizes)
        node = self.node(name, (*before, wanted, *after), {}, output)
        return [self.constant(sizes, wanted), node]


class _Body:
    """Writes the body of a loop for the rows of one chunk.

    renamed   the values of the original body by what they are here
    chunk     the number of the chunk
    narrowed  gives a value with the rows of one chunk
    """

    def __init__(
        self,
        batch: BatchAxes,
        renamed: dict[Value, Value],
        chunk: Value,
        narrowed: Callable[[Value], Value],
    ):
        self.batch, self.renamed, self.chunk, self.narrowed = batch, renamed, chunk, narrowed

    def made(self, body: Graph) -> Graph | None:
        """The body. None where it reads whole an array whose batch is divided."""
        read, changed = TABLE["strided_slice"], TABLE["set_item"]
        divided = {
            value for value, here in self.renamed.items() if len(dims(here)) != len(dims(value))
        }
        nodes = []
        for node in body.nodes:
            array, others = node.inputs[:1], node.inputs[1:]
            if divided.intersection(others):
                return None
            if makes_rows(node) and node.output in self.batch.axis_of:
                fewer = self.fewer_rows(node)
                if fewer is None:
                    return None
                nodes += fewer
            elif node.op is read or node.op is changed:
                nodes.append(self.on_rows(node, node.inputs[0] in divided))
            elif divided.intersection(array):
                return None
            else:
                nodes.append(node)
            if node.op is changed and node.inputs[0] in divided:
                divided.add(node.output)
                self.renamed[node.output] = replace(self.renamed[node.inputs[0]])
        own = [self.node(node) for node in nodes]
        outputs = tuple(self.renamed.get(value, value) for value in body.outputs)
        inputs = tuple(self.renamed.get(value, value) for value in body.inputs)
        return body.replace(inputs=(*inputs, self.chunk), nodes=tuple(own), outputs=outputs)

    def fewer_rows(self, node: Node) -> list[Node] | None:
        """Nodes that make the rows of one chunk; None where the rows differ."""
        axis, output = self.batch.axis_of[node.output], self.narrowed(node.output)
        self.renamed[node.output] = output
        if node.op.is_constant:
            array = node.attrs["value"]
            some = array.take(range(dims(output)[axis]), axis)
            is_same = (array == array.take([0], axis)).all()
            return [replace(node, attrs={"value": some})] if is_same else None
        shape = constant_node(np.array(dims(output), np.int32), "shape", node.where)
        return [shape, replace(node, inputs=(shape.output, *node.inputs[1:]))]

    def on_rows(self, node: Node, is_divided: bool) -> Node:
        """A node that reads or sets items along the whole batch axis: those of this chunk."""
        array = node.inputs[0]
        if array not in self.batch.axis_of:
            return node
        scalars = len(node.inputs) - (len(node.op.inputs) - 1)  # `inputs` has a name for them
        index_of_chunk: list = []
        axis = 0
        for row in expanded(node.attrs["index"], len(dims(array))):
            is_batch = row is not None and axis == self.batch.axis_of[array]
            if is_batch and is_divided:
                index_of_chunk.append(Slot(scalars))
            index_of_chunk.append(WHOLE if is_batch else row)
            axis += row is not None
        chunk = (self.chunk,) if is_divided else ()
        index = {**node.attrs, "index": tuple(index_of_chunk)}
        return replace(node, inputs=(*node.inputs, *chunk), attrs=index)

    def node(self, node: Node) -> Node:
        """A node on the rows of one chunk."""
        for value in node.outputs:
            if value in self.batch.axis_of:
                self.renamed.setdefault(value, self.narrowed(value))
        inputs = tuple(self.renamed.get(value, value) for value in node.inputs)
        outputs = tuple(self.renamed.get(value, value) for value in node.outputs)
        return replace(node, inputs=inputs, outputs=outputs)


def is_filled(node: Node | None) -> bool:
    """Whether a node makes an array that may as well have other axes."""
    return node is not None and node.op in (TABLE["fill"], TABLE["unwritten"])
