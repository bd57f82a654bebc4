"""Products that read transposed matrices from where they lie.

t = transpose(x); y = matmul(t, z)    becomes    y = matmul(x, z) turned=(True, False)
"""

from __future__ import annotations

import math
from dataclasses import replace

from ..core.shapes import is_static
from ..ir.graph import Node, Value
from . import cost_model
from .program import LibraryCall, Nest, Program, Step, nodes_of


def with_transposed_operands(program: Program) -> list[Step]:
    """The steps of a program; a transposed matrix is not made if only products read it. These get
    an attribute, `turned`: which of their operands to read as its transpose.
    """
    readers: dict[Value, list[Node | None]] = {value: [None] for value in program.outputs}
    for step in program.steps:
        for node in nodes_of(step):
            for value in node.inputs:
                readers.setdefault(value, []).append(node)
    sources = {
        _result(step): step.nodes[0].inputs[0]
        for step in program.steps
        if _is_transpose(step) and all(map(_may_read, readers.get(_result(step), [None])))
    }
    if not sources:
        return list(program.steps)
    kept = (
        step for step in program.steps if not _is_transpose(step) or _result(step) not in sources
    )
    return [_with_sources(step, sources) for step in kept]


def _is_transpose(step: Step) -> bool:
    """Whether a step does nothing but transpose a matrix."""
    if not isinstance(step, Nest) or len(step.nodes) != 1:
        return False
    (node,) = step.nodes
    return (
        node.op.name == "transpose"
        and len(node.output.shape) == 2
        and node.attrs["perm"] in (None, (1, 0))
    )


def _result(step: Step) -> Value:
    return step.nodes[0].output


def _may_read(node: Node | None) -> bool:
    """Whether a node is a product of two matrices by BLAS or in tiles."""
    if node is None or node.op.name != "matmul" or not node.output.dtype.is_floating:
        return False
    if not all(is_static(value.shape) and len(value.shape) == 2 for value in node.inputs):
        return False
    if 1 in node.output.shape:
        return False
    multiplications = math.prod(node.output.shape) * node.inputs[0].shape[1]
    return multiplications > cost_model.SMALL_PRODUCT


def _with_sources(step: Step, sources: dict[Value, Value]) -> Step:
    if not isinstance(step, LibraryCall) or not any(one in sources for one in step.node.inputs):
        return step
    node = step.node
    inputs = tuple(sources.get(value, value) for value in node.inputs)
    attrs = {**node.attrs, "turned": tuple(value in sources for value in node.inputs)}
    return LibraryCall(replace(node, inputs=inputs, attrs=attrs))
