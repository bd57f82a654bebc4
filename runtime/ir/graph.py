"""The graph: three frozen records, and what can be asked of them.

Nodes stand in program order, which *is* the order of effects: there are no control edges to keep
in step. Control flow is the operations `If`, `While` and `Call`, whose attributes hold sub-graphs
and whose operands are explicit. Only a `Builder` makes graphs; a pass takes one and returns one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from ..core.classes import record
from ..core.dtypes import DType
from ..core.shapes import Shape, dimensions, show, size_of
from ..core.source_locations import SourceLocation
from .reference_names import type_name
from .rich_display import RichDisplay

if TYPE_CHECKING:
    from .op import Op


@record()
class Value:
    """One tensor of a graph: an input, or an output of a node. Compared by identity.

    `constant` is its value where that follows from constants: a NumPy array, or, for an integer
    vector some of whose elements are constant, an object array with None for the others.
    """

    dtype: DType
    shape: Shape
    name: str = ""
    constant: np.ndarray | None = None

    @property
    def size_in_bytes(self) -> int | None:
        """How many bytes the elements take; None where the shape is not known."""
        size = size_of(self.shape)
        return None if size is None else size * self.dtype.size

    def __repr__(self):
        return f"{self.name}: {self.dtype.name}[{dimensions(self.shape)}]"


def dims(value: Value) -> tuple[int, ...]:
    """The dimensions of a value of static shape."""
    return cast("tuple[int, ...]", value.shape)


def elements_of(value: Value) -> int:
    """How many elements a value of static shape has."""
    return math.prod(dims(value))


@record()
class Node:
    """One step, `outputs = op(*inputs, **attrs)`, written by the user at `where`.

    `device` is where the user wants it to run: a note for readers. `never_raises` tells that the
    operands are known to be such that it does not, where other ones may make it raise.
    """

    op: Op
    inputs: tuple[Value, ...]
    attrs: dict[str, Any]
    outputs: tuple[Value, ...]
    where: SourceLocation | None = None
    name: str = ""
    device: str = ""
    never_raises: bool = False

    @property
    def effect(self) -> int:
        return self.op.effect_of(self.attrs)

    @property
    def may_raise(self) -> bool:
        """Whether the node may raise for some values of its operands."""
        return not self.never_raises and self.op.may_raise_at(self)

    @property
    def uses_files(self) -> bool:
        """Whether the node reads or writes files."""
        rule = self.op.uses_files
        return rule(self.attrs) if callable(rule) else rule

    @property
    def is_parallel_safe(self) -> bool:
        """Whether the native form of the node may run inside a parallel loop."""
        return self.op.parallel_safe

    @property
    def type(self) -> str:
        """The operation's name, as graph definitions show it."""
        return type_name(self.op.name)

    @property
    def output(self) -> Value:
        (value,) = self.outputs
        return value

    @property
    def subgraphs(self) -> dict[str, Graph]:
        return {key: value for key, value in self.attrs.items() if isinstance(value, Graph)}

    def __repr__(self):
        outputs = ", ".join(value.name for value in self.outputs)
        return f"{outputs} = {self.op.name}({', '.join(value.name for value in self.inputs)})"


@record()
class Entry:
    """An input in the place of an operation, as graph definitions show it; nothing runs."""

    value: Value

    inputs = ()
    device = ""
    type = "Placeholder"
    where = None

    @property
    def name(self) -> str:
        return self.value.name

    @property
    def outputs(self) -> tuple[Value, ...]:
        return (self.value,)


@record(frozen=False)
class GraphFacts:
    """Facts about a graph; each field is computed when it is first asked for.

    producers, uses, op_names   by `Graph`
    contents                    by `passes.pipeline`
    effect, is_noreturn          by `ir.node_properties`
    trainable_cells             by `gradients.records`
    derivative                  by `gradients.graph_derivative`, or the user's own
    executables                 by `executors.executable`, one for each way to run
    results                     by `ir.rewrite.settling`: what passes make of it, None for itself
    """

    producers: dict[Value, Node] | None = None
    uses: dict[Value, list[Node]] | None = None
    op_names: set[str] | None = None
    contents: set[str] | None = None
    effect: int | None = None
    is_noreturn: bool | None = None
    trainable_cells: list | None = None
    derivative: Any = None
    executables: dict[tuple, Any] = field(default_factory=dict)
    results: dict[Callable, Graph | None] = field(default_factory=dict)


@record()
class Graph(RichDisplay):
    """Inputs, nodes in program order, outputs. Every value is an input or made by an earlier
    node. `donated` are positions of inputs, and of the outputs that may take over their memory, if
    the native code cannot fail. `limits` are positions of integer inputs, and limits of their
    absolute values, which those who run the graph check. `may_guard` says that they have other code
    for calls in which an index is out of bounds; native code with `has_guards` may fail for others.
    """

    name: str
    inputs: tuple[Value, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[Value, ...]
    donated: frozenset[tuple[int, int]] = frozenset()
    limits: frozenset[tuple[int, int]] = frozenset()
    may_guard: bool = False
    has_guards: bool = False
    facts: GraphFacts = field(default_factory=GraphFacts, repr=False)

    def replace(self, **changes: Any) -> Graph:
        return replace(self, facts=GraphFacts(), **changes)

    def producers(self) -> dict[Value, Node]:
        """The node that makes each value (inputs have none)."""
        if self.facts.producers is None:
            self.facts.producers = {value: node for node in self.nodes for value in node.outputs}
        return self.facts.producers

    def uses(self) -> dict[Value, list[Node]]:
        """The nodes that read each value; graph outputs are not counted."""
        if self.facts.uses is None:
            readers: dict[Value, list[Node]] = {}
            for node in self.nodes:
                for value in dict.fromkeys(node.inputs):
                    readers.setdefault(value, []).append(node)
            self.facts.uses = readers
        return self.facts.uses

    def values_read(self) -> set[Value]:
        """The values that nodes read, and the outputs of the graph."""
        return {value for node in self.nodes for value in node.inputs}.union(self.outputs)

    def has(self, *names: str) -> bool:
        """Whether an operation of one of these names stands in this graph (not in a sub-graph)."""
        if self.facts.op_names is None:
            self.facts.op_names = {node.op.name for node in self.nodes}
        return not self.facts.op_names.isdisjoint(names)

    def walk(self) -> Iterator[Node]:
        """Every node, those of sub-graphs too, outer before inner."""
        for node in self.nodes:
            yield node
            for inner in node.subgraphs.values():
                yield from inner.walk()

    as_text: ClassVar[Callable[[Graph], str]]  # the text form; `graph_printer` defines it

    @property
    def declares_gradient(self) -> bool:
        """Whether its gradient is Python code of the user."""
        return getattr(self.facts.derivative, "is_declared", False)

    def __reduce__(self):
        """Pickles hold what a graph is, not what has been found out about it."""
        if self.declares_gradient:
            raise TypeError(
                f"the graph of {self.name!r} cannot be pickled: its gradient is Python code, which "
                "ag.custom_gradient states. Pickle the Python function that calls it instead"
            )
        return Graph, (self.name, self.inputs, self.nodes, self.outputs)

    def __str__(self):
        return self.as_text()


def check(graph: Graph) -> None:
    """Raise ValueError unless the graph is well formed: every operand exists before it is used."""
    seen = set(graph.inputs)
    for node in graph.nodes:
        for value in node.inputs:
            if value not in seen:
                raise ValueError(f"{graph.name}: {node} reads {value.name} before it is made")
        for value in node.outputs:
            if value in seen:
                raise ValueError(f"{graph.name}: {value.name} is made twice")
            seen.add(value)
        for key, inner in node.subgraphs.items():
            check(inner)
            _check_operands(graph, node, key, inner)
    for value in graph.outputs:
        if value not in seen:
            raise ValueError(f"{graph.name}: the output {value.name} is never made")


def _check_operands(graph: Graph, node: Node, key: str, inner: Graph) -> None:
    operands = node.op.operands_of(node, key)
    if len(operands) != len(inner.inputs):
        raise ValueError(
            f"{graph.name}: {node} passes {len(operands)} operands, {key} takes {len(inner.inputs)}"
        )
    for passed, taken in zip(operands, inner.inputs, strict=True):
        if passed.dtype is not taken.dtype:
            raise ValueError(f"{graph.name}: {passed} is passed to {key} for {taken}")


def describe(value: Value) -> str:
    """How messages name a value's type: `float32 with shape (2, 3)`."""
    return f"{value.dtype.name} with shape {show(value.shape)}"
