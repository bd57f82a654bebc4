"""Traces from elsewhere: from a file or from another process.

A process may unpickle a function again for each task. Pickles of one trace therefore give one
object, as long as a trace depends on nothing but its graph, so that the native code is kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence

import numpy as np

from ...runtime import ops  # noqa: F401 - graphs in pickles name their operations
from ...runtime.core.file_content import digest
from ...runtime.core.locks import Lock
from ...runtime.ir.graph import Graph
from ...runtime.ir.graph_printer import print_graphs
from ...runtime.tensors.tensor import SymbolicTensor
from ..structures import nest
from ..type_system.composite_specs import CompositeSpec
from ..type_system.function_type import FunctionType
from ..type_system.trace_types import Container, Literal, TensorSpec, TraceType, trace_type
from .concrete_function import ConcreteFunction
from .func_graph import FuncGraph

MOST_SHARED = 256
MOST_BYTES = 1 << 20  # of an array in a graph whose key is computed
_SHARED: OrderedDict[bytes, ConcreteFunction] = OrderedDict()
_LOCK = Lock()


class NotSharedError(TypeError):
    """A graph refers to an object of its process, or to a large array."""


def with_tensors(outputs, results: Iterable):
    """A structure of specs with the results of a graph in their places."""
    following = iter(results)

    def with_results(leaf):
        if isinstance(leaf, CompositeSpec):
            return leaf.from_components([next(following) for _ in leaf.component_specs])
        return next(following) if isinstance(leaf, TensorSpec) else leaf

    return nest.map_structure(with_results, outputs)


def _reduced(concrete: ConcreteFunction) -> tuple:
    """For pickles: the graph, and copies of the variables that it uses."""
    if concrete.in_scope_only or concrete.callees:
        raise TypeError(
            f"{concrete!r} cannot be pickled: it uses a tensor or a graph of a function that is "
            "being traced. Pickle it after that function has returned"
        )
    graph, variables = concrete.frozen, (*concrete.own_variables, *concrete.variables)
    return restored, (
        type(concrete), digest_of(concrete), graph, concrete.captured_tensors,
        concrete.function_type, concrete.structured_outputs, concrete.jit_compile,
        concrete.attributes, concrete.kernel_compiler,
        list({id(variable): variable for variable in variables}.values()),
    )  # fmt: skip


def restored(
    cls: type[ConcreteFunction],
    key: bytes | None,
    graph: Graph,
    captures: Sequence,
    function_type: FunctionType,
    outputs,
    jit_compile,
    attributes: dict,
    kernel_compiler: str | None,
    variables: list,
) -> ConcreteFunction:
    """The trace that was pickled; the same object for the same `key`, if there is one."""
    with _LOCK:
        shared = None if key is None else _SHARED.get(key)
    if (
        shared is not None
        and shared.function_type == function_type
        and trace_type(shared.structured_outputs) == trace_type(outputs)
    ):
        return shared
    func_graph = FuncGraph.around(graph, captures)
    results = with_tensors(outputs, [SymbolicTensor(value, func_graph) for value in graph.outputs])
    concrete = cls(func_graph, function_type, results, jit_compile, attributes, kernel_compiler)
    concrete.own_variables = variables  # a graph does not keep them alive
    if key is not None:
        with _LOCK:
            _SHARED[key] = concrete
            if len(_SHARED) > MOST_SHARED:
                _SHARED.popitem(last=False)
    return concrete


def is_independent(concrete: ConcreteFunction) -> bool:
    """Whether the trace means the same in every process."""
    return concrete.guards is None and digest_of(concrete) is not None


def digest_of(concrete: ConcreteFunction) -> bytes | None:
    """The key of what the trace computes; None if that depends on objects of its process."""
    if concrete.captured_tensors or concrete.variables or concrete.in_scope_only:
        return None
    inner = (graph for node in concrete.frozen.walk() for graph in node.subgraphs.values())
    if any(graph.declares_gradient for graph in inner):
        return None
    try:
        graphs = print_graphs({concrete.name: concrete.frozen}, _refuse)
    except NotSharedError:
        return None
    types = concrete.function_type
    if concrete.callees or not all(map(_is_value, types.types.values())):
        return None
    facts = (types, concrete.jit_compile, concrete.attributes, concrete.kernel_compiler, graphs)
    return digest("".join(map(repr, facts)).encode())


def _refuse(thing) -> None:
    """The name of a small array is none; other objects have no place in a key."""
    if not isinstance(thing, np.ndarray) or thing.nbytes > MOST_BYTES:
        raise NotSharedError


def _is_value(type_: TraceType) -> bool:
    """Whether a type means the same in every process."""
    if isinstance(type_, Container):
        return all(map(_is_value, type_.components))
    return isinstance(type_, (TensorSpec, Literal))


ConcreteFunction.__reduce__ = _reduced  # type: ignore[assignment]
