"""A program on a device: its kernels are launched in order, and its results stay there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ..core.classes import cached_property
from ..executors.compile_pipeline import NativeForm
from ..executors.native_program import NativeProgram
from ..ir.graph import dims
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
from .grid.libraries import libraries_of
from .grid_kernel import (
    CONSTANT,
    INPUT,
    OUTPUT,
    SCRATCH,
    STATUS,
    SUCCESS,
    GridKernel,
    GridProgram,
    HostStep,
    Product,
)
from .launches import Runner, run_steps

Seconds = dict[GridKernel | Product | HostStep, list[float]]  # of launches, one after the other


class Layout(NamedTuple):
    """The memory of a call: that of inputs, of constants, then what is allocated for it.

    sizes         bytes of what is allocated: outputs, scratch, status
    first_output  the place of the first output
    status        the places of the status words
    places        of the buffers of the program, by their numbers
    """

    constants: list[Memory]
    sizes: list[int]
    first_output: int
    status: list[int]
    places: dict[int, int]


class _OnDevice(Runner):
    """Launches the steps of one call."""

    def __init__(self, program: DeviceProgram, memory: list[Memory]):
        self.program, self.memory, self.device = program, memory, program.device
        self.places = program.layout.places

    def _of(self, numbers: Iterable[int]) -> list[Memory]:
        return [self.memory[self.places[number]] for number in numbers]

    def launch(self, kernel: GridKernel) -> None:
        self.device.launch(self.program.loaded[kernel], self._of(kernel.arguments))

    def multiply(self, product: Product) -> None:
        self.device.multiply(product, self._of(product.arguments))

    def call(self, step: HostStep) -> None:
        count, memory = len(step.node.inputs), self._of(step.arguments)
        libraries = libraries_of(self.device)
        if libraries is not None and libraries.name_for(step):
            libraries.compute(step, memory)
            return
        buffers = [self.program.program.buffers[number] for number in step.arguments]
        arrays = [np.empty(buffer.shape, buffer.dtype) for buffer in buffers[:count]]
        for part, array in zip(memory, arrays, strict=False):
            self.device.copy_out(part, array)
        for part, result in zip(memory[count:], step.computed(arrays), strict=True):
            self.device.copy_in(part, result)

    def copy_word(self, target: int, source: int) -> None:
        self.device.copy(*self._of([target, source]))

    def holds(self, flag: int) -> bool:
        value = np.empty((), bool)
        self.device.copy_out(self.memory[self.places[flag]], value)
        return bool(value) and not self.program.has_failed(self.memory)

    def repeated(self, flag: int, run: Callable[[], None]) -> bool:
        status = [self.memory[at] for at in self.program.layout.status]
        return self.device.repeated([self.memory[self.places[flag]], *status], run)

    def recorded(self, run: Callable[[], None]) -> Callable[[], None]:
        return self.device.recorded(run)


class _Timed(_OnDevice):
    """The same, where the device tells the seconds of each launch, one after the other."""

    def __init__(
        self,
        program: DeviceProgram,
        memory: list[Memory],
        seconds: Seconds,
    ):
        super().__init__(program, memory)
        self.seconds = seconds

    def launch(self, kernel: GridKernel) -> None:
        launch = super().launch
        self.seconds.setdefault(kernel, []).append(self.device.timed(lambda: launch(kernel)))

    def multiply(self, product: Product) -> None:
        multiply = super().multiply
        self.seconds.setdefault(product, []).append(self.device.timed(lambda: multiply(product)))

    def call(self, step: HostStep) -> None:
        call = super().call
        self.seconds.setdefault(step, []).append(self.device.timed(lambda: call(step)))

    def repeated(self, flag: int, run: Callable[[], None]) -> bool:
        return False

    def recorded(self, run: Callable[[], None]) -> Callable[[], None]:
        return run


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
        self.loaded: dict[GridKernel, Loaded] = {
            kernel: device.load(kernel) for kernel in program.kernels
        }
        self.may_fail = any(kernel.failures for kernel in program.kernels)
        # In the program, complex numbers are pairs, and 16-bit floats are integers.
        outputs = zip(form.source.outputs, form.graph.outputs, strict=True)
        self.outputs = [(own.dtype.numpy_dtype, dims(value)) for own, value in outputs]

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
        with self.device.within():
            results = self._launched(inputs)
        count = len(results) - len(self.assigned)
        for cell, value in zip(self.assigned, results[count:], strict=True):
            assign(cell, value)
        return results[:count]

    def measured(self, arrays: Sequence[np.ndarray]) -> Seconds:
        """The seconds of each launch of a call, after one that is not timed. Variables are only
        read.
        """
        inputs = [DeviceArray.of(self.device, np.asarray(array)) for array in arrays]
        inputs += [resident_of_cell(cell, self.device) for cell in self.cells]
        self._launched(inputs)
        seconds: Seconds = {}
        self._launched(inputs, seconds)
        return seconds

    @cached_property
    def layout(self) -> Layout:
        """What the launches of a call need, in the order in which it is needed."""
        program, places = self.program, dict[int, int]()
        arrays = [*program.numbers(INPUT), *program.numbers(CONSTANT)]
        outputs, status = program.numbers(OUTPUT), program.numbers(STATUS)
        allocated = [*outputs, *program.numbers(SCRATCH), *status]
        for at in (*arrays, *allocated):
            places[at] = len(places)
        sizes = [program.buffers[at].bytes for at in allocated]
        return Layout(
            [self.constants[at].memory for at in program.numbers(CONSTANT)],
            sizes,
            len(arrays),
            [places[at] for at in status],
            places,
        )

    def _launched(
        self,
        inputs: list[DeviceArray],
        seconds: Seconds | None = None,
    ) -> list[DeviceArray]:
        layout, device = self.layout, self.device
        memory = [array.memory for array in inputs]
        if device.has_lost_results:
            for part in memory:
                device.check(part)
        memory += layout.constants
        memory += map(device.allocate, layout.sizes)
        for at in layout.status:
            device.copy_in(memory[at], np.array([SUCCESS]))
        results = memory[layout.first_output : layout.first_output + len(self.outputs)]
        device.note_call(results)
        runner = _OnDevice(self, memory) if seconds is None else _Timed(self, memory, seconds)
        run_steps(self.program.steps, runner)
        if self.may_fail and self.has_failed(memory):
            raise ArithmeticError("a kernel has failed")
        return [
            DeviceArray(part, dtype, shape)
            for part, (dtype, shape) in zip(results, self.outputs, strict=True)
        ]

    def has_failed(self, memory: list[Memory]) -> bool:
        """Whether the status word of a call tells of a failure."""
        status = np.full(1, SUCCESS)
        for at in self.layout.status if self.may_fail else ():
            self.device.copy_out(memory[at], status)
            if status[0] != SUCCESS:
                return True
        return False
