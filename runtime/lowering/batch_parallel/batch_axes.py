"""Batch axes: along which axis of each value of a loop the rows of a batch lie.

    for t in range(steps):
        h = tanh(x[t] @ w + h @ u)      # h: (batch, units), x: (steps, batch, units)
        out[t] = h

Row i of `h` follows from row i of `x[t]` and of `h` in the iteration before, and from no other row.
So the batch axis of `h` is its axis 0, and that of `x` and `out` is their axis 1. What has no batch
axis, such as `w` and `t`, is the same for all rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...core.classes import NamedTuple
from ...core.shapes import is_static, normal_axes
from ...ir.graph import Graph, Node, Value, dims
from ...ir.indexing import broadcast_axes
from ...ir.node_properties import setter_of
from ...ir.op import TABLE

Axes = dict[int, int]  # an axis of an operand -> the axis of the result along which it lies


class BatchAxes(NamedTuple):
    """The batch of a loop.

    size     the number of rows
    axis_of  the batch axis of each value of the body that has one
    states   the positions of the carried arrays that iterations replace
    written  the positions of those whose items they set
    """

    size: int
    axis_of: dict[Value, int]
    states: tuple[int, ...]
    written: tuple[int, ...]


def batch_axes(loop: Node) -> BatchAxes | None:
    """The batch of a loop that treats each row alike; None for other loops.

    It is that of the first axis of the arrays that iterations replace, which must have one size.
    """
    body: Graph = loop.attrs["body"]
    arrays = [at for at in range(loop.attrs["carried"]) if body.inputs[at].shape != ()]
    if not all(is_static(body.inputs[at].shape) for at in arrays):
        return None
    written = tuple(at for at in arrays if setter_of(body, at) is not None)
    states = tuple(at for at in arrays if at not in written)
    sizes = {dims(body.inputs[at])[0] for at in states}
    if len(sizes) != 1 or sizes <= {0, 1}:
        return None
    (size,) = sizes
    axis_of = _propagated(loop, states, size)
    if axis_of is None or not all(body.inputs[at] in axis_of for at in written):
        return None
    if any(axis_of[body.inputs[at]] for at in states):
        return None
    return BatchAxes(size, axis_of, states, written)


def _propagated(loop: Node, states: tuple[int, ...], size: int) -> dict[Value, int] | None:
    """The batch axes of all values of the body, from those of the states; None where rows meet."""
    body, test = loop.attrs["body"], loop.attrs["test"]
    pairs = list(zip(body.inputs, body.outputs, strict=False))
    axis_of = {body.inputs[at]: 0 for at in states}
    maps = {node: _axis_maps(node) for node in body.nodes}
    count = -1
    while count != len(axis_of):  # each round adds one at least: most need two
        count = len(axis_of)
        for node in (*body.nodes, *reversed(body.nodes)):
            _propagate(node, maps[node], axis_of, size)
        for pair in pairs:
            known = {axis_of[value] for value in pair if value in axis_of}
            if len(known) == 1:
                axis_of |= dict.fromkeys(pair, *known)
    fits = all(_agrees(node, maps[node], axis_of, size) for node in body.nodes)
    fits = fits and all(axis_of.get(first) == axis_of.get(second) for first, second in pairs)
    read = test.values_read()
    rows = zip(test.inputs, body.inputs, strict=True)
    if not fits or any(outer in read for outer, inner in rows if inner in axis_of):
        return None
    return axis_of


def _propagate(
    node: Node, maps: Sequence[Axes] | None, axis_of: dict[Value, int], size: int
) -> None:
    """Note what follows from the batch axis of an operand, or of the result, for the others."""
    if maps is None:
        return
    result = node.output
    along_result = axis_of.get(result)
    for value, axes in zip(node.inputs, maps, strict=True):
        if along_result is None and value in axis_of:
            along_result = axes.get(axis_of[value])
    if along_result is None:
        return
    axis_of.setdefault(result, along_result)
    for value, axes in zip(node.inputs, maps, strict=True):
        for axis, along in axes.items():
            if along == along_result and dims(value)[axis] == size:
                axis_of.setdefault(value, axis)


def _agrees(node: Node, maps: Sequence[Axes] | None, axis_of: dict[Value, int], size: int) -> bool:
    """Whether the rows of the result follow from those rows of an operand, or neither has any.

    Where they follow from those rows of no operand, they may be others: at an offset, or reversed.
    """
    if maps is None:
        return axis_of.keys().isdisjoint((*node.inputs, *node.outputs))
    result_axis = axis_of.get(node.output)
    if result_axis is not None and dims(node.output)[result_axis] != size:
        return False
    follows = result_axis is None or makes_rows(node)
    for value, axes in zip(node.inputs, maps, strict=True):
        expected = next((axis for axis, along in axes.items() if along == result_axis), None)
        if axis_of.get(value) != expected:
            return False
        if expected is not None and dims(value)[expected] != size:
            return False
        follows = follows or expected is not None
    return follows


def _axis_maps(node: Node) -> Sequence[Axes] | None:
    """For each operand, which of its axes lie along which axes of the result, index by index; None
    for operations of which that is not known.
    """
    values = (*node.inputs, *node.outputs)
    if len(node.outputs) != 1 or not all(is_static(value.shape) for value in values):
        return None
    if makes_rows(node):
        return [{} for _ in node.inputs]
    if node.op.kept_axes is not None:
        shapes = (dims(value) for value in node.inputs)
        return node.op.kept_axes(dims(node.output), *shapes, **node.attrs)
    if node.op.elementwise:
        return [broadcast_axes(dims(value), dims(node.output)) for value in node.inputs]
    return [_kept(node)] if node.op.reduce and len(node.inputs) == 1 else None


def makes_rows(node: Node) -> bool:
    """Whether a node makes an array whose rows may be any that are asked for."""
    return node.op.is_constant or node.op is TABLE["fill"]


def _kept(node: Node) -> Axes:
    """The axes that a reduction keeps."""
    rank = len(dims(node.inputs[0]))
    gone = set(normal_axes(node.attrs["axis"], rank))
    kept = [at for at in range(rank) if at not in gone]
    has_rank = len(dims(node.output)) == rank
    return {at: at if has_rank else along for along, at in enumerate(kept)}
