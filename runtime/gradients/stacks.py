"""Stacks: what a loop saves of every iteration, for the way back.

A stack of equally shaped elements is an array with spare rows; of elements whose shapes are not
known beforehand, or are stacks themselves, a Python list (the type `variant`). A stack has one
owner, the loop that pushes: pushing changes it in place, except that the element number 0 starts
a new one.
"""

from __future__ import annotations

import numpy as np

from ..dtypes import ANYTHING, INTEGERS, DType, variant
from ..op import Spec, op, ops
from ..shapes import is_static

FIRST_ROWS = 16


def is_array(dtype: DType, shape) -> bool:
    """Whether a stack of such elements is an array."""
    return dtype is not variant and dtype.name != "string" and is_static(shape)


def empty_stack(dtype: DType, shape) -> np.ndarray:
    """The stack before the first element."""
    if is_array(dtype, shape):
        return np.zeros((0, *shape), dtype.numpy_dtype)
    return _holder([])


def _holder(items: list) -> np.ndarray:
    held = np.empty((), object)
    held[()] = items
    return held


@op
class StackPush:
    """The stack with `value` as its element number `index`, the new last one."""

    hidden = True
    accepts = {"stack": ANYTHING, "index": INTEGERS, "value": ANYTHING}
    alike = ()

    def kernel(stack, index, value):
        if stack.dtype == object:
            held = stack if index else _holder([])
            held[()].append(value)
            return held
        count = int(index)
        if not count or count >= len(stack):
            rows = np.empty((max(FIRST_ROWS, 2 * count), *stack.shape[1:]), stack.dtype)
            rows[:count] = stack[:count]
            stack = rows
        stack[count] = value
        return stack

    def result(stack, index, value):
        if is_array(value.dtype, value.shape):
            return Spec(value.dtype, (None, *value.shape))
        return Spec(variant, ())

    def gradient(dy, y, stack, index, value):
        return dy, None, ops.stack_peek(dy, index, dtype=value.dtype, shape=value._shape)


@op
class StackPeek:
    """The element number `index`."""

    hidden = True
    accepts = {"stack": ANYTHING, "index": INTEGERS}

    def kernel(stack, index, *, dtype, shape):
        return stack[()][int(index)] if stack.dtype == object else stack[int(index)]

    def result(stack, index, *, dtype, shape):
        return Spec(dtype, shape)

    def gradient(dy, y, stack, index, *, dtype, shape):
        if stack.dtype is variant:
            raise LookupError(
                "no second derivative through a loop whose values change their shape, or that "
                "holds another loop: declare their shapes"
            )
        from ..ops.cotangents import zeros_like
        from ..ops.slicing import Slot

        return ops.set_item(zeros_like(stack), dy, index, index=(Slot(0), ...)), None
