"""Operations that only move elements: joining, views, items, stacks of loops."""

from __future__ import annotations

import math

from ...core.shapes import normal_axis
from ...ir.graph import Node, Value, dims, elements_of
from ...ir.indexing import Slot, expanded, slice_length
from ...kernel_ir.nodes import Expression, Name, Operand, call, reshape
from ...lowering.buffer_assignment import InBuffer, ReuseOperand, may_grow
from ...lowering.not_native import NotNativeError
from .elements import Access, log_update, own_indices, updated_positions
from .kernel_writer import KernelWriter, indices_of


def _set_by_loop(writer: KernelWriter, node: Node) -> None:
    """The value as it is, behind a check that ends the kernel."""
    operand, ran = node.inputs
    writer.fail_when(writer.read(ran).negated())
    writer.alias(node.output, operand)


def _push(writer: KernelWriter, node: Node) -> None:
    """A stack has one owner: it grows where it is."""
    stack, index, value = node.inputs
    rows, position = writer.read(stack), writer.read(index)
    writer.names[node.output] = rows
    writer.let(rows, call("ensure_capacity", rows, position, writer.expected_iterations))
    if value.shape:
        writer.call("copy_elements", rows[position], writer.read(value))
    else:
        writer.let(rows[position], writer.read(value))


def _peek(writer: KernelWriter, node: Node) -> None:
    stack, index = node.inputs
    name = writer.name(node.output)
    writer.let(name, writer.read(stack)[writer.read(index)])


def _zeros(writer: KernelWriter, node: Node) -> None:
    """As many rows as a stack has."""
    if not may_grow(node.output):  # whose buffer is not its own
        raise NotNativeError("zeros of an array whose shape turned out to be known", node.where)
    rows = writer.read(node.inputs[0])
    zeros = call("copy_rows", call("first_rows", rows, 0), call("len", rows))
    writer.let(writer.buffer(node.output), zeros)


# ---- arrays that grow ------------------------------------------------------------------------


def _with_length(writer: KernelWriter, node: Node) -> None:
    rows, length = node.inputs
    source, least = writer.read(rows), writer.read(length)
    in_place = isinstance(writer.memory[node.output], ReuseOperand)
    name = writer.buffer(node.output)
    form = call("with_length", name, least) if in_place else call("copy_rows", source, least)
    writer.let(name, form)


def _rows(writer: KernelWriter, node: Node) -> None:
    """Rows of an array that grows: one as a copy, since it may be overwritten, or the first."""
    operand, *scalars = node.inputs
    (first, *rest) = expanded(node.attrs["index"], len(dims(operand)))
    source = writer.read(operand)
    if type(first) is not tuple:
        indices, access = [Access(writer, scalar) for scalar in scalars], Access(writer, operand)
        numbers = [row for row in (first, *rest) if type(row) is not tuple]
        row = source[tuple(access.picked(axis, at, indices) for axis, at in enumerate(numbers))]
        writer.write_hoisted()
        if node.output.shape:
            writer.call("copy_elements", writer.buffer(node.output), row)
        else:
            writer.let(writer.name(node.output), row)
        return
    start, stop, step = first
    if start not in (None, 0) or step not in (None, 1) or stop is None:
        raise NotNativeError("such a part of an array that grows", node.where)
    stop = writer.read(scalars[stop.position]) if type(stop) is Slot else stop
    in_place = isinstance(writer.memory[node.output], ReuseOperand)
    name = writer.buffer(node.output) if in_place else writer.view_name(node.output)
    writer.let(name, call("first_rows", source, stop))


def _shape(writer: KernelWriter, node: Node) -> None:
    (rows,), out = node.inputs, writer.buffer(node.output)
    for position, size in enumerate(dims(rows)):
        count = size if position else call("len", writer.read(rows))
        writer.let(out[position], count)


def _joined(writer: KernelWriter, node: Node) -> None:
    """`stack` and `concat`: each operand is copied to where it belongs."""
    output, result = node.output, writer.buffer(node.output)
    axis = normal_axis(node.attrs["axis"], len(dims(output)))
    start = 0
    for value in node.inputs:
        indices = indices_of(range(len(dims(value))))
        positions: list[Operand] = list(indices)
        if node.op.name == "stack":
            positions.insert(axis, start)
            start += 1
        else:
            positions[axis] = start + indices[axis]
            start += dims(value)[axis]
        with writer.loops(indices, dims(value)):
            writer.let(result[tuple(positions)], writer.element_at(value, indices))


def _reshaped(writer: KernelWriter, node: Node) -> None:
    """A view: buffers are contiguous."""
    _in_shape(writer, node.inputs[0], node)


def _in_shape(writer: KernelWriter, operand: Value, node: Node) -> None:
    output = node.output
    if operand.shape == output.shape:
        writer.alias(output, operand)
    elif may_grow(operand) or may_grow(output):
        raise NotNativeError(f"'{node.op.name}' of an array that grows", node.where)
    elif not output.shape:
        writer.let(writer.name(output), writer.read(operand)[(0,) * len(dims(operand))])
    elif not operand.shape:
        writer.let(writer.buffer(output)[(0,) * len(dims(output))], writer.read(operand))
    elif isinstance(writer.memory[output], InBuffer):  # reshaped back
        writer.buffer(output)
    else:
        source, name = writer.read(operand), writer.view_name(output)
        writer.let(name, call("reshaped", source, output.shape))
        log = writer.log_of(operand)
        if log is not None:
            writer.logs[name.id] = log


def changeable(writer: KernelWriter, output: Value, operand: Value) -> Name:
    """`output` with the elements of `operand`: in its memory, or in a copy, as planned."""
    source, location = writer.read(operand), writer.memory[output]
    if isinstance(location, ReuseOperand):
        return writer.buffer(output)
    return writer.copied(output, location, source)


def _set_item(writer: KernelWriter, node: Node) -> None:
    if not dims(node.output):  # all of a number
        _in_shape(writer, node.inputs[1], node)
        return
    rows = expanded(node.attrs["index"], len(dims(node.inputs[0])))
    sizes: list = []  # of the part that is replaced
    along: list = []  # the axis of the part, by axis of the value; None for a new one
    axis = 0
    for row in rows:
        along.append(None if row is None else len(sizes))
        if type(row) is tuple:
            size = dims(node.inputs[0])[axis]
            if size is None:
                raise NotNativeError("several rows of an array that grows are set", node.where)
            sizes.append(slice_length(row, size))
        elif row is not None:
            along.pop()
        axis += row is not None
    _update(writer, node, sizes, along)


def _set_window(writer: KernelWriter, node: Node) -> None:
    sizes = node.attrs["sizes"]
    _update(writer, node, sizes, list(range(len(sizes))))


def _update(writer: KernelWriter, node: Node, sizes, along: list) -> None:
    """Replace a part of an array, whose axes have `sizes`; a value has the axes `along`."""
    target, value = node.inputs[:2]
    output = changeable(writer, node.output, target)
    if writer.updates.get(value) is node:  # a nest has written it
        del writer.updates[value]
        return
    indices = indices_of(range(len(sizes)))
    positions = updated_positions(writer, node, indices)
    writer.write_hoisted()
    log_update(writer, node, positions)
    own: list[Operand] = [0 if axis is None else indices[axis] for axis in along]
    missing = len(dims(value)) - len(own)  # axes of size 1 before those of the part
    own = [0] * missing + own[max(-missing, 0) :]
    with writer.loops(indices, map(writer.size, sizes)):
        element = writer.element_at(value, own_indices(own, value))
        writer.let(output[tuple(positions)], element)


# ---- masks -----------------------------------------------------------------------------------


def _compressed(writer: KernelWriter, node: Node) -> None:
    """The chosen slices, one after the other. Single elements are stored in any case: the next one
    replaces those that are not chosen.
    """
    x, mask, _ = node.inputs
    name, t, j = writer.unused("s"), Name("t"), Name("j")
    count, rest = elements_of(mask), dims(x)[len(dims(mask)) :]
    width, out = math.prod(rest), writer.buffer(node.output)
    chosen, from_, to = (name.with_suffix(suffix) for suffix in ("_at", "_x", "_y"))
    writer.let(chosen, reshape(writer.read(mask), count))
    writer.let(from_, reshape(writer.read(x), (count, width)))
    writer.let(to, reshape(out, (count, width)))
    writer.let(name, 0)
    with writer.loop(t, _length(writer, mask)):
        if width == 1:
            writer.let(to[name, 0], from_[t, 0])
            writer.update(name, "+", call("np.int64", chosen[t]))
            return
        with writer.when(chosen[t]):
            with writer.loop(j, width):
                writer.let(to[name, j], from_[t, j])
            writer.update(name, "+", 1)


def _replaced_by_mask(writer: KernelWriter, node: Node) -> None:
    x, mask, value = node.inputs
    name, t = writer.unused("s"), Name("t")
    count, rest = elements_of(mask), dims(x)[len(dims(mask)) :]
    if not dims(mask) or len(dims(value)) > 1 + len(rest):
        raise NotNativeError("a value of more axes than what a mask chooses", node.where)
    changed = changeable(writer, node.output, x)
    chosen, to = name.with_suffix("_at"), name.with_suffix("_y")
    writer.let(chosen, reshape(writer.read(mask), count))
    writer.let(to, reshape(changed, (count, *rest)))
    is_each = len(dims(value)) == 1 + len(rest) and dims(value)[0] != 1
    test: Expression = chosen[t]
    if is_each:
        rows = writer.size(dims(value)[0])
        writer.let(name, 0)
        with writer.loop(t, _length(writer, mask)):
            writer.update(name, "+", call("np.int64", chosen[t]))
        writer.fail_when(name.differs(rows))
        test = test.joined("and", name < rows)  # another thread may have changed the mask
    writer.let(name, 0)
    indices = indices_of(range(len(rest)))
    with writer.loop(t, _length(writer, mask)), writer.when(test):
        with writer.loops(indices, map(writer.size, rest)):
            new = writer.element_at(value, own_indices((name, *indices), value))
            writer.let(to[(t, *indices)], new)
        writer.update(name, "+", 1)


def _length(writer: KernelWriter, mask: Value) -> Operand:
    """The number of elements of a mask; a computed one has one axis."""
    return writer.size(dims(mask)[0]) if len(dims(mask)) == 1 else elements_of(mask)


FORMS = {
    "set_window": _set_window,
    "stack": _joined,
    "concat": _joined,
    "reshape": _reshaped,
    "ensure_shape": _reshaped,
    "set_item": _set_item,
    "ensure_length": _with_length,
    "strided_slice": _rows,
    "shape": _shape,
    "set_by_loop": _set_by_loop,
    "stack_push": _push,
    "stack_peek": _peek,
    "stack_zeros": _zeros,
    "compressed": _compressed,
    "replaced_by_mask": _replaced_by_mask,
    "memory_of": _reshaped,
}
