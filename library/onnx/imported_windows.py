"""Convolution and pooling of ONNX, whose channels are the second axis."""

from __future__ import annotations

from ...runtime.core.errors import UnimplementedError
from ...runtime.tensors.apply import convert_to_tensor
from ...runtime.tensors.operation import ops
from .imported_operators import operator


def _last(x):
    """Channels as the last axis."""
    return ops.transpose(x, perm=[0, *range(2, len(x.dims)), 1])


def _first(x):
    return ops.transpose(x, perm=[0, len(x.dims) - 1, *range(1, len(x.dims) - 1)])


def _padding(auto_pad, pads, count: int):
    if auto_pad == "SAME_UPPER":
        return "SAME"
    if auto_pad == "SAME_LOWER":
        raise UnimplementedError("padding of the form SAME_LOWER")
    if not pads or not any(pads):
        return "VALID"
    return tuple(zip(pads[:count], pads[count:], strict=True))


@operator("Conv")
def conv(x, filters, bias=None, *, strides=None, pads=None, dilations=None, group=1,
         auto_pad="NOTSET", kernel_shape=None):  # fmt: skip
    filters = convert_to_tensor(filters)
    count = len(x.dims) - 2
    result = ops.convolution(
        _last(x), ops.transpose(filters, perm=[*range(2, count + 2), 1, 0]),
        strides=tuple(strides or [1] * count), padding=_padding(auto_pad, pads, count),
        dilations=tuple(dilations or [1] * count), groups=group,
    )  # fmt: skip
    return _first(result if bias is None else ops.add(result, bias))


@operator("MaxPool", "AveragePool")
def pool(x, *, kernel_shape, strides=None, pads=None, auto_pad="NOTSET", ceil_mode=0,
         count_include_pad=0, dilations=None, storage_order=0, op_type=""):  # fmt: skip
    if ceil_mode or (count_include_pad and any(pads or ())) or any(d != 1 for d in dilations or ()):
        raise UnimplementedError(f"{op_type} with ceil_mode, count_include_pad or dilations")
    count = len(kernel_shape)
    rule = ops.max_pool if op_type == "MaxPool" else ops.avg_pool
    return _first(rule(
        _last(x), ksize=tuple(kernel_shape), strides=tuple(strides or [1] * count),
        padding=_padding(auto_pad, pads, count),
    ))  # fmt: skip


@operator("GlobalAveragePool", "GlobalMaxPool")
def global_pool(x, *, op_type=""):
    rule = ops.reduce_mean if op_type == "GlobalAveragePool" else ops.reduce_max
    return rule(x, axis=tuple(range(2, len(x.dims))), keepdims=True)
