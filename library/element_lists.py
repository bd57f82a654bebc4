"""Lists of arrays of any shapes as values of graphs, for `TensorArray`.

A list is a value of the dtype `stack`, as those that loops save; it does not change. Elements that
are not written are None. Its cotangent is a list, too, in which None and missing items at the end
stand for zeros.
"""

from __future__ import annotations

import numpy as np

from .. import Tensor, convert_to_tensor, int32
from ..extend.errors import InvalidArgumentError, OutOfRangeError
from ..extend.graphs import is_differentiable, items_of, list_stack
from ..extend.operations import ANYTHING, INTEGERS, OPERATIONS, Spec, apply, hidden_op, ops
from ..extend.specs import STACK, show

LIST = Spec(STACK, ())


def run(name: str, *operands, **attrs) -> Tensor:
    """Apply one of the operations below."""
    return apply(OPERATIONS[name], tuple(map(convert_to_tensor, operands)), attrs)


def _written(elements: np.ndarray):
    for index, element in enumerate(items_of(elements)):
        if element is None:
            raise InvalidArgumentError(f"element {index} of a TensorArray was never written")
    return items_of(elements)


@hidden_op
class NewElements:
    """A list of `size` elements that are not written."""

    accepts = {"size": INTEGERS}

    def kernel(size):
        return list_stack([None] * int(size))

    def result(size):
        return LIST


@hidden_op
class WriteElement:
    """The list with another element; it grows if `grows`."""

    accepts = {"elements": {STACK}, "index": INTEGERS, "value": ANYTHING}

    def kernel(elements, index, value, *, grows):
        written, index = list(items_of(elements)), int(index)
        if index < 0 or (index >= len(written) and not grows):
            raise OutOfRangeError(f"a TensorArray of size {len(written)} has no element {index}")
        written += [None] * (index + 1 - len(written))
        written[index] = value
        return list_stack(written)

    def result(elements, index, value, *, grows):
        return LIST

    def gradient(dy, y, elements, index, value, *, grows):
        kept = ops.without_element(dy, index)
        if not is_differentiable(value.dtype):
            return kept, None, None
        return kept, None, ops.stack_peek_like(dy, index, value)


@hidden_op
class WithoutElement:
    """The list without what an element was; later ones stay in their places."""

    accepts = {"elements": {STACK}, "index": INTEGERS}
    alike = ()

    def kernel(elements, index):
        place = int(index)
        return list_stack([None if at == place else it for at, it in enumerate(items_of(elements))])

    def result(elements, index):
        return LIST

    def gradient(dy, y, elements, index):
        return ops.without_element(dy, index), None


@hidden_op
class InsertElement:
    """The list with another element before the one at an index; later ones move up."""

    accepts = {"elements": {STACK}, "index": INTEGERS, "value": ANYTHING}

    def kernel(elements, index, value):
        items, index = items_of(elements), _place(index, len(items_of(elements)) + 1)
        return list_stack((*items[:index], value, *items[index:]))

    def result(elements, index, value):
        return LIST


@hidden_op
class EraseElement:
    """The list without the element at an index; later ones move down."""

    accepts = {"elements": {STACK}, "index": INTEGERS}

    def kernel(elements, index):
        items, index = items_of(elements), _place(index, len(items_of(elements)))
        return list_stack((*items[:index], *items[index + 1 :]))

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

    accepts = {"elements": {STACK}, "index": INTEGERS}

    def kernel(elements, index, *, dtype, shape):
        index, count = int(index), len(items_of(elements))
        if not 0 <= index < count:
            raise OutOfRangeError(f"a TensorArray of size {count} has no element {index}")
        if items_of(elements)[index] is None:
            raise InvalidArgumentError(f"element {index} of a TensorArray was never written")
        return items_of(elements)[index]

    def result(elements, index, *, dtype, shape):
        return Spec(dtype, shape)

    def gradient(dy, y, elements, index, *, dtype, shape):
        return ops.stack_of_one(elements, index, dy), None


@hidden_op
class CountElements:
    """The number of elements."""

    accepts = {STACK}

    def kernel(elements):
        return np.int32(len(items_of(elements)))

    def result(elements):
        return Spec(int32, ())


@hidden_op
class StackElements:
    """The elements, which have one shape, along a new first axis."""

    accepts = {STACK}

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

    def gradient(dy, y, elements, *, dtype, shape):
        return (ops.unstack_elements(dy),)


@hidden_op
class StackElementsLike:
    """The elements of a cotangent along a first axis, as the slices of a value are."""

    accepts = {"elements": {STACK}, "value": ANYTHING}
    alike = ()

    def kernel(elements, value):
        result = np.zeros_like(value)
        for index, element in enumerate(items_of(elements)):
            if element is not None:
                result[index] = element
        return result

    def result(elements, value):
        return Spec(value.dtype, value.shape)

    def gradient(dy, y, elements, value):
        return ops.unstack_elements(dy), None


@hidden_op
class ConcatElements:
    """The elements, joined along an axis."""

    accepts = {STACK}

    def kernel(elements, *, dtype, shape, axis=0):
        arrays = _written(elements)
        if any(not array.ndim for array in arrays):
            message = "elements of a TensorArray that are scalars do not join along an axis"
            raise InvalidArgumentError(message, "Stack them, by stack().")
        for index, array in enumerate(arrays):
            if _others(array.shape, axis) != _others(arrays[0].shape, axis):
                raise InvalidArgumentError(
                    f"the elements 0 and {index} of a TensorArray, of the shapes "
                    f"{show(arrays[0].shape)} and {show(array.shape)}, do not join along an axis"
                )
        if not arrays:
            return np.zeros([size or 0 for size in _joined(shape or (), axis)], dtype.numpy_dtype)
        return np.concatenate(arrays, axis)

    def result(elements, *, dtype, shape, axis=0):
        return Spec(dtype, None if shape is None else _joined(shape, axis))

    def gradient(dy, y, elements, *, dtype, shape, axis=0):
        return (ops.split_elements_like(dy, elements, axis=axis),)


@hidden_op
class ConcatElementsLike:
    """The elements of a cotangent, joined along an axis as those of a list are into a value."""

    accepts = {"cotangent": {STACK}, "elements": {STACK}, "value": ANYTHING}
    alike = ()

    def kernel(cotangent, elements, value, *, axis):
        items, result, start = items_of(cotangent), np.zeros_like(value), 0
        for index, element in enumerate(items_of(elements)):
            end = start + element.shape[axis]
            if index < len(items) and items[index] is not None:
                np.moveaxis(result, axis, 0)[start:end] = np.moveaxis(items[index], axis, 0)
            start = end
        return result

    def result(cotangent, elements, value, *, axis):
        return Spec(value.dtype, value.shape)

    def gradient(dy, y, cotangent, elements, value, *, axis):
        return ops.split_elements_like(dy, elements, axis=axis), None, None


@hidden_op
class SplitElementsLike:
    """A list of sections of a value, of the lengths that elements of a list have along an axis."""

    accepts = {"value": ANYTHING, "elements": {STACK}}
    alike = ()

    def kernel(value, elements, *, axis):
        ends = np.cumsum([element.shape[axis] for element in items_of(elements)])
        return list_stack(np.split(value, ends[:-1], axis) if len(ends) else [])

    def result(value, elements, *, axis):
        return LIST

    def gradient(dy, y, value, elements, *, axis):
        return ops.concat_elements_like(dy, elements, value, axis=axis), None


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
        return list_stack(np.split(value, ends[:-1], axis) if len(ends) else [])

    def result(value, lengths, *, axis=0):
        return LIST

    def gradient(dy, y, value, lengths, *, axis=0):
        return ops.concat_elements_like(dy, y, value, axis=axis), None


@hidden_op
class UnstackElements:
    """A list of the slices of an array along its first axis."""

    accepts = {"value": ANYTHING}

    def kernel(value):
        return list_stack([np.asarray(row) for row in value])

    def result(value):
        return LIST

    def gradient(dy, y, value):
        return (ops.stack_elements_like(dy, value),)
