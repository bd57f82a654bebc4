"""The memory of arrays on a device, by `__cuda_array_interface__` or DLPack."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

CUDA = 2  # DLPack's number of the devices
DEFAULT_STREAM = 1  # that what wrote the array comes before, in DLPack's numbers
LETTERS = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}  # of NumPy's types, by the numbers of DLPack


class _Array(ctypes.Structure):
    """The first part of what a capsule points at."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


def is_on_a_device(value: object) -> bool:
    """Whether an object is an array on a GPU."""
    if hasattr(value, "__cuda_array_interface__"):
        return True
    return hasattr(value, "__dlpack_device__") and value.__dlpack_device__()[0] == CUDA


def interface_of(source: Any) -> dict[str, Any]:
    """The `__cuda_array_interface__` of an array, or that which it would have. Its `owner` has to
    live as long as the memory is used.
    """
    if hasattr(source, "__cuda_array_interface__"):
        return {**source.__cuda_array_interface__, "owner": source}
    capsule = source.__dlpack__(stream=DEFAULT_STREAM)
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    array = _Array.from_address(pointer(capsule, b"dltensor"))
    letter, size = LETTERS.get(array.code), array.bits // 8
    if letter is None or array.lanes != 1:
        raise TypeError(f"an array of DLPack's type {array.code}, of {array.bits} bits")
    shape = tuple(array.shape[: array.ndim])
    return {
        "shape": shape, "typestr": f"{'|' if size == 1 else '<'}{letter}{size}",
        "data": ((array.data or 0) + array.byte_offset, False),
        "strides": tuple(_strides(array, size)) if array.strides else None,
        "owner": (source, capsule),  # which ends what the library keeps for it
    }  # fmt: skip


def _strides(array: _Array, size: int) -> Iterator[int]:
    """In bytes; those of axes of one element do not matter."""
    dense = size
    steps = []
    for axis in reversed(range(array.ndim)):
        steps.append(dense if array.shape[axis] == 1 else array.strides[axis] * size)
        dense *= array.shape[axis]
    return reversed(steps)
