"""Arrays of computed sizes that are joined or sorted, for native code.

y = np.concatenate((a[m], b))       the parts are written one after the other into new memory
y = np.sort(a[m])                   behind the last element stands what is sorted last
y = a[:n, :m].ravel()               elements under a mask
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from ...core.dtypes import bool_
from ...core.numpy_dtypes import is_bool, is_floating
from ...core.shapes import normal_axis
from ...ir.extents import Extent, has_extents, length_of
from ...ir.graph import Node, Value
from ...ir.indexing import Along, IndexMap, Scalar
from ...ir.op import TABLE
from ..not_native import NotNativeError

MOST_SORTED = 64  # elements that there is room for, all of which are sorted
MOST_FLATTENED = 1024  # the same, of a matrix whose elements are put into one row


def concatenated(rewriter, node: Node) -> IndexMap:
    views = [rewriter.map_of(value) for value in node.inputs]
    axis = normal_axis(node.attrs["axis"], len(views[0].shape))
    rest = list(views[0].shape)
    capacity = rest[axis] = sum(int(view.shape[axis]) for view in views)
    for view in views:
        others = [size for at, size in enumerate(view.shape) if at != axis]
        if has_extents(others):
            raise NotNativeError("arrays joined that have another axis of computed size")
    memory = rewriter.constant(np.zeros(rest, node.output.dtype.numpy_dtype))
    start: Scalar = 0
    for view in views:
        places = (Along(at, start if at == axis else 0, 1) for at in range(len(rest)))
        place = IndexMap(memory, tuple(places), view.shape)
        memory = rewriter.assigned(place, rewriter.stored(view))
        start = rewriter.arithmetic("add", start, length_of(view.shape[axis]))
    return _first(memory, axis, capacity, start)


def flattened(rewriter, node: Node) -> Value:
    """All elements of an array with axes of computed size, in one row: those under a mask."""
    x = rewriter.stored(_limited(rewriter, node.inputs[0]))
    sizes = tuple(map(int, x.shape))
    if math.prod(sizes) > MOST_FLATTENED:
        raise NotNativeError("another shape of an array whose size is computed", node.where)
    memory = rewriter.memory_of(x)
    count: Scalar = 1
    is_there = rewriter.constant(np.ones(sizes, bool))
    for axis, size in enumerate(x.shape):
        count = rewriter.arithmetic("multiply", count, length_of(size))
        along = [-1 if at == axis else 1 for at in range(len(sizes))]
        places = rewriter.constant(np.arange(int(size)).reshape(along))
        inside = rewriter.added("less", places, length_of(size))
        is_there = rewriter.added("logical_and", is_there, inside)
    number = rewriter.as_value(count)
    rows = Value(x.dtype, (Extent(math.prod(sizes), number),), node.output.name)
    operands = (memory, is_there, number)
    rewriter.add(replace(node, op=TABLE["compressed"], inputs=operands, attrs={}, outputs=(rows,)))
    return rows


def in_order(rewriter, node: Node) -> IndexMap:
    """The result of `sort` or `argsort`, which are stable."""
    x = rewriter.stored(_limited(rewriter, node.inputs[0]))
    axis = normal_axis(node.attrs["axis"], len(x.shape))
    size = x.shape[axis]
    if node.attrs["descending"] or sum(isinstance(extent, Extent) for extent in x.shape) > 1:
        raise NotNativeError("arrays sorted backward, or with several axes of computed size")
    if int(size) > MOST_SORTED:
        raise NotNativeError(f"'{node.op.name}' of arrays whose size is computed", node.where)
    memory = rewriter.memory_of(x)
    if isinstance(size, Extent):
        along = [-1 if at == axis else 1 for at in range(len(x.shape))]
        places = rewriter.constant(np.arange(int(size)).reshape(along))
        last = rewriter.constant(_sorted_last(x.dtype.numpy_dtype))
        is_there = rewriter.added("less", places, size.length)
        memory = rewriter.added("select", is_there, memory, last)
    ordered = rewriter.result(node, (memory,))
    at = next(at for at, extent in enumerate(x.shape) if isinstance(extent, Extent))
    return _first(ordered, at, int(x.shape[at]), x.shape[at].length)


def _limited(rewriter, old: Value) -> IndexMap:
    """What a value is a view of, with memory for as many elements as are likely; an assertion fails
    where there are more.
    """
    view = rewriter.map_of(old)
    shape = list(view.shape)
    for axis, size in enumerate(shape):
        if isinstance(size, Extent) and size.limit < int(size):
            test = rewriter.computed("less_equal", size.length, size.limit, dtype=bool_)
            rewriter.require(test)
            shape[axis] = Extent(size.limit, size.length)
    return view._replace(shape=tuple(shape))


def _sorted_last(dtype: np.dtype):
    """The padding value that sorts last: NaN for floats, the maximum for integers."""
    if is_floating(dtype):
        return np.array(np.nan, dtype)
    return np.array(True if is_bool(dtype) else np.iinfo(dtype).max, dtype)


def _first(memory: Value, axis: int, capacity: int, length: Scalar) -> IndexMap:
    """The view of the first elements along an axis."""
    shape = list(memory.shape or ())
    shape[axis] = capacity if isinstance(length, int) else Extent(capacity, length)
    entries = tuple(Along(at, 0, 1) for at in range(len(shape)))
    return IndexMap(memory, entries, tuple(shape))
