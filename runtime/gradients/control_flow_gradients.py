"""Gradients of `If`, `While` and `Call` in a graph that is being built.

The node is replaced by one that also outputs what the backward pass needs: for a branch the values
that gradient rules use, for a loop a stack of them with an entry for each iteration. The outputs
that the node had stay the same. Each further derivative order extends the node once more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from ..core.dtypes import int32
from ..core.shapes import is_subshape
from ..ir.graph import Graph, Node, Value
from ..ir.op import TABLE
from ..ir.saved_lists import empty_stack, has_no_elements, is_differentiable, stack_spec
from ..ops.state.variables import Cell
from ..tensors.apply import BUILDER
from ..tensors.graph_builder import Builder, unused
from ..tensors.late_binding import late
from ..tensors.listeners import follow
from ..tensors.operation import ops
from ..tensors.tensor import SymbolicTensor, Tensor
from .graph_derivative import BackwardBuilder, derivative_of
from .records import RECORDS, Record, added, trainable_cells, zeros_of


class Extension:
    """One extension of a node: `pull` maps the cotangents of the first `count` outputs.

    positions   which of the resulting cotangents belong to the original inputs of the node
    added       the values that the extension added to the node's inputs
    """

    def __init__(self, count: int, pull: Callable[[list], list], positions: list[int], added):
        self.count = count
        self.added = added
        self._pull = pull
        self._positions = positions

    def pull(self, cotangents: list) -> list:
        gradients = self._pull(cotangents)
        return [gradients[position] for position in self._positions]


class StagedRecord(Record):
    """A node with sub-graphs."""

    __slots__ = ("builder", "cells", "first")

    def __init__(self, builder: Builder, node: Node, inputs):
        self.builder = builder
        self.first = node.outputs[0] if node.outputs else None
        self.cells = cells_of(node)
        self.inputs = (*inputs, *self.cells)

    @property
    def outputs(self):  # type: ignore[override]
        if self.first is None:
            return ()
        node = self.builder.node_of(self.first)
        return tuple(SymbolicTensor(value, self.builder) for value in node.outputs)

    def pullback(self, cotangents: list) -> list:
        assert self.first is not None  # what has no outputs is given no cotangents
        extensions = self.builder.extensions.setdefault(self.first, [])
        for extension in extensions:
            if all(cotangent is None for cotangent in cotangents[extension.count :]):
                return extension.pull(cotangents[: extension.count])
        node = self.builder.node_of(self.first)
        assert node is not None
        added = {value for extension in extensions for value in extension.added}
        positions = [position for position, value in enumerate(node.inputs) if value not in added]
        behind = {id(cell): len(node.inputs) + k for k, cell in enumerate(cells_of(node))}
        positions += [behind[id(cell)] for cell in self.cells]
        pull, starts = EXTEND[node.op.name](self.builder, node)
        extension = Extension(len(node.outputs), pull, positions, starts)
        extensions.append(extension)
        follow(self.outputs, extension.count)
        return extension.pull(cotangents)


RECORDS.update(dict.fromkeys(("if", "while", "call"), StagedRecord))
RECORDS["recur"] = lambda *about: late.RecursiveRecord(*about)  # noqa: PLW0108 - it is loaded then


def cells_of(node: Node) -> list[Cell]:
    """The trainable cells that a node is differentiated by; tests have no gradient."""
    return trainable_cells(graph for key, graph in node.subgraphs.items() if key != "test")


def _fresh(builder: Builder, values, name: str) -> tuple[Value, ...]:
    return tuple(Value(v.dtype, v.shape, builder.unique(f"{name}.saved")) for v in values)


def _tensors(builder: Builder, values) -> list[Tensor]:
    return [SymbolicTensor(value, builder) for value in values]


def call_graph(graph: Graph, tensors: list) -> list:
    """Record a call of `graph` in the graph that is open."""
    if not graph.outputs:
        return []
    shapes = [value.shape for value in graph.inputs]
    tensors = list(map(_of_shape, tensors, shapes))
    builder = BUILDER.get()
    assert builder is not None
    return list(builder.record(TABLE["call"], tensors, {"graph": graph}, graph.name))


def _of_shape(tensor, shape):
    """The tensor; where a graph that takes it knows more of its shape, with that shape."""
    if not isinstance(tensor, Tensor) or is_subshape(tensor.dims, shape):
        return tensor
    return ops.ensure_shape(tensor, shape=shape)


def _saving(builder: Builder, node: Node, values, **graphs) -> tuple[list[Tensor], list[Tensor]]:
    """Let the graphs of a node give more values; its results, and these."""
    outputs = (*node.outputs, *_fresh(builder, values, node.name))
    builder.replace_node(node, replace(node, attrs={**node.attrs, **graphs}, outputs=outputs))
    return _tensors(builder, node.outputs), _tensors(builder, outputs[len(node.outputs) :])


def extend_call(builder: Builder, node: Node):
    finished = derivative_of(node.attrs["graph"]).finish()
    inputs = _tensors(builder, node.inputs)
    results, extra = _saving(builder, node, finished.extra, graph=finished.forward)
    sources = len(node.inputs) + len(cells_of(node))

    def pull(dys):
        gradients = call_graph(finished.backward, finished.arguments(dys, results, inputs, extra))
        return finished.scatter(gradients, sources)

    return pull, ()


# ---- If ----------------------------------------------------------------------------------------


def extend_if(builder: Builder, node: Node):
    branches = [node.attrs["then"], node.attrs["orelse"]]
    derivatives = [derivative_of(graph) for graph in branches]
    cells = cells_of(node)
    operands = len(node.inputs) - 1
    spots = [_positions_among(derivative, operands, cells) for derivative in derivatives]
    reached = sorted({spot[position] for derivative, spot in zip(derivatives, spots, strict=True)
                      for position in derivative.reached})  # fmt: skip
    finished = [
        derivative.finish([position for position, at in enumerate(spot) if at in reached])
        for derivative, spot in zip(derivatives, spots, strict=True)
    ]
    count, own = len(node.outputs), len(finished[0].extra)  # values that the first branch saves
    graphs = [
        _with_blanks(derivative.forward, count, index, finished)
        for index, derivative in enumerate(finished)
    ]
    kept = [*graphs[0].outputs[count : count + own], *graphs[1].outputs[count + own :]]
    test, *inputs = _tensors(builder, node.inputs)
    results, extra = _saving(builder, node, kept, then=graphs[0], orelse=graphs[1])
    extras = [extra[:own], extra[own:]]

    def pull(dys):
        back = BUILDER.get()
        sides = []
        for each, spot, mine in zip(finished, spots, extras, strict=True):
            side = Builder(each.backward.name, back)
            with side:
                gradients = call_graph(each.backward, each.arguments(dys, results, inputs, mine))
                placed = each.scatter(gradients, len(spot))
                by_spot = {at: placed[position] for position, at in enumerate(spot)}
                # zeros for a cell that only the other branch reads
                grads = [
                    zeros_of(cells[at - operands]) if by_spot.get(at) is None else by_spot[at]
                    for at in reached
                ]
            sides.append((side, grads))
        # One list of operands for both.
        shared = {k: tensor for side, _ in sides for k, tensor in side.captured()}
        order = list(shared.items())
        then, orelse = (side.finish(grads, order) for side, grads in sides)
        gradients = back.record(
            TABLE["if"],
            [test, *shared.values()],
            {"then": then, "orelse": orelse},
            node.name + ".backward",
        )
        placed = [None] * (1 + operands + len(cells))
        for at, grad in zip(reached, gradients, strict=True):
            placed[1 + at] = grad
        return placed

    return pull, ()


def _positions_among(derivative, operands: int, cells) -> list[int]:
    """The position of each source of a branch among the operands and the cells of both branches."""
    index = {id(cell): operands + position for position, cell in enumerate(cells)}
    return [*range(operands), *(index[id(cell)] for cell in derivative.cells)]


def _with_blanks(forward: Graph, count: int, index: int, finished) -> Graph:
    """A branch with the saved values of both; placeholders stand for those of the other one."""
    inner = Builder.reopen(forward)
    own = _tensors(inner, forward.outputs)
    with inner:
        other = [
            ops.blank(dtype=value.dtype, shape=value.shape) for value in finished[1 - index].extra
        ]
    mine = own[count:]
    return inner.finish([*own[:count], *(mine + other if index == 0 else other + mine)])


# ---- While -------------------------------------------------------------------------------------


def extend_while(builder: Builder, node: Node):
    carried = node.attrs["carried"]
    body = node.attrs["body"]
    derivative = derivative_of(body)
    floats = [k for k in range(carried) if is_differentiable(body.inputs[k].dtype)]
    finished = derivative.finish(floats)
    # A loop invariant is saved as it is, any other value in a stack.
    stacked = [
        value
        for value, position in zip(_captured_values(finished), finished.saved, strict=True)
        if _is_stacked(value, position, carried)
    ]
    loop, stacks, starts = _with_stacks(builder, node, finished, stacked)
    inputs = _tensors(builder, node.inputs)
    results = _tensors(builder, node.outputs)
    count = SymbolicTensor(loop.outputs[carried], builder)
    cells = derivative.cells
    sums = [position for position in finished.source_indices if position >= carried]

    def pull(dys):
        back = BUILDER.get()
        start = [zeros_of(results[k]) if dys[k] is None else dys[k] for k in floats]
        totals = [
            zeros_of(inputs[position] if position < len(inputs) else cells[position - len(inputs)])
            for position in sums
        ]
        gradients = _loop_back(
            back, node, finished, floats, sums, count - 1, start + totals, stacks, inputs
        )
        placed = [None] * (len(inputs) + len(cells))
        for position, grad in zip([*floats, *sums], gradients, strict=True):
            placed[position] = grad
        return placed

    return pull, starts


def _is_stacked(value: Value, position: int | None, carried: int) -> bool:
    """Whether a value that is saved can differ in each iteration. One without elements cannot: a
    stack of them would not tell how many it holds.
    """
    return (position is None or position < carried) and not has_no_elements(value)


def _captured_values(finished) -> list[Value]:
    """The values of the forward graph that the backward graph takes."""
    more = iter(finished.extra)
    inputs = finished.forward.inputs
    return [next(more) if position is None else inputs[position] for position in finished.saved]


def _with_stacks(builder: Builder, node: Node, finished, stacked):
    """Replace the loop by one that counts its iterations and pushes what is saved."""
    carried = node.attrs["carried"]
    forward, test = finished.forward, node.attrs["test"]
    step = Builder.reopen(forward)
    with step:
        index = step.input(int32, (), "iteration")
        blanks = [empty_stack(value.dtype, value.shape) for value in stacked]
        rows = [_stack_input(step, value) for value in stacked]
        pushed = [
            ops.stack_push(stack, index, SymbolicTensor(value, step))
            for stack, value in zip(rows, stacked, strict=True)
        ]
        state = _tensors(step, forward.outputs[:carried])
        stepped = step.finish([*state, index + 1, *pushed])
    new = stepped.inputs[len(forward.inputs) :]
    body = stepped.replace(inputs=(*forward.inputs[:carried], *new, *forward.inputs[carried:]))
    idle = tuple(unused(value) for value in new)
    test = test.replace(inputs=(*test.inputs[:carried], *idle, *test.inputs[carried:]))
    starts = builder.constants_before(node, [np.int32(0), *blanks])
    outputs = (*node.outputs, *_fresh(builder, new, node.name))
    loop = replace(
        node,
        inputs=(*node.inputs[:carried], *starts, *node.inputs[carried:]),
        attrs={**node.attrs, "test": test, "body": body, "carried": carried + len(new)},
        outputs=outputs,
    )
    builder.replace_node(node, loop)
    return loop, _tensors(builder, outputs[carried + 1 :]), starts


def _stack_input(step: Builder, value: Value) -> Tensor:
    spec = stack_spec(value)
    return step.input(spec.dtype, spec.shape, "saved")


def _loop_back(back, node, finished, floats, sums, last, start, stacks, inputs) -> list:
    """Record the loop that goes from the last iteration to the first."""
    carried = node.attrs["carried"]
    body_inputs = node.attrs["body"].inputs
    shapes = [body_inputs[k].shape for k in floats] + [t.dims for t in start[len(floats) :]]
    start = list(map(_of_shape, start, shapes))
    step = BackwardBuilder(node.name + ".backward", back)
    with step:
        index = step.input(int32, (), "iteration")
        state = [
            step.input(t.dtype, shape, "cotangent") for t, shape in zip(start, shapes, strict=True)
        ]
        rows = iter(stacks)
        saved = []
        for value, position in zip(_captured_values(finished), finished.saved, strict=True):
            if has_no_elements(value):
                saved.append(step.constant(np.zeros(value.shape, value.dtype.numpy_dtype)))
            elif _is_stacked(value, position, carried):
                saved.append(
                    ops.stack_peek(next(rows), index, dtype=value.dtype, shape=value.shape)
                )
            else:
                saved.append(inputs[position])
        dys = dict(zip(floats, state, strict=False))
        arguments = [dys[k] for k in range(carried) if finished.differentiable[k]]
        gradients = dict(
            zip(
                finished.source_indices,
                call_graph(finished.backward, arguments + saved),
                strict=True,
            )
        )
        after = [gradients[k] for k in floats]
        after += [
            added(total, gradients[position])
            for total, position in zip(state[len(floats) :], sums, strict=True)
        ]
        after = [
            t if t.dims == shape else ops.ensure_shape(t, shape=shape)
            for t, shape in zip(after, shapes, strict=True)
        ]
        body = step.finish([index - 1, *after])
    tester = Builder(node.name + ".backward.test", back)
    with tester:
        at = tester.input(int32, (), "iteration")
        for t, shape in zip(start, shapes, strict=True):
            tester.input(t.dtype, shape, "cotangent")
        test = tester.finish([at >= 0], step.captured())
    operands = [tensor for _, tensor in step.captured()]
    attrs = {"test": test, "body": body, "carried": 1 + len(start)}
    outputs = back.record(TABLE["while"], [last, *start, *operands], attrs, node.name + ".backward")
    return list(outputs[1:])


EXTEND = {"call": extend_call, "if": extend_if, "while": extend_while}
