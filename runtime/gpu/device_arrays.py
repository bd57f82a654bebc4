"""Arrays in the memory of a device, and the tensors and variables whose values they are."""

from __future__ import annotations

import math
import weakref
from typing import Any

import numpy as np

from ..core.dtypes import FROM_NUMPY, DType
from ..core.errors import InvalidArgumentError
from ..core.shapes import Shape
from ..ops.state.variables import Cell
from ..tensors.tensor import CPU, EagerTensor, out_of_scope
from .devices.device import Device, Memory
from .devices.device_list import device_named, devices, listed
from .dlpack import interface_of

HOST = CPU.rpartition("/")[0]


class DeviceArray:
    """An array in the memory of a device, which nobody changes. `host` copies it out, once.

    It speaks `__cuda_array_interface__`, by which CuPy, PyTorch, JAX and Numba read it in place.
    """

    __slots__ = ("_host", "dtype", "memory", "shape")

    def __init__(
        self,
        memory: Memory,
        dtype: np.dtype,
        shape: tuple[int, ...],
        host: np.ndarray | None = None,
    ):
        self.memory = memory
        self.dtype = dtype
        self.shape = shape
        self._host = host

    @classmethod
    def of(cls, device: Device, array: np.ndarray) -> DeviceArray:
        """A copy of an array of the host, which the host keeps too."""
        contiguous = np.ascontiguousarray(array).reshape(np.shape(array))
        memory = device.allocate(contiguous.nbytes)
        device.copy_in(memory, contiguous)
        return cls(memory, contiguous.dtype, contiguous.shape, array)

    @property
    def device(self) -> Device:
        return self.memory.device

    def host(self) -> np.ndarray:
        """Its elements in the memory of the host."""
        if self._host is None:
            array = np.empty(self.shape, self.dtype)
            self.device.copy_out(self.memory, array)
            self._host = array
        return self._host

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        address = self.device.address(self.memory)
        return {
            "shape": self.shape, "typestr": self.dtype.str, "data": (address, True),
            "strides": None, "version": 3,
        }  # fmt: skip


_ARRAY_OF_TENSOR: Any = EagerTensor.array  # type: ignore[misc]  # descriptors of slots
_ARRAY_OF_CELL: Any = Cell.array  # type: ignore[misc]


def name_on(device: Device) -> str:
    """The whole name of a device, as tensors tell it."""
    return f"{HOST}/device:{device.name}"


class DeviceTensor(EagerTensor):
    """A tensor whose value is in the memory of a device until somebody asks for it."""

    __slots__ = ("resident",)

    def __init__(self, resident: DeviceArray):
        self.resident = resident

    @property
    def array(self) -> np.ndarray:  # type: ignore[override]
        """Its value in the memory of the host."""
        return self.resident.host()

    @property
    def dtype(self) -> DType:  # type: ignore[override]
        return FROM_NUMPY[self.resident.dtype]

    @property
    def dims(self) -> Shape:  # type: ignore[override]
        return self.resident.shape

    @property
    def device(self) -> str:  # type: ignore[override]
        return name_on(self.resident.device)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return self.resident.__cuda_array_interface__

    def __reduce__(self):
        return EagerTensor, (self.array,)


def tensor_on(name: str, array: np.ndarray) -> DeviceTensor:
    """The tensor of an array, whose copy is on the device of this name."""
    device = device_named(name)
    assert device is not None
    return DeviceTensor(DeviceArray.of(device, array))


def tensor_in_place(source) -> DeviceTensor:
    """The tensor of an array that is on a device, in the same memory.

    Raises InvalidArgumentError where there is no device, or where its elements are not contiguous.
    """
    about = interface_of(source)
    dtype, shape, strides = np.dtype(about["typestr"]), about["shape"], about.get("strides")
    size = math.prod(shape) * dtype.itemsize
    steps = (dtype.itemsize * math.prod(shape[at + 1 :]) for at in range(len(shape)))
    is_dense = strides is None or 0 in shape or list(strides) == list(steps)
    device = next(iter(devices()), None)
    if device is None:
        raise InvalidArgumentError("an array of a GPU", listed())
    if not is_dense or dtype not in FROM_NUMPY:
        what = f"{dtype} whose elements are {'' if is_dense else 'not '}contiguous"
        raise InvalidArgumentError(f"an array of {what}", "Copy it to a contiguous one.")
    if about.get("stream") is not None:
        device.wait_for(about["stream"])
    return DeviceTensor(
        DeviceArray(device.borrow(about["data"][0], size, about["owner"]), dtype, shape)
    )


class DeviceCell(Cell):
    """The storage of a variable whose value a function on a device has read or assigned.

    What code of the host assigns goes to the device again when a function there reads it.
    """

    __slots__ = ()

    @property
    def device(self) -> str:  # type: ignore[override]
        held = _ARRAY_OF_CELL.__get__(self)
        return name_on(held.device) if isinstance(held, DeviceArray) else CPU

    @property
    def array(self):  # type: ignore[override]
        held = _ARRAY_OF_CELL.__get__(self)
        return held.host() if isinstance(held, DeviceArray) else held

    @array.setter
    def array(self, value) -> None:
        _ARRAY_OF_CELL.__set__(self, value)

    def resident(self, device: Device) -> DeviceArray:
        """The value in the memory of a device."""
        held = _ARRAY_OF_CELL.__get__(self)
        if isinstance(held, DeviceArray) and held.device is device:
            return held
        held = DeviceArray.of(device, self.read())
        _ARRAY_OF_CELL.__set__(self, held)
        return held


_COPIES: dict[tuple[int, Device], DeviceArray] = {}  # of tensors, by their addresses


def resident_of_tensor(tensor, device: Device) -> DeviceArray:
    """The value of a tensor in the memory of a device. It stays there as long as the tensor lives,
    which does not change; an array that belongs to somebody else may.
    """
    if isinstance(tensor, DeviceTensor) and tensor.resident.device is device:
        return tensor.resident
    if not isinstance(tensor, EagerTensor):
        raise out_of_scope(tensor)
    array = np.asarray(tensor.array)
    if array.base is not None:
        return DeviceArray.of(device, array)
    key = id(tensor), device
    if key not in _COPIES:
        weakref.finalize(tensor, _COPIES.pop, key, None).atexit = False
        _COPIES[key] = DeviceArray.of(device, array)
    return _COPIES[key]


def resident_of_cell(cell, device: Device) -> DeviceArray:
    """The value of a variable in the memory of a device, where it stays; that of a random stream,
    which the host keeps.
    """
    if type(cell) is Cell:
        cell.__class__ = DeviceCell
    if isinstance(cell, DeviceCell):
        return cell.resident(device)
    return DeviceArray.of(device, cell.read())


def assign(cell, resident: DeviceArray) -> None:
    """Let a variable have a value that is in the memory of a device."""
    cell.array = resident if isinstance(cell, DeviceCell) else resident.host()
