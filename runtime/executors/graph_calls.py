"""Calls of graphs with eager tensors."""

from __future__ import annotations

from ..core.classes import NamedTuple
from ..core.errors import InvalidArgumentError
from ..ir.graph import Graph
from ..tensors.active_tapes import TAPES
from ..tensors.op_hooks import OBSERVERS
from ..tensors.tensor import EagerTensor, Tensor, out_of_scope
from .executable import Executable


class Execution(NamedTuple):
    """How a graph and its derivatives run: the mode, and what compiles kernels."""

    mode: str = "auto"
    compiler: str | None = None

    def run(self, graph: Graph, tensors: list) -> list[Tensor]:
        """Run a graph on eager tensors."""
        return run_graph(graph, tensors, executable_of(graph, self), self)

    def run_unrecorded(self, graph: Graph, tensors: list) -> list[Tensor]:
        """The same, although tapes record."""
        return _run(executable_of(graph, self), tensors)


def run_graph(graph: Graph, tensors: list, executable, execution: Execution) -> list[Tensor]:
    """Run a graph on eager tensors by its `executable`, and record it on the tapes."""
    if TAPES:
        from ..gradients.call_gradients import run_and_record  # it loads the gradients of graphs

        outputs = run_and_record(graph, tensors, execution)
        if outputs is not None:
            return outputs
    return _run(executable, tensors)


def _run(executable, tensors) -> list[Tensor]:
    if executable.on_device is not None and not OBSERVERS:
        return executable.on_device(tensors)
    arrays = []
    for tensor in tensors:
        if not isinstance(tensor, EagerTensor):
            raise out_of_scope(tensor)
        arrays.append(tensor.array)
    return [EagerTensor(array) for array in executable(*arrays)]


def executable_of(graph: Graph, execution: Execution):
    """The executable of a graph, created once. Without a native form it runs as a NumPy program."""
    executables = graph.facts.executables
    if execution not in executables:
        try:
            executables[execution] = Executable(graph, *execution)
        except InvalidArgumentError:
            executables[execution] = Executable(graph, "auto", execution.compiler)
    return executables[execution]
