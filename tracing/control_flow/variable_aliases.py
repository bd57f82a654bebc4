"""Names that are bound to a variable, after a staged `if` or loop that may bind them anew.

In Python a name that is bound to a variable shows every assignment of it. A staged statement makes
a tensor of each name that it may change: the value that the variable has when the statement, or the
branch that keeps the variable, ends. Where that makes a difference, it is an error.

    y = v
    if x > 0:
        y = v * 2.0
    v.assign_add(1.0)
    return y + 1.0     # refused: with x <= 0, `y` is `v` in Python
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from ...runtime.core.errors import UnimplementedError
from ...runtime.ir.graph import Graph, Node, Value
from ...runtime.ir.op import TABLE
from ...runtime.ops.state.variables import CREATION, Cell, Variable
from ...runtime.tensors.apply import BUILDER
from ..structures.leaves import adopt


def adopted(leaf, dtype, name: str):
    """The value of a name as `adopt` gives it; a variable is noted.

    Raises ValueError where the staged statement itself has created the variable.
    """
    tensor = adopt(leaf, dtype)
    builder = BUILDER.get()
    if tensor is not None and builder is not None and isinstance(leaf, Variable):
        creation = CREATION.get()
        if creation and any((leaf.handle, builder) == (row[0], row[2]) for row in creation.made):
            raise ValueError(
                f"{name} is a Variable that a staged statement creates: where that does not run, "
                "there is none. Create it before, as in `__init__`"
            )
        builder.aliases[tensor.graph_value] = (name, leaf.handle)
    return tensor


def check_aliases(builder, results: Iterable) -> None:
    """Raise UnimplementedError where a function reads, or returns, what a staged statement made of
    a name that is bound to a variable, after the variable was assigned.
    """
    outputs = [value for value in (getattr(leaf, "graph_value", None) for leaf in results) if value]
    by_cell: dict[Cell, dict[Value, str]] = {}
    for value, (name, cell) in builder.aliases.items():
        by_cell.setdefault(cell, {})[value] = name
    for cell, names in by_cell.items():
        flow = _Flow(cell, names, builder.held)
        last = flow.through(builder.nodes, {})[0]
        for value in outputs:
            made_by = next((node for node in builder.nodes if value in node.outputs), None)
            flow.read(last, value, made_by.where if made_by else None)


class _Flow:
    """Follows the values that stand for one variable in program order.

    A state maps each of these values to whether the variable was assigned after it was read.
    """

    def __init__(self, cell: Cell, names: dict[Value, str], held: set[Value]):
        self.cell = cell
        self.names = dict(names)
        self.held = held

    def read(self, state: dict, value: Value, where) -> None:
        if state.get(value):
            name = self.names[value]
            shown = f"'{name}'" if name.isidentifier() else name
            raise UnimplementedError(
                f"{shown} is the variable '{self.cell.name}' before a staged statement, and the "
                f"variable is assigned before {shown} is read: Python would read the new value, "
                "but the graph has the old one",
                "Start with the value of the variable, as a tensor: variable.read_value().",
                where,
            )

    def through(self, nodes: Sequence[Node], state: dict) -> tuple[dict, bool]:
        """The state after the nodes, and whether they assign the variable."""
        assigned = False
        for node in nodes:
            outcomes, assigns = self._step(node, state)
            if assigns:
                state = dict.fromkeys(state, True)
                assigned = True
            state = {**state, **outcomes} if outcomes else state
            own = [value for value in node.outputs if value in self.names and value not in outcomes]
            if own:
                state = {**state, **dict.fromkeys(own, False)}
        return state, assigned

    def _step(self, node: Node, state: dict) -> tuple[dict, bool]:
        """The values that the outputs of a node stand for, and whether it assigns the variable."""
        if node.op is TABLE["while"]:
            return self._loop(node, state)
        graphs = node.subgraphs
        if not graphs or node.op.operands is None:
            if not self.held.isdisjoint(node.outputs):
                pairs = itertools.product(node.outputs, node.inputs)
                return self._hand_on(pairs, state, {}), False
            for value in node.inputs:
                self.read(state, value, node.where)
            inner = (inner_node for graph in graphs.values() for inner_node in graph.walk())
            return {}, any(_assigns(inner_node, self.cell) for inner_node in (node, *inner))
        if node.op is TABLE["if"]:
            self.read(state, node.inputs[0], node.where)
        outcomes: dict = {}
        assigned = False
        for key, graph in graphs.items():
            last, assigns = self.through(graph.nodes, self._inside(node, key, graph, state))
            assigned |= assigns
            self._hand_on(zip(node.outputs, graph.outputs, strict=False), last, outcomes)
        return outcomes, assigned

    def _loop(self, node: Node, state: dict) -> tuple[dict, bool]:
        test, body, count = (node.attrs[key] for key in ("test", "body", "carried"))
        entered = self._inside(node, "body", body, state)
        assigned = False
        for _ in range(2):  # in the second iteration, the assignments of the first are seen
            tested = self._hand_on(zip(test.inputs, body.inputs, strict=True), entered, {})
            after_test, in_test = self.through(test.nodes, tested)
            for value in test.outputs:
                self.read(after_test, value, node.where)
            start = dict.fromkeys(entered, True) if in_test else entered
            last, in_body = self.through(body.nodes, start)
            outcomes: dict = {}
            self._hand_on(zip(node.outputs, body.outputs, strict=False), last, outcomes)
            assigned = assigned or in_test or in_body
            carried = body.inputs[:count]
            entered = {v: s or assigned for v, s in entered.items() if v not in carried}
            for value, final in zip(carried, body.outputs, strict=False):
                if final in last:
                    self.names.setdefault(value, self.names[final])
                    entered[value] = last[final]
        self._hand_on(zip(node.outputs, node.inputs, strict=False), state, outcomes)  # no iteration
        return outcomes, assigned

    def _inside(self, node: Node, key: str, graph: Graph, state: dict) -> dict:
        """The state at the start of a sub-graph."""
        operands = node.op.operands_of(node, key)
        return self._hand_on(zip(graph.inputs, operands, strict=False), state, {})

    def _hand_on(self, pairs: Iterable[tuple[Value, Value]], state: dict, after: dict) -> dict:
        """The state `after`, to which that of the first of each pair is added: it gets, or may get,
        the value of the second.
        """
        for value, source in pairs:
            if source in state:
                self.names.setdefault(value, self.names[source])
                after[value] = after.get(value, False) or state[source]
        return after


def _assigns(node: Node, cell: Cell) -> bool:
    return node.op.variable_access == "write" and node.attrs["cell"] is cell
