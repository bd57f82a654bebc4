"""From a program to the kernels of a grid that run it."""

from __future__ import annotations

from ..lowering.not_native import NotNativeError
from ..lowering.program import Program
from .grid_kernel import GridProgram


def grid_program(program: Program) -> GridProgram:
    """The kernels of a program. Raises NotNativeError where it has no form for a device."""
    raise NotNativeError(f"{program.name} has no form for a device")
