"""Stacks: the values that a loop saves in each iteration, for the backward pass.

A stack of elements of one shape is an array with spare rows. A stack of elements whose shapes are
not static, or which are stacks themselves, is a Python list (the dtype `stack`). A stack has one
owner, the loop that pushes. Pushing changes the stack in place, but pushing element 0 creates a new
stack.

The cotangent of an array is an array. The cotangent of a list is a list, in which None and missing
items at the end stand for zeros. Each operation on cotangents that are lists has a form for arrays,
which takes its place where the shapes of the elements become known (`passes/stack_elements.py`).
"""

from __future__ import annotations

from itertools import zip_longest

import numpy as np

from ...core.array_pool import FIRST_ROWS
from ...core.dtypes import ANYTHING, INTEGERS, stack, string
from ...ir.indexing import Slot
from ...ir.op import Spec
from ...ir.saved_lists import NOTHING, is_differentiable, items_of, list_stack, stack_spec
from ...tensors.operation import hidden_op, ops


def _zeros_like(value) -> np.ndarray:
    return NOTHING if value.dtype == stack.numpy_dtype else np.zeros_like(value)


def _item_sum(first, second):
    """The sum of two list items, either of which may be missing."""
    if first is None or second is None:
        return first if second is None else second
    if first.dtype != stack.numpy_dtype:
        return first + second
    return list_stack([_item_sum(*pair) for pair in zip_longest(items_of(first), items_of(second))])


@hidden_op
class Blank:
    """Stands for a value that only the other branch saves: nothing reads it."""

    def kernel(*, dtype, shape):
        sizes = [size or 0 for size in shape or ()]
        empty = b"" if dtype is string else 0
        return NOTHING if dtype is stack else np.full(sizes, empty, dtype.numpy_dtype)

    def result(*, dtype, shape):
        return Spec(dtype, shape)


@hidden_op
class StackPush:
    """The stack with `value` appended as element `index`."""

    accepts = {"stack": ANYTHING, "index": INTEGERS, "value": ANYTHING}
    alike = ()
    analytic = False  # the rule reads shapes alone, which a conjugate would copy
    saves_for_backward = True
    any_rows = True

    def kernel(stack, index, value):
        if stack.dtype.hasobject:
            list_ = stack if index else list_stack([])
            items_of(list_).append(value)
            return list_
        count = int(index)
        if not count or count >= len(stack):
            rows = np.empty((max(FIRST_ROWS, 2 * count), *stack.shape[1:]), stack.dtype)
            rows[:count] = stack[:count]
            stack = rows
        stack[count] = value
        return stack

    def result(list_, index, value):
        # a list that was chosen for unknown shapes stays a list when they become static
        return Spec(stack, ()) if list_.dtype is stack else stack_spec(value)

    def gradient(dy, y, list_, index, value):
        if not is_differentiable(value.dtype):
            return dy, None, None
        if list_.dtype is stack:
            return dy, None, ops.stack_peek_like(dy, index, value)
        return dy, None, ops.stack_peek(dy, index, dtype=value.dtype, shape=value.dims)


@hidden_op
class StackPeek:
    """Element `index` of a stack."""

    accepts = {"stack": ANYTHING, "index": INTEGERS}
    analytic = False  # the rule reads shapes alone, which a conjugate would copy
    saves_for_backward = True
    any_rows = True
    native_result = "view"

    def kernel(stack, index, *, dtype, shape):
        return items_of(stack)[int(index)] if stack.dtype.hasobject else stack[int(index)]

    def result(stack, index, *, dtype, shape):
        return Spec(dtype, shape)

    def gradient(dy, y, held, index, *, dtype, shape):
        if held.dtype is stack:
            return ops.stack_of_one(held, index, dy), None
        return ops.set_item(ops.stack_zeros(held), dy, index, index=(Slot(0), ...)), None


@hidden_op
class StackZeros:
    """The cotangent of a stack of which no element was used."""

    accepts = {"stack": ANYTHING}
    any_rows = True

    def kernel(stack):
        return _zeros_like(stack)

    def result(stack):
        return Spec(stack.dtype, stack.shape)

    def gradient(dy, y, stack):
        return (None,)


@hidden_op
class StackPeekLike:
    """Element `index` of a cotangent that is a list; zeros like `value` if it is missing."""

    accepts = {"stack": {stack}, "index": INTEGERS, "value": ANYTHING}
    alike = ()

    def kernel(stack, index, value):
        items, position = items_of(stack), int(index)
        item = items[position] if position < len(items) else None
        return _zeros_like(value) if item is None else item

    def result(stack, index, value):
        return Spec(value.dtype, value.shape)

    def gradient(dy, y, stack, index, value):
        return ops.stack_of_one(stack, index, dy), None, None


@hidden_op
class StackOfOne:
    """The cotangent of a list of which only element `index` was used."""

    accepts = {"stack": {stack}, "index": INTEGERS, "value": ANYTHING}
    alike = ()

    def kernel(stack, index, value):
        return list_stack([None] * int(index) + [value])

    def result(list_, index, value):
        return Spec(stack, ())

    def gradient(dy, y, stack, index, value):
        return None, None, ops.stack_peek_like(dy, index, value)


@hidden_op
class StackSum:
    """The sum of two cotangents that are lists."""

    accepts = {stack}

    def kernel(x, y):
        return _item_sum(x, y)

    def result(x, y):
        return Spec(stack, ())

    def gradient(dy, z, x, y):
        return dy, dy
