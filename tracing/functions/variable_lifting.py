"""Lift variables that a function creates out of its graph; only the first trace may create any.

A variable created while tracing exists outside the graph. If its initial value is computed in the
graph, that is evaluated once, with the arguments of the first call, before the function runs.
"""

from __future__ import annotations

from ...runtime.executors.executable import Executable
from ...runtime.ir.rewrite import nodes_read
from ...runtime.ops.state.variables import CREATION, Creation
from ...runtime.tensors.name_scopes import within
from ...runtime.tensors.tensor import EagerTensor


def creating_variables(allowed: bool, is_late: bool = False):
    """Collect the variables created inside; unless `allowed`, creating one is a ValueError, which
    says whether the function has made its variables in an earlier trace.
    """
    return within(CREATION, Creation(allowed, is_late))


def initialize(creation: Creation, graph, tensors) -> None:
    """Compute the initial values of new variables from the arguments of the call."""
    waiting = [(cell, start) for cell, start, _ in creation.made if start is not None]
    if waiting:
        _assign(waiting, graph, tensors)


def finish_variables(creation: Creation, tensors) -> None:
    """Initialize the variables of a failed trace, since user code may hold them.

    A variable whose initial value cannot be computed becomes unusable.
    """
    for cell, tensor, _ in creation.made:
        if tensor is None:
            continue
        try:
            _assign([(cell, tensor)], tensor.builder, tensors)
        except Exception:
            cell.release()


def _assign(waiting, graph, tensors) -> None:
    starts = graph.finish([tensor for _, tensor in waiting])
    starts = starts.replace(nodes=nodes_read(starts.nodes, starts.outputs))
    arguments = [
        *(tensors or [None] * len(graph.inputs)),
        *(tensor for _, tensor in graph.captured()),
    ]
    needed = {value for node in starts.nodes for value in node.inputs} | set(starts.outputs)
    feeds = {
        value: tensor
        for value, tensor in zip(starts.inputs, arguments, strict=True)
        if value in needed
    }
    if not all(isinstance(tensor, EagerTensor) for tensor in feeds.values()):
        raise ValueError(
            "a variable's first value depends on the arguments, which are not known yet: call the "
            "function once before asking for a concrete function"
        )
    run = Executable(starts.replace(inputs=tuple(feeds)), "plan")
    arrays = run(*(tensor.array for tensor in feeds.values()))
    for (cell, _), array in zip(waiting, arrays, strict=True):
        cell.start_with(array)
