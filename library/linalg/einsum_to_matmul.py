"""Replace `einsum` and `tensordot` by matrix products, which native code has, and products of a
batch with one matrix by one product.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from ...extend.graphs import Graph, Node, ScalarNodes, Value, dims, inside_subgraphs, rewrite_ops
from ...extend.specs import is_static

FEW_ROWS = 8  # of the product of a batch: up to here one product of all rows is faster


def einsum_to_matmul(graph: Graph) -> Graph:
    """The graph with `tensordot` and `einsum` of two tensors as transposed, reshaped `matmul`, or
    as sums of products of elements. That of one tensor sums over axes. A `matmul` of a batch of a
    few rows each with one matrix becomes a product of all rows.
    """

    rules = {
        "tensordot": lambda node: _tensordot(node) or node,
        "einsum": lambda node: _einsum(node) or node,
        "matmul": lambda node: _all_rows(node) or node,
    }
    return inside_subgraphs(rewrite_ops(graph, rules), einsum_to_matmul)


def _tensordot(node: Node) -> list[Node] | None:
    a, b = node.inputs
    if not (is_static(a.shape) and is_static(b.shape)):
        return None
    axes, rank = node.attrs["axes"], len(a.shape)
    if isinstance(axes, int):
        left, right = list(range(rank - axes, rank)), list(range(axes))
    else:
        left, right = ([own_axes] if isinstance(own_axes, int) else own_axes for own_axes in axes)
    names = list(range(rank + len(b.shape)))
    terms = names[:rank], names[rank:]
    for left_axis, right_axis in zip(left, right, strict=True):
        terms[1][right_axis] = terms[0][left_axis]
    summed = {terms[0][axis] for axis in left}
    out = [name for term in terms for name in term if name not in summed]
    return _Product(node, terms, out).nodes()


def _all_rows(node: Node) -> list[Node] | None:
    """The product of a batch with one matrix, as a product of two matrices."""
    a, b = node.inputs
    if not (is_static(a.shape) and is_static(b.shape)) or node.attrs.get("transposed"):
        return None
    if len(b.shape) != 2 or len(a.shape) < 3 or 0 in a.shape or a.shape[-2] > FEW_ROWS:
        return None
    names = list(range(len(a.shape) + 1))
    return _Product(node, [names[:-1], names[-2:]], [*names[:-2], names[-1]]).nodes()


def _einsum(node: Node) -> list[Node] | None:
    equation = node.attrs["equation"].replace(" ", "")
    inputs, arrow, out = equation.partition("->")
    terms = inputs.split(",")
    if len(terms) > 2 or "." in equation or any(len(set(term)) < len(term) for term in terms):
        return None
    if not arrow:
        both = "".join(terms)
        out = "".join(sorted(letter for letter in set(both) if both.count(letter) == 1))
    if not all(is_static(value.shape) for value in node.inputs):
        return None
    if len(terms) == 1:
        return _Product(node, terms, out).sums()
    return _Product(node, terms, out).nodes()


class _Product:
    """One sum of products; every axis of the operands and of the result has a name."""

    def __init__(self, node: Node, terms: Sequence, out: Sequence):
        self.node = node
        self.operands = list(node.inputs)
        self.terms = [*terms, *[""] * (2 - len(terms))]
        self.out = list(out)
        self.made = ScalarNodes()
        self.made.where = node.where
        self.sizes: dict = {}
        self.fits = True  # each name stands for one size
        for term, value in zip(terms, node.inputs, strict=True):
            for name, size in zip(term, dims(value), strict=True):
                self.fits &= self.sizes.setdefault(name, size) == size

    def nodes(self) -> list[Node] | None:
        if self.fits:
            self.sum_alone()
        first, second = self.terms
        shared = [name for name in first if name in second]
        batch = [name for name in shared if name in self.out]
        summed = [name for name in shared if name not in self.out]
        left, right = ([name for name in term if name not in shared] for term in self.terms)
        if not self.fits or set(self.out) != {*batch, *left, *right}:
            return None  # a size of 1 that spreads
        if batch and not (left or right):
            return self.products(batch, summed)
        around = [batch] if batch or not (left and right) else []  # else it is one of two matrices
        a = self.arranged(0, *around, left, summed)
        b = self.arranged(1, *around, summed, right)
        order = [*batch, *left, *right]
        spread_shape = tuple(self.sizes[name] for name in order)
        spread = self.made.reshaped(self.made.added("matmul", a, b), spread_shape)
        return self.ordered(spread, order)

    def sums(self) -> list[Node]:
        """The nodes of the sums of one operand."""
        self.sum_alone()
        (value,), (term, _) = self.operands, self.terms
        return self.ordered(value, list(term))

    def products(self, batch: list, summed: list) -> list[Node]:
        """The nodes of products of elements, summed over the last axes: rows of a loop nest."""
        batch = list(self.out)
        a, b = (
            self.transposed(value, [list(term).index(name) for name in (*batch, *summed)])
            for value, term in zip(self.operands, self.terms, strict=True)
        )
        product = self.made.added("multiply", a, b)
        if summed:
            axes = tuple(range(len(batch), len(batch) + len(summed)))
            product = self.made.added("reduce_sum", product, axis=axes, keepdims=False)
        return self.ordered(product, batch)

    def sum_alone(self) -> None:
        """Sum each operand over the axes that are only its own."""
        for place, value in enumerate(self.operands):
            term, other = self.terms[place], self.terms[1 - place]
            kept = [name for name in term if name in other or name in self.out]
            if len(kept) == len(term):
                continue
            axes = tuple(axis for axis, name in enumerate(term) if name not in kept)
            self.operands[place] = self.made.added("reduce_sum", value, axis=axes, keepdims=False)
            self.terms[place] = kept

    def size(self, names) -> int:
        return math.prod(self.sizes[name] for name in names)

    def arranged(self, operand: int, *groups) -> Value:
        """An operand with its axes in the order of the groups, each group as one axis."""
        term, value = list(self.terms[operand]), self.operands[operand]
        turned = self.transposed(value, [term.index(name) for group in groups for name in group])
        return self.made.reshaped(turned, tuple(map(self.size, groups)))

    def transposed(self, value: Value, order: list[int]) -> Value:
        is_moved = order != sorted(order)
        return self.made.added("transpose", value, perm=tuple(order)) if is_moved else value

    def ordered(self, value: Value, names: list) -> list[Node]:
        """The nodes, of which the last gives the result: a value whose axes have these names."""
        value = self.transposed(value, [names.index(name) for name in self.out])
        if value in self.node.inputs:
            self.made.added("identity", value)
        return [*self.made.nodes[:-1], replace(self.made.nodes[-1], outputs=self.node.outputs)]
