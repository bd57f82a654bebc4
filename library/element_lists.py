"""Lists of arrays of any shapes as values of graphs, for `TensorArray`.

A list is a tuple in an array of rank 0 and dtype `variant`; it does not change. Elements that are
not written are None.
"""

from __future__ import annotations

import numpy as np

from .. import Tensor, convert_to_tensor, int32, variant
from ..extend.errors import InvalidArgumentError, OutOfRangeError
from ..extend.graphs import BUILDER, TAPES, note_on_tapes
from ..extend.operations import ANYTHING, INTEGERS, OPERATIONS, Spec, hidden_op
from ..extend.specs import show
from ..extend.tensors import EagerTensor

LIST = Spec(variant, ())


class ElementList(EagerTensor):
    """A list that exists, outside of graphs."""

    __slots__ = ()
    dtype = variant


def run(name: str, *operands, **attrs) -> Tensor:
    """Apply one of the operations below."""
    builder = BUILDER.get()
    tensors = [convert_to_tensor(operand) for operand in operands]
    if builder is not None:
        return builder.record(OPERATIONS[name], tensors, attrs)
    result = OPERATIONS[name].kernel(*(tensor.array for tensor in tensors), **attrs)  # type: ignore[attr-defined]
    is_list = isinstance(result, np.ndarray) and not result.ndim and type(result[()]) is tuple
    made = ElementList(result) if is_list else EagerTensor(result)
    if TAPES:
        note_on_tapes(None, OPERATIONS[name], tensors, attrs, (made,))
    return made


def _boxed(elements) -> np.ndarray:
    array = np.empty((), object)
    array[()] = tuple(elements)
    return array


def _written(elements: np.ndarray):
    for index, element in enumerate(elements[()]):
        if element is None:
            raise InvalidArgumentError(f"element {index} of a TensorArray was never written")
    return elements[()]


@hidden_op
class NewElements:
    """A list of `size` elements that are not written."""

    accepts = {"size": INTEGERS}

    def kernel(size):
        return _boxed([None] * int(size))

    def result(size):
        return LIST


@hidden_op
class WriteElement:
    """The list with another element; it grows if `grows`."""

    accepts = {"elements": {variant}, "index": INTEGERS, "value": ANYTHING}

    def kernel(elements, index, value, *, grows):
        written, index = list(elements[()]), int(index)
        if index < 0 or (index >= len(written) and not grows):
            raise OutOfRangeError(f"a TensorArray of size {len(written)} has no element {index}")
        written += [None] * (index + 1 - len(written))
        written[index] = value
        return _boxed(written)

    def result(elements, index, value, *, grows):
        return LIST


@hidden_op
class InsertElement:
    """The list with another element before the one at an index; later ones move up."""

    accepts = {"elements": {variant}, "index": INTEGERS, "value": ANYTHING}

    def kernel(elements, index, value):
        items, index = elements[()], _place(index, len(elements[()]) + 1)
        return _boxed((*items[:index], value, *items[index:]))

    def result(elements, index, value):
        return LIST


@hidden_op
class EraseElement:
    """The list without the element at an index; later ones move down."""

    accepts = {"elements": {variant}, "index": INTEGERS}

    def kernel(elements, index):
        items, index = elements[()], _place(index, len(elements[()]))
        return _boxed((*items[:index], *items[index + 1 :]))

    def result(elements, index):
        return LIST


def _place(index, count: int) -> int:
    """An index, counted from the front. Raises OutOfRangeError outside."""
    if not -count <= index < count:
        raise OutOfRangeError(f"a list with {count} places has no place {index}")
    return int(index) % count


@hidden_op
class ReadElement:
    """The element at an index."""

    accepts = {"elements": {variant}, "index": INTEGERS}

    def kernel(elements, index, *, dtype, shape):
        index, count = int(index), len(elements[()])
        if not 0 <= index < count:
            raise OutOfRangeError(f"a TensorArray of size {count} has no element {index}")
        if elements[()][index] is None:
            raise InvalidArgumentError(f"element {index} of a TensorArray was never written")
        return elements[()][index]

    def result(elements, index, *, dtype, shape):
        return Spec(dtype, shape)


@hidden_op
class CountElements:
    """The number of elements."""

    accepts = {variant}

    def kernel(elements):
        return np.int32(len(elements[()]))

    def result(elements):
        return Spec(int32, ())


@hidden_op
class StackElements:
    """The elements, which have one shape, along a new first axis."""

    accepts = {variant}

    def kernel(elements, *, dtype, shape):
        arrays = _written(elements)
        for index, array in enumerate(arrays):
            if array.shape != arrays[0].shape:
                raise InvalidArgumentError(
                    f"the elements 0 and {index} of a TensorArray have different shapes, "
                    f"{show(arrays[0].shape)} and {show(array.shape)}: they do not stack",
                    "Join them along their first axis, by concat().",
                )
        if not arrays:
            sizes = [size or 0 for size in shape or ()]
            return np.zeros((0, *sizes), dtype.numpy_dtype)
        return np.stack(arrays)

    def result(elements, *, dtype, shape):
        return Spec(dtype, None if shape is None else (None, *shape))


@hidden_op
class ConcatElements:
    """The elements, joined along an axis."""

    accepts = {variant}

    def kernel(elements, *, dtype, shape, axis=0):
        arrays = _written(elements)
        for index, array in enumerate(arrays):
            if not array.ndim or _others(array.shape, axis) != _others(arrays[0].shape, axis):
                raise InvalidArgumentError(
                    f"the elements 0 and {index} of a TensorArray, of the shapes "
                    f"{show(arrays[0].shape)} and {show(array.shape)}, do not join along an axis"
                )
        if not arrays:
            return np.zeros([size or 0 for size in _joined(shape or (), axis)], dtype.numpy_dtype)
        return np.concatenate(arrays, axis)

    def result(elements, *, dtype, shape, axis=0):
        return Spec(dtype, None if shape is None else _joined(shape, axis))


def _others(shape: tuple, axis: int) -> list:
    """The sizes along the other axes."""
    sizes = list(shape)
    del sizes[axis]
    return sizes


def _joined(shape: tuple, axis: int) -> tuple:
    """The shape, with an open size along the axis."""
    sizes = list(shape) or [None]
    sizes[axis] = None
    return tuple(sizes)


@hidden_op
class SplitElements:
    """A list of consecutive sections of an array, with the given lengths along an axis."""

    accepts = {"value": ANYTHING, "lengths": INTEGERS}

    def kernel(value, lengths, *, axis=0):
        ends, count = np.cumsum(lengths), value.shape[axis]
        if count != (ends[-1] if len(ends) else 0):
            raise InvalidArgumentError(
                f"the sections have {lengths.tolist()} entries, the value has {count}"
            )
        return _boxed(np.split(value, ends[:-1], axis) if len(ends) else [])

    def result(value, lengths, *, axis=0):
        return LIST


@hidden_op
class UnstackElements:
    """A list of the slices of an array along its first axis."""

    accepts = {"value": ANYTHING}

    def kernel(value):
        return _boxed([np.asarray(row) for row in value])

    def result(value):
        return LIST
