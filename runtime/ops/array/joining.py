"""Tensors joined and taken apart."""

from __future__ import annotations

import numpy as np

from ...core.axes import normal_axis
from ...core.dtypes import ANY, SIGNED
from ...core.errors import ShapeError
from ...core.public_names import public
from ...core.shapes import merge, show
from ...ir.constant_values import known_dimensions
from ...ir.op import Spec
from ...tensors.apply import apply, convert_to_tensor, tensor_of
from ...tensors.operation import op, ops
from ...tensors.tensor import Tensor
from ..math.reductions import static_axis
from ..shape_rules import describe_shapes
from .shape_ops import settled

CHOICES = 64  # operands that native code chooses among: more are copied faster by NumPy


def chosen(index: str, ends: list[int], texts: list[str]) -> str:
    """The text for the interval that `index` lies in, by halving; `ends` bound all but the last."""
    if len(texts) == 1:
        return texts[0]
    half = len(texts) // 2
    low, high = chosen(index, ends, texts[:half]), chosen(index, ends[half:], texts[half:])
    return f"({low} if {index} < {ends[half - 1]} else {high})"


@op
class Concat:
    """Tensors one after the other along an axis."""

    hidden = True
    may_raise = False

    def kernel(*values, axis):
        return np.concatenate(values, axis)

    def result(*values, axis):
        known = [value.shape for value in values if value.shape is not None]
        if not known:
            return Spec(values[0].dtype, None)
        if () in known:
            raise ShapeError("concat: scalars have no axis to join along", "Use ag.stack.")
        place = normal_axis(axis, len(known[0]))
        joined = (*known[0][:place], None, *known[0][place + 1 :])
        for shape in known[1:]:
            try:
                joined = merge(joined, (*shape[:place], None, *shape[place + 1 :]))
            except ValueError:
                shapes = describe_shapes(*values)
                raise ShapeError(
                    f"concat along axis {axis}: shapes {shapes} differ elsewhere"
                ) from None
        sizes = [shape[place] for shape in known]
        total = None if None in sizes or len(known) < len(values) else sum(sizes)
        return Spec(values[0].dtype, (*joined[:place], total, *joined[place + 1 :]))

    def partial(*values, axis):
        if any(value.known is None or value.known.ndim != 1 for value in values):
            return None
        return settled(np.concatenate([value.known for value in values]), values[0].dtype)

    def element(ix, *values, axis, out):
        if len(values) > CHOICES:
            return None
        place, ends, texts, start = axis % len(ix), [], [], 0
        for value in values:
            index = f"({ix[place]} - {start})" if start else ix[place]
            texts.append(value.at(*ix[:place], index, *ix[place + 1 :]))
            start += value.shape[place]
            ends.append(start)
        return chosen(ix[place], ends, texts)

    def gradient(dy, y, *values, axis):
        sizes = ops.stack(*(ops.shape(value)[axis] for value in values), axis=0)
        return ops.split(dy, sizes, num=len(values), axis=axis)


@public("concat")
def concat(values, axis, name="concat"):
    """Tensors one after the other along `axis`; all have one data type.

    >>> concat([[1, 2], [3]], 0).numpy()
    array([1, 2, 3], dtype=int32)

    Raises ShapeError where shapes differ in another axis.
    """
    if hasattr(type(values), "__tf_concat__"):  # a list that grew while the graph runs
        return values.__tf_concat__(static_axis(axis))
    if tensor_of(values) is not None:
        return tensor_of(values)
    values = _alike(values)
    if len(values) == 1:
        return values[0]
    return apply(Concat, tuple(values), {"axis": static_axis(axis)}, name)


def _alike(values) -> list:
    """A list of tensors and numbers, the numbers with the type of the first tensor."""
    values = list(values)
    if not values:
        raise ShapeError("nothing to join: the list is empty")
    tensors = [tensor_of(value) for value in values]
    hint = next((tensor.dtype for tensor in tensors if tensor is not None), None)
    return [
        tensor if tensor is not None else convert_to_tensor(value, dtype_hint=hint)
        for tensor, value in zip(tensors, values, strict=True)
    ]


@op
class Stack:
    """Equally shaped tensors along a new axis."""

    hidden = True
    may_raise = False

    def kernel(*values, axis):
        return np.stack(values, axis)

    def result(*values, axis):
        shape = values[0].shape
        for value in values[1:]:
            try:
                shape = merge(shape, value.shape)
            except ValueError:
                raise ShapeError(f"stack: shapes {describe_shapes(*values)} differ") from None
        if shape is None:
            return Spec(values[0].dtype, None)
        place = normal_axis(axis, len(shape) + 1)
        return Spec(values[0].dtype, (*shape[:place], len(values), *shape[place:]))

    def partial(*values, axis):
        """Sizes that make a shape, and rows of them: some may be known, others not."""
        rows = [value.known for value in values]
        shape = values[0].shape
        if shape not in ((), (2,)) or all(row is None for row in rows):
            return None
        unknown = np.full(shape, None, object)
        return settled(
            np.stack([unknown if row is None else row for row in rows], axis), values[0].dtype
        )

    def element(ix, *values, axis, out):
        if len(values) > CHOICES:
            return None
        place = axis % len(ix)
        texts = [value.at(*ix[:place], *ix[place + 1 :]) for value in values]
        return chosen(ix[place], list(range(1, len(values) + 1)), texts)

    def gradient(dy, y, *values, axis):
        return ops.unstack(dy, num=len(values), axis=axis)


@public("stack")
def stack(values, axis=0, name="stack"):
    """Equally shaped tensors along a new axis.

    >>> stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
    [[1, 3], [2, 4]]

    Raises ShapeError where the shapes differ.
    """
    if hasattr(type(values), "__tf_stack__"):  # a list that grew while the graph runs
        return values.__tf_stack__(static_axis(axis))
    if axis == 0 and not isinstance(values, (list, tuple)) and tensor_of(values) is not None:
        return tensor_of(values)
    return apply(Stack, tuple(_alike(values)), {"axis": static_axis(axis)}, name)


def _along(axis: int, row) -> tuple:
    """The NumPy index that takes `row` of an axis, and all of the others."""
    return (slice(None),) * axis + (row, ...)


@op
class Unstack:
    """The slices along an axis, each a tensor."""

    hidden = True
    several = True
    moves_only = True

    def kernel(x, *, num, axis):
        axis = normal_axis(axis, x.ndim)
        if x.shape[axis] != num:
            raise ShapeError(f"unstack: axis {axis} has size {x.shape[axis]}, not {num}")
        return tuple(x[_along(axis, place)] for place in range(num))

    def result(x, *, num, axis):
        if x.shape is None:
            return (Spec(x.dtype, None),) * num
        place = normal_axis(axis, len(x.shape))
        if x.shape[place] not in (num, None):
            raise ShapeError(f"unstack: axis {axis} of {show(x.shape)} does not have size {num}")
        return (Spec(x.dtype, (*x.shape[:place], *x.shape[place + 1 :])),) * num

    def gradient(dy, y, x, *, num, axis):
        return (ops.stack(*dy, axis=axis),)


@public("unstack")
def unstack(value, num=None, axis=0, name="unstack"):
    """The slices along `axis`, as a list; their number, `num`, has to be known while tracing.

    >>> [int(x) for x in unstack([7, 8])]
    [7, 8]

    Raises ShapeError where the axis does not have `num` slices, or their number is not known.
    """
    value, axis = convert_to_tensor(value), static_axis(axis)
    if num is None and value.dims is not None:
        num = value.dims[normal_axis(axis, len(value.dims))]
    if num is None:
        raise ShapeError("unstack: the size of the axis is not known while tracing", "Give num.")
    return list(Unstack(value, num=num, axis=axis, name=name))


@op
class Split:
    """Pieces along an axis; those of size -1 share equally what the others leave."""

    accepts = {"x": ANY, "sizes": SIGNED}
    hidden = True
    several = True
    moves_only = True

    def kernel(x, sizes, *, num, axis):
        axis = normal_axis(axis, x.ndim)
        made = _piece_sizes(tuple(sizes.tolist()), num, x.shape, axis)
        ends = np.cumsum(made).tolist()
        return tuple(
            x[_along(axis, slice(end - size, end))] for size, end in zip(made, ends, strict=True)
        )

    def result(x, sizes, *, num, axis):
        if x.shape is None:
            return (Spec(x.dtype, None),) * num
        place = normal_axis(axis, len(x.shape))
        made = _piece_sizes(known_dimensions(sizes) or (None,) * num, num, x.shape, place)
        return tuple(
            Spec(x.dtype, (*x.shape[:place], size, *x.shape[place + 1 :])) for size in made
        )

    def gradient(dy, y, x, sizes, *, num, axis):
        return ops.concat(*dy, axis=axis), None


def _piece_sizes(sizes: tuple, num: int, shape: tuple, axis: int) -> list[int | None]:
    """The sizes of all pieces, -1 replaced; None where that is not known yet."""
    total = shape[axis]
    if len(sizes) != num:
        raise ShapeError(f"split: {len(sizes)} sizes for {num} pieces")
    if None in sizes or total is None:
        return [None if size == -1 else size for size in sizes]
    shares, taken = sizes.count(-1), sum(size for size in sizes if size != -1)
    share = (total - taken) // max(shares, 1)
    if share < 0 or any(size < -1 for size in sizes) or taken + shares * share != total:
        pieces = f"{num} equal pieces" if shares == num else f"pieces of sizes {list(sizes)}"
        raise ShapeError(f"split: axis {axis} of {show(shape)} does not divide into {pieces}")
    return [share if size == -1 else size for size in sizes]


@public("split")
def split(value, num_or_size_splits, axis=0, num=None, name="split"):
    """Equal pieces along `axis`, or pieces of the listed sizes; -1 stands for what is left.

    `num` is the number of pieces where the list of sizes is a tensor of unknown length.

    >>> [x.numpy().tolist() for x in split([1, 2, 3, 4], 2)]
    [[1, 2], [3, 4]]

    Raises ShapeError where the axis does not divide that way.
    """
    sizes = num_or_size_splits
    if isinstance(sizes, Tensor) and sizes.dims == ():
        sizes = static_axis(sizes)
    if isinstance(sizes, (int, np.integer)):
        if sizes < 1:
            raise ShapeError(f"split: {sizes} pieces")
        sizes = [-1] * int(sizes)
    sizes = convert_to_tensor(sizes)
    count = sizes.dims[0] if sizes.dims else None
    if num is None and count is None:
        raise ShapeError("split: the number of pieces is not known while tracing", "Give num.")
    number = count if num is None else num
    return list(Split(value, sizes, num=number, axis=static_axis(axis), name=name))
