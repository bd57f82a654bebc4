"""The kernels of a device as what explains functions reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.classes import record
from ..kernel_ir.kernels import KernelIR
from .devices.device import Device
from .grid_kernel import GridKernel

if TYPE_CHECKING:
    from ..ir.graph import Node
    from .device_program import DeviceProgram


@record()
class DeviceKernel:
    """One kernel of a function, with the number of its launch among those of the program."""

    program: DeviceProgram
    number: int
    numbers = None  # no other shapes share its machine code
    function = None  # the program launches it, among others

    @property
    def kernel(self) -> GridKernel:
        return self.program.program.kernels[self.number]

    @property
    def device(self) -> Device:
        return self.program.device

    @property
    def name(self) -> str:
        return self.kernel.name

    @property
    def code(self) -> KernelIR:
        return self.kernel.code

    @property
    def source(self) -> str:
        """Its code as Python."""
        return self.code.source

    @property
    def compiler(self) -> str:
        return self.device.name

    def assembly(self) -> str:
        """Its PTX, to be read; none where it needs what a device does not have."""
        return self.device.assembly(self.kernel)

    @property
    def origins(self) -> dict[str, Node]:
        """The nodes whose results its variables hold."""
        return self.kernel.origins

    def located(self, locations: Any) -> str:
        """Its PTX, with the places that `locations` gives to statements."""
        from .ptx import ptx  # loads LLVM

        return ptx(self.kernel, self.device.properties().architecture, locations)

    def machine_code(self, locations: Any) -> str:
        """Its machine code, with the places of `located`; nothing without NVIDIA's tools."""
        from .devices.assembler import machine_code  # loads what starts programs: 6 ms

        return machine_code(self.located(locations), self.device.properties().architecture)

    def __str__(self) -> str:
        """Its name, its launch, what the device's compiler, or NVIDIA's assembler, says of it, and
        how many of its threads run at once where there are enough (its occupancy).

        Bytes are those of the arrays that it reads and writes, each counted once.
        """
        loaded = self.program.loaded[self.kernel]
        blocks, lanes = self.device.grid(loaded)
        size = sum(parameter.bytes for parameter in self.kernel.parameters)
        facts = [f"{blocks} x {lanes} threads", f"{size:,} bytes"]
        registers = loaded.registers, loaded.spilled
        if loaded.registers is None:
            from .devices.assembler import registers_of

            architecture = self.device.properties().architecture
            registers = registers_of(self.assembly(), architecture) or registers
        if registers[0] is not None:
            about = self.device.properties()
            occupancy = about.occupancy(registers[0], lanes, loaded.blocks_at_once)
            facts.append(f"{registers[0]} registers, {registers[1]} bytes spilled")
            facts.append(f"{occupancy:.0%} of the threads of a multiprocessor at once")
        return f"{self.name}: {', '.join(facts)}"


def kernels_of(program: DeviceProgram) -> tuple[Any, ...]:
    """The kernels of a program, in the order of their launches."""
    return tuple(DeviceKernel(program, at) for at in range(len(program.program.kernels)))
