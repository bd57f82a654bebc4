"""ONNX forms of control flow, variables and checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
from onnx import TensorProto, helper

from .... import bool as bool_
from ....extend.graphs import Graph, Node, Value, is_noreturn
from ....extend.specs import STACK
from ....extend.state import Cell
from .table import NoFormError, form
from .writer import Writer

WITHOUT_CHECKS = "Leave checks and printing out of the model: ag.onnx.export(..., checks=False)."


def assigned_cells(graphs: Iterable[Graph]) -> list[Cell]:
    """The variables that these graphs assign."""
    nodes = (node for graph in graphs for node in graph.walk())
    cells = (node.attrs["cell"] for node in nodes if node.op.variable_access == "write")
    return list(dict.fromkeys(cells))


@form("if")
def if_(to: Writer, node: Node, test: str, *operands: str):
    """The variables that a branch assigns are results of both."""
    branches = {"then_branch": node.attrs["then"], "else_branch": node.attrs["orelse"]}
    returning = [graph for graph in branches.values() if not is_noreturn(graph)]
    if len(returning) < len(branches):
        if not to.drops_checks:
            raise NoFormError("a branch raises an exception, which ONNX cannot", WITHOUT_CHECKS)
        return [name for graph in returning for name in to.emit(graph, operands)]
    cells = assigned_cells(branches.values())
    before = {cell: to.cells[cell] for cell in cells if cell in to.cells}

    def write(graph):
        results = [*to.emit(graph, operands), *(to.cells[cell] for cell in cells)]
        to.cells.update(before)
        return results

    results = [*node.outputs, *map(value_of, cells)]
    graphs = {
        key: to.subgraph(key, [], lambda graph=graph: write(graph), results)
        for key, graph in branches.items()
    }
    if not results:
        return []  # of checks that are left out
    names = to.op("If", test, outputs=len(results), **graphs)
    names = [names] if isinstance(names, str) else names
    to.cells.update(zip(cells, names[len(node.outputs) :], strict=True))
    return names[: len(node.outputs)]


def value_of(cell: Cell) -> Value:
    """What a graph knows of a variable."""
    return Value(cell.dtype, cell.shape, cell.name.rsplit(":", 1)[0])


@form("while")
def while_(to: Writer, node: Node, *operands: str):
    """A loop without a count: its body tells whether another iteration follows.

    Variables that it assigns are carried. Values that are pushed in each iteration are not: ONNX
    collects them.
    """
    test, body, carried = (node.attrs[key] for key in ("test", "body", "carried"))
    cells = assigned_cells([test, body])
    invariants = operands[carried:]
    (begins,) = to.emit(test, operands)
    collected = _collected(node)
    kept = [at for at in range(carried) if at not in collected]
    types = [*(body.inputs[at] for at in kept), *map(value_of, cells)]
    names = [to.unique(f"carried_{one.name}") for one in types]
    starts = [*(operands[at] for at in kept), *(to.cells[cell] for cell in cells)]
    iteration, before = to.unique("iteration"), to.unique("goes_on")

    def everything(rows) -> list[str]:  # nothing reads what is collected
        return [*(rows.get(at, "") for at in range(carried)), *invariants]

    def write():
        to.cells.update(zip(cells, names[len(kept) :], strict=True))
        own = everything(dict(zip(kept, names, strict=False)))
        wanted = [*(body.outputs[at] for at in kept), *collected.values()]
        results = to.emit(body, own, wanted)
        (goes_on,) = to.emit(test, everything(dict(zip(kept, results, strict=False))))
        assigned = [to.cells[cell] for cell in cells]
        return [goes_on, *results[: len(kept)], *assigned, *results[len(kept) :]]

    flag = Value(bool_, ())
    inner = to.subgraph("body", [], write, [flag, *types, *collected.values()])
    scalars = [(iteration, TensorProto.INT64), (before, TensorProto.BOOL)]
    inner.input.extend(helper.make_tensor_value_info(*one, []) for one in scalars)
    inner.input.extend(to.typed(*one) for one in zip(names, types, strict=True))
    found = to.op("Loop", "", begins, *starts, outputs=len(types) + len(collected), body=inner)
    found = [found] if isinstance(found, str) else found
    to.cells.update(zip(cells, found[len(kept) : len(types)], strict=True))
    results = dict(zip([*kept, *collected], found[: len(kept)] + found[len(types) :], strict=True))
    return [results[at] for at in range(carried)]


def _collected(node: Node) -> dict[int, Value]:
    """The values that an empty stack gets, one in each iteration, by position among the carried."""
    test, body, carried = (node.attrs[key] for key in ("test", "body", "carried"))
    read = Counter(value for graph in (test, body) for one in graph.nodes for value in one.inputs)
    read.update(value for graph in (test, body) for value in graph.outputs)
    pushes = {one.outputs[0]: one for one in body.nodes if one.op.saves_for_backward}
    results = {}
    for at in range(carried):
        given, result = body.inputs[at], body.outputs[at]
        push = pushes.get(result)
        if push is None or push.inputs[0] is not given or (node.inputs[at].shape or (1,))[0]:
            continue
        if push.inputs[2].dtype is STACK or node.inputs[at].dtype is STACK:
            continue
        if read[given] == read[result] == 1 and not read[test.inputs[at]]:
            results[at] = push.inputs[2]
    return results


@form("call")
def call(to: Writer, node: Node, *operands: str):
    return to.emit(node.attrs["graph"], operands)


@form("read_variable")
def read_variable(to: Writer, node: Node):
    cell = node.attrs["cell"]
    if cell not in to.cells:
        name = cell.name.rsplit(":", 1)[0]
        to.cells[cell] = to.initializer(name, np.asarray(cell.read()))
    return to.cells[cell]


@form("assign_variable")
def assign_variable(to: Writer, node: Node, value: str):
    cell = node.attrs["cell"]
    if cell not in to.state:
        raise NoFormError(
            f"the variable '{cell.name}' is assigned, which ONNX cannot",
            "Make variables that are assigned inputs and results of the model: "
            "ag.onnx.export(..., state=True).",
        )
    to.cells[cell] = value
    return value


@form("assert", "print")
def effect(to: Writer, node: Node, *operands: str):
    if not to.drops_checks:
        raise NoFormError("ONNX has no checks, and prints nothing", WITHOUT_CHECKS)
    return []


@form("set_by_loop", "check_numerics")
def checked(to: Writer, node: Node, x: str, *operands: str):
    if not to.drops_checks:
        raise NoFormError(f"ONNX has no checks, as '{node.op.name}' is one", WITHOUT_CHECKS)
    return to.op("Identity", x)
