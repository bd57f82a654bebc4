"""Products that read transposed matrices from where they lie.

t = transpose(x); y = matmul(t, z)    becomes    y = matmul(x, z) transposed=(True, False)
"""

from __future__ import annotations

from dataclasses import replace

from ..core import thresholds
from ..core.shapes import is_static
from ..ir.graph import Node, Value, dims, elements_of
from ..ir.node_properties import is_matrix_product, transposes_matrix
from .program import LibraryCall, Nest, Program, Step, is_numeric, nodes_of


def with_transposed_operands(program: Program) -> list[Step | None]:
    """The steps of a program, each as it runs: None where a transposed matrix is not computed since
    only products read it. These get an attribute, `transposed`: which of their operands to read as
    its transpose.
    """
    readers: dict[Value, list[Node | None]] = {value: [None] for value in program.outputs}
    for step in program.steps:
        for node in nodes_of(step):
            for value in node.inputs:
                readers.setdefault(value, []).append(node)
    transposes = filter(None, map(_transpose, program.steps))
    sources = {
        node.output: node.inputs[0]
        for node in transposes
        if all(map(_may_read, readers.get(node.output, [None])))
    }
    if not sources:
        return list(program.steps)
    nodes = [(step, _transpose(step)) for step in program.steps]
    return [
        _with_sources(step, sources) if node is None or node.output not in sources else None
        for step, node in nodes
    ]


def _transpose(step: Step) -> Node | None:
    """The node of a step that does nothing but transpose a matrix."""
    if not isinstance(step, Nest) or len(step.nodes) != 1 or not is_numeric(step):
        return None
    (node,) = step.nodes
    return node if transposes_matrix(node) else None


def _may_read(node: Node | None) -> bool:
    """Whether a node is a product of two matrices by BLAS or in tiles."""
    if node is None or not is_matrix_product(node):
        return False
    if not all(is_static(value.shape) for value in node.inputs):
        return False
    multiplications = elements_of(node.output) * dims(node.inputs[0])[1]
    return multiplications > thresholds.SMALL_PRODUCT


def _with_sources(step: Step, sources: dict[Value, Value]) -> Step:
    if not isinstance(step, LibraryCall) or not any(arg in sources for arg in step.node.inputs):
        return step
    node = step.node
    inputs = tuple(sources.get(value, value) for value in node.inputs)
    attrs = {**node.attrs, "transposed": tuple(value in sources for value in node.inputs)}
    return LibraryCall(replace(node, inputs=inputs, attrs=attrs))
