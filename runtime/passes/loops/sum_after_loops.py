"""Products that a loop adds up become one product after the loop.

    for i in reversed(range(n)):            for i in reversed(range(n)):
        d = f(d, h[i])                          d = f(d, h[i])
        total += h[i].T @ d                     saved[i] = d
                                            total += concat(h).T @ concat(saved)

The gradient of a loop by its weights is such a sum. The right side reads and writes `total` once,
and the product is large enough for the rate of large products. The order of additions changes, as
it may in any library of matrix products. Sums of rows follow after such a loop too: those are the
gradients of a bias, and no iteration is then left in which rows meet. What is added to row `i`
alone, as in the gradient of `x[i]`, is saved as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...core import thresholds
from ...core.classes import NamedTuple
from ...core.shapes import is_static, normal_axes
from ...ir.constant_values import full_constant
from ...ir.graph import Graph, Node, Value, dims
from ...ir.indexing import Slot, row_slot
from ...ir.node_properties import is_matrix_product, row_reader_of, transposes_matrix
from ...ir.op import TABLE
from ...ir.rewrite import inside_subgraphs, new_zeros, rewrite_ops, with_node_after
from ...ir.scalar_nodes import ScalarNodes
from ...ir.trip_counts import InductionVariable, goes_through, induction_variable_of


def sum_after_loops(graph: Graph) -> Graph:
    """The graph with such sums computed after their loops."""
    if not graph.has("while", "if", "call"):
        return graph
    graph = inside_subgraphs(graph, sum_after_loops)
    producers = graph.producers()

    def visit(node: Node) -> Node | list[Node]:
        induction = induction_variable_of(node, producers)
        count = None if induction is None else induction.trip_count
        if induction is None or count is None or count < thresholds.LEAST_SUMMED:
            return node
        if not goes_through(node, induction.position, count):
            return node
        return _Loop(node, induction).without_sums()

    return rewrite_ops(graph, {"while": visit})


class _Sum(NamedTuple):
    """A carried value `position` to which each iteration adds `terms`."""

    position: int
    terms: tuple[Node, ...]


class _Loop:
    """One loop, and what is saved in it."""

    def __init__(self, node: Node, induction: InductionVariable):
        assert induction.trip_count is not None
        self.node = node
        self.count: int = induction.trip_count
        self.carried: int = node.attrs["carried"]
        self.body: Graph = node.attrs["body"]
        self.counter = self.body.inputs[induction.position]
        self.producers = self.body.producers()
        self.saved: dict[Value, Value] = {}  # a value of the body -> the array of all of them
        self.after = ScalarNodes()
        self.after.where = node.where

    def without_sums(self) -> Node | list[Node]:
        sums_of_loop = [each for at in range(self.carried) if (each := self.sum_at(at)) is not None]
        sums = [each for each in sums_of_loop if all(map(self.can_follow, each.terms))]
        gains = (self.is_product, self.is_row)
        if not any(gain(term) for each in sums for term in each.terms for gain in gains):
            return self.node
        for each in sums:
            self.add_sum(each)
        return [*self.loop({each.position for each in sums}), *self.after.nodes]

    # ---- what is added up ----------------------------------------------------------------

    def sum_at(self, position: int) -> _Sum | None:
        """The sum that is carried at a position, if the loop uses it in no other way."""
        own, result = self.body.inputs[position], self.body.outputs[position]
        add, uses = self.producers.get(result), self.body.uses()
        if add is None or add.op is not TABLE["add"] or not own.dtype.is_floating:
            return None
        if uses.get(own) != [add] or add.inputs.count(own) != 1 or result in uses:
            return None
        if self.body.outputs.count(result) != 1 or own in self.body.outputs:
            return None
        if self.node.attrs["test"].inputs[position] in self.node.attrs["test"].values_read():
            return None
        added = next(value for value in add.inputs if value is not own)
        terms = self.terms_of(added, add, own)
        return _Sum(position, tuple(terms)) if terms and is_static(own.shape) else None

    def terms_of(self, value: Value, reader: Node, total: Value) -> list[Node]:
        """The nodes whose results, added up, are a value that `reader` alone reads; none where that
        is not known.
        """
        node = self.producers.get(value)
        if node is None or len(node.outputs) != 1 or value.shape != total.shape:
            return []
        if self.body.uses()[value] != [reader] or value in self.body.outputs:
            return []
        if node.op is not TABLE["add"]:
            return [node]
        parts = [self.terms_of(operand, node, total) for operand in node.inputs]
        return [node_of_part for part in parts for node_of_part in part] if all(parts) else []

    def can_follow(self, term: Node) -> bool:
        """Whether all values of a term can be added up after the loop."""
        forms = (self.is_product, self.is_reduction, self.is_row, self.is_part)
        return any(form(term) for form in forms)

    def is_product(self, term: Node) -> bool:
        """Whether a term is the product of a transposed matrix and another, of few rows."""
        if not is_matrix_product(term):
            return False
        left, right = self.factors(term)
        if (
            left is None
            or not is_static(right.shape)
            or right.shape[0] > thresholds.MOST_PRODUCT_ROWS
        ):
            return False
        saved = [value for value in (left, right) if self.source(value) is None]
        return all(
            self.count * (value.size_in_bytes or 0) <= thresholds.MOST_PRODUCT_BYTES
            for value in saved
        )

    def factors(self, term: Node) -> tuple[Value | None, Value]:
        """The matrices whose columns are multiplied: `x` and `y` of `x.T @ y`."""
        left, right = term.inputs
        node = self.producers.get(left)
        return (node.inputs[0] if node is not None and transposes_matrix(node) else None), right

    def is_reduction(self, term: Node) -> bool:
        """Whether a term is a sum of what can be saved."""
        if term.op is not TABLE["reduce_sum"] or not is_static(term.inputs[0].shape):
            return False
        return self.count * (term.inputs[0].size_in_bytes or 0) <= thresholds.MOST_PRODUCT_BYTES

    def is_row(self, term: Node) -> bool:
        """Whether a term is zero but for the row of the iteration."""
        if not is_items_of_zeros(term, self.producers) or len(term.inputs) != 3:
            return False
        array, value, index = term.inputs
        shape = array.shape or ()
        is_own = row_slot(term.attrs["index"], shape) is not None and index is self.counter
        return is_own and shape[0] == self.count and value.shape == shape[1:]

    def is_part(self, term: Node) -> bool:
        """Whether a term is zero but for a part, the same in each iteration, that can follow."""
        if not is_items_of_zeros(term, self.producers) or len(term.inputs) != 2:
            return False
        value = term.inputs[1]
        node = self.producers.get(value)
        is_alone = self.body.uses()[value] == [term] and value not in self.body.outputs
        return node is not None and is_alone and len(node.outputs) == 1 and self.can_follow(node)

    def source(self, value: Value) -> Value | None:
        """The array outside of the loop that has a value of each iteration as a row."""
        reader = row_reader_of(self.body, value)
        if reader is None or reader.inputs[1] is not self.counter:
            return None
        array = reader.inputs[0]
        if array not in self.body.inputs[self.carried :] or dims(array)[0] != self.count:
            return None
        return self.node.inputs[self.body.inputs.index(array)]

    # ---- after the loop ------------------------------------------------------------------

    def all_of(self, value: Value) -> Value:
        """The values of all iterations, as an array, after the loop."""
        known = self.source(value)
        if known is None and value not in self.saved:
            self.saved[value] = Value(value.dtype, (self.count, *(value.shape or ())), "saved")
        return self.saved[value] if known is None else known

    def add_sum(self, added: _Sum) -> None:
        """The sum of the start and all terms takes the place of the result of the loop."""
        total = self.node.inputs[added.position]
        results = [replace(total, constant=None) for _ in added.terms[1:]]
        for term, result in zip(
            added.terms, (*results, self.node.outputs[added.position]), strict=True
        ):
            total = self.after.added("add", total, self.sum_of(term), output=result)

    def sum_of(self, term: Node) -> Value:
        """The sum of a term over all iterations."""
        if self.is_row(term):
            return self.all_of(term.inputs[1])
        if self.is_part(term):
            return self.part(term)
        return self.product(term) if self.is_product(term) else self.reduction(term)

    def part(self, term: Node) -> Value:
        summed = self.sum_of(self.producers[term.inputs[1]])
        nodes, zeros = new_zeros(term.output, self.node.where)
        self.after.nodes += nodes
        return self.after.added("set_item", zeros, summed, **term.attrs)

    def product(self, term: Node) -> Value:
        left, right = self.factors(term)
        assert left is not None
        first, second = (self.flat(self.all_of(value)) for value in (left, right))
        turned = self.after.added("transpose", first, perm=(1, 0))
        return self.after.added("matmul", turned, second)

    def reduction(self, term: Node) -> Value:
        value = term.inputs[0]
        shape = value.shape or ()
        axes = normal_axes(term.attrs["axis"], len(shape))
        axes = (0, *(axis + 1 for axis in axes))
        summed = self.after.added("reduce_sum", self.all_of(value), axis=axes, keepdims=False)
        return self.after.reshaped(summed, dims(term.output))

    def flat(self, value: Value) -> Value:
        count, rows, columns = dims(value)
        return self.after.reshaped(value, (count * rows, columns))

    # ---- the loop ------------------------------------------------------------------------

    def loop(self, gone: set[int]) -> list[Node]:
        """The loop that saves values in place of the sums at some positions, and what it needs."""
        node, body, test = self.node, self.body, self.node.attrs["test"]
        before: list[Node] = []
        starts, inner, sets = [], [], []
        for value, outer in self.saved.items():
            nodes, start = new_zeros(outer, node.where)
            own = replace(outer)
            before += nodes
            starts.append(start)
            inner.append(own)
            rows = ScalarNodes()
            rows.added("set_item", own, value, self.counter, index=(Slot(0),))
            sets += rows.nodes
        split, within = self.carried, body.nodes
        for value, set_node in zip(self.saved, sets, strict=True):
            within = with_node_after(within, value, set_node)

        def changed(values: tuple, added: Sequence[Value]) -> tuple:
            kept = [value for at, value in enumerate(values[:split]) if at not in gone]
            return (*kept, *added, *values[split:])

        attrs = {
            **node.attrs,
            "carried": split - len(gone) + len(starts),
            "test": test.replace(
                inputs=changed(test.inputs, [replace(value_inside) for value_inside in inner])
            ),
            "body": body.replace(
                inputs=changed(body.inputs, inner),
                nodes=within,
                outputs=changed(body.outputs, [set_node.output for set_node in sets]),
            ),
        }
        inputs = changed(node.inputs, starts)
        outputs = changed(node.outputs, list(self.saved.values()))
        return [*before, replace(node, inputs=inputs, attrs=attrs, outputs=outputs)]


def add_to_items(graph: Graph) -> Graph:
    """The graph with sums of an array and of one that is zero but for some items in its place.

    y = x + set_item(zeros, v, index)        y = set_item(x, x[index] + v, index)

    The gradient of a slice is such an array of zeros, and that of several slices their sum. A sum
    that is -0.0 elsewhere stays -0.0.
    """
    graph = inside_subgraphs(graph, add_to_items)
    if not graph.has("set_item"):
        return graph
    producers, uses = graph.producers(), graph.uses()

    def is_read_once(value: Value, reader: Node) -> bool:
        return uses.get(value) == [reader] and value not in graph.outputs

    def visit(node: Node) -> Node | list[Node]:
        for total, other in (node.inputs, node.inputs[::-1]):
            term = producers.get(other)
            if term is None or not is_items_of_zeros(term, producers) or total is other:
                continue
            is_alone = is_read_once(other, node) and is_read_once(total, node)
            if total.shape == node.output.shape and is_alone:
                return _in_place(node, total, term)
        return node

    return rewrite_ops(graph, {"add": visit})


def is_items_of_zeros(node: Node, producers: dict[Value, Node]) -> bool:
    """Whether a node sets items of an array of zeros, each to a value of its own."""
    if node.op is not TABLE["set_item"] or not is_static(node.inputs[1].shape):
        return False
    array, value, *scalars = node.inputs
    part = TABLE["strided_slice"].result_of((array, *scalars), node.attrs)
    return part.shape == value.shape and _is_zero(array, producers)


def _is_zero(value: Value, producers: dict[Value, Node]) -> bool:
    node = producers.get(value)
    if node is None:
        return False
    if node.op is TABLE["fill"]:
        number = full_constant(node.inputs[1])
        return number is not None and not number.any()
    if node.op is TABLE["stack_zeros"]:
        return True
    return node.op.is_constant and not node.attrs["value"].any()


def _in_place(node: Node, total: Value, term: Node) -> list[Node]:
    _, value, *scalars = term.inputs
    items, summed = Value(value.dtype, value.shape, "items"), replace(value, constant=None)
    return [
        replace(term, op=TABLE["strided_slice"], inputs=(total, *scalars), outputs=(items,)),
        Node(TABLE["add"], (items, value), {}, (summed,), node.where, "add"),
        replace(term, inputs=(total, summed, *scalars), outputs=node.outputs, where=node.where),
    ]
