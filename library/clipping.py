"""Clipping by value and by norm, and sums of lists of tensors."""

from __future__ import annotations

import functools
import operator

from .. import convert_to_tensor, math, reduce_sum
from ..extend.errors import InvalidArgumentError, ShapeError
from ..extend.operations import ops
from ..extend.registration import public
from ..extend.specs import is_compatible, show


@public("clip_by_value")
def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    """`t` with values limited to the range from `clip_value_min` to `clip_value_max`.

    The limits broadcast against `t`. The result has the dtype of `t`.

    >>> ag.clip_by_value([-5, 1, 9], 0, 3).numpy()
    array([0, 1, 3], dtype=int32)
    """
    return ops.maximum(ops.minimum(convert_to_tensor(t), clip_value_max), clip_value_min, name=name)


@public("clip_by_norm")
def clip_by_norm(t, clip_norm, axes=None, name=None):
    """`t` scaled so that its Euclidean norm over `axes` (all axes for None) is at most `clip_norm`.

    `t` is a tensor of floats. Its shape and dtype are kept.

    >>> ag.clip_by_norm([3.0, 4.0], 1.0).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    t = convert_to_tensor(t)
    length = math.reduce_euclidean_norm(t, axes, True)
    return t * clip_norm / ops.maximum(length, clip_norm)


@public("linalg.global_norm")
def global_norm(t_list, name=None):
    """The Euclidean norm of all elements of a list of tensors, a scalar. None is skipped.

    >>> float(ag.linalg.global_norm([[3.0], [4.0]]))
    5.0

    Raises InvalidArgumentError for a list without tensors.
    """
    return ops.sqrt(
        add_n([reduce_sum(tensor * tensor) for tensor in map(convert_to_tensor, _present(t_list))]),
        name=name,
    )


@public("clip_by_global_norm")
def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    """Tensors scaled by one factor so that their global norm is at most `clip_norm`.

    Returns the list of scaled tensors and the global norm before scaling. None stays None.
    `use_norm` is a global norm that is already computed.

    >>> clipped, length = ag.clip_by_global_norm([[3.0], [4.0]], 1.0)
    >>> [one.numpy().round(2).tolist() for one in clipped], float(length)
    ([[0.6000000238418579], [0.800000011920929]], 5.0)
    """
    length = global_norm(t_list) if use_norm is None else convert_to_tensor(use_norm)
    scale = ops.divide_no_nan(
        convert_to_tensor(clip_norm, length.dtype), ops.maximum(length, clip_norm)
    )
    return [
        None if tensor is None else convert_to_tensor(tensor) * scale for tensor in t_list
    ], length


def _present(items) -> list:
    tensors = [tensor for tensor in items if tensor is not None]
    if not tensors:
        raise InvalidArgumentError("the list holds no tensors")
    return tensors


@public("add_n", "math.add_n", "math.accumulate_n")
def add_n(inputs, name=None):
    """The elementwise sum of a list of tensors of one shape and dtype.

    >>> ag.add_n([[1, 2], [10, 20], [100, 200]]).numpy()
    array([111, 222], dtype=int32)

    Raises ShapeError if the shapes differ.
    """
    tensors = [convert_to_tensor(tensor) for tensor in _present(inputs)]
    for tensor in tensors[1:]:
        pair = tensors[0].dims, tensor.dims
        if not is_compatible(*pair):
            raise ShapeError(f"add_n: shapes {show(pair[0])} and {show(pair[1])} differ")
    return functools.reduce(operator.add, tensors)
