"""NumPy functions on shapes, axes and order, implemented with operations of the package."""

from __future__ import annotations

import functools
import operator

import numpy as np

from ...extend.errors import SymbolicValueError, UnimplementedError
from ...extend.operations import (
    ALL_OPERANDS,
    SharedArray,
    ag,
    axes_of,
    axis_of,
    floating,
    named_dtype,
    promoted,
    rank_of,
    sizes_of,
    traces,
    viewed,
)
from ...extend.operations import numpy_tensor as tensor
from .reducing import sum_


@traces(np.shape)
def shape(a):
    """A tuple of ints, as in NumPy. Raises SymbolicValueError unless all sizes are static."""
    dims = tensor(a).dims
    if dims is None or None in dims:
        raise SymbolicValueError(
            f"the shape of {a} is not known while tracing", "Use ag.shape(x), which is a tensor."
        )
    return dims


traces(np.ndim)(lambda a: rank_of(tensor(a)))


@traces(np.size)
def size(a, axis=None):
    x = tensor(a)
    if axis is not None:
        return sizes_of(x)[axis]
    is_known = x.dims is not None and None not in x.dims
    return int(np.prod(x.dims)) if is_known else ag.size(x)


traces(np.iscomplexobj)(lambda x: tensor(x).dtype.is_complex)
traces(np.isrealobj)(lambda x: not tensor(x).dtype.is_complex)


@traces(np.reshape)
def reshape(a, shape=None, order="C", *, copy=None):
    return ag.reshape(tensor(a), _sizes(shape))


def _sizes(shape):
    """Sizes as a list or vector; some may be tensors."""
    return shape if isinstance(shape, (list, tuple)) or hasattr(shape, "dtype") else [shape]


traces(np.ravel)(lambda a, order="C": ag.reshape(tensor(a), [-1]))
traces(np.copy)(lambda a, order="K", subok=False: ag.identity(tensor(a)))


@traces(np.transpose, result="view")
def transpose(a, axes=None):
    x = viewed(a)
    return _transposed(x, None if axes is None else list(axes_of(axes, rank_of(x))))


def _transposed(x, order):
    if isinstance(x, SharedArray):
        return x.transpose(*(order or ()))
    return ag.transpose(x) if order is None else ag.transpose(x, order)


traces(np.matrix_transpose)(lambda x, /: ag.linalg.matrix_transpose(tensor(x)))


@traces(np.swapaxes, result="view")
def swapaxes(a, axis1, axis2):
    x = viewed(a)
    order = list(range(rank_of(x)))
    first, second = axis_of(axis1, len(order)), axis_of(axis2, len(order))
    order[first], order[second] = order[second], order[first]
    return _transposed(x, order)


@traces(np.moveaxis, result="view")
def moveaxis(a, source, destination):
    x = viewed(a)
    rank = rank_of(x)
    sources, targets = axes_of(source, rank), axes_of(destination, rank)
    order = [axis for axis in range(rank) if axis not in sources]
    for target, axis in sorted(zip(targets, sources, strict=True)):
        order.insert(target, axis)
    return _transposed(x, order)


@traces(np.squeeze, result="view")
def squeeze(a, axis=None):
    x = viewed(a)
    axes = None if axis is None else axes_of(axis, rank_of(x))
    if not isinstance(x, SharedArray):
        return ag.squeeze(x, axes and list(axes))
    if None in x.dims:
        raise UnimplementedError("np.squeeze of an array whose size is computed")
    gone = [at for at, size in enumerate(x.dims) if (size == 1 if axes is None else at in axes)]
    return x[(*(0 if at in gone else slice(None) for at in range(x.ndim)), ...)] if gone else x


@traces(np.expand_dims, result="view")
def expand_dims(a, axis):
    x = viewed(a)
    axes = axis if isinstance(axis, (list, tuple)) else (axis,)
    rank = rank_of(x) + len(axes)
    new = sorted(axes_of(axes, rank))
    if isinstance(x, SharedArray):
        return x[(*(None if at in new else slice(None) for at in range(rank)), ...)]
    return functools.reduce(ag.expand_dims, new, x)


traces(np.broadcast_to)(
    lambda array, shape, subok=False: ag.broadcast_to(tensor(array), _sizes(shape))
)


@traces(np.broadcast_arrays)
def broadcast_arrays(*args, subok=False):
    values = [tensor(value) for value in args]
    target = ag.shape(values[0])
    for value in values[1:]:
        target = ag.broadcast_dynamic_shape(target, ag.shape(value))
    return tuple(ag.broadcast_to(value, target) for value in values)


def _at_least(function, rank: int, arrange):
    """Register `np.atleast_1d` or similar; `arrange(rank)` gives the new axes."""

    @traces(function, result="view", operands=ALL_OPERANDS)
    def implementation(*arys):
        results = []
        for value in arys:
            x = viewed(value)
            results.append(expand_dims(x, arrange(rank_of(x))) if rank_of(x) < rank else x)
        return results[0] if len(results) == 1 else tuple(results)

    return implementation


atleast_1d = _at_least(np.atleast_1d, 1, lambda rank: (0,))
atleast_2d = _at_least(np.atleast_2d, 2, lambda rank: (0, 1)[: 2 - rank])
atleast_3d = _at_least(np.atleast_3d, 3, {0: (0, 1, 2), 1: (0, 2), 2: (2,)}.get)


# ---- order and repetition --------------------------------------------------------------------


@traces(np.flip, result="view")
def flip(m, axis=None):
    x = viewed(m)
    axes = range(rank_of(x)) if axis is None else axes_of(axis, rank_of(x))
    if isinstance(x, SharedArray):
        return x[tuple(slice(None, None, -1 if at in axes else None) for at in range(x.ndim))]
    return ag.reverse(x, list(axes)) if len(axes) else x


traces(np.fliplr, result="view")(lambda m: flip(m, 1))
traces(np.flipud, result="view")(lambda m: flip(m, 0))


@traces(np.rot90, result="view")
def rot90(m, k=1, axes=(0, 1)):
    k %= 4
    if k == 0:
        return flip(m, ())
    if k == 2:
        return flip(m, axes)
    rotated = flip(m, axes[1]) if k == 1 else m
    rotated = swapaxes(rotated, *axes)
    return rotated if k == 1 else flip(rotated, axes[1])


@traces(np.roll, result="new")
def roll(a, shift, axis=None):
    x = tensor(a)
    if axis is None:
        return ag.reshape(ag.roll(ag.reshape(x, [-1]), shift, 0), ag.shape(x))
    axes = axis if isinstance(axis, (list, tuple)) else (axis,)
    shifts = shift if isinstance(shift, (list, tuple)) else (shift,) * len(axes)
    for at, by in zip(axes, shifts, strict=True):
        x = ag.roll(x, by, at)
    return x


@traces(np.tile, result="new")
def tile(A, reps):  # noqa: N803 - NumPy's name
    x = tensor(A)
    counts = list(reps) if isinstance(reps, (list, tuple)) else [reps]
    rank = max(rank_of(x), len(counts))
    x = expand_dims(x, tuple(range(rank - rank_of(x)))) if rank > rank_of(x) else x
    return ag.tile(x, [1] * (rank - len(counts)) + counts)


@traces(np.repeat, result="new")
def repeat(a, repeats, axis=None):
    x = tensor(a)
    return (
        ag.repeat(ag.reshape(x, [-1]), repeats, 0) if axis is None else ag.repeat(x, repeats, axis)
    )


@traces(np.pad, mode=("constant", "reflect", "symmetric"), result="new")
def pad(array, pad_width, mode="constant", *, constant_values=0):
    x = tensor(array)
    if np.ndim(constant_values):
        raise UnimplementedError("np.pad on symbolic tensors takes one value in constant_values")
    widths = np.broadcast_to(np.asarray(pad_width), (rank_of(x), 2)).tolist()
    fill = tensor(constant_values, x.dtype) if mode == "constant" else 0
    return ag.pad(x, widths, mode.upper(), fill)


# ---- arrays like others ----------------------------------------------------------------------


def _filled_like(fill):
    def implementation(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
        return full_like(a, fill, dtype, order, subok, shape)

    return implementation


@traces(np.full_like)
def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    x = tensor(a)
    dtype_ = x.dtype if dtype is None else named_dtype(dtype)
    return ag.fill(ag.shape(x) if shape is None else _sizes(shape), tensor(fill_value, dtype_))


traces(np.zeros_like, np.empty_like)(_filled_like(0))
traces(np.ones_like)(_filled_like(1))


@traces(np.linspace, endpoint=(True,), retstep=(False,))
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    first, last = map(floating, promoted(start, stop))
    result = ag.linspace(first, last, num, axis=axis)
    return result if dtype is None else ag.cast(result, named_dtype(dtype))


@traces(np.meshgrid, sparse=(False,), copy=(True,), result="new", operands=0)
def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    return tuple(ag.meshgrid(*(ag.reshape(tensor(x), [-1]) for x in xi), indexing=indexing))


# ---- triangles and diagonals -----------------------------------------------------------------


def _offsets(x):
    """The column index minus the row index of each element of a matrix."""
    rows, columns = sizes_of(x)[-2:]
    return ag.subtract(ag.range(columns)[None, :], ag.range(rows)[:, None])


def _triangle(compare):
    """The elements whose offset from the main diagonal compares with `k`; the others are 0."""

    def implementation(m, k=0):
        if isinstance(k, (float, np.floating)):
            raise UnimplementedError("a triangle beside a fraction of a diagonal")
        x = tensor(m)
        return ag.where(compare(_offsets(x), k), x, ag.zeros_like(x))

    return implementation


traces(np.tril, result="new")(_triangle(operator.le))
traces(np.triu, result="new")(_triangle(operator.ge))


@traces(np.diag)
def diag(v, k=0):
    x = tensor(v)
    return diagonal(x, k) if rank_of(x) == 2 else ag.linalg.diag(x, k=k)


@traces(np.diagonal)
def diagonal(a, offset=0, axis1=0, axis2=1):
    x = moveaxis(a, (axis1, axis2), (-2, -1))
    rows, columns = sizes_of(x)[-2:]
    below, beside = max(-offset, 0), max(offset, 0)
    # the diagonal is empty if `offset` is outside the matrix
    if isinstance(rows, int) and isinstance(columns, int):
        steps = np.arange(max(0, min(rows - below, columns - beside)))
    else:
        steps = ag.range(ag.maximum(ag.minimum(rows - below, columns - beside), 0))
    flattened = ag.reshape(x, ag.concat([ag.shape(x)[:-2], [-1]], 0))
    indices = (steps + below) * columns + steps + beside
    return ag.gather(flattened, indices, axis=rank_of(flattened) - 1)


@traces(np.trace, result="new")
def trace(a, offset=0, axis1=0, axis2=1, dtype=None, out=None):
    return sum_(diagonal(a, offset, axis1, axis2), -1, dtype)
