"""A program on a device: its kernels are launched in order, and its results stay there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.classes import cached_property
from ..executors.compile_pipeline import NativeForm
from ..executors.native_program import NativeProgram
from ..tensors.tensor import EagerTensor
from .device_arrays import (
    DeviceArray,
    DeviceTensor,
    assign,
    resident_of_cell,
    resident_of_tensor,
)
from .device_kernels import kernels_of
from .devices.device import Device, Loaded, Memory
from .grid_kernel import CONSTANT, INPUT, OUTPUT, SCRATCH, STATUS, SUCCESS, GridProgram


class DeviceProgram:
    """A grid program on a device, called with the inputs of a graph.

    Where it fails, it raises ArithmeticError, and nothing has changed: the NumPy program then says
    what is wrong, and where, as for kernels of the CPU.
    """

    def __init__(self, device: Device, form: NativeForm, program: GridProgram):
        self.device = device
        self.form = form
        self.program = program
        functionalized = form.functionalized
        self.cells = () if functionalized is None else functionalized.cells
        self.assigned = () if functionalized is None else functionalized.assigned
        self.loaded: list[Loaded] = list(map(device.load, program.kernels))
        self.may_fail = any(kernel.failures for kernel in program.kernels)
        self.outputs = [program.buffers[at] for at in program.numbers(OUTPUT)]

    def native(self) -> NativeProgram:
        """Its kernels, as those of any native program."""
        return NativeProgram(self, kernels_of(self))

    @cached_property
    def constants(self) -> dict[int, DeviceArray]:
        """Its constants, which are copied to the device once."""
        buffers = self.program.buffers
        return {
            at: DeviceArray.of(self.device, np.asarray(buffers[at].content))
            for at in self.program.numbers(CONSTANT)
        }

    def on_tensors(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        """The results as tensors, which stay on the device."""
        inputs = [resident_of_tensor(tensor, self.device) for tensor in tensors]
        return list(map(DeviceTensor, self.run(inputs)))

    def __call__(self, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        """The results as arrays of the host."""
        inputs = [DeviceArray.of(self.device, np.asarray(array)) for array in arrays]
        return tuple(result.host() for result in self.run(inputs))

    def run(self, inputs: list[DeviceArray]) -> list[DeviceArray]:
        """The results of arrays on the device. Variables are read, and assigned at the end."""
        inputs = [*inputs, *(resident_of_cell(cell, self.device) for cell in self.cells)]
        results = self._launched(inputs)
        count = len(results) - len(self.assigned)
        for cell, value in zip(self.assigned, results[count:], strict=True):
            assign(cell, value)
        return results[:count]

    def _launched(self, inputs: list[DeviceArray]) -> list[DeviceArray]:
        memory: dict[int, Memory] = {at: constant.memory for at, constant in self.constants.items()}
        numbers = self.program.numbers
        memory |= {at: array.memory for at, array in zip(numbers(INPUT), inputs, strict=True)}
        for role in (OUTPUT, SCRATCH, STATUS):
            for at in numbers(role):
                memory[at] = self.device.allocate(self.program.buffers[at].bytes)
        for at in numbers(STATUS) if self.may_fail else ():
            self.device.copy_in(memory[at], np.array([SUCCESS]))
        for loaded in self.loaded:
            self.device.launch(loaded, [memory[at] for at in loaded.kernel.arguments])
        self._check(memory)
        return [
            DeviceArray(memory[at], output.dtype, output.shape)
            for at, output in zip(numbers(OUTPUT), self.outputs, strict=True)
        ]

    def _check(self, memory: dict[int, Memory]) -> None:
        """Raise ArithmeticError where the status word tells of a failure."""
        if not self.may_fail:
            return
        for at in self.program.numbers(STATUS):
            status = np.empty(1, np.int64)
            self.device.copy_out(memory[at], status)
            if status[0] != SUCCESS:
                raise ArithmeticError(f"status {status[0]}")
