"""The graph of one function while it is traced, and afterwards the public `Graph` object."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Self

from ...autograph.current_trace import TRACE, Trace
from ...runtime.core.public_names import expose, public
from ...runtime.ir.graph import Entry, Node
from ...runtime.ir.graph import Graph as FrozenGraph
from ...runtime.ir.rich_display import RichDisplay
from ...runtime.tensors.apply import BUILDER
from ...runtime.tensors.graph_builder import Builder
from ...runtime.tensors.late_binding import late
from ...runtime.tensors.listeners import RECORDING
from ...runtime.tensors.name_scopes import CONTROLS, DEVICE, within
from ...runtime.tensors.tensor import SymbolicTensor
from ..stager.graph_stager import STAGER


class FuncGraph(Builder, RichDisplay):
    """A graph that operations are recorded into; eager tensors used inside are captured.

    Where it is entered, the control flow of converted code goes into it too.

    `Graph()` and `with graph.as_default():` build one by hand:

    >>> g = ag.Graph()
    >>> with g.as_default():
    ...     total = ag.constant(1) + ag.constant(2)
    >>> [node.name for node in g.as_graph_def().node]
    ['const', 'const_1', 'add']
    """

    captures_eagerly = True

    def __init__(self, name: str = "graph", outer: Builder | None = None):
        super().__init__(name, outer)
        self._around: list = []
        self.frozen: FrozenGraph | None = None
        self.by_hand = False
        self.structured_outputs = None

    def __enter__(self) -> Self:
        self._around.append(TRACE.set(Trace(STAGER, around=TRACE.get())))
        return super().__enter__()

    def __exit__(self, *error) -> None:
        super().__exit__(*error)
        TRACE.reset(self._around.pop())

    @classmethod
    def around(cls, frozen: FrozenGraph, captured=()) -> FuncGraph:
        """An open graph with the nodes of a frozen one, whose last inputs stand for `captured`."""
        graph = cls.reopen(frozen)
        split = len(frozen.inputs) - len(captured)
        graph.inputs = graph.inputs[:split]
        pairs = zip(captured, frozen.inputs[split:], strict=True)
        graph.captures = {id(tensor): (tensor, value) for tensor, value in pairs}
        return graph

    def as_default(self) -> Any:
        """A context in which operations go into this graph."""
        self.by_hand = True
        return self

    def freeze(self, outputs=()) -> FrozenGraph:
        """The finished graph; nothing can be recorded afterwards."""
        self.frozen = self.finish(outputs)
        self.close()
        return self.frozen

    def current(self) -> FrozenGraph:
        return self.frozen if self.frozen is not None else self.finish(())

    @property
    def outputs(self) -> Any:
        return list(self.current().outputs)

    def get_operations(self) -> list[Entry | Node]:
        """The inputs, as placeholders, and the operations in the order of the program."""
        return [*map(Entry, self.current().inputs), *self.nodes]

    def get_operation_by_name(self, name: str) -> Entry | Node:
        """The operation of this name; KeyError when there is none."""
        for node in self.get_operations():
            if node.name == name:
                return node
        raise KeyError(f"the graph has no operation '{name}'")

    def get_tensor_by_name(self, name: str) -> SymbolicTensor:
        """The tensor called `operation:index`, or of an input; KeyError when there is none."""
        plain = name.removesuffix(":0")
        for value in (
            *self.current().inputs,
            *(output for n in self.nodes for output in n.outputs),
        ):
            if value.name == plain:
                return SymbolicTensor(value, self)
        raise KeyError(f"the graph has no tensor '{name}'")

    @property
    def variables(self) -> tuple:
        """The variables that the graph reads or assigns, as far as they still exist."""
        cells = (node.attrs.get("cell") for node in self.current().walk())
        owners = [cell.owner() for cell in dict.fromkeys(filter(None, cells))]
        return tuple(variable for variable in owners if variable is not None)

    @property
    def trainable_variables(self) -> tuple:
        return tuple(variable for variable in self.variables if variable.trainable)

    def as_graph_def(self) -> Any:
        """The nodes as records with `.name`, `.op` and `.input`, placeholders first."""
        return late.as_graph_def(self.current())

    def as_text(self) -> str:
        """The text form, which `allograph.library.saved.graph_parser.parse` reads back."""
        return self.current().as_text()

    def __repr__(self):
        return f"<Graph {self.name!r}: {len(self.nodes)} nodes>"


expose(FuncGraph, "Graph")


@public("init_scope")
@contextmanager
def init_scope():
    """Lift operations out of every graph that is being built: inside, they run eagerly.

    Gradient tapes do not see them.

    >>> with ag.init_scope():
    ...     ag.executing_eagerly()
    True
    """
    with within(BUILDER, None), within(RECORDING, ()), within(CONTROLS, ()), within(DEVICE, ""):
        yield
