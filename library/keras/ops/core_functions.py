"""Functions of `keras.ops` about control flow, conversions and parts of tensors."""

from __future__ import annotations

import functools
import math

import numpy as np

from .... import Tensor, as_dtype, custom_gradient
from .... import cast as cast_to
from ....extend import nest
from ....extend.operations import ag
from .operations import operation, operations
from .promotion import as_operand

core = operations("")


@core
def convert_to_tensor(x, dtype=None, sparse=None, ragged=None):
    """A tensor of a value, cast to `dtype` if one is given.

    >>> ag.keras.ops.convert_to_tensor([1, 2], "float32").numpy()
    array([1., 2.], dtype=float32)
    """
    return as_operand(x, None if dtype is None else as_dtype(dtype))


@core
def convert_to_numpy(x):
    """The value of a tensor as a NumPy array."""
    return np.asarray(as_operand(x).numpy())


@core
def cast(x, dtype):
    """A tensor with its elements converted to `dtype`."""
    return cast_to(as_operand(x), as_dtype(dtype))


@core
def saturate_cast(x, dtype):
    """Like `cast`; elements outside of the range of `dtype` become its limits."""
    return ag.saturate_cast(as_operand(x), as_dtype(dtype))


@core
def is_tensor(x) -> bool:
    """Whether an object is a tensor."""
    return isinstance(x, Tensor)


@core
def dtype(x) -> str:
    """The name of the data type of a tensor."""
    return as_operand(x).dtype.name


@core
def shape(x) -> tuple:
    """The sizes of the axes: numbers, or scalar tensors where they are unknown while tracing.

    >>> ag.keras.ops.shape(ag.ones([2, 3]))
    (2, 3)
    """
    x = as_operand(x)
    return tuple(ag.shape(x)[axis] if size is None else size for axis, size in enumerate(x.dims))


@core
def stop_gradient(variable):
    """The value, through which no gradient passes."""
    return ag.stop_gradient(variable)


operation(custom_gradient)


# ---- control flow ----------------------------------------------------------------------------


@core
def cond(pred, true_fn, false_fn):
    """The result of `true_fn()` if `pred` holds, else of `false_fn()`."""
    return ag.cond(pred, true_fn, false_fn)


@core
def while_loop(cond, body, loop_vars, maximum_iterations=None):
    """Repeat `loop_vars = body(*loop_vars)` while `cond(*loop_vars)` holds.

    >>> int(ag.keras.ops.while_loop(lambda i: i < 5, lambda i: i + 2, [0])[0])
    6
    """
    several = isinstance(loop_vars, (list, tuple))

    def step(*values):
        found = body(*values)
        return tuple(found) if isinstance(found, (list, tuple)) else (found,)

    start = tuple(loop_vars) if several else (loop_vars,)
    found = ag.while_loop(cond, step, start, maximum_iterations=maximum_iterations)
    return type(loop_vars)(found) if several else found[0]


@core
def fori_loop(lower, upper, body_fun, init_val):
    """Repeat `value = body_fun(index, value)` for the indices from `lower` to `upper - 1`.

    >>> int(ag.keras.ops.fori_loop(0, 4, lambda i, total: total + i, 0))
    6
    """

    def step(index, value):
        return index + 1, body_fun(index, value)

    return ag.while_loop(lambda index, value: index < upper, step, (lower, init_val))[1]


@core
def switch(index, branches, *operands):
    """The result of the branch with this index for the operands; the index is clipped.

    >>> int(ag.keras.ops.switch(9, [lambda x: x, lambda x: -x], 3))
    -3
    """
    place = ag.clip_by_value(as_operand(index), 0, len(branches) - 1)
    return ag.switch_case(place, [functools.partial(branch, *operands) for branch in branches])


@core
def map(f, xs):
    """The results of `f` for the rows of `xs`, stacked."""
    rows = nest.map_structure(as_operand, xs)
    row = nest.map_structure(lambda x: x[0], rows)
    return ag.map_fn(f, rows, fn_output_signature=nest.map_structure(_spec, f(row)))


@core
def vectorized_map(function, elements):
    """The results of `function` for the rows of `elements`, stacked."""
    return map(function, elements)


def _spec(value):
    found = as_operand(value)
    return ag.TensorSpec(found.shape, found.dtype)


@core
def scan(f, init, xs=None, length=None, reverse=False, unroll=1):
    """Carry a value along the rows of `xs`: `carry, y = f(carry, x)`; the last carry, and all y.

    >>> total, sums = ag.keras.ops.scan(lambda c, x: (c + x, c + x), 0, ag.constant([1, 2, 3]))
    >>> int(total), sums.numpy()
    (6, array([1, 3, 6], dtype=int32))
    """
    rows = None if xs is None else nest.map_structure(as_operand, xs)
    count = length if rows is None else ag.shape(nest.flatten(rows)[0])[0]
    start = nest.map_structure(as_operand, init)

    def at(index):
        return None if rows is None else nest.map_structure(lambda x: x[index], rows)

    _, like = f(start, at(0))
    flat = nest.flatten(like)
    arrays = tuple(ag.TensorArray(as_operand(one).dtype, size=count) for one in flat)

    def step(number, carry, arrays):
        index = count - 1 - number if reverse else number
        carry, y = f(carry, at(index))
        written = (array.write(index, y) for array, y in zip(arrays, nest.flatten(y), strict=True))
        return number + 1, carry, tuple(written)

    _, carry, arrays = ag.while_loop(
        lambda number, carry, arrays: number < count, step, (0, start, arrays)
    )
    return carry, nest.pack_sequence_as(like, [one.stack() for one in arrays])


@core
def associative_scan(f, elems, reverse=False, axis=0):
    """The running results of an associative function of two batches along an axis.

    >>> ag.keras.ops.associative_scan(lambda a, b: a + b, ag.constant([1, 2, 3])).numpy()
    array([1, 3, 6], dtype=int32)
    """
    flat = [ag.experimental.numpy.moveaxis(as_operand(one), axis, 0) for one in nest.flatten(elems)]

    def joined(a, b):
        pair = nest.pack_sequence_as(elems, a), nest.pack_sequence_as(elems, b)
        found = f(*reversed(pair)) if reverse else f(*pair)
        return [as_operand(one) for one in nest.flatten(found)]

    flat = [x[::-1] for x in flat] if reverse else flat
    found = _running(joined, flat)
    found = [x[::-1] for x in found] if reverse else found
    moved = [ag.experimental.numpy.moveaxis(one, 0, axis) for one in found]
    return nest.pack_sequence_as(elems, moved)


def _running(joined, xs: list) -> list:
    """The running results along the first axis, each from that of half its length before it."""
    count, reach = xs[0].dims[0], 1
    while reach < count:
        later = joined([x[:-reach] for x in xs], [x[reach:] for x in xs])
        xs = [ag.concat([x[:reach], one], 0) for x, one in zip(xs, later, strict=True)]
        reach *= 2
    return xs


# ---- parts of tensors ------------------------------------------------------------------------


@core
def scatter(indices, values, shape):
    """Zeros of a shape with `values` added at `indices`."""
    return ag.scatter_nd(as_operand(indices), as_operand(values), shape)


@core
def scatter_update(inputs, indices, updates, reduction=None):
    """A tensor with `updates` at `indices`; a `reduction` is "add", "max", "min" or "mul".

    >>> ag.keras.ops.scatter_update(ag.zeros([3]), [[1]], [5.0]).numpy()
    array([0., 5., 0.], dtype=float32)
    """
    names = {None: "update", "add": "add", "max": "max", "min": "min"}
    x = as_operand(inputs)
    rows, values = as_operand(indices), as_operand(updates, x.dtype)
    if reduction == "mul":
        factors = ag.tensor_scatter_nd_update(ag.ones_like(x), rows, values)
        return x * factors
    if reduction not in names:
        raise ValueError(f"scatter_update: there is no reduction {reduction!r}")
    return getattr(ag, f"tensor_scatter_nd_{names[reduction]}")(x, rows, values)


@core
def slice(inputs, start_indices, shape):
    """The part of a tensor that starts at `start_indices` and has this shape."""
    return ag.slice(as_operand(inputs), start_indices, shape)


@core
def slice_update(inputs, start_indices, updates):
    """A tensor with `updates` in place of the part that starts at `start_indices`.

    >>> ag.keras.ops.slice_update(ag.zeros([4]), [1], [5.0, 6.0]).numpy()
    array([0., 5., 6., 0.], dtype=float32)
    """
    x = as_operand(inputs)
    values = as_operand(updates, x.dtype)
    ranges = [
        start + ag.range(size) for start, size in zip(start_indices, values.dims, strict=True)
    ]
    places = ag.stack(ag.meshgrid(*ranges, indexing="ij"), -1)
    return ag.tensor_scatter_nd_update(x, places, values)


@core
def unstack(x, num=None, axis=0):
    """The slices along an axis, as a list."""
    return ag.unstack(as_operand(x), num, axis)


@core
def rearrange(tensor, pattern, **axes_lengths):
    """A tensor with its axes reordered, split and merged, as in "b (h w) c -> b c h w".

    >>> ag.keras.ops.rearrange(ag.ones([2, 6]), "b (h w) -> h w b", h=2).shape
    TensorShape([2, 3, 2])
    """
    x = as_operand(tensor)
    left, right = (_axes_of(side) for side in pattern.split("->"))
    sizes = dict(axes_lengths)
    for group, size in zip(left, shape(x), strict=True):
        unknown = [name for name in group if name not in sizes]
        if len(unknown) == 1:
            sizes[unknown[0]] = size // math.prod(sizes[name] for name in group if name in sizes)
    flat = [name for group in left for name in group]
    split = ag.reshape(x, [sizes[name] for name in flat])
    moved = ag.transpose(split, [flat.index(name) for group in right for name in group])
    return ag.reshape(moved, [math.prod(sizes[name] for name in group) for group in right])


def _axes_of(side: str) -> list[list[str]]:
    """The groups of axes of one side of a pattern.

    >>> _axes_of("b (h w)")
    [['b'], ['h', 'w']]
    """
    groups: list[list[str]] = []
    inside = False
    for word in side.replace("(", " ( ").replace(")", " ) ").split():
        if word in "()":
            inside = word == "("
            groups += [[]] if inside else []
        elif inside:
            groups[-1].append(word)
        else:
            groups.append([word])
    return groups
