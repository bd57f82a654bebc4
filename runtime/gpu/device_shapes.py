"""Graphs with unknown dimensions on a device: one program for the shapes of each kind of call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..core.errors import Error
from ..core.locks import Lock
from ..executors.compile_pipeline import native_forms
from ..executors.native_program import NativeProgram
from ..executors.shape_specialization import deciding_inputs
from ..ir.node_properties import is_static_graph
from ..lowering.not_native import NotNativeError
from ..passes.pipeline import optimize
from ..passes.propagate_shapes import specialise_shapes
from ..tensors.tensor import EagerTensor
from .device_kernels import kernels_of
from .device_program import DeviceProgram

if TYPE_CHECKING:
    from ..executors.executable import Executable

MOST = 64  # programs that are kept


class DeviceShapes:
    """The programs of a graph, by the shapes of the inputs and by the values that decide others.

    Raises NotNativeError where these do not determine all shapes. Where a program has no form for
    the device, its calls raise ArithmeticError, and the CPU runs them.
    """

    def __init__(self, executable: Executable, make: Callable[..., DeviceProgram]):
        self.executable = executable
        self.graph = graph = executable.graph
        self.make = make
        self.by_shape, self.by_value = deciding_inputs(graph)
        if not self.by_shape and not self.by_value:
            raise NotNativeError("a shape depends on computed values")
        self.programs: dict[tuple, DeviceProgram | NotNativeError] = {}
        self._lock = Lock()

    def __call__(self, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        return self._program_for([array.shape for array in arrays], arrays)(*arrays)

    def on_tensors(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        """The results as tensors, which stay on the device."""
        return self._program_for([tensor.dims for tensor in tensors], tensors).on_tensors(tensors)

    def native(self) -> NativeProgram:
        """The kernels of all its programs."""
        programs = [
            program for program in self.programs.values() if isinstance(program, DeviceProgram)
        ]
        return NativeProgram(
            self, tuple(kernel for program in programs for kernel in kernels_of(program))
        )

    def _program_for(self, shapes: list, values: Sequence) -> DeviceProgram:
        known = {at: np.array(values[at]) for at in self.by_value}
        key = (
            *[shapes[at] for at in self.by_shape],
            *[array.tobytes() for array in known.values()],
        )
        with self._lock:
            program = self.programs.get(key)
            if program is None:
                if len(self.programs) >= MOST:
                    del self.programs[next(iter(self.programs))]
                program = self.programs[key] = self._program(shapes, known)
                self.executable.take_over(self.native(), self)
        if isinstance(program, NotNativeError):
            raise ArithmeticError(str(program))
        return program

    def _program(self, shapes: list, values: dict) -> DeviceProgram | NotNativeError:
        try:
            graph = optimize(specialise_shapes(self.graph, shapes, values))
        except Error:  # the NumPy program says where
            return NotNativeError("the shapes do not fit")
        if not is_static_graph(graph):
            return NotNativeError("a shape depends on computed values")
        try:
            return self.make(native_forms(graph))
        except NotNativeError as error:
            return error
