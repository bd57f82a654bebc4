"""Replace the product of a row in each iteration by one matrix product before the loop.

`x[t] @ w`, where the loop counts `t` through all of `x`, is a row of `x @ w`. A product like
`concat([x[t], h]) @ w` is first split into a product of the row and one of the rest.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ...extend.graphs import (
    Graph,
    Node,
    ScalarNodes,
    Value,
    dims,
    induction_variable_of,
    inside_subgraphs,
    rewrite,
    rewrite_ops,
)
from ...extend.kernels import thresholds
from ...extend.operations import OPERATIONS, Slot, expanded_index, normal_axis
from ...extend.specs import is_static

WHOLE = (None, None, None)


def batch_loop_matmuls(graph: Graph) -> Graph:
    """The graph with such products moved before their loops.

    The order of additions changes, as it may in any library of matrix products.
    """
    if not graph.has("while", "if", "call"):
        return graph
    graph = inside_subgraphs(graph, batch_loop_matmuls)
    makers = {value: node for node in graph.nodes for value in node.outputs}

    def visit(node: Node) -> Node | list[Node]:
        counted = counted_loop_of(node, makers)
        return node if counted is None else _Loop(node, counted).freed()

    return rewrite_ops(graph, {"while": visit})


class CountedLoop(NamedTuple):
    """A loop whose carried value `position` counts 0, 1, ... `trips` - 1."""

    position: int
    trips: int


def counted_loop_of(node: Node, makers: dict[Value, Node]) -> CountedLoop | None:
    """The counted loop that a node is, if its trip count is constant."""
    induction = induction_variable_of(node, makers)
    if induction is None or induction.comparison != "less" or not isinstance(induction.limit, int):
        return None
    if induction.step != 1 or induction.start != 0:
        return None
    return CountedLoop(induction.position, induction.limit)


class _Loop:
    """One loop, and the nodes that come before it."""

    def __init__(self, node: Node, counted: CountedLoop):
        self.node = node
        self.counted = counted
        self.body: Graph = node.attrs["body"]
        carried = node.attrs["carried"]
        self.counter = self.body.inputs[counted.position]
        self.outside = dict(zip(self.body.inputs[carried:], node.inputs[carried:], strict=True))
        self.made = dict(self.body.producers())
        self.before = ScalarNodes()
        self.fresh: dict[Value, Value] = {}  # inner value -> outer value, to be passed to the loop

    def freed(self) -> Node | list[Node]:
        body = rewrite(self.body, self.visit)
        if not self.before.nodes:
            return self.node
        inner, outer = tuple(self.fresh), tuple(self.fresh.values())
        test: Graph = self.node.attrs["test"]
        test = test.replace(inputs=(*test.inputs, *(replace(value) for value in inner)))
        body = body.replace(inputs=(*body.inputs, *inner))
        attrs = {**self.node.attrs, "test": test, "body": body}
        operands = self.node.inputs + outer
        return [*self.before.nodes, replace(self.node, inputs=operands, attrs=attrs)]

    def visit(self, node: Node) -> Node | list[Node]:
        """A node of the body."""
        if node.op.name != "matmul" or node.inputs[1] not in self.outside:
            return node
        left, weights = node.inputs
        if len(left.shape or ()) != 2 or not is_static(weights.shape) or len(weights.shape) != 2:
            return node
        if self.rows_of(left) is not None and self.is_small(left, weights.shape[1]):
            return [self.row(node, self.product(node, left, self.outside[weights]))]
        return self.split(node) or node

    # ---- rows ----------------------------------------------------------------------------

    def rows_of(self, value: Value) -> Value | None:
        """The array outside of the loop of which `value` is the row that the counter chooses."""
        node = self.made.get(value)
        while node is not None and node.op.only_reshapes:
            node = self.made.get(node.inputs[0])
        if node is None or node.op.name != "strided_slice" or len(node.inputs) != 2:
            return None
        array, position = node.inputs
        if position is not self.counter or array not in self.outside or not is_static(array.shape):
            return None
        first, *rows = expanded_index(node.attrs["index"], len(array.shape))
        whole = type(first) is Slot and all(row is None or row == WHOLE for row in rows)
        return array if whole and array.shape[0] == self.counted.trips > 1 else None

    def is_small(self, value: Value, columns: int) -> bool:
        rows, _ = dims(value)
        bytes_of_all = self.counted.trips * rows * columns * value.dtype.size
        return (
            rows <= thresholds.MOST_PRODUCT_ROWS and bytes_of_all <= thresholds.MOST_PRODUCT_BYTES
        )

    def product(self, node: Node, left: Value, weights: Value) -> Value:
        """The product of all rows, before the loop."""
        (rows, size), columns, count = dims(left), dims(weights)[1], self.counted.trips
        array = self.outside[self.rows_of(left)]
        self.before.where = node.where
        flat = self.before.reshaped(array, (count * rows, size))
        product = self.before.added("matmul", flat, weights, **node.attrs)
        return self.before.reshaped(product, (count, rows, columns))

    def row(self, node: Node, product: Value, output: Value | None = None) -> Node:
        """In the loop, the rows of the product for this iteration."""
        inner = replace(product)
        self.fresh[inner] = product
        index = {"index": (Slot(0),)}
        output = output or node.output
        inputs = (inner, self.counter)
        return replace(
            node, op=OPERATIONS["strided_slice"], inputs=inputs, attrs=index, outputs=(output,)
        )

    # ---- joined operands -------------------------------------------------------------------

    def split(self, node: Node) -> list[Node] | None:
        """The product of a `concat` of rows and one other tensor, as a sum of products."""
        joined = self.made.get(node.inputs[0])
        if joined is None or joined.op.name != "concat":
            return None
        if normal_axis(joined.attrs["axis"], 2) != 1 or not node.output.dtype.is_floating:
            return None
        columns = dims(node.output)[1]
        rows = [value for value in joined.inputs if self.rows_of(value) is not None]
        small = all(self.is_small(value, columns) for value in rows)
        if not rows or not small or len(joined.inputs) - len(rows) > 1:
            return None
        nodes, sums, start = [], [], 0
        for value in joined.inputs:
            end = start + value.shape[1]
            weights_slice = self.before.added(
                "strided_slice", self.outside[node.inputs[1]], index=((start, end, 1),)
            )
            term = Value(node.output.dtype, node.output.shape, node.name)
            if value in rows:
                nodes.append(self.row(node, self.product(node, value, weights_slice), term))
            else:
                inner = replace(weights_slice)
                self.fresh[inner] = weights_slice
                nodes.append(replace(node, inputs=(value, inner), outputs=(term,)))
            sums.append(term)
            start = end
        total = sums[0]
        for position, value in enumerate(sums[1:], start=2):
            term = node.output if position == len(sums) else replace(total)
            add = Node(OPERATIONS["add"], (total, value), {}, (term,), node.where, "add")
            nodes.append(add)
            total = term
        return nodes
