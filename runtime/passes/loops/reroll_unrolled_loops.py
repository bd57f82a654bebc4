"""Reroll unrolled loops, so that native code is short and compiles in constant time.

Tracing unrolls loops of Python. Where a run of nodes repeats and each repetition reads results of
the one before, the repeated nodes become the body of a `While`. Constants and integer indices that
differ between iterations are looked up in tables. The last iteration stays unrolled, so its results
keep their readers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from ...core import thresholds
from ...core.dtypes import bool_, int32
from ...core.shapes import is_static
from ...ir.constant_values import constant_node, full_constant
from ...ir.graph import Graph, Node, Value, dims
from ...ir.indexing import Slot, expanded
from ...ir.node_properties import attribute_key
from ...ir.op import PURE, TABLE
from ..dead_code import eliminate_dead_code

LONGEST = 128  # nodes of one iteration
TABLE_LIMIT = 64  # elements of one constant


def reroll_unrolled_loops(graph: Graph) -> Graph:
    """The graph with repeated nodes as loops; the graph itself where nothing repeats. Fewer than
    `thresholds.REROLLED_FROM` nodes stay as they are.
    """
    while (rerolled := _once(graph)) is not None:
        graph = eliminate_dead_code(rerolled)
    return graph


def _once(graph: Graph) -> Graph | None:
    nodes = [node for node in graph.nodes if not node.op.is_constant]
    for start, length, count in _candidates(nodes):
        iterations = [
            nodes[start + iteration * length : start + (iteration + 1) * length]
            for iteration in range(count)
        ]
        for first in (0, 1):  # the first iteration may read other values
            rolled = _Roller(graph, iterations[first:]).rolled()
            if rolled is not None:
                return rolled
    return None


# ---- finding repetitions ---------------------------------------------------------------------


def _candidates(nodes: list[Node]) -> Iterator[tuple[int, int, int]]:
    """Repetitions of equal operations as (start, length, count), the longest first."""
    numbers: dict = {}
    signs = [numbers.setdefault(_sign(node), len(numbers)) for node in nodes]
    repetitions = []
    for length in range(1, min(LONGEST, len(nodes) // thresholds.FEWEST_REROLLED) + 1):
        start = 0
        for position in range(len(signs) - length + 1):
            if position + length < len(signs) and signs[position] == signs[position + length]:
                continue
            count = (position - start) // length + 1
            if count > thresholds.FEWEST_REROLLED and count * length >= thresholds.REROLLED_FROM:
                repetitions.append((count * length, start, length, count))
            start = position + 1
    longest_first = sorted(repetitions, key=lambda row: (-row[0], row[2]))
    return ((start, length, count) for _, start, length, count in longest_first[:8])


def _sign(node: Node):
    """A key that is equal for nodes that may be iterations of one node."""
    output = node.outputs[0] if len(node.outputs) == 1 else None
    if output is None or node.op.effect is not PURE or node.subgraphs:
        return node
    if not is_static(output.shape):
        return node
    try:
        attrs = tuple(
            (key, attribute_key(_shown(node, value))) for key, value in node.attrs.items()
        )
        hash(attrs)
    except TypeError:
        return node
    return node.op, attrs, output.dtype, output.shape, len(node.inputs)


def _shown(node: Node, value):
    """An attribute, without the values of the integers in an index."""
    if node.op.name != "strided_slice" or any(type(row) is Slot for row in value):
        return value
    return tuple("number" if type(row) is int else row for row in value)


# ---- rolling it up ---------------------------------------------------------------------------


class _Roller:
    """Writes one repetition as a loop, if its iterations depend only on the one before."""

    def __init__(self, graph: Graph, iterations: list[list[Node]]):
        self.graph = graph
        self.iterations = iterations
        self.position = {
            node.output: (iteration, index)
            for iteration, nodes in enumerate(iterations)
            for index, node in enumerate(nodes)
        }
        self.counter = Value(int32, (), "iteration")
        self.carried: dict[int, Value] = {}  # node -> its value in the iteration before
        self.starts: dict[int, Value] = {}  # node -> its value before the first iteration
        self.fixed: dict[Value, Value] = {}  # value outside -> input of the body
        self.before: list[Node] = []
        self.inside: dict[int, Value] = {}
        self.body: list[Node] = []

    def rolled(self) -> Graph | None:
        """The graph with the repetition as a loop; None where that is impossible."""
        if not self.is_chain():
            return None
        for index, node in enumerate(self.iterations[0]):
            operands = [self.operand(index, slot) for slot in range(len(node.inputs))]
            known = [value for value in operands if value is not None]
            if len(known) < len(operands):
                return None
            self.add(index, node, known)
        return self.written()

    def is_chain(self) -> bool:
        """Whether only the same and the next iteration read a result, the last one aside."""
        final = len(self.iterations) - 1
        last = {value for value, (iteration, _) in self.position.items() if iteration < final}
        if last.intersection(self.graph.outputs):
            return False
        for node in self.graph.nodes:
            reader = self.position.get(node.outputs[0]) if node.outputs else None
            for value in node.inputs:
                place = self.position.get(value)
                if place is None or place[0] == final:
                    continue
                if reader is None or reader[0] - place[0] not in (0, 1):
                    return False
        return True

    def operand(self, index: int, slot: int) -> Value | None:
        """Operand `slot` of node `index` inside the body."""
        values = [nodes[index].inputs[slot] for nodes in self.iterations]
        positions = [self.position.get(value) for value in values]
        if positions[0] is not None:  # a result of the same iteration
            _, maker = positions[0]
            same = all(
                position == (iteration, maker) for iteration, position in enumerate(positions)
            )
            return self.inside[maker] if same else None
        if positions[1] is not None and positions[1][0] == 0:  # a result of the iteration before
            maker = positions[1][1]
            if any(
                position != (iteration - 1, maker)
                for iteration, position in enumerate(positions)
                if iteration
            ):
                return None
            return self.from_before(maker, values[0])
        if all(value is values[0] for value in values):
            return self.outside(values[0])
        return self.looked_up(values)

    def from_before(self, maker: int, start: Value) -> Value | None:
        value = self.iterations[0][maker].output
        if start.dtype is not value.dtype or start.shape != value.shape:
            return None
        if self.starts.setdefault(maker, start) is not start:
            return None
        if maker not in self.carried:
            self.carried[maker] = Value(value.dtype, value.shape, value.name)
        return self.carried[maker]

    def outside(self, value: Value) -> Value:
        if value not in self.fixed:
            self.fixed[value] = replace(value)
        return self.fixed[value]

    def looked_up(self, values: list[Value]) -> Value | None:
        """A row of a table of constants, one for each iteration."""
        arrays = [full_constant(value) for value in values]
        first = values[0]
        alike = all(value.shape == first.shape and value.dtype is first.dtype for value in values)
        constants = [array for array in arrays if array is not None and array.size <= TABLE_LIMIT]
        if not alike or len(constants) < len(arrays):
            return None
        return self.row_of(np.stack(constants[:-1]), first)

    def row_of(self, table: np.ndarray, like: Value) -> Value:
        outside = constant_node(table, "table")
        self.before.append(outside)
        row = Value(like.dtype, table.shape[1:], "row")
        inputs = (self.outside(outside.output), self.counter)
        attrs = {"index": (Slot(0),)}
        self.body.append(Node(TABLE["strided_slice"], inputs, attrs, (row,), None, "row"))
        return row

    def add(self, index: int, node: Node, operands: list[Value]) -> None:
        attrs = dict(node.attrs)
        indices = [nodes[index].attrs.get("index") for nodes in self.iterations]
        if any(bounds != indices[0] for bounds in indices):  # of a slice: see `_shown`
            template: list = []
            shape = dims(node.inputs[0])
            rows = zip(
                *(expanded(bounds or (), len(shape)) for bounds in indices[:-1]), strict=True
            )
            for row in rows:
                part = row[0]
                if type(part) is int:
                    size = shape[sum(bound is not None for bound in template)]
                    positions = np.array([at % size for at in row], np.int32)
                    part = Slot(len(operands) - 1)
                    operands.append(self.row_of(positions, Value(int32, ())))
                template.append(part)
            attrs["index"] = tuple(template)
        output = replace(node.output, constant=None)
        self.inside[index] = output
        self.body.append(replace(node, inputs=tuple(operands), attrs=attrs, outputs=(output,)))

    def written(self) -> Graph:
        makers = list(self.carried)
        unit, more = constant_node(np.array(1, np.int32), "one"), Value(int32, (), "next")
        steps = unit, Node(TABLE["add"], (self.counter, unit.output), {}, (more,), None, "next")
        inputs = (self.counter, *self.carried.values(), *self.fixed.values())
        outputs = (more, *(self.inside[maker] for maker in makers))
        body = Graph(f"{self.graph.name}.iteration", inputs, (*self.body, *steps), outputs)
        start = constant_node(np.array(0, np.int32), "zero")
        operands = (start.output, *(self.starts[maker] for maker in makers), *self.fixed)
        results = [replace(self.iterations[-2][maker].output, constant=None) for maker in makers]
        count = replace(self.counter)
        attrs = {"test": self.test(inputs), "body": body, "carried": len(makers) + 1}
        where = self.iterations[0][0].where
        loop = Node(TABLE["while"], operands, attrs, (count, *results), where, "iterations")
        last = self.iterations[-2]
        renamed = {last[at].output: result for at, result in zip(makers, results, strict=True)}
        return self.replaced([*self.before, start, loop], renamed)

    def test(self, inputs) -> Graph:
        own = tuple(map(replace, inputs))
        count = np.array(len(self.iterations) - 1, np.int32)
        limit, less = constant_node(count, "iterations"), Value(bool_, (), "less")
        test = Node(TABLE["less"], (own[0], limit.output), {}, (less,), None, "less")
        return Graph(f"{self.graph.name}.goes_on", own, (limit, test), (less,))

    def replaced(self, loop: list[Node], renamed: dict[Value, Value]) -> Graph:
        """The graph with the loop before the last iteration."""
        gone = {node for nodes in self.iterations[:-1] for node in nodes}
        final = self.iterations[-1][0]
        kept = []
        for node in self.graph.nodes:
            if node in gone:
                continue
            if node is final:
                kept += loop
            inputs = tuple(renamed.get(value, value) for value in node.inputs)
            kept.append(node if inputs == node.inputs else replace(node, inputs=inputs))
        return self.graph.replace(nodes=tuple(kept))
