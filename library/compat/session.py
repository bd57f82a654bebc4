"""Graphs filled by hand, run in parts: `placeholder` and `Session`, from before eager execution."""

from __future__ import annotations

from typing import Any, Self

from ... import as_dtype
from ...extend import nest
from ...extend.errors import FailedPreconditionError, InvalidArgumentError
from ...extend.graphs import BUILDER, Entry, Executable, Graph, Node, Value
from ...extend.registration import public
from ...extend.specs import as_shape, is_subshape, show
from ...extend.state import NAMES
from ...extend.tensors import EagerTensor, SymbolicTensor, to_array
from ...extend.tracing import FuncGraph


@public("placeholder", "compat.v1.placeholder")
def placeholder(dtype, shape=None, name=None):
    """A tensor of the graph being filled, whose value is fed when a `Session` runs it.

    >>> import allograph as ag
    >>> with ag.Graph().as_default():
    ...     ag.placeholder(ag.float32, [None, 2], name="x")
    <ag.Tensor 'x:0' shape=(None, 2) dtype=float32>

    Raises RuntimeError outside a graph.
    """
    builder = BUILDER.get()
    if builder is None:
        raise FailedPreconditionError(
            "a placeholder belongs to a graph, and operations run eagerly here",
            "Fill a graph: with ag.Graph().as_default(): ...",
        )
    return builder.input(as_dtype(dtype), as_shape(shape), NAMES.get() + (name or "Placeholder"))


@public("Session", "compat.v1.Session")
class Session:
    """Runs parts of a graph that was filled by hand.

    >>> import allograph as ag
    >>> g = ag.Graph()
    >>> with g.as_default():
    ...     x = ag.placeholder(ag.int32, [])
    ...     doubled, squared = x * 2, x * x
    >>> with ag.Session(graph=g) as session:
    ...     values = session.run({"twice": doubled, "square": squared}, feed_dict={x: 5})
    >>> int(values["twice"]), int(values["square"])
    (10, 25)
    """

    def __init__(self, target="", graph: FuncGraph | None = None, config=None):
        chosen = BUILDER.get() if graph is None else graph
        if not isinstance(chosen, FuncGraph):
            raise ValueError("a Session needs a graph: ag.Session(graph=g)")
        self.graph = chosen
        self._closed = False
        self._executables: dict[tuple, Executable] = {}

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None) -> Any:
        """The values of `fetches`, a structure of tensors and operations, as NumPy arrays.

        Only what the fetches need is computed, and what `control_dependencies` puts before it. The
        result of an operation, and of None, is None. Any tensor of the graph may be fed.

        Raises ValueError for a tensor of another graph and for a placeholder without a value,
        RuntimeError when the session is closed.
        """
        if self._closed:
            raise FailedPreconditionError("the session is closed")
        leaves = nest.flatten(fetches)
        wanted = [self._value(leaf) for leaf in leaves if isinstance(leaf, SymbolicTensor)]
        feeds = {self._feedable(key): value for key, value in (feed_dict or {}).items()}
        operations = [self._node(leaf) for leaf in leaves if not isinstance(leaf, SymbolicTensor)]
        executable = self._executable_for(
            tuple(wanted), tuple(filter(None, operations)), tuple(feeds)
        )
        results = iter(
            executable(*(self._array_for(value, feeds) for value in executable.graph.inputs))
        )
        arrays = [
            EagerTensor(next(results)).numpy() if isinstance(leaf, SymbolicTensor) else None
            for leaf in leaves
        ]
        return nest.pack_sequence_as(fetches, arrays)

    def _value(self, tensor) -> Value:
        if not isinstance(tensor, SymbolicTensor) or tensor.builder is not self.graph:
            raise InvalidArgumentError(f"{tensor!r} is not a tensor of the session's graph")
        return tensor.graph_value

    def _feedable(self, key) -> Value:
        value = self._value(key)
        if value.constant is not None and value not in self.graph.inputs:
            raise InvalidArgumentError(f"{key!r} is a constant, which cannot be fed")
        return value

    def _array_for(self, value: Value, feeds: dict):
        """What an input of a part receives: the value that is fed, or the tensor it captured."""
        if value not in feeds:
            captured: list[Any] = [
                tensor for tensor, one in self.graph.captures.values() if one is value
            ]
            if not captured:
                raise InvalidArgumentError(f"the placeholder '{value.name}' needs a value: feed it")
            return captured[0].array
        array = to_array(feeds[value], value.dtype)
        if not is_subshape(array.shape, value.shape):
            raise InvalidArgumentError(
                f"'{value.name}' has the shape {show(value.shape)}; {show(array.shape)} is fed"
            )
        return array

    def _node(self, thing) -> Node | None:
        if thing is None or isinstance(thing, Entry):
            return None
        if not isinstance(thing, Node) or thing not in self.graph.nodes:
            raise InvalidArgumentError(
                f"{thing!r} is neither a tensor nor an operation of the graph"
            )
        return thing

    def _executable_for(self, wanted, operations, fed) -> Executable:
        """The runnable part of the graph, for these results and these fed values."""
        key = (wanted, operations, fed, len(self.graph.nodes))
        if key not in self._executables:
            graph = pruned_graph(self.graph, wanted, operations, fed)
            self._executables[key] = Executable(graph)
        return self._executables[key]

    def close(self) -> None:
        self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error) -> None:
        self.close()


def pruned_graph(graph: FuncGraph, wanted, operations, fed) -> Graph:
    """The nodes that the wanted values and operations need, when the `fed` values are inputs."""
    needed, fed_values, kept = set(wanted), set(fed), []
    required = set(operations)
    for node in reversed(graph.nodes):
        if node not in required and not (needed - fed_values).intersection(node.outputs):
            continue
        kept.append(node)
        needed.update(node.inputs)
        for before in graph.controls.get(node, ()):
            if isinstance(before, Node):
                required.add(before)
            elif isinstance(before, SymbolicTensor):
                needed.add(before.graph_value)
    captured = {value: tensor for tensor, value in graph.captures.values()}
    inputs = [
        *fed,
        *(value for value in (*graph.inputs, *captured) if value in needed - fed_values),
    ]
    return Graph(graph.name, tuple(inputs), tuple(reversed(kept)), tuple(wanted))
