"""Records of operations, and the backward pass over them.

A *record* holds the inputs and outputs of one step and its pullback, which maps the cotangents of
the outputs to those of the inputs. Inputs are tensors and the storage cells of variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Any

from ..core.dtypes import stack
from ..core.errors import ShapeError
from ..core.shapes import is_static
from ..core.source_locations import FORWARD, SourceLocation
from ..core.user_source import in_users_words
from ..ir.graph import Graph, Node
from ..ir.op import Op
from ..ir.saved_lists import is_differentiable
from ..ops.state.variables import Cell
from ..tensors.apply import constant_of
from ..tensors.operation import ops
from ..tensors.tensor import SymbolicTensor, Tensor


def key(thing) -> int:
    """The key of a tensor (a symbolic one by its value) or a cell."""
    return id(thing.graph_value) if type(thing) is SymbolicTensor else id(thing)


def zeros_of(tensor) -> Tensor:
    """Zeros in the shape and type of a tensor or cell."""
    if tensor.dtype is stack:
        return ops.stack_zeros(tensor)
    shape = tensor.shape if isinstance(tensor, Cell) else tensor.dims
    zero = tensor.dtype.numpy_dtype.type(0)
    if is_static(shape):
        return ops.fill(list(shape), zero) if shape else constant_of(zero)
    source = ops.read_variable(cell=tensor) if isinstance(tensor, Cell) else tensor
    return ops.fill(ops.shape(source), zero)


def added(before, more):
    """The sum of two cotangents; `before` may be None."""
    if before is None:
        return more
    return ops.stack_sum(before, more) if more.dtype is stack else before + more


class Record:
    """One step of a tape."""

    __slots__ = ("inputs", "outputs")
    inputs: Sequence[Any]  # tensors and cells
    outputs: Sequence[Any]
    where: SourceLocation | None = None  # the line of an eager step, where somebody watches

    def pullback(self, cotangents: list) -> list:
        """The cotangents of the inputs; None where there is none."""
        raise NotImplementedError


class OpRecord(Record):
    """An operation on tensors."""

    __slots__ = ("attrs", "op", "where")

    def __init__(self, op: Op, inputs, attrs: dict, outputs, where=None):
        self.where = where
        self.op = op
        self.inputs = inputs
        self.attrs = attrs
        self.outputs = outputs

    def pullback(self, cotangents: list) -> list:
        rule = self.op.gradient
        if rule is None:
            raise LookupError(
                in_users_words(
                    f"the operation '{self.op.name}' has no gradient: wrap its input in "
                    "ag.stop_gradient, or define one with ag.custom_gradient"
                )
            )
        try:
            return self._pulled(rule, cotangents)
        except (TypeError, AttributeError, ShapeError):
            if all(tensor.dims is not None for tensor in (*self.inputs, *self.outputs)):
                raise
            raise ShapeError(
                f"the gradient of '{self.op.name}' needs tensors of known rank",
                "Say it before: x = ag.ensure_shape(x, [None, None]) of a matrix.",
            ) from None

    def _pulled(self, rule, cotangents: list) -> list:
        inputs, outputs = self._conjugates()
        if len(outputs) == 1 and not self.op.several:
            grads = rule(cotangents[0], outputs[0], *inputs, **self.attrs)
        else:
            dys = tuple(
                zeros_of(output) if dy is None and is_differentiable(output.dtype) else dy
                for dy, output in zip(cotangents, outputs, strict=True)
            )
            grads = rule(dys, outputs, *inputs, **self.attrs)
        return [
            None if grad is None else self._summed(position, grad, tensor)
            for position, (grad, tensor) in enumerate(zip(grads, self.inputs, strict=True))
        ]

    def _summed(self, position: int, grad: Tensor, tensor: Tensor) -> Tensor:
        """The cotangent of an operand from that of its elements, which may have been repeated."""
        if grad.dims == tensor.dims:
            is_of_rows = not position and self.op.any_rows  # the array itself
            if is_static(grad.dims) or is_of_rows or self._is_never_repeated(tensor):
                return grad
        return sum_to_shape_of(grad, tensor)

    def _is_never_repeated(self, tensor: Tensor) -> bool:
        """Whether broadcasting repeats no element of an operand, whatever its unknown sizes are."""
        others = [other.dims for other in self.inputs if key(other) != key(tensor)]
        if None in (tensor.dims, *others):
            return False
        if not self.op.elementwise:
            return not others
        axes = zip_longest(*map(reversed, (tensor.dims, *others)), fillvalue=1)
        return all(size not in (1, None) or {*sizes} <= {1} for size, *sizes in axes)

    def _conjugates(self) -> tuple:
        """Inputs and outputs; conjugated where complex numbers become complex numbers.

        The cotangent of a complex function is multiplied by the conjugate of its derivative, which
        is the derivative at the conjugate: rules are written for real numbers and serve both.
        """
        if not (self.op.analytic and any(tensor.dtype.is_complex for tensor in self.outputs)):
            return self.inputs, self.outputs
        return tuple(
            tuple(ops.conj(tensor) if tensor.dtype.is_complex else tensor for tensor in side)
            for side in (self.inputs, self.outputs)
        )


class ReadRecord(Record):
    """A variable was read."""

    def __init__(self, cell: Cell, output):
        self.inputs = (cell,)
        self.outputs = (output,)

    def pullback(self, cotangents: list) -> list:
        return cotangents


def sum_to_shape_of(grad: Tensor, tensor: Tensor) -> Tensor:
    """Undo broadcasting: sum the cotangent over the axes along which the operand was repeated."""
    if is_static(tensor.dims) and is_static(grad.dims):
        return sum_to_static_shape(grad, tensor.dims)
    summed = ops.sum_to_shape(grad, ops.shape(tensor))
    return summed if tensor.dims is None else ops.ensure_shape(summed, shape=tensor.dims)


def sum_to_static_shape(grad: Tensor, shape) -> Tensor:
    sizes = grad.dims or ()
    extra = len(sizes) - len(shape)
    repeated = [
        axis
        for axis, size in enumerate(sizes)
        if axis < extra or (shape[axis - extra] == 1 and size != 1)
    ]
    if repeated:
        grad = ops.reduce_sum(grad, axis=tuple(repeated), keepdims=False)
    return grad if grad.dims == tuple(shape) else ops.reshape(grad, list(shape))


# Record classes by operation, registered by the modules that define them:
# record(builder, node, inputs as tensors).
RECORDS: dict[str, Callable[..., Record]] = {}


def record_of(builder, node: Node) -> Record:
    """The record of a node of a graph that is open in `builder`."""
    if node.op.variable_access:
        return ReadRecord(node.attrs["cell"], SymbolicTensor(node.output, builder))
    inputs = tuple(SymbolicTensor(value, builder) for value in node.inputs)
    make = RECORDS.get(node.op.name)
    if make is not None:
        return make(builder, node, inputs)
    outputs = tuple(SymbolicTensor(value, builder) for value in node.outputs)
    return OpRecord(node.op, inputs, node.attrs, outputs)


def trainable_cells(graphs: Iterable[Graph]) -> list[Cell]:
    """The cells of trainable variables that graphs read, in the order of the first read.

    An assignment counts as a read of the new value.
    """
    cells: dict[int, Cell] = {}
    for graph in graphs:
        if graph.facts.trainable_cells is None:
            read = [node.attrs["cell"] for node in graph.walk() if node.op.variable_access]
            graph.facts.trainable_cells = [
                cell for cell in read if cell.trainable and is_differentiable(cell.dtype)
            ]
        cells.update((id(cell), cell) for cell in graph.facts.trainable_cells)
    return list(cells.values())


def _pulled(record: Record, incoming: list) -> list:
    """The cotangents of the inputs. What computes them belongs to the line of the forward step."""
    where = record.where
    for output in record.outputs[:1]:
        node = (
            output.builder.node_of(output.graph_value) if type(output) is SymbolicTensor else None
        )
        where = where if node is None else node.where
    token = FORWARD.set(where)
    try:
        return record.pullback(incoming)
    finally:
        FORWARD.reset(token)


def backpropagate(records: list[Record], cotangents: dict[int, Tensor], sources: set[int]) -> dict:
    """The backward pass: add the cotangents of `sources` (by key) to those of the targets.

    Steps on no path from a source to a target are skipped.
    """
    active = set(sources)
    for record in records:
        if any(key(thing) in active for thing in record.inputs):
            active.update(key(out) for out in record.outputs if is_differentiable(out.dtype))
    for record in reversed(records):
        outputs = record.outputs
        incoming = [cotangents.get(key(out)) if key(out) in active else None for out in outputs]
        if all(cotangent is None for cotangent in incoming):
            continue
        if not any(key(thing) in active for thing in record.inputs):
            continue
        for thing, grad in zip(record.inputs, _pulled(record, incoming), strict=True):
            identity = key(thing)
            if grad is None or identity not in active or not is_differentiable(thing.dtype):
                continue
            cotangents[identity] = added(cotangents.get(identity), grad)
    return cotangents
