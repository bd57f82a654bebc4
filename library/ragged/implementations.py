"""What public functions and operations mean for ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...runtime.core.dtypes import int32
from ...runtime.ir.op import Op
from ...runtime.ops.array import (
    clipping,
    creation,
    gathering,
    joining,
    masking,
    shape_ops,
    statistics,
    tile_pad_flip,
)
from ...runtime.ops.math import casting, reductions
from ...runtime.ops.strings import regex_and_templates, strings
from ...runtime.tensors import apply
from . import ragged_arithmetic, ragged_indexing, ragged_joining, ragged_reductions
from .ragged_tensor import RaggedTensor

IMPLEMENTED: dict[Any, Callable] = {}


def implemented(function, args, kwargs):
    """The result of a function for ragged arguments, NotImplemented if it has none."""
    implementation = IMPLEMENTED.get(function)
    if implementation is not None:
        return implementation(*args, **kwargs)
    if isinstance(function, Op) and function.elementwise:
        return ragged_arithmetic.elementwise_operation(function, args, kwargs)
    return NotImplemented


def _enter(function, implementation: Callable) -> None:
    IMPLEMENTED[getattr(function, "__wrapped__", function)] = implementation


def _of_elements(function) -> None:
    """Enter a function of elements, which is applied to the flat values."""
    _enter(function, lambda *args, **kwargs: ragged_arithmetic.elementwise(function, args, kwargs))


def _where(condition, x=None, y=None, name=None):
    if x is None and y is None:
        return ragged_joining.where(condition)
    return ragged_arithmetic.elementwise(masking.where, (condition, x, y), {})


def _expand_dims(input, axis, name=None):
    rank = len(input.dims) + 1
    if not -rank <= axis < rank:
        raise ValueError(f"expand_dims: axis {axis} is out of range for rank {rank}")
    return ragged_indexing.expanded(input, axis % rank)


def _reduce_variance(input_tensor, axis=None, keepdims=False, name=None):
    return ragged_reductions.variance(input_tensor, axis, keepdims)


def _size(input, out_type=int32, name=None):
    return shape_ops.size(input.flat_values, out_type)


def _rank(x, **attrs):
    return apply.convert_to_tensor(len(x.dims))


def _one_hot(indices, *args, **kwargs):
    return indices.with_flat_values(masking.one_hot(indices.flat_values, *args, **kwargs))


for _function in (
    casting.cast, clipping.clip_by_value, clipping.add_n, creation.zeros_like, creation.ones_like,
    strings.join, strings.as_string, strings.to_number, regex_and_templates.regex_replace,
):  # fmt: skip
    _of_elements(_function)
for _function, _implementation in {
    reductions.reduce_sum: ragged_reductions.reduce_sum,
    reductions.reduce_prod: ragged_reductions.reduce_prod,
    reductions.reduce_max: ragged_reductions.reduce_max,
    reductions.reduce_min: ragged_reductions.reduce_min,
    reductions.reduce_any: ragged_reductions.reduce_any,
    reductions.reduce_all: ragged_reductions.reduce_all,
    reductions.reduce_mean: ragged_reductions.reduce_mean,
    statistics.reduce_variance: _reduce_variance,
    statistics.reduce_std: ragged_reductions.standard_deviation,
    joining.concat: ragged_joining.concat,
    joining.stack: ragged_joining.stack,
    gathering.gather: ragged_indexing.gather,
    gathering.GatherNd: ragged_indexing.gather_nd,
    masking.boolean_mask: ragged_joining.boolean_mask,
    masking.where: _where,
    masking.one_hot: _one_hot,
    shape_ops.expand_dims: _expand_dims,
    shape_ops.squeeze: ragged_joining.squeeze,
    shape_ops.size: _size,
    shape_ops.Rank: _rank,
    tile_pad_flip.Tile: ragged_joining.tile,
    tile_pad_flip.reverse: ragged_joining.reverse,
}.items():
    _enter(_function, _implementation)

RaggedTensor.__tf_dispatch__ = staticmethod(implemented)  # type: ignore[attr-defined]
