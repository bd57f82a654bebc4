"""ONNX forms of reductions, products, convolution and pooling."""

from __future__ import annotations

import string as letters

import numpy as np

from ....extend.graphs import Node
from .array_forms import rank_of
from .table import form
from .writer import Writer

REDUCED = {
    "reduce_sum": "ReduceSum",
    "reduce_prod": "ReduceProd",
    "reduce_mean": "ReduceMean",
}
EXTREMES = {"reduce_max": "ReduceMax", "reduce_min": "ReduceMin"}


def _reduce(to: Writer, op_type: str, node: Node, x: str) -> str:
    axis, keepdims = node.attrs["axis"], int(node.attrs["keepdims"])
    if axis is None:
        return to.op(op_type, x, keepdims=keepdims)
    axes = np.atleast_1d(np.asarray(axis, np.int64)).tolist()
    return to.op(op_type, x, to.ints(*axes), keepdims=keepdims, noop_with_empty_axes=1)


@form(*REDUCED)
def reduce(to: Writer, node: Node, x: str):
    return _reduce(to, REDUCED[node.op.name], node, x)


@form(*EXTREMES)
def extreme(to: Writer, node: Node, x: str):
    """NaN where any element is; ONNX leaves it to the runtime."""
    result = _reduce(to, EXTREMES[node.op.name], node, x)
    if not node.output.dtype.is_floating:
        return result
    is_nan = to.cast(to.op("IsNaN", x), node.output.dtype)
    has_nan = to.cast(_reduce(to, "ReduceSum", node, is_nan), "bool")
    return to.op("Where", has_nan, to.like(np.nan, node.output), result)


@form("reduce_any")
def reduce_any(to: Writer, node: Node, x: str):
    return to.cast(_reduce(to, "ReduceSum", node, to.cast(x, "int64")), "bool")


@form("reduce_all")
def reduce_all(to: Writer, node: Node, x: str):
    failing = _reduce(to, "ReduceSum", node, to.cast(to.op("Not", x), "int64"))
    return to.op("Not", to.cast(failing, "bool"))


@form("argmax", "argmin")
def argmax(to: Writer, node: Node, x: str):
    op_type = {"argmax": "ArgMax", "argmin": "ArgMin"}[node.op.name]
    axis = node.attrs["axis"]
    if axis is None:
        x, axis = to.op("Reshape", x, to.ints(-1)), 0
    return to.cast(to.op(op_type, x, axis=axis, keepdims=0), node.output.dtype)


@form("cumsum")
def cumsum(to: Writer, node: Node, x: str):
    attrs = {key: int(node.attrs[key]) for key in ("exclusive", "reverse")}
    return to.op("CumSum", x, to.const(np.int64(node.attrs["axis"])), **attrs)


@form("matmul")
def matmul(to: Writer, node: Node, a: str, b: str):
    return to.op("MatMul", a, b)


@form("tensordot")
def tensordot(to: Writer, node: Node, a: str, b: str):
    """As a sum in Einstein's notation."""
    ranks, axes = [rank_of(one) for one in node.inputs], node.attrs["axes"]
    if isinstance(axes, int):
        axes = (list(range(ranks[0] - axes, ranks[0])), list(range(axes)))
    pairs = [np.atleast_1d(np.asarray(one, int)).tolist() for one in axes]
    names = iter(letters.ascii_letters)
    left = [next(names) for _ in range(ranks[0])]
    right = [next(names) for _ in range(ranks[1])]
    for one, other in zip(*pairs, strict=True):
        right[other] = left[one]
    result = [one for one in left if one not in right] + [one for one in right if one not in left]
    equation = f"{''.join(left)},{''.join(right)}->{''.join(result)}"
    return to.op("Einsum", a, b, equation=equation)


@form("einsum")
def einsum(to: Writer, node: Node, *operands: str):
    return to.op("Einsum", *operands, equation=node.attrs["equation"].replace(" ", ""))


@form("det")
def det(to: Writer, node: Node, x: str):
    return to.op("Det", x)


# ---- windows ---------------------------------------------------------------------------------


def _channels_first(to: Writer, x: str, rank: int) -> str:
    return to.op("Transpose", x, perm=[0, rank - 1, *range(1, rank - 1)])


def _channels_last(to: Writer, x: str, rank: int) -> str:
    return to.op("Transpose", x, perm=[0, *range(2, rank), 1])


def _padding(padding, sizes: int) -> dict:
    """The padding of a window: of ONNX's own form, or so much before and after each axis."""
    if isinstance(padding, str):
        return {"auto_pad": {"SAME": "SAME_UPPER", "VALID": "VALID"}[padding]}
    pairs = list(padding)[-sizes:]
    return {"pads": [pair[0] for pair in pairs] + [pair[1] for pair in pairs]}


@form("convolution")
def convolution(to: Writer, node: Node, x: str, filters: str):
    rank, attrs = rank_of(node.inputs[0]), node.attrs
    turned = to.op("Transpose", filters, perm=[rank - 1, rank - 2, *range(rank - 2)])
    result = to.op(
        "Conv", _channels_first(to, x, rank), turned, strides=list(attrs["strides"]),
        dilations=list(attrs["dilations"]), group=attrs["groups"],
        **_padding(attrs["padding"], rank - 2),
    )  # fmt: skip
    return _channels_last(to, result, rank)


@form("max_pool", "avg_pool")
def pool(to: Writer, node: Node, x: str):
    op_type = {"max_pool": "MaxPool", "avg_pool": "AveragePool"}[node.op.name]
    rank, attrs = rank_of(node.inputs[0]), node.attrs
    result = to.op(
        op_type, _channels_first(to, x, rank), kernel_shape=list(attrs["ksize"]),
        strides=list(attrs["strides"]), **_padding(attrs["padding"], rank - 2),
    )  # fmt: skip
    return _channels_last(to, result, rank)
