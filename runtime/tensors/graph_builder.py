"""The builder of graphs: the only thing that mutates while a graph comes to be."""

from __future__ import annotations

from threading import get_ident
from typing import Any, Self

import numpy as np

from ..core.dtypes import FROM_NUMPY
from ..core.errors import SymbolicValueError
from ..core.numpy_dtypes import is_integer
from ..core.shapes import Shape, as_shape
from ..core.source_locations import line_of_operation
from ..ir import graph_printer  # noqa: F401 - the text form of graphs
from ..ir.constant_values import constant_value
from ..ir.graph import Graph, Node, Value
from ..ir.op import TABLE, Op
from . import python_numbers
from .apply import BUILDER, ENTERED
from .listeners import TAPES, listeners, note
from .name_scopes import CONTROLS, DEVICE, NAMES
from .tensor import EagerTensor, SymbolicTensor, Tensor, out_of_scope

NAMES_TENSOR = (b'Tensor("', b".Tensor '")  # in texts of tensors without a value


def check_string(array) -> None:
    """Refuse strings that were made of the text of a tensor of the graph, which is no value."""
    for raw in array.flat:
        if isinstance(raw, bytes) and any(name in raw for name in NAMES_TENSOR):
            raise SymbolicValueError(
                f"the string {raw.decode(errors='replace')!r} names a tensor, whose value is known "
                "only when the graph runs",
                "Format it where it is used: f'{x}', ag.strings.as_string(x) or "
                "ag.strings.format('{}', x).",
            )


class Builder:
    """Records operations in program order. Those of a test or body of a loop `repeats`.

    A tensor from outside that is used inside is a *capture*: it becomes an extra input, and
    `captures` tells which tensor belongs to it. Used as a context manager it is where operations
    go; leaving it for good (`close`) puts its symbolic tensors out of scope.
    """

    def __init__(self, name: str, outer: Builder | None = None, repeats: bool = False):
        self.name, self.repeats = name, repeats
        self.outer = outer
        self.keeps_shapes: bool = outer is not None and outer.keeps_shapes  # of the state of loops
        self.closed = False
        self.thread = get_ident()
        self.placement: str | None = None  # the device that runs the function, where one is named
        self.failed: Exception | None = None  # what left a staged statement in here
        self.last_checks: list = []  # functions to call when everything is recorded
        self.undone: list[tuple] = []  # counts of nodes, and what `rollback` to fewer calls
        self.inputs: list[Value] = []
        self.nodes: list[Node] = []
        self.captures: dict[int, tuple[Any, Value]] = {}
        self.originals: dict[Value, Tensor] = {}  # of captures, as the user has them
        self.dropped: set[Value] = set()  # results of nodes that `rollback` has dropped
        self._names: dict[str, int] = {}
        self.controls: dict[Node, tuple] = {}  # what `control_dependencies` says of a node
        self._makers: dict[Value, Node] = {}
        self._entries: list = []
        self.numbers: dict[Value, Any] = {}  # whether a value is one: python_numbers.py
        self.ranges: set[Value] = set()  # values that stand for ranges of Python
        # values that stand for variables: tracing/control_flow/variable_aliases.py
        self.aliases: dict[Value, tuple] = {} if outer is None else outer.aliases
        self.held: set[Value] = set() if outer is None else outer.held  # by staged lists
        # tensors, with the way in which each is formatted, that strings refer to
        self.strings: list = [] if outer is None else outer.strings
        self.weak: set[Value] = set()  # values whose types adopt others: apply.py
        self.reads: dict[tuple, SymbolicTensor] = {}  # checked reads of variables: `checked_read`
        self.read_from: dict[Value, Tensor] = {}  # what they give, unchecked
        self.extensions: dict[Value, list] = {}  # of nodes extended for gradients, by first output

    @classmethod
    def reopen(cls, graph: Graph) -> Self:
        """A builder that goes on where a finished graph ended, with the same values."""
        new = cls(graph.name)
        new.inputs = list(graph.inputs)
        new.nodes = list(graph.nodes)
        new._makers = dict(graph.producers())
        values = (*graph.inputs, *new._makers)
        new._names = {value.name: 1 for value in values} | {node.name: 1 for node in graph.nodes}
        return new

    def __enter__(self) -> Self:
        ENTERED.append(self)
        self._entries.append(BUILDER.set(self))
        return self

    def __exit__(self, *error) -> None:
        BUILDER.reset(self._entries.pop())
        ENTERED.remove(self)

    def close(self) -> None:
        self.closed = True

    # ---- making values -------------------------------------------------------------------

    def input(self, dtype, shape: Shape, name: str = "input") -> SymbolicTensor:
        """A new input of the graph."""
        value = Value(dtype, shape, self.unique(name))
        self.inputs.append(value)
        return SymbolicTensor(value, self)

    def constant(self, array, name: str | None = None) -> SymbolicTensor:
        """A node that holds `array`."""
        array = np.asarray(array)
        if array.dtype.kind == "O" and self.strings:
            check_string(array)
        name = self.unique(NAMES.get() + (name or "const"))
        value = Value(FROM_NUMPY[array.dtype], array.shape, name, array)
        node = Node(
            TABLE["const"], (), {"value": array}, (value,), line_of_operation(2), name, DEVICE.get()
        )
        self._append(node)
        return SymbolicTensor(value, self)

    def _append(self, node: Node) -> None:
        self.nodes.append(node)
        if CONTROLS.get():
            self.controls[node] = CONTROLS.get()
        for value in node.outputs:
            self._makers[value] = node

    def record(self, op: Op, tensors, attrs: dict, name: str | None = None):
        """Append `op` on tensors (or arrays, which become constants); its symbolic outputs."""
        values = tuple(map(self.value_of, tensors))
        op.check_types(values)
        specs = op.result_of(values, attrs)
        several = not hasattr(specs, "dtype")
        name = self.unique(NAMES.get() + (name or op.name))
        if several:
            outputs = tuple(
                [
                    Value(spec.dtype, spec.shape, f"{name}:{index}" if index else name)
                    for index, spec in enumerate(specs)
                ]
            )
        else:
            known = constant_value(op, values, attrs, specs)
            outputs = (Value(specs.dtype, specs.shape, name, known),)
        self._append(Node(op, values, attrs, outputs, line_of_operation(2), name, DEVICE.get()))
        created = tuple([SymbolicTensor(value, self) for value in outputs])
        if TAPES:
            note(self, op, tensors, attrs, created)
        return created if several else created[0]

    def refine(self, value: Value, shape) -> Value:
        """The same value with a more precise shape."""
        return self.record(
            TABLE["ensure_shape"], [SymbolicTensor(value, self)], {"shape": as_shape(shape)}
        ).graph_value

    def unique(self, name: str) -> str:
        count = self._names.get(name, 0)
        self._names[name] = count + 1
        return self.unique(f"{name}_{count}") if count else name

    def replace_node(self, old: Node, new: Node) -> None:
        """Replace a node by one that has its outputs too."""
        self.nodes[self.nodes.index(old)] = new
        for value in new.outputs:
            self._makers[value] = new

    def constants_before(self, node: Node, arrays) -> list[Value]:
        """Constants that stand before `node`."""
        count = len(self.nodes)
        created = [self.constant(array).graph_value for array in arrays]
        position = self.nodes.index(node)
        self.nodes[position:] = self.nodes[count:] + self.nodes[position:count]
        return created

    def checkpoint(self) -> int:
        """How much has been recorded so far, for `rollback`."""
        return len(self.nodes)

    def rollback(self, checkpoint: int) -> None:
        """Drop the nodes recorded since `checkpoint`. Their names stay taken."""
        self.dropped.update(value for node in self.nodes[checkpoint:] for value in node.outputs)
        while self.undone and self.undone[-1][0] >= checkpoint:
            self.undone.pop()[1]()
        del self.nodes[checkpoint:]

    # ---- tensors from elsewhere ----------------------------------------------------------

    def value_of(self, tensor) -> Value:
        """The value in this graph of a tensor: its own, or a capture."""
        if type(tensor) is SymbolicTensor:
            builder, value = tensor.builder, tensor.graph_value
            if value in builder.dropped or not (builder is self or self.encloses(builder)):
                raise out_of_scope(tensor)
            if builder is self:
                return value
            return self.capture(tensor)
        if isinstance(tensor, EagerTensor):
            return self.capture(tensor)
        value = self.constant(tensor).graph_value
        self.numbers[value] = type(tensor) is not bytes
        return value

    def promoted(self, op: Op, inputs) -> tuple | None:
        """The operands with casts where Python numbers adopt a dtype; None if none do."""
        return python_numbers.promoted(op, inputs)

    def encloses(self, builder: Builder) -> bool:
        """Whether tensors of `builder` can be seen from here."""
        outer = self.outer
        while outer is not None and outer is not builder:
            outer = outer.outer
        return outer is not None and not builder.closed

    def capture(self, tensor: Any) -> Value:
        """The input that stands for a tensor from outside; the outer graph captures it too."""
        key = id(tensor.graph_value) if type(tensor) is SymbolicTensor else id(tensor)
        if key in self.captures:
            return self.captures[key][1]
        original = tensor
        if self.outer is not None and not (
            self.captures_eagerly and isinstance(tensor, EagerTensor)
        ):
            tensor = SymbolicTensor(self.outer.value_of(tensor), self.outer)
        constant = (
            tensor.graph_value.constant if type(tensor) is SymbolicTensor else _small(tensor.array)
        )
        value = Value(tensor.dtype, tensor.dims, self.unique("capture"), constant)
        self.captures[key] = (tensor, value)
        self.originals[value] = original
        return value

    captures_eagerly = False  # True where eager tensors are kept, not passed by the outer graph

    def checked_read(self, key: tuple, tensor: Tensor, read, for_inner: bool):
        """`read()`, which gives `tensor` with a check; once for each key, as a variable is one
        value. `for_inner` says whether graphs inside may use what was read out here.
        """
        builder: Builder | None = self
        while builder is not None and not builder.closed:
            known = builder.reads.get(key)
            is_known = known is not None and known.graph_value not in builder.dropped
            if is_known and not any(
                tape.wants([tensor]) and not tape.wants([known]) for tape in listeners(self)
            ):
                return known
            builder = builder.outer if for_inner else None
        result = self.reads[key] = read()
        self.read_from[result.graph_value] = tensor
        return result

    # ---- the result ----------------------------------------------------------------------

    def node_of(self, value: Value) -> Node | None:
        return self._makers.get(value)

    def finish(self, outputs, captures: list | None = None) -> Graph:
        """The frozen graph; its inputs are the declared ones and then the captures.

        `captures` lists the captured tensors in the wanted order (those of a sibling graph
        included), so that two graphs can share one list of operands.
        """
        results = tuple(map(self.value_of, outputs))
        order = self.captured() if captures is None else captures
        captured_values = tuple(
            self.captures[key][1] if key in self.captures else unused(tensor)
            for key, tensor in order
        )
        return Graph(self.name, (*self.inputs, *captured_values), tuple(self.nodes), results)

    def captured(self) -> list[tuple[int, Any]]:
        """Captured tensors with their keys, in the order of first use."""
        return [(key, tensor) for key, (tensor, _) in self.captures.items()]


def unused(like) -> Value:
    """An input that nothing reads, of the type and shape of a value or tensor."""
    return Value(like.dtype, like.shape if isinstance(like, Value) else like.dims, "unused")


def _small(array) -> np.ndarray | None:
    """The value of a captured integer tensor that may well be a shape or an axis."""
    return np.asarray(array) if array.size <= 8 and is_integer(array.dtype) else None
