"""What native code has no form for, by other operations: reductions over no axis, which give their
operand, repeats of slices by counts of their own, which are known, as gathers, and zeros for what
stands for a value of the other branch.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from ...core import thresholds
from ...ir.constant_values import constant_node, full_constant
from ...ir.graph import Graph, Node, Value
from ...ir.op import TABLE
from ...ir.rewrite import inside_subgraphs, rewrite, zeros_instead
from ..buffer_assignment import may_grow


def by_other_operations(graph: Graph) -> Graph:
    """The graph, sub-graphs included, with other operations for those."""
    graph = inside_subgraphs(graph, by_other_operations)
    return rewrite(graph, partial(_rewritten, graph.producers()))


def _rewritten(producers: dict[Value, Node], node: Node) -> Node | list[Node]:
    if node.op is TABLE["repeat"]:
        return _gathered(node)
    if node.op is TABLE["blank"]:
        shape = tuple(size or 0 for size in node.output.shape or ())
        return zeros_instead(node, replace(node.output, shape=shape))
    if node.op is TABLE["fill"] and may_grow(node.output):
        return _as_many_rows(node, producers)
    if node.op.reduce is not None and (node.attrs["axis"] == () or node.inputs[0].shape == ()):
        return _without_reduction(node)
    return node


def _as_many_rows(node: Node, producers: dict[Value, Node]) -> Node:
    """Zeros in the shape of a stack."""
    shape, number = producers.get(node.inputs[0]), full_constant(node.inputs[1])
    if shape is None or shape.op is not TABLE["shape"] or number is None or number.any():
        return node
    rows = shape.inputs[0]
    is_stack = may_grow(rows) and rows.dtype is node.output.dtype
    return replace(node, op=TABLE["stack_zeros"], inputs=(rows,)) if is_stack else node


def _without_reduction(node: Node) -> Node | list[Node]:
    """A reduction over no axis gives its operand."""
    dtype = node.output.dtype
    if node.op.reduce.initial != 0 or dtype.is_integer or dtype.is_bool:
        return replace(node, op=TABLE["identity"], attrs={})
    start = np.zeros((), node.output.dtype.numpy_dtype)  # -0.0 + 0 is +0.0
    zero = constant_node(start, "zero", node.where)
    inputs = (*node.inputs, zero.output)
    return [zero, replace(node, op=TABLE["add"], inputs=inputs, attrs={})]


def _gathered(node: Node) -> Node | list[Node]:
    """Slices that are repeated by counts of their own, which are known, as a gather."""
    x, repeats = node.inputs
    counts = full_constant(repeats)
    if counts is None or counts.size < 2 or np.any(counts < 0):
        return node
    if counts.sum() > thresholds.MOST_REPEATED:
        return node
    indices = np.repeat(np.arange(counts.size, dtype=np.int32), counts)
    owners = constant_node(indices, "owners", node.where)
    attrs = {"axis": node.attrs["axis"], "batch_dims": 0}
    inputs = (x, owners.output)
    return [owners, replace(node, op=TABLE["gather"], inputs=inputs, attrs=attrs)]
