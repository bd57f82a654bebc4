"""A call of a graph that is not finished yet: how a function calls itself."""

from __future__ import annotations

from collections.abc import Callable

from .graph import Graph, Node
from .op import PURE, TABLE, WRITES, Spec


class Callee:
    """The graph of a function that is still being traced; until then only its result is known.

    `name` and `outputs` (a Spec each) are declared; `resolve` gives it the graph once that exists.
    Calling it runs the graph on NumPy arrays.
    """

    emit: Callable[[Graph], object]  # gives the NumPy program of a graph; the executors set it

    def __init__(self, name: str, outputs: tuple[Spec, ...]):
        self.name = name
        self.outputs = outputs
        self.graph: Graph | None = None
        self.effect = WRITES  # as long as nothing is known
        self.abandoned = False  # the trace failed: there will be no graph
        self.gradient: Callee | None = None  # see `library.recursion.gradients`
        self.is_of_arrays = False  # whose elements are cells that the graph may assign
        self.with_values: Callee | None = None  # the same with these as inputs and outputs
        self.cells: tuple[list, list] = [], []  # of the graph, and those of them that it assigns
        self._run: Callable | None = None
        self.function: Callable = self._start  # what plans call

    def resolve(self, graph: Graph, inputs=None, arrays=()) -> None:
        """Set the graph: `inputs` are those that calls pass, in order (all of them if left out);
        `arrays` are (input, array) pairs of others, which become constants.
        """
        constants = [
            Node(TABLE["const"], (), {"value": array}, (value,), None, value.name)
            for value, array in arrays
        ]
        inputs = graph.inputs if inputs is None else tuple(inputs)
        self.graph = graph.replace(inputs=inputs, nodes=(*constants, *graph.nodes))
        self.outputs = self.outputs or tuple(Spec(v.dtype, v.shape) for v in graph.outputs)
        self.effect = max(map(self._effect_of, graph.walk()), default=PURE)

    def _effect_of(self, node: Node) -> int:
        """A call of itself adds no effect, and a node with sub-graphs only theirs."""
        if node.subgraphs or node.attrs.get("callee") is self:
            return PURE
        return node.effect

    def _start(self, *arrays):
        """Run the graph as a NumPy program, emitted at the first call; inside it, calls of this
        callee go to it directly.
        """
        if self._run is None:
            program = type(self).emit(self.graph)
            program.rebind(self.function, program.function)
            self._run = program.function
        return self._run(*arrays)

    def __repr__(self):
        return f"<callee {self.name}>"


def callees_in(graph: Graph, known: dict[Callee, None] | None = None) -> dict[Callee, None]:
    """The callees that a graph calls, and those that these call."""
    known = {} if known is None else known
    for node in graph.walk():
        callee = node.attrs.get(node.op.callee_attribute or "")
        if callee is not None and callee not in known:
            known[callee] = None
            callees_in(callee.graph, known)
    return known


def unresolved(graph: Graph) -> list[Callee]:
    """The graphs to come that a graph refers to."""
    callees = (node.attrs["callee"] for node in graph.walk() if node.op.callee_attribute)
    return list(dict.fromkeys(callee for callee in callees if callee.graph is None))
