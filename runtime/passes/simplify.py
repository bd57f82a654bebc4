"""Constants, what is computed twice, and algebra that keeps every bit: NaN, infinities, -0.0,
and integers that wrap.
"""

from __future__ import annotations

from dataclasses import replace

from ..core.shapes import is_static
from ..ir.constant_values import CONSTANT_LIMIT, full_constant
from ..ir.graph import Graph, Node, Value, elements_of
from ..ir.indexing import is_everything
from ..ir.node_properties import attribute_key
from ..ir.op import PURE, TABLE
from ..ir.rewrite import inside_subgraphs, rewrite, rewrite_ops, zeros_instead
from .rules import Rule, Rules, apply_rules, op, x, y


def is_integer(value: Value) -> bool:
    return value.dtype.is_integer


def is_real(value: Value) -> bool:
    """A product by 1+0j and the like may change the sign of a zero, or make NaN of infinity."""
    return not value.dtype.is_complex


ALGEBRA = Rules(
    Rule(op("identity", x), x),
    Rule(op("negative", op("negative", x)), x),
    Rule(op("logical_not", op("logical_not", x)), x),
    Rule(op("invert", op("invert", x)), x),
    Rule(op("abs", op("abs", x)), op("abs", x)),
    Rule(op("multiply", x, 1), x, when=is_real),
    Rule(op("multiply", 1, x), x, when=is_real),
    Rule(op("multiply_no_nan", x, 1), x, when=is_real),
    Rule(op("masked_product", x, 1), x, when=is_real),
    Rule(op("divide", x, 1), x, when=is_real),
    Rule(op("floor_divide", x, 1), x, when=is_integer),  # a float would be rounded
    Rule(op("subtract", x, 0), x, when=is_real),
    Rule(op("add", x, 0), x, when=is_integer),  # -0.0 + 0 is +0.0: floats keep it
    Rule(op("add", 0, x), x, when=is_integer),
    Rule(op("add", x, op("negative", y)), op("subtract", x, y)),
    Rule(op("subtract", x, op("negative", y)), op("add", x, y)),
    Rule(op("bitwise_or", x, x), x),
    Rule(op("bitwise_and", x, x), x),
    Rule(op("logical_and", x, True), x),
    Rule(op("logical_or", x, False), x),
    Rule(op("maximum", x, x), x),
    Rule(op("minimum", x, x), x),
)


def simplify(graph: Graph) -> Graph:
    """The graph with the rules of ALGEBRA applied, without slices of whole arrays and assignments
    to them, and without what depends on shapes that turned out to be static.
    """
    if graph.has(*OF_SHAPES):
        graph = rewrite_ops(graph, OF_SHAPES)
    whole = {"strided_slice": _as_it_is}
    graph = rewrite(rewrite_ops(graph, whole), _without_whole_assignment)
    return apply_rules(graph, ALGEBRA)


def _as_it_is(node: Node) -> Node:
    """A slice of all elements of an array is the array, as is a check of a known shape."""
    value, *scalars = node.inputs
    if scalars or not is_static(value.shape) or value.shape != node.output.shape:
        return node
    if not is_everything(node.attrs.get("index", ()), value.shape):
        return node
    return replace(node, op=TABLE["identity"], inputs=(value,), attrs={})


def _sums_of_axes(node: Node) -> Node | list[Node]:
    """The sums over the axes along which an operand was repeated, where the shapes are known."""
    value, shape = node.inputs[0], node.output.shape
    if not is_static(value.shape) or not is_static(shape):
        return node
    if value.shape == shape:
        return replace(node, op=TABLE["identity"], inputs=(value,), attrs={})
    sizes, wanted = value.shape or (), shape or ()
    extra = len(sizes) - len(wanted)
    own = sizes[max(extra, 0) :]
    if extra < 0 or any(size not in (1, had) for had, size in zip(own, wanted, strict=True)):
        return node  # an error of the run
    repeated = tuple(axis for axis, size in enumerate(own) if size != wanted[axis])
    total = replace(node, op=TABLE["reduce_sum"], inputs=(value,))
    nodes: list[Node] = []
    if extra:
        outer = Value(value.dtype, own, node.name) if repeated else node.output
        attrs = {"axis": tuple(range(extra)), "keepdims": False}
        nodes.append(replace(total, attrs=attrs, outputs=(outer,)))
        total = replace(total, inputs=(outer,))
    if repeated:
        nodes.append(replace(total, attrs={"axis": repeated, "keepdims": True}))
    return nodes


def _zeros_of_shape(node: Node) -> Node | list[Node]:
    """Zeros in the shape of an array with a known number of rows."""
    is_known = node.output.shape and is_static(node.output.shape)
    return zeros_instead(node, node.output) if is_known else node


OF_SHAPES = {
    "sum_to_shape": _sums_of_axes, "ensure_shape": _as_it_is, "stack_zeros": _zeros_of_shape
}  # fmt: skip


def simplify_all(graph: Graph) -> Graph:
    """What `simplify` gives, for sub-graphs too."""
    return simplify(inside_subgraphs(graph, simplify_all))


def _without_whole_assignment(node: Node) -> Node:
    """Where a value replaces all elements of an array, it is the result."""
    if node.op.part_is_read_by is None or "index" not in node.attrs or len(node.inputs) != 2:
        return node
    target, value = node.inputs
    is_same = target.dtype is value.dtype and target.shape == value.shape
    if not is_same or not is_static(value.shape) or "sizes" in node.attrs:
        return node
    if not is_everything(node.attrs["index"], value.shape):
        return node
    return replace(node, op=TABLE["identity"], inputs=(value,), attrs={})


def fold_constants(graph: Graph) -> Graph:
    """Small pure results with a constant value become constants."""

    def visit(node: Node) -> Node:
        if node.op.is_constant or node.effect is not PURE or len(node.outputs) != 1:
            return node
        constant = full_constant(node.output)
        if (
            constant is None
            or not is_static(node.output.shape)
            or elements_of(node.output) > CONSTANT_LIMIT
        ):
            return node
        return replace(node, op=TABLE["const"], inputs=(), attrs={"value": constant})

    return rewrite(graph, visit)


def eliminate_common_subexpressions(graph: Graph) -> Graph:
    """Pure nodes with the same operation, operands and attributes become one.

    Arrays that are cheap to compute stay apart: one of them may then be overwritten. So do arrays
    that grow, each in memory of its own.
    """
    first: dict[tuple, Node] = {}
    renamed: dict[Value, Value] = {}

    def visit(node: Node):
        if node.effect is not PURE or node.subgraphs:
            return node
        if node.op.is_cheap and node.output.shape != ():
            return node
        if node.op.native_result == "overwrites" and None in (node.output.shape or ()):
            return node
        try:
            key = (
                node.op,
                node.inputs,
                tuple((name, attribute_key(value)) for name, value in node.attrs.items()),
            )
            earlier = first.setdefault(key, node)
        except TypeError:
            return node  # an attribute that cannot be compared
        if earlier is node:
            return node
        renamed.update(zip(node.outputs, earlier.outputs, strict=True))
        return None

    return rewrite(graph, visit, renamed)
