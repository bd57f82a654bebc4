"""What native code has no form for, by other operations: reductions over no axis, which give their
operand, and repeats of slices by counts of their own, which are known, as gathers.
"""

from __future__ import annotations

import numpy as np

from ...core import thresholds
from ...core.dtypes import int32
from ...ir.constant_values import full_constant
from ...ir.graph import Graph, Node, Value
from ...ir.op import TABLE
from ...ir.rewrite import inside_subgraphs, rewrite


def by_other_operations(graph: Graph) -> Graph:
    """The graph, sub-graphs included, with other operations for those."""
    return rewrite(inside_subgraphs(graph, by_other_operations), _rewritten)


def _rewritten(node: Node) -> Node | list[Node]:
    if node.op is TABLE["repeat"]:
        return _gathered(node)
    if node.op.reduce is not None and (node.attrs["axis"] == () or node.inputs[0].shape == ()):
        return _without_reduction(node)
    return node


def _without_reduction(node: Node) -> Node | list[Node]:
    """A reduction over no axis gives its operand."""
    if node.op.reduce.initial != "0" or node.output.dtype.is_integer:
        return Node(TABLE["identity"], node.inputs, {}, node.outputs, node.where, node.name)
    start = np.zeros((), node.output.dtype.numpy_dtype)  # -0.0 + 0 is +0.0
    zero = Value(node.output.dtype, (), "zero", start)
    inputs = (*node.inputs, zero)
    return [
        Node(TABLE["const"], (), {"value": start}, (zero,), node.where, "zero"),
        Node(TABLE["add"], inputs, {}, node.outputs, node.where, node.name),
    ]


def _gathered(node: Node) -> Node | list[Node]:
    """Slices that are repeated by counts of their own, which are known, as a gather."""
    x, repeats = node.inputs
    counts = full_constant(repeats)
    if counts is None or counts.size < 2 or np.any(counts < 0):
        return node
    if counts.sum() > thresholds.MOST_REPEATED:
        return node
    owners = np.repeat(np.arange(counts.size, dtype=np.int32), counts)
    indices = Value(int32, owners.shape, "owners", owners)
    attrs = {"axis": node.attrs["axis"], "batch_dims": 0}
    return [
        Node(TABLE["const"], (), {"value": owners}, (indices,), node.where, "owners"),
        Node(TABLE["gather"], (x, indices), attrs, node.outputs, node.where, node.name),
    ]
