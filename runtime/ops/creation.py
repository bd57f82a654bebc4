"""Tensors from nothing but a shape or a range."""

from __future__ import annotations

import math

import numpy as np

from ..apply import apply, convert_to_tensor
from ..builder import fully_known, known_dimensions
from ..dtypes import ANY, FLOATS, REALS, SIGNED, as_dtype, bool_, float32, int32, string
from ..errors import InvalidArgumentError, ShapeError
from ..op import Spec, op
from ..shapes import TensorShape, is_static
from ..tensor import Tensor
from ..vocabulary import public


def as_shape_tensor(shape):
    """A shape argument as an integer vector."""
    if isinstance(shape, TensorShape):
        shape = shape.as_list()
    if isinstance(shape, (int, np.integer)) or (isinstance(shape, Tensor) and shape._shape == ()):
        shape = [shape]
    return (
        convert_to_tensor(shape, dtype_hint=int32)
        if len_or_one(shape)
        else convert_to_tensor([], int32)
    )


def len_or_one(shape) -> int:
    return len(shape) if isinstance(shape, (list, tuple)) else 1


@op
class Fill:
    """A tensor of one value.

    >>> import allograph as ag
    >>> ag.fill([2], 7).numpy()
    array([7, 7], dtype=int32)
    """

    accepts = {"dims": SIGNED, "value": ANY}
    public = ("fill",)

    def kernel(dims, value):
        return np.full(tuple(dims.tolist()), value, value.dtype)

    def result(dims, value):
        sizes = known_dimensions(dims)
        if sizes is not None and any(size is not None and size < 0 for size in sizes):
            raise ShapeError(f"fill: {sizes} is not a shape")
        return Spec(value.dtype, sizes)

    def element(ix, dims, value, *, out):
        return value.at()


def _filled(shape, value, dtype):
    dtype = as_dtype(dtype)
    start = b"" if dtype is string and not value else np.array(value).astype(dtype.numpy_dtype)
    filler = np.array(start, dtype.numpy_dtype)
    return apply(Fill, (as_shape_tensor(shape), filler), {})


@public("zeros")
def zeros(shape, dtype=float32, name=None):
    """A tensor of zeros.

    >>> zeros([2]).numpy()
    array([0., 0.], dtype=float32)
    """
    return _filled(shape, 0, dtype)


@public("ones")
def ones(shape, dtype=float32, name=None):
    """A tensor of ones."""
    return _filled(shape, 1, dtype)


def _filled_like(input_, value, dtype):
    x = convert_to_tensor(input_)
    dtype = x.dtype if dtype is None else as_dtype(dtype)
    if is_static(x._shape):
        return _filled(x._shape, value, dtype)
    from .shaping import shape

    return _filled(shape(x), value, dtype)


@public("zeros_like")
def zeros_like(input, dtype=None, name=None):
    """Zeros in the shape and type of a tensor."""
    return _filled_like(input, 0, dtype)


@public("ones_like")
def ones_like(input, dtype=None, name=None):
    """Ones in the shape and type of a tensor."""
    return _filled_like(input, 1, dtype)


@public("eye", "linalg.eye")
def eye(num_rows, num_columns=None, batch_shape=None, dtype=float32, name=None):
    """The identity matrix.

    >>> eye(2).numpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    columns = num_rows if num_columns is None else num_columns
    on = range_(num_rows)[:, None] == range_(columns)[None, :]
    from .casting import cast
    from .shaping import BroadcastTo

    made = cast(on, dtype)
    return made if batch_shape is None else BroadcastTo(made, [*batch_shape, num_rows, columns])


@op
class Range:
    """`start`, `start + delta`, ... up to, without, `limit`."""

    accepts = REALS
    hidden = True

    def kernel(start, limit, delta):
        _check_delta(delta)
        count = _range_length(start, limit, delta)
        return (start + np.arange(count).astype(start.dtype) * delta).astype(start.dtype)

    def result(start, limit, delta):
        known = [fully_known(value) for value in (start, limit, delta)]
        if any(value is None for value in known):
            return Spec(start.dtype, (None,))
        _check_delta(known[2])
        return Spec(start.dtype, (_range_length(*known),))

    def element(ix, start, limit, delta, *, out):
        return f"{start.at()} + {out.cast(ix[0])} * {delta.at()}"


def _check_delta(delta) -> None:
    if delta == 0:
        raise InvalidArgumentError("range: the step is 0")


def _range_length(start, limit, delta) -> int:
    start, limit, delta = (np.asarray(value).item() for value in (start, limit, delta))
    return max(
        0,
        math.ceil((limit - start) / delta)
        if isinstance(delta, float)
        else -((start - limit) // delta),
    )


@public("range")
def range_(start, limit=None, delta=1, dtype=None, name="range"):
    """`range(limit)`, `range(start, limit)` or `range(start, limit, delta)` as a vector.

    >>> range_(2, 8, 3).numpy()
    array([2, 5], dtype=int32)
    """
    if limit is None:
        start, limit = 0, start
    parts = [start, limit, delta]
    if dtype is None:
        tensors = [
            convert_to_tensor(part).dtype for part in parts if not isinstance(part, (int, float))
        ]
        dtype = (
            tensors[0]
            if tensors
            else float32
            if any(isinstance(part, float) for part in parts)
            else int32
        )
    from .casting import cast

    dtype = as_dtype(dtype)
    return Range(
        *(
            cast(part, dtype) if isinstance(part, Tensor) else convert_to_tensor(part, dtype)
            for part in parts
        )
    )


@public("linspace")
def linspace(start, stop, num, name=None, axis=0):
    """`num` values from `start` to `stop`, evenly spaced.

    >>> linspace(0.0, 1.0, 3).numpy()
    array([0. , 0.5, 1. ], dtype=float32)
    """
    return Linspace(start, stop, num)


@op
class Linspace:
    """Evenly spaced values."""

    accepts = {"start": FLOATS, "stop": FLOATS, "num": SIGNED}
    hidden = True

    def kernel(start, stop, num):
        return np.linspace(start, stop, int(num)).astype(start.dtype)

    def result(start, stop, num):
        known = fully_known(num)
        return Spec(start.dtype, (None if known is None else int(known),))


@op
class OneHot:
    """Vectors that are `on` at one place and `off` elsewhere."""

    accepts = {"indices": SIGNED, "on": ANY, "off": ANY}
    hidden = True

    def kernel(indices, on, off, *, depth, axis):
        spread = np.expand_dims(indices, axis)
        shape = [1] * spread.ndim
        shape[axis] = depth
        return np.where(spread == np.arange(depth).reshape(shape), on, off)

    def result(indices, on, off, *, depth, axis):
        if indices.shape is None:
            return Spec(on.dtype, None)
        place = axis % (len(indices.shape) + 1)
        return Spec(on.dtype, (*indices.shape[:place], depth, *indices.shape[place:]))


@public("one_hot")
def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    """Vectors of length `depth` that are 1 (`on_value`) at `indices` and 0 (`off_value`) elsewhere.

    >>> one_hot([1, 0], 2).numpy().tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    from .reductions import static_axis

    given = next(
        (convert_to_tensor(v).dtype for v in (on_value, off_value) if v is not None), float32
    )
    dtype = given if dtype is None else as_dtype(dtype)
    on = convert_to_tensor(
        1 if on_value is None else on_value, None if on_value is not None else dtype
    )
    off = convert_to_tensor(
        0 if off_value is None else off_value, None if off_value is not None else dtype
    )
    return OneHot(indices, on, off, depth=static_axis(depth), axis=-1 if axis is None else axis)


@public("sequence_mask")
def sequence_mask(lengths, maxlen=None, dtype=bool_, name=None):
    """A row of `length` trues for each length."""
    from .casting import cast
    from .reductions import reduce_max

    lengths = convert_to_tensor(lengths)
    maxlen = reduce_max(lengths) if maxlen is None else maxlen
    return cast(range_(maxlen, dtype=lengths.dtype) < lengths[..., None], dtype)
