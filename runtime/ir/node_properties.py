"""Facts about nodes and graphs that need no execution."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..core.numpy_dtypes import is_complex, is_real
from ..core.precision import Precision
from ..core.shapes import is_static, normal_axes
from .graph import Graph, Node, Value
from .indexing import Slot, row_slot
from .op import PURE, TABLE


def is_fusible(node: Node) -> bool:
    """Whether a node can be part of a loop nest: one pure numeric output of static shape."""
    op = node.op
    if (
        not (op.scalar or op.element or op.reduce)
        or op.effect is not PURE
        or len(node.outputs) != 1
    ):
        return False
    return is_numeric(node) and all(
        value.dtype.name != "float16" for value in (*node.inputs, node.output)
    )


def is_numeric(node: Node) -> bool:
    """Whether a node is one of numbers or booleans, of static shape, or read by a window."""
    return all(
        has_native_type(value, node) and (is_static(value.shape) or node.op is TABLE["window"])
        for value in (*node.inputs, *node.outputs)
    )


def has_native_type(value: Value, node: Node | None) -> bool:
    """Whether loops have numbers of the type of a value of a node. Complex ones are read, taken
    apart, and put together; so are inputs and outputs of kernels, which are values of no node.
    """
    dtype = value.dtype.numpy_dtype
    is_part = node is None or node.op.of_components or node.op.is_view
    return is_real(dtype) or (is_part and is_complex(dtype))


def has_complex_numbers(graph: Graph) -> bool:
    """Whether a graph or one of its sub-graphs has complex values."""
    values = (value for node in graph.walk() for value in node.outputs)
    return any(value.dtype.is_complex for value in (*graph.inputs, *values))


def has_slow_path(node: Node) -> bool:
    """Whether the formula of a node is not for all numbers."""
    return node.op.slow_path_beyond is not None and not Precision.precise_math


def ufunc_of(node: Node) -> np.ufunc | None:
    """The function of NumPy that is the kernel of a node, for these types: it has `out=`. Of
    strings it gives objects in place of arrays without axes.
    """
    if any(value.dtype.name == "string" for value in node.inputs):
        return None
    kernel = node.op.kernel
    if all(value.dtype.is_floating for value in node.inputs):
        kernel = node.op.float_ufunc or kernel
    return kernel if isinstance(kernel, np.ufunc) else None


def gives_new_array(node: Node) -> bool:
    """Whether the result of a node's kernel never shares memory with an operand."""
    op = node.op
    if op.reduce:
        shape = node.inputs[0].shape
        return shape is not None and bool(normal_axes(node.attrs["axis"], len(shape)))
    is_element_by_element = isinstance(op.kernel, np.ufunc) or op.scalar is not None
    return is_element_by_element and not op.may_return_operand


def setter_of(body: Graph, position: int) -> Node | None:
    """The node that sets items of the array that a loop carries at a position; None if an iteration
    reads the array otherwise, before or after.
    """
    node = only_reader(body, position)
    if node is None or node.op.in_place is None:
        return None
    return node if node.inputs[0] is body.inputs[position] else None


def only_reader(body: Graph, position: int) -> Node | None:
    """The only node that reads what a loop carries at a position, and gives its next value, which
    nothing reads; None if there is none such.
    """
    value, result = body.inputs[position], body.outputs[position]
    node, uses = body.producers().get(result), body.uses()
    if node is None or uses.get(value) != [node] or node.inputs.count(value) != 1:
        return None
    if value in body.outputs or result in uses or body.outputs.count(result) != 1:
        return None
    return node


def is_noreturn(graph: Graph) -> bool:
    """Whether a graph always raises."""
    if graph.facts.is_noreturn is None:
        graph.facts.is_noreturn = any(map(_is_noreturn, graph.nodes))
    return graph.facts.is_noreturn


def _is_noreturn(node: Node) -> bool:
    if node.op.name in ("if", "call"):
        return all(map(is_noreturn, node.subgraphs.values()))
    return node.op.always_raises


def effect_of_graph(graph: Graph) -> int:
    """The strongest effect among the nodes of a graph."""
    if graph.facts.effect is None:
        graph.facts.effect = max((node.effect for node in graph.nodes), default=PURE)
    return graph.facts.effect


def attribute_key(value):
    """A hashable key of an attribute: arrays compare by dtype, shape and bits."""
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            return "object", value.shape, tuple(value.reshape(-1).tolist())
        return value.dtype.str, value.shape, value.tobytes()
    return type(value), value


def has_computed_bounds(node: Node) -> bool:
    """Whether a node reads or sets items at slices whose bounds are computed."""
    rows = node.attrs.get("index", ())
    rows = rows if isinstance(rows, tuple) else ()
    return any(type(row) is tuple and any(type(bound) is Slot for bound in row) for row in rows)


def has_computed_sizes(graph: Graph) -> bool:
    """Whether the size of an array of a graph is not known, or that of a slice it reads or sets."""
    return not is_static_graph(graph) or any(map(has_computed_bounds, graph.walk()))


def is_static_graph(graph: Graph) -> bool:
    """Whether every shape in a graph, sub-graphs included, is static."""
    if not all(is_static(value.shape) for value in graph.inputs):
        return False
    return all(
        is_static(value.shape)
        for node in graph.walk()
        for value in (*node.outputs, *(v for g in node.subgraphs.values() for v in g.inputs))
    )


def has_unknown_shape(node: Node) -> bool:
    """Whether the shape of an operand or of a result is not known."""
    return not all(is_static(value.shape) for value in (*node.inputs, *node.outputs))


def transposes_matrix(node: Node) -> bool:
    """Whether a node does nothing but transpose a matrix."""
    is_transpose = node.op.name == "transpose" and node.attrs["perm"] in (None, (1, 0))
    return is_transpose and len(node.output.shape or ()) == 2


def is_matrix_product(node: Node) -> bool:
    """Whether a node is the product of two matrices of floats."""
    if node.op.name != "matmul" or not node.output.dtype.is_floating:
        return False
    return all(len(value.shape or ()) == 2 for value in node.inputs)


def row_reader_of(graph: Graph, value: Value) -> Node | None:
    """The node that reads a value as a whole row of an array, at a computed index of the first
    axis: `x[i]`. Its inputs are the array and the index. None for other values.
    """
    node = graph.producers().get(value)
    if node is None or node.op is not TABLE["strided_slice"] or len(node.inputs) != 2:
        return None
    shape = node.inputs[0].shape
    if shape is None or not is_static(shape):
        return None
    return node if row_slot(node.attrs["index"], shape) is not None else None


def choices_of(node: Node) -> Iterator[tuple[Value, tuple[Value, Value, Value]]]:
    """The results of a node that are one of two arrays: with a scalar condition, and the arrays."""
    if node.op is TABLE["select"]:
        condition, first, second = node.inputs
        choices = [(node.output, (condition, first, second))]
    elif node.op is TABLE["if"]:
        choices = list(_operands_returned(node))
    else:
        return
    for result, (condition, first, second) in choices:
        is_scalar = condition.shape == () and result.shape != ()
        if is_scalar and first.shape == second.shape == result.shape:
            yield result, (condition, first, second)


def _operands_returned(node: Node) -> Iterator[tuple[Value, tuple[Value, Value, Value]]]:
    """The results of a branch that are operands of it on either side."""
    then, orelse = node.attrs["then"], node.attrs["orelse"]
    for result, first, second in zip(node.outputs, then.outputs, orelse.outputs, strict=True):
        if first in then.inputs and second in orelse.inputs:
            at, to = then.inputs.index(first), orelse.inputs.index(second)
            yield result, (node.inputs[0], node.inputs[1 + at], node.inputs[1 + to])


def has_items_of_views(graph: Graph) -> bool:
    """Whether elements of a view, or of one of two arrays, are read or set where it is made."""
    views = {node.output for node in graph.nodes if node.op.is_view}
    views.update(value for node in graph.nodes for value, _ in choices_of(node))
    return any(node.op.is_indexing and node.inputs[0] in views for node in graph.nodes) or any(
        has_items_of_views(inner) for node in graph.nodes for inner in node.subgraphs.values()
    )
