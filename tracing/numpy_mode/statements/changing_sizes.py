"""Names that hold arrays of another size after an iteration of a loop than before.

    while len(x) > 1:
        x = x[x > x.mean()]

Such a name is carried as memory for the most elements that it may have, those before the loop, and
the number of elements along each axis that changes. In an iteration it is a view of the first ones.
Where there are more at the end of one, Python runs the call.
"""

from __future__ import annotations

import contextlib

import numpy as np

from ....runtime.ir.graph import Value
from ....runtime.ir.op import TABLE as OPS
from ....runtime.ops.array.slicing import set_item
from ....runtime.tensors.apply import BUILDER, constant_of
from ....runtime.tensors.graph_builder import Builder
from ..refusal import Fallback, RefusedError, numpy_trace
from ..storage import Storage
from ..traced_array import MOST_ELEMENTS, TracedArray
from ..traced_scalar import TracedScalar, cast, scalar_of
from ..views import Item

UNLIMITED = MOST_ELEMENTS  # stands for any number of rows


def has_other_size(left, right, is_known: bool = False) -> bool:
    """Whether two values of a name are arrays of which nothing but the size may differ."""
    if type(left) is not TracedArray or type(right) is not TracedArray:
        return False
    is_alike = (left.dtype, left.ndim) == (right.dtype, right.ndim) and left.ndim > 0
    return is_alike and (is_known or bool(left.computed or right.computed)
                         or left.template.shape != right.template.shape)  # fmt: skip


def sized_axes(memory: tuple[int, ...], known: tuple[int, ...], *arrays) -> tuple[int, ...]:
    """The axes along which arrays may have fewer elements than there is memory for."""
    axes = set(known)
    for array in arrays:
        for axis, (size, most) in enumerate(zip(array.template.shape, memory, strict=True)):
            if axis in array.computed or most is None or size < most:
                axes.add(axis)
            elif size > most:
                raise RefusedError("an array grows in a loop")
    return tuple(sorted(axes))


def memory_of(array: TracedArray) -> tuple[int | None, ...]:
    """The most elements that an array has along each axis; None for rows without a limit."""
    if not array.computed:
        return array.template.shape
    if _is_first_rows(array):
        return array.storage.shape
    builder = BUILDER.get()
    first, *rest = _most(builder, builder.value_of(array.read()))
    if max(rest, default=0) >= UNLIMITED:
        raise RefusedError("an array without a known limit changes its size in a loop")
    return (first if first < UNLIMITED else None, *rest)


def _is_first_rows(array: TracedArray) -> bool:
    """Whether an array has the first rows of memory for any number of them."""
    (*first, step) = array.path or (None,)
    is_part = not first and type(step) is Item and len(step.key) == 1
    return None in array.storage.shape[:1] and is_part and step.key[0].start is None


def common(*shapes) -> tuple[int | None, ...]:
    """The memory that arrays need that have these."""
    return tuple(None if None in sizes else max(sizes) for sizes in zip(*shapes, strict=True))


def largest(arrays: list[TracedArray]) -> tuple[int, ...]:
    """The memory that the first of these arrays needs, and others where it is known."""
    first, *others = arrays
    shapes = [memory_of(first)]
    for array in others:
        with contextlib.suppress(RefusedError):  # Python runs a call in which it is too large
            shapes.append(memory_of(array))
    return common(*shapes)


def grown(memory: tuple[int | None, ...], array: TracedArray) -> tuple[int | None, ...]:
    """The memory, for any number of rows where it has too few for those of an array."""
    with contextlib.suppress(RefusedError):  # its size may have no limit
        if memory[0] is not None and common(memory, memory_of(array))[0] != memory[0]:
            is_limited = numpy_trace().uses(Fallback.LIMITED_ROWS)
            return memory if is_limited else (None, *memory[1:])
    return memory


def with_limit(size):
    """A number of elements; if it is the size of an axis, with the most that it has as bound."""
    builder = BUILDER.get()
    node = builder.node_of(builder.value_of(size.tensor)) if type(size) is TracedScalar else None
    whole = None
    if node is not None and node.op is OPS["strided_slice"]:
        whole = builder.node_of(node.inputs[0])
    if whole is None or whole.op is not OPS["shape"]:
        return size
    (axis,) = node.attrs["index"]
    try:
        most = _most(builder, whole.inputs[0])[axis]
    except RefusedError:
        return size
    return TracedScalar(size.tensor, size.python, min(size.bound, most), size.arguments)


def _most(builder: Builder, value: Value) -> tuple[int, ...]:
    shape = value.shape
    if shape is not None and None not in shape:
        return shape
    for tensor, inner in builder.captures.values():
        if inner is value and builder.outer is not None:
            return _most(builder.outer, builder.outer.value_of(tensor))
    node = builder.node_of(value)
    if shape is None:
        raise RefusedError("an array of unknown rank changes its size in a loop")
    if node is None or node.subgraphs or node.op is OPS["ensure_length"]:
        return tuple(UNLIMITED if size is None else size for size in shape)
    shapes = [_most(builder, value) for value in node.inputs]
    if node.op.elementwise:
        most = _aligned(shapes)
    else:
        most = node.op.largest_shape and node.op.largest_shape(*shapes, **node.attrs)
    if not most:
        raise RefusedError(f"the result of '{node.op.name}' changes its size in a loop")
    return tuple(other if own is None else own for own, other in zip(shape, most, strict=True))


def _aligned(shapes: list[tuple[int, ...]]) -> tuple[int, ...]:
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    return tuple(max(sizes) for sizes in zip(*padded, strict=True))


def tensors_of(array: TracedArray, memory: tuple[int, ...], axes: tuple[int, ...], room) -> list:
    """The memory with the elements of an array, and its sizes along axes. That of the storage
    `room`, if there is one, may be overwritten.
    """
    sizes = [scalar_of(array.shape[axis]) for axis in axes]
    lengths = [cast(size.tensor, np.dtype(np.int64)) for size in sizes]
    place = room if type(room) is Storage and room.shape == memory else None
    if memory[0] is None and _is_first_rows(array) and array.storage.is_in_memory_of(place):
        return [array.storage.read(), *lengths]
    elements = array.read()
    if memory[0] is None:
        none = place.memory if place else constant_of(np.zeros((0, *memory[1:]), array.dtype))
        rows = OPS["ensure_length"](none, lengths[0])
        return [set_item(rows, (slice(None, lengths[0]),), elements), *lengths]
    if array.template.shape != memory or array.computed:
        zero = constant_of(array.dtype.type(0))
        rows = place.memory if place else OPS["fill"](list(memory), zero)
        elements = set_item(rows, _first(axes, lengths), elements)
    return [elements, *lengths]


def array_of(tensor, axes: tuple[int, ...], lengths: list, sources) -> TracedArray:
    """The array that has the first elements of some memory."""
    whole = TracedArray(Storage(tensor, copy_of=sources))
    most = tensor.dims
    known = [TracedScalar(length, int, most[axis] or MOST_ELEMENTS)
             for axis, length in zip(axes, lengths, strict=True)]  # fmt: skip
    return whole[_first(axes, known)]


def _first(axes: tuple[int, ...], lengths: list) -> tuple:
    key = [slice(None)] * (axes[-1] + 1)
    for axis, length in zip(axes, lengths, strict=True):
        key[axis] = slice(None, length)
    return tuple(key)
