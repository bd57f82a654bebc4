"""Tensors joined, split, repeated, padded and turned."""

from __future__ import annotations

import numpy as np

from ..apply import apply, convert_to_tensor, tensor_of
from ..builder import fully_known, known_dimensions
from ..dtypes import ANY, SIGNED
from ..errors import ShapeError
from ..op import Spec, op
from ..shapes import merge, show
from ..tensor import EagerTensor
from ..vocabulary import public
from .reductions import static_axis
from .rules import describe_shapes, normal_axes, normal_axis


@op
class Concat:
    """Tensors one after the other along an axis."""

    hidden = True

    def kernel(*values, axis):
        return np.concatenate(values, axis)

    def result(*values, axis):
        known = [value.shape for value in values if value.shape is not None]
        if not known:
            return Spec(values[0].dtype, None)
        rank = len(known[0])
        if rank == 0:
            raise ShapeError("concat: scalars have no axis to join along", "Use ag.stack.")
        place = normal_axis(axis, rank)
        sizes = [shape[place] for shape in known if len(shape) == rank]
        total = None if None in sizes or len(sizes) < len(values) else sum(sizes)
        joined = (*known[0][:place], None, *known[0][place + 1 :])
        for shape in known[1:]:
            try:
                joined = merge(joined, (*shape[:place], None, *shape[place + 1 :]))
            except ValueError:
                raise ShapeError(
                    f"concat along axis {axis}: shapes {describe_shapes(*values)} differ elsewhere"
                ) from None
        return Spec(values[0].dtype, (*joined[:place], total, *joined[place + 1 :]))

    def partial(*values, axis):
        if any(value.known is None or value.known.ndim != 1 for value in values):
            return None
        return np.concatenate([value.known for value in values], axis)


@public("concat")
def concat(values, axis, name="concat"):
    """Tensors one after the other along `axis`.

    >>> concat([[1, 2], [3]], 0).numpy()
    array([1, 2, 3], dtype=int32)

    Raises ShapeError where shapes differ in another axis.
    """
    if tensor_of(values) is not None:
        return tensor_of(values)
    values = _alike(values)
    return (
        values[0] if len(values) == 1 else apply(Concat, tuple(values), {"axis": static_axis(axis)})
    )


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
        if values[0].shape != () or not values[0].dtype.is_integer:
            return None
        items = [None if fully_known(value) is None else value.known[()] for value in values]
        if None in items:
            return np.array(items, object) if any(item is not None for item in items) else None
        return np.array(items, values[0].dtype.numpy_dtype)


@public("stack")
def stack(values, axis=0, name="stack"):
    """Equally shaped tensors along a new axis.

    >>> stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
    [[1, 3], [2, 4]]
    """
    return apply(Stack, tuple(_alike(values)), {"axis": axis})


@op
class Unstack:
    """The slices along an axis, each a tensor."""

    hidden = True

    def kernel(x, *, num, axis):
        if x.shape[axis] != num:
            raise ShapeError(f"unstack: axis {axis} has size {x.shape[axis]}, not {num}")
        return tuple(np.moveaxis(x, axis, 0))

    def result(x, *, num, axis):
        if x.shape is None:
            return (Spec(x.dtype, None),) * num
        place = normal_axis(axis, len(x.shape))
        if x.shape[place] not in (num, None):
            raise ShapeError(f"unstack: axis {axis} of {show(x.shape)} does not have size {num}")
        return (Spec(x.dtype, (*x.shape[:place], *x.shape[place + 1 :])),) * num


@public("unstack")
def unstack(value, num=None, axis=0, name="unstack"):
    """The slices along `axis`, as a list; their number has to be known.

    >>> [int(x) for x in unstack([7, 8])]
    [7, 8]
    """
    value = convert_to_tensor(value)
    if num is None and value._shape is not None:
        num = value._shape[normal_axis(axis, len(value._shape))]
    if num is None:
        raise ShapeError("unstack: the size of the axis is not known while tracing", "Give num.")
    return list(Unstack(value, num=num, axis=axis))


@op
class Split:
    """Pieces of given sizes along an axis."""

    hidden = True

    def kernel(x, *, sizes, axis):
        return tuple(np.split(x, np.cumsum(_filled(sizes, x.shape[axis]))[:-1], axis))

    def result(x, *, sizes, axis):
        if x.shape is None:
            return (Spec(x.dtype, None),) * len(sizes)
        place = normal_axis(axis, len(x.shape))
        return tuple(
            Spec(x.dtype, (*x.shape[:place], size, *x.shape[place + 1 :]))
            for size in _filled(sizes, x.shape[place])
        )


def _filled(sizes, total):
    """The sizes, the one that is -1 replaced by what is left."""
    rest = None if total is None else total - sum(size for size in sizes if size >= 0)
    made = [rest if size == -1 else size for size in sizes]
    if total is not None and (rest < 0 or sum(made) != total):
        raise ShapeError(f"split: sizes {list(sizes)} do not add up to {total}")
    return made


@public("split")
def split(value, num_or_size_splits, axis=0, num=None, name="split"):
    """Equal pieces along `axis`, or pieces of the listed sizes; -1 stands for what is left.

    >>> [x.numpy().tolist() for x in split([1, 2, 3, 4], 2)]
    [[1, 2], [3, 4]]
    """
    value, axis = convert_to_tensor(value), static_axis(axis)
    sizes = static_axis(num_or_size_splits)
    if isinstance(sizes, int):
        total = value._shape[normal_axis(axis, len(value._shape))]
        if total is None or total % sizes:
            raise ShapeError(
                f"split: axis {axis} of {show(value._shape)} does not divide into {sizes} pieces"
            )
        sizes = (total // sizes,) * sizes
    return list(Split(value, sizes=tuple(sizes), axis=axis))


@op
class Tile:
    """Repeated along each axis.

    >>> import allograph as ag
    >>> ag.tile([1, 2], [2]).numpy()
    array([1, 2, 1, 2], dtype=int32)
    """

    accepts = {"input": ANY, "multiples": SIGNED}
    public = ("tile",)

    def kernel(input, multiples):
        return np.tile(input, multiples.tolist())

    def result(input, multiples):
        counts = known_dimensions(multiples)
        if input.shape is None or counts is None:
            return Spec(input.dtype, input.shape and (None,) * len(input.shape))
        if len(counts) != len(input.shape):
            raise ShapeError(
                f"tile: {len(counts)} multiples for a tensor of shape {show(input.shape)}"
            )
        sizes = zip(input.shape, counts, strict=True)
        return Spec(
            input.dtype, tuple(None if None in pair else pair[0] * pair[1] for pair in sizes)
        )

    def element(ix, input, multiples, *, out):
        return input.at(
            *(f"({index}) % {size}" for index, size in zip(ix, input.shape, strict=True))
        )


_PADDING = {"CONSTANT": "constant", "REFLECT": "reflect", "SYMMETRIC": "symmetric"}


@op
class Pad:
    """With a border."""

    accepts = {"tensor": ANY, "paddings": SIGNED}
    hidden = True

    def kernel(tensor, paddings, *, mode, constant_values):
        options = {"constant_values": constant_values} if mode == "CONSTANT" else {}
        return np.pad(tensor, paddings.tolist(), _PADDING[mode], **options)

    def result(tensor, paddings, *, mode, constant_values):
        if tensor.shape is None:
            return Spec(tensor.dtype, None)
        known = fully_known(paddings)
        if known is None:
            return Spec(tensor.dtype, (None,) * len(tensor.shape))
        if known.shape != (len(tensor.shape), 2):
            raise ShapeError(
                f"pad: paddings of shape {known.shape} for a tensor of shape {show(tensor.shape)}"
            )
        sizes = zip(tensor.shape, known.tolist(), strict=True)
        return Spec(
            tensor.dtype, tuple(None if size is None else size + sum(pair) for size, pair in sizes)
        )

    def element(ix, tensor, paddings, *, mode, constant_values, out):
        if mode != "CONSTANT" or paddings.known is None:
            return None
        inside, places = [], []
        for index, size, (before, _) in zip(ix, tensor.shape, paddings.known.tolist(), strict=True):
            places.append(f"({index} - {before})")
            inside.append(f"0 <= {places[-1]} < {size}")
        return (
            f"({tensor.at(*places)} if {' and '.join(inside) or 'True'} else "
            f"{out.literal(constant_values)})"
        )


@public("pad")
def pad(tensor, paddings, mode="CONSTANT", constant_values=0, name=None):
    """With a border: `paddings` is `[[before, after], ...]`, a pair for each axis.

    >>> pad([1, 2], [[1, 2]]).numpy()
    array([0, 1, 2, 0, 0], dtype=int32)
    """
    mode = mode.upper()
    if mode not in _PADDING:
        raise ValueError(f"pad: the mode is one of {', '.join(_PADDING)}, not {mode!r}")
    if isinstance(constant_values, EagerTensor):
        constant_values = constant_values.numpy()
    return Pad(tensor, paddings, mode=mode, constant_values=constant_values)


@op
class Repeat:
    """Each element repeated along an axis."""

    accepts = {"x": ANY, "repeats": SIGNED}
    hidden = True

    def kernel(x, repeats, *, axis):
        return np.repeat(x, repeats, axis)

    def result(x, repeats, *, axis):
        if x.shape is None:
            return Spec(x.dtype, None)
        place, known = normal_axis(axis, len(x.shape)), fully_known(repeats)
        size = x.shape[place]
        if known is None or size is None:
            total = None
        else:
            total = int(known.sum()) if known.size > 1 else size * int(known.reshape(-1)[0])
        return Spec(x.dtype, (*x.shape[:place], total, *x.shape[place + 1 :]))


@public("repeat")
def repeat(input, repeats, axis=None, name=None):
    """Each element repeated; `input` flattened when `axis` is left out.

    >>> repeat([1, 2], 2).numpy()
    array([1, 1, 2, 2], dtype=int32)
    """
    from .shaping import reshape

    x = convert_to_tensor(input)
    return (
        Repeat(x, repeats, axis=axis)
        if axis is not None
        else Repeat(reshape(x, [-1]), repeats, axis=0)
    )


@op
class Reverse:
    """The order turned round along axes."""

    hidden = True

    def kernel(x, *, axis):
        return np.flip(x, axis)

    def result(x, *, axis):
        if x.shape is not None:
            normal_axes(axis, len(x.shape))
        return Spec(x.dtype, x.shape)

    def element(ix, x, *, axis, out):
        axes = normal_axes(axis, len(ix))
        return x.at(
            *(f"({size} - 1 - {index})" if place in axes else index
              for place, (index, size) in enumerate(zip(ix, x.shape, strict=True)))
        )  # fmt: skip


@public("reverse")
def reverse(tensor, axis, name=None):
    """The order turned round along the listed axes.

    >>> reverse([1, 2, 3], [0]).numpy()
    array([3, 2, 1], dtype=int32)
    """
    axis = static_axis(axis)
    return Reverse(tensor, axis=(axis,) if isinstance(axis, int) else tuple(axis))


@op
class Roll:
    """Shifted round along axes."""

    hidden = True

    def kernel(x, *, shift, axis):
        return np.roll(x, shift, axis)

    def result(x, *, shift, axis):
        return Spec(x.dtype, x.shape)

    def element(ix, x, *, shift, axis, out):
        places = list(ix)
        for one, place in zip(shift, normal_axes(axis, len(ix)), strict=True):
            places[place] = f"(({places[place]} - {one}) % {x.shape[place]})"
        return x.at(*places)


@public("roll")
def roll(input, shift, axis, name=None):
    """Shifted round along `axis`.

    >>> roll([1, 2, 3], 1, 0).numpy()
    array([3, 1, 2], dtype=int32)
    """
    shift, axis = static_axis(shift), static_axis(axis)
    pair = [(one,) if isinstance(one, int) else tuple(one) for one in (shift, axis)]
    return Roll(input, shift=pair[0], axis=pair[1])
