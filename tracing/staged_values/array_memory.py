"""Which tensors of a graph would be one array in NumPy, and which would be new ones.

Where a tensor stands for an array, `row = grid[0]` would be a view of it, and `grid + 1` another
array, which may get items as well.
"""

from __future__ import annotations

from collections.abc import Collection

from ...runtime.ir.graph import Value
from ...runtime.tensors.tensor import SymbolicTensor

VIEWS = {"StridedSlice", "Reshape", "Transpose", "Squeeze", "ExpandDims"}


def memory_of(tensor) -> list[Value]:
    """The value of a tensor in its graph, and those of which it is a view in NumPy."""
    memory: list = []
    while isinstance(tensor, SymbolicTensor):
        builder, value = tensor.builder, tensor.graph_value
        memory.append(value)
        node = builder.node_of(value)
        while node is not None and node.type in VIEWS:
            memory.append(node.inputs[0])
            node = builder.node_of(node.inputs[0])
        captured = builder.captures.values() if node is None else ()
        tensor = next((outer for outer, inner in captured if inner is memory[-1]), None)
    return memory


def is_computed_from(tensor, arrays: Collection[int], others: dict[int, tuple]) -> bool:
    """Whether a tensor is computed from values whose identities are in `arrays`.

    `others` remembers what is not, and how many arrays there were. Scalars are no arrays. What
    control flow gives is not looked through: it has other operands besides.
    """
    if not isinstance(tensor, SymbolicTensor):
        return False
    seen: dict[int, Value] = {}
    pending = [(tensor.builder, tensor.graph_value)]
    while pending:
        builder, value = pending.pop()
        if id(value) in arrays:
            return True
        is_known = others.get(id(value), (None, -1))[1] == len(arrays)
        if value.shape == () or id(value) in seen or is_known:
            continue
        seen[id(value)] = value
        pending += _origins(builder, value)
    others |= {key: (value, len(arrays)) for key, value in seen.items()}
    return False


def _origins(builder, value: Value) -> list[tuple]:
    """The sources of a value: operands, or the tensor that it captures."""
    node = builder.node_of(value)
    if node is not None:
        return [] if node.subgraphs else [(builder, operand) for operand in node.inputs]
    return [
        (outer.builder, outer.graph_value)
        for outer, inner in builder.captures.values()
        if inner is value and isinstance(outer, SymbolicTensor)
    ]
