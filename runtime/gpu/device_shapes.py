"""Graphs with unknown dimensions on a device: one program for the shapes of each kind of call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..core.errors import Error
from ..executors.native_program import NativeProgram
from ..executors.shape_specialization import ShapeTable
from ..ir.graph import Graph
from ..lowering.not_native import NotNativeError
from ..passes.pipeline import optimize
from ..passes.propagate_shapes import specialise_shapes
from ..tensors.tensor import EagerTensor

if TYPE_CHECKING:
    from .backend import AnyProgram

MOST = 64  # programs that are kept


class DeviceShapes(ShapeTable):
    """The programs of a graph, by the shapes of the inputs and by the values that decide others.

    Raises NotNativeError where these do not determine all shapes. Where a program has no form for
    the device, its calls raise ArithmeticError, and the CPU runs them.
    """

    def __init__(self, graph: Graph, make: Callable[[Graph], AnyProgram]):
        super().__init__(graph, self._entry, MOST)
        self.make = make
        if not self.is_useful:
            raise NotNativeError("a shape depends on computed values")

    def __call__(self, *arrays: np.ndarray) -> tuple[np.ndarray, ...]:
        return self.entry_for([array.shape for array in arrays], arrays).program()(*arrays)

    def on_tensors(self, tensors: Sequence[EagerTensor]) -> list[EagerTensor]:
        """The results as tensors, which stay on the device."""
        entry = self.entry_for([tensor.dims for tensor in tensors], tensors)
        return entry.program().on_tensors(tensors)

    def _entry(self, shapes: list, values: dict) -> _Entry:
        try:
            graph = optimize(specialise_shapes(self.graph, shapes, values))
        except Error:  # the NumPy program says where
            return _Entry("the shapes do not fit")
        try:
            return _Entry(self.make(graph))
        except NotNativeError as error:
            return _Entry(str(error))


class _Entry:
    """The program for some shapes, or why there is none."""

    def __init__(self, content: AnyProgram | str):
        self.content = content
        self.native: NativeProgram | None = None
        if not isinstance(content, str):
            self.native = content.native()

    def program(self) -> AnyProgram:
        if isinstance(self.content, str):
            raise ArithmeticError(self.content)
        return self.content
