"""Keeping values and lengths within limits, and sums of lists of tensors."""

from __future__ import annotations

import functools
import operator

from ...core.errors import InvalidArgumentError, ShapeError
from ...core.public_names import public
from ...core.shapes import is_compatible, show
from ...tensors.apply import convert_to_tensor
from ..math.elementwise import Maximum, Minimum
from ..math.reductions import reduce_sum
from ..math.safe_division import DivideNoNan
from ..math.transcendental import Sqrt
from .statistics import reduce_euclidean_norm


@public("clip_by_value")
def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    """`t` with values outside the limits replaced by them.

    >>> ag.clip_by_value([-5, 1, 9], 0, 3).numpy()
    array([0, 1, 3], dtype=int32)
    """
    return Maximum(Minimum(convert_to_tensor(t), clip_value_max), clip_value_min, name=name)


@public("clip_by_norm")
def clip_by_norm(t, clip_norm, axes=None, name=None):
    """`t` scaled so that its length over `axes` (all for None) is at most `clip_norm`.

    >>> ag.clip_by_norm([3.0, 4.0], 1.0).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    t = convert_to_tensor(t)
    length = reduce_euclidean_norm(t, axes, True)
    return t * clip_norm / Maximum(length, clip_norm)


@public("linalg.global_norm")
def global_norm(t_list, name=None):
    """The length of all tensors of a list, taken as one vector; None counts as nothing.

    >>> float(ag.linalg.global_norm([[3.0], [4.0]]))
    5.0
    """
    return Sqrt(
        add_n([reduce_sum(one * one) for one in map(convert_to_tensor, _given(t_list))]), name=name
    )


@public("clip_by_global_norm")
def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """Tensors scaled so that their length as one vector is at most `clip_norm`, and that length.

    >>> clipped, length = ag.clip_by_global_norm([[3.0], [4.0]], 1.0)
    >>> [one.numpy().round(2).tolist() for one in clipped], float(length)
    ([[0.6000000238418579], [0.800000011920929]], 5.0)
    """
    length = global_norm(t_list) if use_norm is None else convert_to_tensor(use_norm)
    scale = DivideNoNan(convert_to_tensor(clip_norm, length.dtype), Maximum(length, clip_norm))
    return [None if one is None else convert_to_tensor(one) * scale for one in t_list], length


def _given(items) -> list:
    found = [one for one in items if one is not None]
    if not found:
        raise InvalidArgumentError("the list holds no tensors")
    return found


@public("add_n", "math.add_n", "math.accumulate_n")
def add_n(inputs, name=None):
    """The sum of tensors of one shape.

    >>> ag.add_n([[1, 2], [10, 20], [100, 200]]).numpy()
    array([111, 222], dtype=int32)

    Raises ShapeError where the shapes differ.
    """
    tensors = [convert_to_tensor(one) for one in _given(inputs)]
    for one in tensors[1:]:
        pair = tensors[0].dims, one.dims
        if not is_compatible(*pair):
            raise ShapeError(f"add_n: shapes {show(pair[0])} and {show(pair[1])} differ")
    return functools.reduce(operator.add, tensors)
