"""Convolution and pooling of ONNX, whose channels are the second axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import convert_to_tensor
from ....extend.errors import UnimplementedError
from ....extend.operations import ops as by_name
from ...convolution.convolution import Convolution, ConvolutionInput
from ...convolution.pooling import AvgPool, MaxPool
from .operator_table import dtype_of, like, operator

ops: Any = by_name  # operations get their calls from modules that mypy does not see here


def _last(x):
    """Channels as the last axis."""
    return ops.transpose(x, perm=[0, *range(2, len(x.dims)), 1])


def _first(x):
    return ops.transpose(x, perm=[0, len(x.dims) - 1, *range(1, len(x.dims) - 1)])


def _margins(x, reach: list[int], strides, auto_pad: str, pads, ceil_mode=0):
    """The padding before and after each axis of space, or its name."""
    if auto_pad == "SAME_UPPER":
        return "SAME"
    sizes = x.dims[2:]
    if (auto_pad == "SAME_LOWER" or ceil_mode) and None in sizes:
        raise UnimplementedError("SAME_LOWER or ceil_mode with open sizes")
    if auto_pad == "SAME_LOWER":
        total = [
            max((-(-size // step) - 1) * step + one - size, 0)
            for size, step, one in zip(sizes, strides, reach, strict=True)
        ]
        return tuple((one - one // 2, one // 2) for one in total)
    if not ceil_mode and not any(pads or ()):
        return "VALID"
    count = len(reach)
    pads = pads or [0] * 2 * count
    pairs = list(zip(pads[:count], pads[count:], strict=True))
    if ceil_mode:
        rows = zip(pairs, sizes, strides, reach, strict=True)
        pairs = [
            (before, after + _to_fill(before, after, *rest)) for (before, after), *rest in rows
        ]
    return tuple(pairs)


def _to_fill(before: int, after: int, size: int, step: int, reach: int) -> int:
    """How much padding completes the last window, if it starts before the padding behind."""
    rest = (size + before + after - reach) % step
    last = size + before + after - reach - rest + step  # where that window starts
    return step - rest if rest and last < size + before else 0


@operator("Conv")
def conv(x, filters, bias=None, *, strides=None, pads=None, dilations=None, group=1,
         auto_pad="NOTSET", kernel_shape=None):  # fmt: skip
    filters = convert_to_tensor(filters)
    count = len(x.dims) - 2
    strides, dilations = strides or [1] * count, dilations or [1] * count
    reach = [(size - 1) * by + 1 for size, by in zip(filters.dims[2:], dilations, strict=True)]
    result = Convolution(
        _last(x), ops.transpose(filters, perm=[*range(2, count + 2), 1, 0]),
        strides=tuple(strides), padding=_margins(x, reach, strides, auto_pad, pads),
        dilations=tuple(dilations), groups=group,
    )  # fmt: skip
    return _first(result if bias is None else ops.add(result, bias))


@operator("ConvTranspose")
def conv_transpose(
    x, filters, bias=None, *, strides=None, pads=None, dilations=None, group=1,
    auto_pad="NOTSET", kernel_shape=None, output_padding=None, output_shape=None,
):  # fmt: skip
    """The array whose convolution has the cotangent `x`."""
    filters = convert_to_tensor(filters)
    count = len(x.dims) - 2
    if None in x.dims[2:]:
        raise UnimplementedError("ConvTranspose with open sizes")
    strides, dilations = strides or [1] * count, dilations or [1] * count
    more = output_padding or [0] * count
    pads = pads or [0] * 2 * count
    if auto_pad.startswith("SAME"):
        output_shape = [size * step for size, step in zip(x.dims[2:], strides, strict=True)]
    sizes, margins = [], []
    for at, (size, step) in enumerate(zip(x.dims[2:], strides, strict=True)):
        reach = (filters.dims[2 + at] - 1) * dilations[at] + 1
        whole = step * (size - 1) + more[at] + reach
        pair = pads[at], pads[count + at]
        if output_shape:
            total = max(whole - output_shape[-count:][at], 0)
            pair = total // 2, total - total // 2
            pair = pair if auto_pad == "SAME_UPPER" else pair[::-1]
        sizes.append(whole - sum(pair))
        margins.append(pair)
    channels = np.int64(filters.dims[1] * group)
    shape = ops.stack(ops.shape(x, dtype=dtype_of(7))[0], *map(np.int64, sizes), channels, axis=0)
    result = ConvolutionInput(
        shape, ops.transpose(filters, perm=[*range(2, count + 2), 1, 0]), _last(x),
        strides=tuple(strides), padding=tuple(margins), dilations=tuple(dilations), groups=group,
    )  # fmt: skip
    return _first(result if bias is None else ops.add(result, bias))


@operator("MaxPool", "AveragePool")
def pool(x, *, kernel_shape, strides=None, pads=None, auto_pad="NOTSET", ceil_mode=0,
         count_include_pad=0, dilations=None, storage_order=0, op_type="", count=1):  # fmt: skip
    if count > 1 or any(d != 1 for d in dilations or ()):
        raise UnimplementedError(f"{op_type} with dilations, or with indices as a result")
    space = len(kernel_shape)
    strides = strides or [1] * space
    if count_include_pad and any(pads or ()):
        pairs = [(0, 0), (0, 0), *zip(pads[:space], pads[space:], strict=True)]
        x, pads = ops.pad(x, np.array(pairs, np.int64), like(0, x), mode="CONSTANT"), None
    rule = MaxPool if op_type == "MaxPool" else AvgPool
    return _first(rule(
        _last(x), ksize=tuple(kernel_shape), strides=tuple(strides),
        padding=_margins(x, kernel_shape, strides, auto_pad, pads, ceil_mode),
    ))  # fmt: skip


@operator("GlobalAveragePool", "GlobalMaxPool")
def global_pool(x, *, op_type=""):
    rule = ops.reduce_mean if op_type == "GlobalAveragePool" else ops.reduce_max
    return rule(x, axis=tuple(range(2, len(x.dims))), keepdims=True)
