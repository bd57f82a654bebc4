"""Functions of `keras.ops` that make arrays, choose elements, or count them."""

from __future__ import annotations

import numpy as np

from .... import as_dtype, cast, float32, int32
from ....extend.operations import ag
from ..mixed_precision import dtype_of
from .core_functions import convert_to_tensor
from .operations import operation, operations
from .promotion import as_operand, common_dtype, floating, operands

numeric = operations("numpy")
operation(convert_to_tensor, "array", group="numpy")


# ---- new arrays ------------------------------------------------------------------------------


@numeric
def zeros(shape, dtype=None):
    """Zeros, of `floatx` by default."""
    return full(shape, 0, dtype)


@numeric
def ones(shape, dtype=None):
    """Ones, of `floatx` by default."""
    return full(shape, 1, dtype)


@numeric
def empty(shape, dtype=None):
    """An array to be filled; it holds zeros."""
    return full(shape, 0, dtype)


@numeric
def full(shape, fill_value, dtype=None):
    """An array of one value, of `floatx` by default.

    >>> ag.keras.ops.full([2], 7).numpy()
    array([7., 7.], dtype=float32)
    """
    sizes = [shape] if isinstance(shape, int) else shape
    return ag.broadcast_to(cast(as_operand(fill_value), dtype_of(dtype)), sizes)


@numeric
def zeros_like(x, dtype=None):
    """Zeros of the shape and the data type of `x`."""
    return ag.zeros_like(as_operand(x), dtype)


@numeric
def ones_like(x, dtype=None):
    """Ones of the shape and the data type of `x`."""
    return ag.ones_like(as_operand(x), dtype)


@numeric
def empty_like(x, dtype=None):
    """An array like `x` to be filled; it holds zeros."""
    return ag.zeros_like(as_operand(x), dtype)


@numeric
def full_like(x, fill_value, dtype=None):
    """One value in the shape of `x`."""
    like = ag.zeros_like(as_operand(x), dtype)
    return ag.broadcast_to(cast(as_operand(fill_value), like.dtype), ag.shape(like))


@numeric
def arange(start, stop=None, step=None, dtype=None):
    """Numbers from `start` to before `stop`: int32 for integers, `floatx` for floats.

    >>> ag.keras.ops.arange(3).numpy()
    array([0, 1, 2], dtype=int32)
    """
    bounds = [one for one in (start, stop, step) if one is not None]
    found = common_dtype(*bounds) if dtype is None else as_dtype(dtype)
    start, stop = (0, start) if stop is None else (start, stop)
    return ag.range(*operands(start, stop, 1 if step is None else step, dtype=found))


@numeric
def eye(N, M=None, k=0, dtype=None):  # noqa: N803
    """Ones on a diagonal."""
    return as_operand(np.eye(N, M, k), dtype_of(dtype))


@numeric
def identity(n, dtype=None):
    """The identity matrix."""
    return eye(n, dtype=dtype)


@numeric
def tri(N, M=None, k=0, dtype=None):  # noqa: N803
    """Ones on and below a diagonal."""
    return as_operand(np.tri(N, M, k), dtype_of(dtype))


def _spaced(name: str, values, num, endpoint, dtype, axis, **options):
    found = floating(common_dtype(*values)) if dtype is None else as_dtype(dtype)
    start, stop = operands(*values, dtype=floating(found))
    function = getattr(ag.experimental.numpy, name)
    return function(start, stop, num=num, endpoint=endpoint, axis=axis, **options), found


@numeric
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """Evenly spaced numbers.

    >>> ag.keras.ops.linspace(0, 1, 3).numpy()
    array([0. , 0.5, 1. ], dtype=float32)
    """
    found, wanted = _spaced("linspace", (start, stop), num, endpoint, dtype, axis)
    if not retstep:
        return cast(found, wanted)
    gaps = max(num - 1 if endpoint else num, 1)
    return cast(found, wanted), cast((as_operand(stop) - as_operand(start)) / gaps, wanted)


@numeric
def logspace(start, stop, num=50, endpoint=True, base=10, dtype=None, axis=0):
    """Powers of `base` with evenly spaced exponents."""
    found, wanted = _spaced("linspace", (start, stop), num, endpoint, dtype, axis)
    return cast(as_operand(base, found.dtype) ** found, wanted)


@numeric
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Numbers with one ratio between neighbors."""
    found, wanted = _spaced("geomspace", (start, stop), num, endpoint, dtype, axis)
    return cast(found, wanted)


@numeric
def meshgrid(*x, indexing="xy"):
    """Matrices of coordinates, as a list."""
    return ag.meshgrid(*map(as_operand, x), indexing=indexing)


def _window(name: str):
    def window(x):
        return as_operand(getattr(np, name)(int(as_operand(x))), float32)

    window.__name__, window.__doc__ = name, f"NumPy's window `{name}` of x points."
    operation(window, group="numpy")


for _name in ("bartlett", "blackman", "hamming", "hanning"):
    _window(_name)


@numeric
def kaiser(x, beta):
    """The Kaiser window of x points."""
    return as_operand(np.kaiser(int(as_operand(x)), float(beta)), float32)


# ---- elements --------------------------------------------------------------------------------


@numeric
def argmax(x, axis=None, keepdims=False):
    """The index of the first largest element along an axis, or in the flattened array."""
    return _extreme(ag.argmax, x, axis, keepdims)


@numeric
def argmin(x, axis=None, keepdims=False):
    """The index of the first smallest element along an axis, or in the flattened array."""
    return _extreme(ag.argmin, x, axis, keepdims)


def _extreme(function, x, axis, keepdims):
    x = as_operand(x)
    x = cast(x, int32) if x.dtype.is_bool else x
    result = function(ag.reshape(x, [-1]) if axis is None else x, axis or 0, output_type=int32)
    if keepdims:
        return ag.reshape(result, [1] * x.ndim) if axis is None else ag.expand_dims(result, axis)
    return result


@numeric
def clip(x, x_min, x_max):
    """The elements limited to a range; the type is that of `x`.

    >>> ag.keras.ops.clip([1.0, 5.0], 2, 3).numpy()
    array([2., 3.], dtype=float32)
    """
    x = as_operand(x)
    x = cast(x, int32) if x.dtype.is_bool else x
    low, high = (cast(as_operand(one), x.dtype) for one in (x_min, x_max))
    return ag.minimum(ag.maximum(x, low), high)


@numeric
def where(condition, x1=None, x2=None):
    """`x1` where the condition holds, else `x2`; without them, the indices where it holds."""
    test = as_operand(condition)
    test = test if test.dtype.is_bool else ag.not_equal(test, ag.zeros_like(test))
    return nonzero(test) if x1 is None else ag.where(test, *operands(x1, x2))


@numeric
def nonzero(x):
    """The indices of elements other than 0, a vector for each axis."""
    x = as_operand(x)
    places = ag.where(x if x.dtype.is_bool else ag.not_equal(x, ag.zeros_like(x)))
    return ag.unstack(cast(places, int32), x.ndim, axis=1)


@numeric
def select(condlist, choicelist, default=0):
    """The element of the first choice whose condition holds, else the default.

    >>> ag.keras.ops.select([ag.constant([True, False])], [ag.constant([1, 2])], 9).numpy()
    array([1, 9], dtype=int32)
    """
    *choices, result = operands(*choicelist, default)
    for test, choice in zip(reversed(list(condlist)), reversed(choices), strict=True):
        result = ag.where(as_operand(test), choice, result)
    return result


@numeric
def take(x, indices, axis=None):
    """The elements at `indices` along an axis, or of the flattened array; negative ones count from
    the end.
    """
    x, places = as_operand(x), as_operand(indices)
    x, axis = (ag.reshape(x, [-1]), 0) if axis is None else (x, axis)
    count = cast(ag.shape(x)[axis], places.dtype)
    return ag.gather(x, ag.where(places < 0, places + count, places), axis=axis)


@numeric
def get_item(x, key):
    """`x[key]`."""
    return as_operand(x)[key]


@numeric
def pad(x, pad_width, mode="constant", constant_values=None):
    """An array with its edges extended.

    >>> ag.keras.ops.pad([1, 2], 1).numpy()
    array([0, 1, 2, 0], dtype=int32)
    """
    options = {} if constant_values is None else {"constant_values": constant_values}
    return ag.experimental.numpy.pad(as_operand(x), pad_width, mode, **options)


@numeric
def reshape(x, newshape):
    """The elements in another shape; one size may be -1."""
    return ag.reshape(as_operand(x), newshape)


@numeric
def squeeze(x, axis=None):
    """An array without axes of size 1."""
    return ag.squeeze(as_operand(x), axis)


@numeric
def stack(x, axis=0):
    """Arrays stacked along a new axis."""
    return ag.stack(operands(*x), axis)


@numeric
def split(x, indices_or_sections, axis=0):
    """Parts of an array along an axis, as a list.

    `indices_or_sections` is the number of equal parts, or the indices where parts begin.
    """
    return list(ag.experimental.numpy.split(as_operand(x), indices_or_sections, axis))


@numeric
def array_split(x, indices_or_sections, axis=0):
    """Like `split`; the first parts may be longer by one."""
    return list(ag.experimental.numpy.array_split(as_operand(x), indices_or_sections, axis))


@numeric
def hsplit(x, indices_or_sections):
    """Parts along the second axis, or the only one."""
    x = as_operand(x)
    return split(x, indices_or_sections, 0 if x.ndim == 1 else 1)


@numeric
def vsplit(x, indices_or_sections):
    """Parts along the first axis."""
    return split(x, indices_or_sections, 0)


@numeric
def dsplit(x, indices_or_sections):
    """Parts along the third axis."""
    return split(x, indices_or_sections, 2)


# ---- sizes and counts ------------------------------------------------------------------------


@numeric
def ndim(x) -> int:
    """The number of axes."""
    return as_operand(x).ndim


@numeric
def size(x):
    """The number of elements."""
    return ag.size(as_operand(x))


@numeric
def bincount(x, weights=None, minlength=0, sparse=False):
    """How often each number occurs, or the sum of its weights; int32 or the type of the weights."""
    x = cast(as_operand(x), int32)
    weights = None if weights is None else as_operand(weights)
    dtype = int32 if weights is None else weights.dtype
    axis = None if x.ndim == 1 else -1
    return ag.math.bincount(x, weights, minlength, dtype=dtype, axis=axis)


@numeric
def histogram(x, bins=10, range=None):
    """The number of elements in each of several equal intervals, and their bounds."""
    x = as_operand(x)
    counts, edges = ag.experimental.numpy.histogram(x, bins, range)
    return cast(counts, int32), cast(edges, floating(x.dtype))


@numeric
def searchsorted(sorted_sequence, values, side="left"):
    """Where each value belongs in a sorted sequence."""
    sequence, values = operands(sorted_sequence, values)
    return ag.searchsorted(sequence, values, side)


@numeric
def digitize(x, bins):
    """The number of the interval of each element, between sorted bounds.

    >>> ag.keras.ops.digitize([0.5, 2.0], [1.0, 2.0]).numpy()
    array([0, 2], dtype=int32)
    """
    bounds, x = operands(bins, x)
    flat = ag.searchsorted(bounds, ag.reshape(x, [-1]), "right")
    return ag.reshape(flat, ag.shape(x))


@numeric
def unravel_index(indices, shape):
    """The indices along each axis of flat indices."""
    places = as_operand(indices)
    found = []
    for size in reversed(list(shape)):
        found.append(places % size)
        places = places // size
    return tuple(reversed(found))


# ---- sums of products ------------------------------------------------------------------------


@numeric
def einsum(subscripts, *operands_, **kwargs):
    """Sums of products by the names of axes."""
    return ag.einsum(subscripts, *operands(*operands_))


@numeric
def average(x, axis=None, weights=None):
    """The mean along an axis, weighted if there are weights."""
    values = [x] if weights is None else [x, weights]
    tensors = operands(*values, dtype=floating(common_dtype(*values)))
    if weights is None:
        return ag.reduce_mean(tensors[0], axis)
    return ag.experimental.numpy.average(tensors[0], axis, tensors[1])


@numeric
def divide_no_nan(x1, x2):
    """The quotient, and 0 where the divisor is 0."""
    return ag.math.divide_no_nan(*operands(x1, x2, dtype=floating(common_dtype(x1, x2))))


@numeric
def ldexp(x1, x2):
    """`x1 * 2 ** x2`."""
    dtype = floating(common_dtype(x1))
    return as_operand(x1, dtype) * as_operand(2, dtype) ** as_operand(x2, dtype)


@numeric
def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The area below points, by the trapezoidal rule."""
    values = [y] if x is None else [y, x]
    tensors = operands(*values, dtype=floating(common_dtype(*values)))
    return ag.experimental.numpy.trapezoid(*tensors, dx=dx, axis=axis)


@numeric
def view(x, dtype=None):
    """The same bytes as elements of another type."""
    return ag.bitcast(as_operand(x), as_dtype(dtype or dtype_of(None)))


@numeric
def vectorize(pyfunc, *, excluded=None, signature=None):
    """A function of scalars as a function of arrays."""
    return np.vectorize(pyfunc, excluded=excluded, signature=signature)


@numeric
def unique(
    x, sorted=True, return_index=False, return_inverse=False, return_counts=False, axis=None,
    size=None, fill_value=None,
):  # fmt: skip
    """The values that occur, in ascending order; optionally where, and how often."""
    options = {
        "return_index": return_index, "return_inverse": return_inverse,
        "return_counts": return_counts,
    }  # fmt: skip
    found = ag.experimental.numpy.unique(as_operand(x), axis=axis, **options)
    if not isinstance(found, tuple):
        return as_operand(found)
    return (as_operand(found[0]), *(as_operand(one, int32) for one in found[1:]))
