"""Functions of elements on ragged tensors: rows have the same lengths, or broadcast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import Tensor, cast, convert_to_tensor, gather
from ...extend.errors import InvalidArgumentError, boundary
from ...extend.operations import OPERATIONS, Op, apply, ops
from ...extend.registration import public
from ...extend.specs import borrow_operators, show
from . import row_partitions as partitions
from .ragged_indexing import at_coordinates
from .ragged_tensor import RaggedTensor


def elementwise(function: Callable, args, kwargs):
    """A function of elements on flat values; rows have the same lengths, or broadcast."""
    operands = [*args, *kwargs.values()]
    flat = [one for arg in operands for one in (arg if isinstance(arg, (list, tuple)) else [arg])]
    ragged = [one for one in flat if isinstance(one, RaggedTensor)]
    like = max(ragged, key=lambda one: (len(one.dims or ()), one.ragged_rank))
    coordinates: list = []

    def values_of(arg):
        if isinstance(arg, (list, tuple)) and any(isinstance(one, RaggedTensor) for one in arg):
            return [values_of(one) for one in arg]
        return _broadcast(arg, like, coordinates)

    values = [values_of(arg) for arg in args], {key: values_of(kwargs[key]) for key in kwargs}
    result = function(*values[0], **values[1])
    if isinstance(result, tuple):
        return tuple(map(like.with_flat_values, result))
    return like.with_flat_values(result)


def elementwise_operation(op: Op, args, attrs):
    """An operation of elements on ragged operands."""
    return elementwise(lambda *operands: apply(op, operands, attrs), args, {})


def _broadcast(value, like: RaggedTensor, coordinates: list):
    """What stands beside the flat values of `like` in an operation of elements."""
    if value is like:
        return value.flat_values
    if isinstance(value, RaggedTensor):
        return _broadcast_ragged(value, like, coordinates)
    is_array = isinstance(value, (list, tuple)) or hasattr(value, "__array__")
    if not isinstance(value, Tensor) and not is_array:
        return value
    tensor = convert_to_tensor(value, dtype_hint=like.dtype)
    rank, depth = len(like.dims or ()), like.ragged_rank + 1
    if tensor.dims is None or len(tensor.dims) > rank:
        raise _misfit(like, tensor)
    if len(tensor.dims) <= rank - depth:
        return tensor
    missing = rank - len(tensor.dims)
    for _ in range(missing):
        tensor = ops.expand_dims(tensor, axis=0)
    if not coordinates:
        coordinates += coordinates_of(like)
    sizes = ops.shape(tensor, dtype=like.row_splits.dtype)
    _check_sizes(tensor, sizes, like)
    at = [_position(coordinate, axis, tensor, sizes) for axis, coordinate in enumerate(coordinates)]
    return at_coordinates(tensor, at)


def _position(at: Tensor, axis: int, tensor: Tensor, sizes: Tensor) -> Tensor:
    """Where to read along an axis: at 0, if the axis broadcasts."""
    size = tensor.dims[axis]  # type: ignore[index]
    if size is None:
        return at * cast(sizes[axis] != 1, at.dtype)
    return at * 0 if size == 1 else at


def _check_sizes(tensor: Any, sizes: Tensor, like: RaggedTensor) -> None:
    """Raise InvalidArgumentError unless the axes of a tensor are 1, or as long as the rows."""
    lengths = [ops.reshape(like.nrows(), [1]), *like.nested_row_lengths()]
    for axis, rows in enumerate(lengths):
        if tensor.dims[axis] == 1:
            continue
        fits = ops.logical_or(rows == cast(sizes[axis], rows.dtype), sizes[axis] == 1)
        partitions.require(
            fits, f"axis {axis} of a tensor of shape {show(tensor.dims)} does not broadcast to "
            "rows of the lengths ", rows,
        )  # fmt: skip


def _broadcast_ragged(value: RaggedTensor, like: RaggedTensor, coordinates: list):
    if len(value.dims or ()) != len(like.dims or ()):
        raise _misfit(like, value)
    depth = min(value.ragged_rank, like.ragged_rank)
    pairs = zip(value.nested_row_splits[:depth], like.nested_row_splits[:depth], strict=True)
    uniform = value.__tf_flatten__()[0]
    if value.ragged_rank == like.ragged_rank and 1 not in uniform:
        for own, others in pairs:
            partitions.same_partition(own, others, "rows of ragged tensors")
        return value.flat_values
    if not coordinates:
        coordinates += coordinates_of(like)
    at = [coordinates[0]]
    for axis, length in enumerate(uniform):
        if length == 1:
            at.append(coordinates[axis + 1] * 0)
            continue
        if 1 in uniform[:axis] or length is not None:
            raise _misfit(like, value)
        partitions.same_partition(
            value.nested_row_splits[axis], like.nested_row_splits[axis], "rows of ragged tensors"
        )
        at.append(coordinates[axis + 1])
    return at_coordinates(value, at)


def coordinates_of(value: RaggedTensor) -> list[Tensor]:
    """For each flat value its position along the first axis and each ragged axis."""
    results: list[Tensor] = []
    for splits in value.nested_row_splits:
        rows = partitions.row_ids_of(splits)
        results = [gather(result, rows, axis=0) for result in results] if results else [rows]
        results.append(partitions.columns_of(splits))
    return results


def _misfit(like, value) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"shapes {show(like.dims)} and {show(value.dims)} do not broadcast with ragged axes",
        "Use to_tensor(), or give both the same rows.",
    )


@public("ragged.map_flat_values")
def map_flat_values(op, *args, **kwargs):
    """A function of the elements, applied to the flat values of ragged tensors with the same rows.

    >>> import allograph as ag
    >>> rt = ag.ragged.constant([[1, 2], [], [3]])
    >>> ag.ragged.map_flat_values(ag.square, rt)
    <ag.RaggedTensor [[1, 4], [], [9]]>

    Raises InvalidArgumentError where the rows differ in length.
    """
    ragged = [arg for arg in (*args, *kwargs.values()) if isinstance(arg, RaggedTensor)]
    if not ragged:
        return op(*args, **kwargs)
    for other in ragged[1:]:
        for own, others in zip(ragged[0].nested_row_splits, other.nested_row_splits, strict=True):
            partitions.same_partition(own, others, "map_flat_values")

    def flat(one):
        return one.flat_values if isinstance(one, RaggedTensor) else one

    result = op(*map(flat, args), **{key: flat(arg) for key, arg in kwargs.items()})
    return ragged[0].with_flat_values(result)


def _equal(self, other):
    return elementwise_operation(OPERATIONS["equal"], (self, other), OPERATIONS["equal"].attrs)


def _not_equal(self, other):
    return elementwise_operation(
        OPERATIONS["not_equal"], (self, other), OPERATIONS["not_equal"].attrs
    )


borrow_operators(RaggedTensor)
RaggedTensor.__eq__ = boundary(_equal)  # type: ignore[method-assign]
RaggedTensor.__ne__ = boundary(_not_equal)  # type: ignore[method-assign]
