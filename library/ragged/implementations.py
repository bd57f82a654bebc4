"""What public functions and operations mean for ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import int32
from ...extend.operations import Op, ag
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
    return ragged_arithmetic.elementwise(ag.where, (condition, x, y), {})


def _expand_dims(input, axis, name=None):
    rank = len(input.dims) + 1
    if not -rank <= axis < rank:
        raise ValueError(f"expand_dims: axis {axis} is out of range for rank {rank}")
    return ragged_indexing.expanded(input, axis % rank)


def _reduce_variance(input_tensor, axis=None, keepdims=False, name=None):
    return ragged_reductions.variance(input_tensor, axis, keepdims)


def _size(input, out_type=int32, name=None):
    return ag.size(input.flat_values, out_type)


def _rank(x, **attrs):
    return ag.convert_to_tensor(len(x.dims))


def _one_hot(indices, *args, **kwargs):
    return indices.with_flat_values(ag.one_hot(indices.flat_values, *args, **kwargs))


for _function in (
    ag.cast, ag.clip_by_value, ag.add_n, ag.zeros_like, ag.ones_like,
    ag.strings.join, ag.as_string, ag.strings.to_number, ag.strings.regex_replace,
):  # fmt: skip
    _of_elements(_function)
for _function, _implementation in {
    ag.reduce_sum: ragged_reductions.reduce_sum,
    ag.reduce_prod: ragged_reductions.reduce_prod,
    ag.reduce_max: ragged_reductions.reduce_max,
    ag.reduce_min: ragged_reductions.reduce_min,
    ag.reduce_any: ragged_reductions.reduce_any,
    ag.reduce_all: ragged_reductions.reduce_all,
    ag.reduce_mean: ragged_reductions.reduce_mean,
    ag.math.reduce_variance: _reduce_variance,
    ag.math.reduce_std: ragged_reductions.standard_deviation,
    ag.concat: ragged_joining.concat,
    ag.stack: ragged_joining.stack,
    ag.gather: ragged_indexing.gather,
    ag.gather_nd: ragged_indexing.gather_nd,
    ag.boolean_mask: ragged_joining.boolean_mask,
    ag.where: _where,
    ag.one_hot: _one_hot,
    ag.expand_dims: _expand_dims,
    ag.squeeze: ragged_joining.squeeze,
    ag.size: _size,
    ag.rank: _rank,
    ag.tile: ragged_joining.tile,
    ag.reverse: ragged_joining.reverse,
}.items():
    _enter(_function, _implementation)

RaggedTensor.__tf_dispatch__ = staticmethod(implemented)  # type: ignore[attr-defined]
