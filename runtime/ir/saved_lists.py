"""Stacks of saved values: their types, and lists of values whose shapes differ."""

from __future__ import annotations

import numpy as np

from ..core.dtypes import DType, stack
from ..core.shapes import is_static
from .op import Spec


def is_array(dtype: DType, shape) -> bool:
    """Whether a stack of such elements is an array."""
    return dtype is not stack and not dtype.numpy_dtype.hasobject and is_static(shape)


def has_no_elements(value) -> bool:
    """Whether a value is known to be an array of size 0."""
    return is_array(value.dtype, value.shape) and 0 in value.shape


def empty_stack(dtype: DType, shape) -> np.ndarray:
    """The stack before the first element."""
    if is_array(dtype, shape):
        return np.zeros((0, *shape), dtype.numpy_dtype)
    return NOTHING


def stack_spec(value) -> Spec:
    """The spec of a stack of values like this one."""
    if is_array(value.dtype, value.shape):
        return Spec(value.dtype, (None, *value.shape))
    return Spec(stack, ())


def is_differentiable(dtype: DType) -> bool:
    """Whether values of a type have cotangents; a list of saved values has a list of them."""
    return dtype.is_floating or dtype.is_complex or dtype is stack


def list_stack(items) -> np.ndarray:
    """The stack that is a list of these."""
    held = np.empty((), stack.numpy_dtype)
    held["saved"][()] = list(items)
    return held


NOTHING = list_stack(())


def items_of(held) -> list:
    """The list that a stack is."""
    return held[()]["saved"]
