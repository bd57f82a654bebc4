"""Copies of arguments in which arrays keep their strides, and share memory where they did."""

from __future__ import annotations

import copy
import ctypes
import types

import numpy as np

ALIGNMENT = 64
MOST_BYTES = 1 << 26
SHARED = (
    type(None), bool, int, float, complex, str, bytes, range, slice, type, np.generic, np.dtype,
    np.ufunc, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType,
    type(Ellipsis),
)  # fmt: skip


class NotCopiedError(Exception):
    """A value of which there is no copy: the call is left out."""


def copied(value):
    """A copy of a structure of arguments."""
    return _Copier().copy(value)


class _Copier:
    def __init__(self):
        self.copies: dict[int, object] = {}
        self.memory: dict[int, tuple[np.ndarray, int]] = {}  # by address: a copy, and its offset
        self.size = 0

    def copy(self, value):
        if id(value) in self.copies:
            return self.copies[id(value)]
        if isinstance(value, np.ndarray):
            result = self._array(value)
        elif isinstance(value, SHARED) or callable(value):
            return value
        elif type(value) is list:
            result = self.copies[id(value)] = []
            result.extend(map(self.copy, value))
        elif isinstance(value, tuple):
            items = list(map(self.copy, value))
            result = type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        elif type(value) is dict:
            result = self.copies[id(value)] = {}
            result.update({key: self.copy(item) for key, item in value.items()})
        else:
            result = _of_object(value)
        self.copies[id(value)] = result
        return result

    def _array(self, value: np.ndarray) -> np.ndarray:
        if value.dtype.hasobject:
            return copy.deepcopy(value)
        root = value
        while isinstance(root.base, np.ndarray):
            root = root.base
        first, end = np.lib.array_utils.byte_bounds(value)
        outer_first, outer_end = np.lib.array_utils.byte_bounds(root)
        if not outer_first <= first <= end <= outer_end:
            outer_first, outer_end = first, end
        content, offset = self._memory(outer_first, outer_end)
        at = offset + value.__array_interface__["data"][0] - outer_first
        new = np.ndarray(value.shape, value.dtype, content, at, value.strides)
        new.flags.writeable = value.flags.writeable
        return new if type(value) is np.ndarray else new.view(type(value))

    def _memory(self, first: int, end: int) -> tuple[np.ndarray, int]:
        if first not in self.memory:
            size = end - first
            self.size += size
            if self.size > MOST_BYTES:
                raise NotCopiedError(f"arguments of more than {MOST_BYTES >> 20} MiB")
            content = np.empty(size + 2 * ALIGNMENT, np.uint8)
            offset = (first - content.ctypes.data) % ALIGNMENT
            if size:
                source = (ctypes.c_ubyte * size).from_address(first)
                content[offset : offset + size] = np.frombuffer(source, np.uint8)
            self.memory[first] = content, offset
        return self.memory[first]


def _of_object(value):
    cls = type(value)
    if cls.__module__.split(".")[0] == "numba":
        raise NotCopiedError(f"an argument of Numba's type {cls.__name__}")
    try:
        return copy.deepcopy(value)
    except Exception as error:
        raise NotCopiedError(f"an argument of type {cls.__name__}") from error
