"""Concatenating, stacking and splitting tensors."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from ...core import thresholds
from ...core.dtypes import ANY, SIGNED
from ...core.errors import ShapeError
from ...core.public_names import public
from ...core.shapes import merge, normal_axis, show
from ...ir.constant_values import constant_dimensions
from ...ir.op import Spec
from ...tensors.apply import apply, convert_to_tensor, tensor_of
from ...tensors.operation import hidden_op, ops
from ...tensors.tensor import Tensor
from ..math.reductions import static_axis
from ..shape_rules import describe_shapes
from .shape_ops import as_constant


def select_expression(index, ends: list[int], expressions: list):
    """An expression that selects by the interval that contains `index`, by bisection.

    `ends` are the upper bounds of all intervals but the last.
    """
    if len(expressions) == 1:
        return expressions[0]
    half = len(expressions) // 2
    low, high = (
        select_expression(index, ends, expressions[:half]),
        select_expression(index, ends[half:], expressions[half:]),
    )
    return (index < ends[half - 1]).choice(low, high)


@hidden_op
class Concat:
    """Tensors concatenated along an axis."""

    may_raise = False

    def kernel(*values, axis):
        return np.concatenate(values, axis)

    def result(*values, axis):
        shapes = [value.shape for value in values if value.shape is not None]
        if not shapes:
            return Spec(values[0].dtype, None)
        if () in shapes:
            raise ShapeError("concat: scalars have no axis to join along", "Use ag.stack.")
        position = normal_axis(axis, len(shapes[0]))
        joined = (*shapes[0][:position], None, *shapes[0][position + 1 :])
        for shape in shapes[1:]:
            try:
                joined = merge(joined, (*shape[:position], None, *shape[position + 1 :]))
            except ValueError:
                described = describe_shapes(*values)
                described = f"concat along axis {axis}: shapes {described}"
                if len({len(dims_of_value) for dims_of_value in shapes}) == 1:
                    raise ShapeError(f"{described} differ elsewhere") from None
                raise ShapeError(
                    f"{described} differ in their number of axes",
                    "Add an axis where one is missing, as in ag.expand_dims(x, 0).",
                ) from None
        sizes = [shape[position] for shape in shapes]
        total = None if None in sizes or len(shapes) < len(values) else sum(sizes)
        return Spec(values[0].dtype, (*joined[:position], total, *joined[position + 1 :]))

    def kept_axes(result, *values, axis):
        joined = normal_axis(axis, len(result))
        return [{at: at for at in range(len(result)) if at != joined} for _ in values]

    def largest_shape(*shapes, axis):
        sizes = [max(sizes) for sizes in zip(*shapes, strict=True)]
        sizes[axis] = sum(shape[axis] for shape in shapes)
        return tuple(sizes)

    def partial(*values, axis):
        if any(value.constant is None or value.constant.ndim != 1 for value in values):
            return None
        return as_constant(np.concatenate([value.constant for value in values]), values[0].dtype)

    def element(ix, *values, axis, out):
        if len(values) > thresholds.MOST_CHOICES:
            return None
        position, ends, expressions, start = axis % len(ix), [], [], 0
        first, last = out.part(position)
        for value in values:
            index = ix[position] - start if start else ix[position]
            expressions.append(value.at(*ix[:position], index, *ix[position + 1 :]))
            if start <= first and last <= start + value.shape[position]:
                return expressions[-1]
            start += value.shape[position]
            ends.append(start)
        return select_expression(ix[position], ends, expressions)

    def breaks(out, *values, axis):
        is_last = axis % len(out.shape) == len(out.shape) - 1
        return tuple(accumulate(value.shape[-1] for value in values[:-1])) if is_last else ()

    def gradient(dy, y, *values, axis):
        sizes = ops.stack(*(ops.shape(value)[axis] for value in values), axis=0)
        return ops.split(dy, sizes, num=len(values), axis=axis)


@public("concat")
def concat(values, axis, name="concat"):
    """Tensors of one dtype concatenated along `axis`; the other dimensions are equal.

    >>> ag.concat([[1, 2], [3]], 0).numpy()
    array([1, 2, 3], dtype=int32)

    Raises ShapeError if the shapes differ in another axis, and for scalars.
    """
    if hasattr(type(values), "__tf_concat__"):  # a list that grows while the graph runs
        return values.__tf_concat__(static_axis(axis))
    if tensor_of(values) is not None:
        return tensor_of(values)
    values = _alike(values)
    if len(values) == 1:
        return values[0]
    return apply(Concat, tuple(values), {"axis": static_axis(axis)}, name)


def _alike(values) -> list:
    """Values as tensors; Python scalars get the dtype of the first tensor."""
    values = list(values)
    if not values:
        raise ShapeError("nothing to join: the list is empty")
    tensors = [tensor_of(value) for value in values]
    hint = next((tensor.dtype for tensor in tensors if tensor is not None), None)
    return [
        tensor if tensor is not None else convert_to_tensor(value, dtype_hint=hint)
        for tensor, value in zip(tensors, values, strict=True)
    ]


@hidden_op
class Stack:
    """Tensors of one shape stacked along a new axis."""

    may_raise = False

    def kernel(*values, axis):
        return np.stack(values, axis)

    def result(*values, axis):
        shape = values[0].shape
        for value in values[1:]:
            try:
                shape = merge(shape, value.shape)
            except ValueError:
                raise ShapeError(
                    f"stack: shapes {describe_shapes(*values)} differ",
                    "Join them along an axis that they have by ag.concat, pad them to one shape, "
                    "or keep them as rows: ag.ragged.stack(tensors).",
                ) from None
        if shape is None:
            return Spec(values[0].dtype, None)
        position = normal_axis(axis, len(shape) + 1)
        return Spec(values[0].dtype, (*shape[:position], len(values), *shape[position:]))

    def partial(*values, axis):
        """Dimensions that form a shape, or pairs of them: some constant, others not."""
        constants = [value.constant for value in values]
        shape = values[0].shape
        if shape not in ((), (2,)) or all(constant is None for constant in constants):
            return None
        unknown = np.full(shape, None, object)
        return as_constant(
            np.stack([unknown if constant is None else constant for constant in constants], axis),
            values[0].dtype,
        )

    def element(ix, *values, axis, out):
        if len(values) > thresholds.MOST_CHOICES:
            return None
        position = axis % len(ix)
        expressions = [value.at(*ix[:position], *ix[position + 1 :]) for value in values]
        return select_expression(ix[position], list(range(1, len(values) + 1)), expressions)

    def gradient(dy, y, *values, axis):
        return ops.unstack(dy, num=len(values), axis=axis)


@public("stack")
def stack(values, axis=0, name="stack"):
    """Tensors of one shape and dtype stacked along a new axis, at position `axis`.

    >>> ag.stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
    [[1, 3], [2, 4]]

    Raises ShapeError if the shapes differ.
    """
    if hasattr(type(values), "__tf_stack__"):  # a list that grows while the graph runs
        return values.__tf_stack__(static_axis(axis))
    if axis == 0 and not isinstance(values, (list, tuple)) and tensor_of(values) is not None:
        return tensor_of(values)
    return apply(Stack, tuple(_alike(values)), {"axis": static_axis(axis)}, name)


def _along(axis: int, index) -> tuple:
    """The NumPy index that takes `index` of an axis, and all of the others."""
    return (slice(None),) * axis + (index, ...)


@hidden_op
class Unstack:
    """The slices along an axis, each a tensor."""

    several = True
    moves_only = True

    def kernel(x, *, num, axis):
        axis = normal_axis(axis, x.ndim)
        if x.shape[axis] != num:
            raise ShapeError(f"unstack: axis {axis} has size {x.shape[axis]}, not {num}")
        return tuple(x[_along(axis, position)] for position in range(num))

    def result(x, *, num, axis):
        if x.shape is None:
            return (Spec(x.dtype, None),) * num
        position = normal_axis(axis, len(x.shape))
        if x.shape[position] not in (num, None):
            raise ShapeError(f"unstack: axis {axis} of {show(x.shape)} does not have size {num}")
        return (Spec(x.dtype, (*x.shape[:position], *x.shape[position + 1 :])),) * num

    def gradient(dy, y, x, *, num, axis):
        return (ops.stack(*dy, axis=axis),)


@public("unstack")
def unstack(value, num=None, axis=0, name="unstack"):
    """The slices along `axis`, as a list of `num` tensors with one axis less.

    `num` is needed where the size of the axis is not known while tracing.

    >>> [int(x) for x in ag.unstack([7, 8])]
    [7, 8]

    Raises ShapeError unless the axis has the size `num`, or if its size is not known.
    """
    value, axis = convert_to_tensor(value), static_axis(axis)
    if num is None and value.dims is not None:
        num = value.dims[normal_axis(axis, len(value.dims))]
    if num is None:
        raise ShapeError("unstack: the size of the axis is not known while tracing", "Give num.")
    return list(Unstack(value, num=num, axis=axis, name=name))


@hidden_op
class Split:
    """Slices along an axis; those of size -1 share the rest equally."""

    accepts = {"x": ANY, "sizes": SIGNED}
    several = True
    moves_only = True

    def kernel(x, sizes, *, num, axis):
        axis = normal_axis(axis, x.ndim)
        sizes = _split_sizes(tuple(sizes.tolist()), num, x.shape, axis)
        ends = np.cumsum(sizes).tolist()
        return tuple(
            x[_along(axis, slice(end - size, end))] for size, end in zip(sizes, ends, strict=True)
        )

    def result(x, sizes, *, num, axis):
        if x.shape is None:
            return (Spec(x.dtype, None),) * num
        position = normal_axis(axis, len(x.shape))
        sizes = _split_sizes(constant_dimensions(sizes) or (None,) * num, num, x.shape, position)
        return tuple(
            Spec(x.dtype, (*x.shape[:position], size, *x.shape[position + 1 :])) for size in sizes
        )

    def gradient(dy, y, x, sizes, *, num, axis):
        return ops.concat(*dy, axis=axis), None


def _split_sizes(sizes: tuple, num: int, shape: tuple, axis: int) -> list[int | None]:
    """The sizes of all slices, with -1 replaced; None where a size is not static."""
    total = shape[axis]
    if len(sizes) != num:
        raise ShapeError(f"split: {len(sizes)} sizes for {num} slices")
    if None in sizes or total is None:
        return [None if size == -1 else size for size in sizes]
    shares, fixed = sizes.count(-1), sum(size for size in sizes if size != -1)
    share = (total - fixed) // max(shares, 1)
    if share < 0 or any(size < -1 for size in sizes) or fixed + shares * share != total:
        wanted = f"{num} equal slices" if shares == num else f"slices of sizes {list(sizes)}"
        raise ShapeError(f"split: axis {axis} of {show(shape)} does not divide into {wanted}")
    return [share if size == -1 else size for size in sizes]


@public("split")
def split(value, num_or_size_splits, axis=0, num=None, name="split"):
    """Consecutive slices along `axis`, as a list of tensors.

    `num_or_size_splits` is the number of equal slices, or a list of their sizes, in which -1 stands
    for the rest. `num` is the number of slices if the sizes are a tensor of unknown length.

    >>> [x.numpy().tolist() for x in ag.split([1, 2, 3, 4], 2)]
    [[1, 2], [3, 4]]

    Raises ShapeError if the axis does not divide that way.
    """
    sizes = num_or_size_splits
    if isinstance(sizes, Tensor) and sizes.dims == ():
        sizes = static_axis(sizes)
    if isinstance(sizes, (int, np.integer)):
        if sizes < 1:
            raise ShapeError(f"split: {sizes} slices")
        sizes = [-1] * int(sizes)
    sizes = convert_to_tensor(sizes)
    length = sizes.dims[0] if sizes.dims else None
    if num is None and length is None:
        raise ShapeError("split: the number of slices is not known while tracing", "Give num.")
    count = length if num is None else num
    return list(Split(value, sizes, num=count, axis=static_axis(axis), name=name))
