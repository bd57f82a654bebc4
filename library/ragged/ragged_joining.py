"""Ragged tensors joined, masked, flipped, and made dense."""

from __future__ import annotations

from typing import Any

from ... import Tensor, cast, convert_to_tensor, gather, int64, zeros
from ... import range as range_
from ... import reverse as dense_reverse
from ...extend.errors import InvalidArgumentError
from ...extend.operations import ag, ops
from ...extend.registration import public
from ...extend.specs import as_shape, show
from . import row_partitions as partitions
from .ragged_arithmetic import coordinates_of
from .ragged_constant import constant, from_tensor
from .ragged_indexing import expanded, take
from .ragged_tensor import RaggedTensor


def as_ragged(value, ragged_rank: int = 0, dtype=None):
    """A tensor or ragged tensor, with at least this many ragged axes."""
    if not isinstance(value, RaggedTensor):
        value = convert_to_tensor(value, dtype_hint=dtype)
        return from_tensor(value, ragged_rank=ragged_rank) if ragged_rank else value
    if value.ragged_rank >= ragged_rank:
        return value
    return value.with_values(as_ragged(value.values, ragged_rank - 1))


def concat(values, axis, name=None):
    """Ragged tensors joined along an axis; ordinary ones count as ragged ones of equal rows.

    Raises InvalidArgumentError where ranks, or rows before the axis, differ.
    """
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    first = next(one for one in values if isinstance(one, RaggedTensor))
    depth = max(one.ragged_rank for one in values if isinstance(one, RaggedTensor))
    rows = [as_ragged(one, depth, first.dtype) for one in values]
    rank = len(first.dims or ())
    if any(len(one.dims) != rank for one in rows):
        shapes = ", ".join(show(one.dims) for one in rows)
        raise InvalidArgumentError(f"concat: the ranks of the shapes {shapes} differ")
    if not -rank <= axis < rank:
        raise InvalidArgumentError(f"concat: axis {axis} is out of range for rank {rank}")
    return _joined(rows, axis % rank)


def _joined(rows: list, axis: int):
    if len(rows) == 1:
        return rows[0]
    if not isinstance(rows[0], RaggedTensor):
        return ag.concat(rows, axis)
    splits = rows[0].row_splits
    rows = [row.with_row_splits_dtype(splits.dtype) for row in rows]
    if axis == 0:
        lengths = ag.concat([row.row_lengths() for row in rows], 0)
        uniform = {row.uniform for row in rows}
        below = _joined([row.values for row in rows], 0)
        static = uniform.pop() if len(uniform) == 1 else None
        return RaggedTensor.of_rows(below, partitions.splits_of_lengths(lengths), static)
    for other in rows[1:]:
        partitions.same_partition(splits, other.row_splits, "concat") if axis > 1 else None
    if axis > 1:
        return rows[0].with_values(_joined([row.values for row in rows], axis - 1))
    return _joined_rows(rows)


def _joined_rows(rows: list[RaggedTensor]) -> RaggedTensor:
    """The rows with the same number joined to one row."""
    count = rows[0].nrows()
    for other in rows[1:]:
        partitions.require(
            other.nrows() == count, "concat: the numbers of rows differ: ", count, " and ",
            other.nrows(),
        )  # fmt: skip
    every = _joined(rows, 0)
    order = ops.reshape(range_(count)[:, None] + range_(len(rows), dtype=count.dtype) * count, [-1])
    taken = take(every, order)
    uniform = [row.uniform for row in rows]
    return RaggedTensor.of_rows(
        taken.values,
        taken.row_splits[:: len(rows)],
        None if None in uniform else sum(uniform),  # type: ignore[arg-type]
    )


@public("ragged.stack")
def stack(values, axis=0, name=None):
    """Tensors of one rank, ordinary or ragged, stacked along a new axis: a ragged tensor.

    >>> import allograph as ag
    >>> ag.ragged.stack([[1, 2, 3], [4]])
    <ag.RaggedTensor [[1, 2, 3], [4]]>

    Raises InvalidArgumentError where the ranks differ, ShapeError for scalars.
    """
    values = [
        one if isinstance(one, RaggedTensor) else convert_to_tensor(one) for one in _listed(values)
    ]
    rank = len(values[0].dims or ()) + 1
    if not -rank <= axis < rank:
        raise InvalidArgumentError(f"stack: axis {axis} is out of range for rank {rank}")
    axis %= rank
    if not any(isinstance(one, RaggedTensor) for one in values) and axis == 0:
        if any(one.dims == () for one in values):
            return ag.stack(values)
        counts = [partitions.count_of(one, int64) for one in values]
        splits = partitions.splits_of_lengths(ag.stack(counts))
        return RaggedTensor.of_rows(ag.concat(values, 0), splits)
    if not any(isinstance(one, RaggedTensor) for one in values):
        return from_tensor(ag.stack(values, axis))
    depth = max(one.ragged_rank for one in values if isinstance(one, RaggedTensor))
    return concat([expanded(as_ragged(one, depth), axis) for one in values], axis)


def _listed(values) -> list:
    return list(values) if isinstance(values, (list, tuple)) else [values]


@public("ragged.boolean_mask")
def boolean_mask(data, mask, name=None):
    """The elements of `data` where the mask is true; the rows of the mask stay rows.

    >>> import allograph as ag
    >>> ag.ragged.boolean_mask([[1, 2], [3, 4]], [[True, False], [True, True]])
    <ag.RaggedTensor [[1], [3, 4]]>
    """
    data = data if isinstance(data, RaggedTensor) else _constant(data)
    mask = mask if isinstance(mask, RaggedTensor) else _constant(mask)
    return _masked(data, mask)


def _constant(value):
    return constant(value) if isinstance(value, (list, tuple)) else convert_to_tensor(value)


def _masked(data, mask):
    rank = len(mask.dims or ())
    if rank == 1:
        if not isinstance(data, RaggedTensor):
            return ag.boolean_mask(data, mask)
        rows = ops.reshape(ops.nonzero(mask), [-1])
        return take(data, cast(rows, data.row_splits.dtype))
    data, mask = as_ragged(data, 1), as_ragged(mask, 1)
    partitions.same_partition(data.row_splits, mask.row_splits, "boolean_mask: data and mask")
    below = _masked(data.values, mask.values)
    if rank > 2:
        return data.with_values(below)
    ids = mask.value_rowids()
    counts = ops.unsorted_segment_sum(cast(mask.values, ids.dtype), ids, mask.nrows())
    return RaggedTensor.of_rows(below, partitions.splits_of_lengths(counts))


def to_tensor(self, default_value=None, name=None, shape=None) -> Tensor:
    """The rows in a tensor, with `default_value` (0, False or "") after their ends.

    shape   the size of each axis, to which rows are cut or padded; None: as long as the longest

    >>> import allograph as ag
    >>> ag.ragged.constant([[1, 2], [3]]).to_tensor(default_value=-1).numpy().tolist()
    [[1, 2], [3, -1]]
    """
    if default_value is None:
        default = zeros([], self.dtype)
    else:
        default = convert_to_tensor(default_value, self.dtype)
    sizes = list(as_shape(shape) or [None] * len(self.dims or ()))
    if len(sizes) != len(self.dims or ()):
        raise InvalidArgumentError(f"to_tensor: shape {show(tuple(sizes))} for {show(self.dims)}")
    dense = _dense(self, default, sizes[1:])
    return dense if sizes[0] is None else _resized(dense, sizes[0], default)


def _dense(value, default, sizes: list) -> Tensor:
    """The rows as a tensor; `sizes` has those of the axes after the first."""
    if not isinstance(value, RaggedTensor):
        for axis, size in enumerate(sizes, 1):
            if size is not None and value.dims[axis] != size:
                raise InvalidArgumentError(
                    f"to_tensor: axis of size {value.dims[axis]}, not {size}"
                )
        return value
    below = _dense(value.values, default, sizes[1:])
    lengths, starts = value.row_lengths(), value.row_starts()
    width = sizes[0] if sizes[0] is not None else value.uniform
    if width is None:
        width = value.bounding_shape(axis=1)
    columns = range_(0, width, dtype=starts.dtype)
    is_inside = columns < lengths[:, None]
    at = ops.select(is_inside, starts[:, None] + columns, partitions.count_of(below, starts.dtype))
    return gather(_with_default_row(below, default), at)


def _with_default_row(rows: Tensor, default) -> Tensor:
    """The rows, and one of the default value after them."""
    inner = ops.shape(rows)[1:]
    return ag.concat([rows, ops.broadcast_to(default, ops.concat([1], inner, axis=0))], 0)


def _resized(rows: Tensor, count: int, default) -> Tensor:
    """The first rows, or with rows of the default value after them, so that there are `count`."""
    at = ops.minimum(range_(count), ops.shape(rows)[0])
    return gather(_with_default_row(rows, default), at)


def to_sparse(self, name=None) -> Any:
    """The elements of a ragged tensor at their indices.

    >>> import allograph as ag
    >>> ag.ragged.constant([[5], [6, 7]]).to_sparse().indices.numpy().tolist()
    [[0, 0], [1, 0], [1, 1]]
    """
    if len(self.flat_values.dims) != 1:
        raise InvalidArgumentError(f"to_sparse: {show(self.dims)} has axes that are not ragged")
    indices = cast(ops.stack(*coordinates_of(self), axis=1), int64)
    return ag.SparseTensor(indices, self.flat_values, cast(self.bounding_shape(), int64))


def from_sparse(st_input, name=None, row_splits_dtype=int64) -> RaggedTensor:
    """The rows of a sparse matrix, each of which is stored from its start without gaps.

    >>> import allograph as ag
    >>> ag.RaggedTensor.from_sparse(ag.sparse.from_dense([[1, 2], [0, 0], [3, 0]]))
    <ag.RaggedTensor [[1, 2], [], [3]]>

    Raises InvalidArgumentError where a row has a gap.
    """
    if not isinstance(st_input, ag.SparseTensor):
        raise TypeError(f"from_sparse takes a sparse tensor, not {st_input!r}")
    sp: Any = st_input
    if sp.dims is None or len(sp.dims) != 2:
        raise InvalidArgumentError(f"from_sparse takes a matrix, not {show(sp.dims)}")
    rows = cast(sp.indices[:, 0], row_splits_dtype)
    result = RaggedTensor.from_value_rowids(
        sp.values, rows, cast(sp.dense_shape[0], row_splits_dtype)
    )
    columns = partitions.columns_of(result.row_splits)
    partitions.require(
        columns == cast(sp.indices[:, 1], columns.dtype),
        "from_sparse: a row has a gap; its columns are ", sp.indices[:, 1],
    )  # fmt: skip
    return result


RaggedTensor.to_tensor = to_tensor  # type: ignore[method-assign]
RaggedTensor.to_sparse = to_sparse  # type: ignore[method-assign]
RaggedTensor.from_sparse = staticmethod(from_sparse)  # type: ignore


def tile(input, multiples):
    """The rows repeated along each axis, a known number of times."""
    counts = getattr(convert_to_tensor(multiples), "array", None)
    rank = len(input.dims or ())
    if counts is None or len(counts) != rank:
        raise ValueError(f"tile of a ragged tensor takes a known number for each of {rank} axes")
    for axis, count in enumerate(int(one) for one in counts):
        if count == 0:
            input = input[(slice(None),) * axis + (slice(0, 0),)]
        elif count > 1:
            input = concat([input] * count, axis)
    return input


def reverse(tensor, axis, name=None):
    """The elements in reverse order along axes."""
    rank = len(tensor.dims or ())
    for one in sorted({int(one) % rank for one in _listed(axis)}):
        tensor = _reversed(tensor, one)
    return tensor


def _reversed(value, axis: int):
    if not isinstance(value, RaggedTensor):
        return dense_reverse(value, [axis])
    if axis < 2:
        key = slice(None, None, -1)
        return value[key] if axis == 0 else value[:, key]
    return value.with_values(_reversed(value.values, axis - 1))


def squeeze(input, axis=None, name=None):
    """The tensor without axes of size 1, which `axis` names."""
    axes = sorted({int(one) % len(input.dims) for one in _listed(axis)}, reverse=True)
    for one in axes:
        input = _squeezed(input, one)
    return input


def _squeezed(value, axis: int):
    if not isinstance(value, RaggedTensor):
        return ops.squeeze(value, axis=(axis,))
    if axis == 0:
        return value[0]
    if axis > 1:
        return value.with_values(_squeezed(value.values, axis - 1))
    if value.uniform != 1:
        raise InvalidArgumentError(f"squeeze: axis 1 of {show(value.dims)} is not of size 1")
    return value.values


def where(condition, x=None, y=None, name=None):
    """The coordinates of what is true."""
    flags = condition.flat_values
    coordinates = ops.stack(*coordinates_of(condition), axis=1)
    return gather(coordinates, ops.reshape(ops.nonzero(flags), [-1]))
