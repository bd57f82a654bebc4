"""Stacks: what a loop saves of every iteration, for the way back.

A stack of equally shaped elements is an array with spare rows; of elements whose shapes are not
known beforehand, or are stacks themselves, a Python list (the type `stack`). A stack has one
owner, the loop that pushes: pushing changes it in place, except that the element number 0 starts
a new one.

The cotangent of an array is an array; that of a list is a list in which None, or an end that comes
too early, stands for zeros.
"""

from __future__ import annotations

from itertools import zip_longest

import numpy as np

from ...core.array_pool import FIRST_ROWS
from ...core.dtypes import ANYTHING, INTEGERS, stack
from ...ir.indexing import Slot
from ...ir.op import Spec
from ...ir.saved_lists import NOTHING, is_differentiable, items_of, list_stack, stack_spec
from ...tensors.operation import op, ops
from ..gradient_helpers import zeros_like


def _zeros_like(value) -> np.ndarray:
    return NOTHING if value.dtype == stack.numpy_dtype else np.zeros_like(value)


def _added(one, other):
    """The sum of two elements of lists, either of which may be missing."""
    if one is None or other is None:
        return one if other is None else other
    if one.dtype != stack.numpy_dtype:
        return one + other
    return list_stack([_added(*pair) for pair in zip_longest(items_of(one), items_of(other))])


@op
class StackPush:
    """The stack with `value` as its element number `index`, the new last one."""

    hidden = True
    accepts = {"stack": ANYTHING, "index": INTEGERS, "value": ANYTHING}
    alike = ()
    saves_for_backward = True

    def kernel(stack, index, value):
        if stack.dtype.hasobject:
            held = stack if index else list_stack([])
            items_of(held).append(value)
            return held
        count = int(index)
        if not count or count >= len(stack):
            rows = np.empty((max(FIRST_ROWS, 2 * count), *stack.shape[1:]), stack.dtype)
            rows[:count] = stack[:count]
            stack = rows
        stack[count] = value
        return stack

    def result(held, index, value):
        # what was a list while shapes were unknown stays one when they are known
        return Spec(stack, ()) if held.dtype is stack else stack_spec(value)

    def gradient(dy, y, held, index, value):
        if not is_differentiable(value.dtype):
            return dy, None, None
        if held.dtype is stack:
            return dy, None, ops.stack_peek_like(dy, index, value)
        return dy, None, ops.stack_peek(dy, index, dtype=value.dtype, shape=value.dims)


@op
class StackPeek:
    """The element number `index`."""

    hidden = True
    accepts = {"stack": ANYTHING, "index": INTEGERS}
    saves_for_backward = True

    def kernel(stack, index, *, dtype, shape):
        return items_of(stack)[int(index)] if stack.dtype.hasobject else stack[int(index)]

    def result(stack, index, *, dtype, shape):
        return Spec(dtype, shape)

    def gradient(dy, y, held, index, *, dtype, shape):
        if held.dtype is stack:
            return ops.stack_of_one(index, dy), None
        return ops.set_item(zeros_like(held), dy, index, index=(Slot(0), ...)), None


@op
class StackPeekLike:
    """The element number `index` of a cotangent that is a list, zeros like `value` if missing."""

    hidden = True
    accepts = {"stack": {stack}, "index": INTEGERS, "value": ANYTHING}
    alike = ()

    def kernel(stack, index, value):
        items, place = items_of(stack), int(index)
        found = items[place] if place < len(items) else None
        return _zeros_like(value) if found is None else found

    def result(stack, index, value):
        return Spec(value.dtype, value.shape)

    def gradient(dy, y, stack, index, value):
        return ops.stack_of_one(index, dy), None, None


@op
class StackOfOne:
    """The cotangent of a list of which only the element number `index` counts."""

    hidden = True
    accepts = {"index": INTEGERS, "value": ANYTHING}
    alike = ()

    def kernel(index, value):
        return list_stack([None] * int(index) + [value])

    def result(index, value):
        return Spec(stack, ())

    def gradient(dy, y, index, value):
        return None, ops.stack_peek_like(dy, index, value)


@op
class StackSum:
    """The sum of two cotangents that are lists."""

    hidden = True
    accepts = {stack}

    def kernel(x, y):
        return _added(x, y)

    def result(x, y):
        return Spec(stack, ())

    def gradient(dy, z, x, y):
        return dy, dy
