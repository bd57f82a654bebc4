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
    test, *inputs = _tensors(builder, node.inputs)
    results, extras = _saving_in_both(builder, node, finished)

    def side_of(each, spot, extra, dys):
        """A branch of the backward pass: the cotangents of all that is reached."""
        side = Builder(each.backward.name, BUILDER.get())
        with side:
            gradients = call_graph(each.backward, each.arguments(dys, results, inputs, extra))
            own = dict(zip(spot, each.scatter(gradients, len(spot)), strict=True))
            # zeros for a cell that only the other branch reads
            return side, [
                zeros_of(cells[at - operands]) if own.get(at) is None else own[at] for at in reached
            ]

    def pull(dys):
        rows = zip(finished, spots, extras, strict=True)
        sides = [side_of(*row, dys) for row in rows]
        # One list of operands for both.
        shared = {k: tensor for side, _ in sides for k, tensor in side.captured()}
        order = list(shared.items())
        then, orelse = (side.finish(grads, order) for side, grads in sides)
        gradients = BUILDER.get().record(
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


def _saving_in_both(builder: Builder, node: Node, finished):
    """Let each branch give what both save; the results of the node, and what each branch saves."""
    count, own = len(node.outputs), len(finished[0].extra)
    then, orelse = (
        _with_blanks(derivative.forward, count, index, finished)
        for index, derivative in enumerate(finished)
    )
    kept = [*then.outputs[count : count + own], *orelse.outputs[count + own :]]
    results, extra = _saving(builder, node, kept, then=then, orelse=orelse)
    return results, (extra[:own], extra[own:])


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
    iterations = SymbolicTensor(loop.outputs[carried], builder)
    sources = [*inputs, *derivative.cells]
    sums = [position for position in finished.source_indices if position >= carried]

    def saved_in(step, index):
        """The values of an iteration of the loop that the same one of the backward pass takes."""
        rows, saved = iter(stacks), []
        for value, position in zip(_captured_values(finished), finished.saved, strict=True):
            if has_no_elements(value):
                saved.append(step.constant(np.zeros(value.shape, value.dtype.numpy_dtype)))
            elif _is_stacked(value, position, carried):
                row = ops.stack_peek(next(rows), index, dtype=value.dtype, shape=value.shape)
                saved.append(row)
            else:
                saved.append(inputs[position])
        return saved

    def pull(dys):
        start = [zeros_of(results[k]) if dys[k] is None else dys[k] for k in floats]
        totals = [zeros_of(sources[position]) for position in sums]
        shapes = [*(body.inputs[k].shape for k in floats), *(total.dims for total in totals)]
        start = list(map(_of_shape, start + totals, shapes))
        gradients = _loop_back(
            BUILDER.get(), node, finished, len(floats), iterations - 1, start, shapes, saved_in
        )
        placed = [None] * len(sources)
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


def _loop_back(back, node, finished, count, last, start, shapes, saved_in) -> list:
    """Record the loop that goes from the last iteration to the first. It carries so many cotangents
    of the state, then sums of those of what no iteration changes.
    """
    step, name = BackwardBuilder(node.name + ".backward", back), "cotangent"
    with step:
        index = step.input(int32, (), "iteration")
        state = [step.input(t.dtype, at, name) for t, at in zip(start, shapes, strict=True)]
        dys, totals = state[:count], state[count:]
        gradients = call_graph(finished.backward, dys + saved_in(step, index))
        after = [*gradients[:count], *map(added, totals, gradients[count:])]
        body = step.finish([index - 1, *map(_of_shape, after, shapes)])
    tester = Builder(node.name + ".backward.test", back)
    with tester:
        at = tester.input(int32, (), "iteration")
        for t, shape in zip(start, shapes, strict=True):
            tester.input(t.dtype, shape, name)
        test = tester.finish([at >= 0], step.captured())
    operands = [tensor for _, tensor in step.captured()]
    attrs = {"test": test, "body": body, "carried": 1 + len(start)}
    outputs = back.record(TABLE["while"], [last, *start, *operands], attrs, node.name + ".backward")
    return list(outputs[1:])


EXTEND = {"call": extend_call, "if": extend_if, "while": extend_while}
