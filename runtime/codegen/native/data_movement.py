"""Operations that only move elements, as source: joining, views, items, stacks of loops."""

from __future__ import annotations

from ...core.axes import normal_axis
from ...core.shapes import size_of
from ...ir.graph import Node, Value, dims, elements_of
from ...ir.indexing import Slot, expanded, slice_length
from ...lowering.buffer_assignment import InBuffer, ReuseOperand, may_grow
from ...lowering.not_native import NotNativeError
from .elements import Access, log_update, own_indices, updated_positions
from .kernel_writer import KernelWriter


def _set_by_loop(writer: KernelWriter, node: Node) -> None:
    """The value as it is, behind a check that ends the kernel."""
    operand, ran = node.inputs
    writer.fail_when(f"not {writer.read(ran)}")
    writer.alias(node.output, operand)


def _push(writer: KernelWriter, node: Node) -> None:
    """A stack has one owner: it grows where it is."""
    stack, index, value = node.inputs
    rows, position = writer.read(stack), writer.read(index)
    writer.names[node.output] = rows
    writer.line(f"{rows} = ensure_capacity({rows}, {position}, {writer.expected_iterations})")
    element = f"{rows}[{position}]"
    if value.shape:
        writer.line(f"copy_elements({element}, {writer.read(value)})")
    else:
        writer.line(f"{element} = {writer.read(value)}")


def _peek(writer: KernelWriter, node: Node) -> None:
    stack, index = node.inputs
    name = writer.name(node.output)
    writer.line(f"{name} = {writer.read(stack)}[{writer.read(index)}]")


# ---- arrays that grow ------------------------------------------------------------------------


def _with_length(writer: KernelWriter, node: Node) -> None:
    rows, length = node.inputs
    source, least = writer.read(rows), writer.read(length)
    in_place = isinstance(writer.memory[node.output], ReuseOperand)
    name = writer.buffer(node.output)
    form = f"with_length({name}, {least})" if in_place else f"copy_rows({source}, {least})"
    writer.line(f"{name} = {form}")


def _rows(writer: KernelWriter, node: Node) -> None:
    """Rows of an array that grows: one as a copy, since it may be overwritten, or the first."""
    operand, *scalars = node.inputs
    (first, *rest) = expanded(node.attrs["index"], len(dims(operand)))
    source = writer.read(operand)
    if type(first) is not tuple:
        given, access = [Access(writer, one) for one in scalars], Access(writer, operand)
        numbers = [row for row in (first, *rest) if type(row) is not tuple]
        picked = (access.picked(axis, at, given) for axis, at in enumerate(numbers))
        row = f"{source}[{', '.join(picked)}]"
        writer.write_hoisted()
        if node.output.shape:
            writer.line(f"copy_elements({writer.buffer(node.output)}, {row})")
        else:
            writer.line(f"{writer.name(node.output)} = {row}")
        return
    start, stop, step = first
    if start not in (None, 0) or step not in (None, 1) or stop is None:
        raise NotNativeError("such a part of an array that grows", node.where)
    stop = writer.read(scalars[stop.position]) if type(stop) is Slot else stop
    in_place = isinstance(writer.memory[node.output], ReuseOperand)
    name = writer.buffer(node.output) if in_place else writer.view_name(node.output)
    writer.line(f"{name} = first_rows({source}, {stop})")


def _shape(writer: KernelWriter, node: Node) -> None:
    (rows,), out = node.inputs, writer.buffer(node.output)
    for position, size in enumerate(dims(rows)):
        count = size if position else f"len({writer.read(rows)})"
        writer.line(f"{out}[{position}] = {count}")


def _joined(writer: KernelWriter, node: Node) -> None:
    """`stack` and `concat`: each operand is copied to where it belongs."""
    output, result = node.output, writer.buffer(node.output)
    axis = normal_axis(node.attrs["axis"], len(dims(output)))
    start = 0
    for value in node.inputs:
        indices = [f"i{position}" for position in range(len(dims(value)))]
        positions = list(indices)
        if node.op.name == "stack":
            positions.insert(axis, str(start))
            start += 1
        else:
            positions[axis] = f"{start} + {positions[axis]}"
            start += dims(value)[axis]
        with writer.loops(indices, dims(value)):
            element = writer.element_at(value, indices)
            writer.line(f"{result}[{', '.join(positions)}] = {element}")


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
        zeros = ", ".join("0" for _ in dims(operand))
        writer.line(f"{writer.name(output)} = {writer.read(operand)}[{zeros}]")
    elif not operand.shape:
        zeros = ", ".join("0" for _ in dims(output))
        writer.line(f"{writer.buffer(output)}[{zeros}] = {writer.read(operand)}")
    elif isinstance(writer.memory[output], InBuffer):  # reshaped back
        writer.buffer(output)
    else:
        source, name = writer.read(operand), writer.view_name(output)
        writer.line(f"{name} = reshaped({source}, {output.shape})")
        if source in writer.logs:
            writer.logs[name] = writer.logs[source]


def changeable(writer: KernelWriter, output: Value, operand: Value) -> str:
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
    indices = [f"i{axis}" for axis in range(len(sizes))]
    positions = updated_positions(writer, node, indices)
    writer.write_hoisted()
    log_update(writer, node, positions)
    own = ["0" if axis is None else indices[axis] for axis in along]
    missing = len(dims(value)) - len(own)  # axes of size 1 before those of the part
    own = ["0"] * missing + own[max(-missing, 0) :]
    own = ["0" if size == 1 else index for index, size in zip(own, dims(value), strict=True)]
    with writer.loops(indices, map(writer.size, sizes)):
        writer.line(f"{output}[{', '.join(positions)}] = {writer.element_at(value, own)}")


# ---- masks -----------------------------------------------------------------------------------


def _compressed(writer: KernelWriter, node: Node) -> None:
    """The chosen slices, one after the other. Single elements are stored in any case: the next one
    replaces those that are not chosen.
    """
    x, mask, _ = node.inputs
    name, count, rest = f"s{next(writer.count)}", elements_of(mask), dims(x)[len(dims(mask)) :]
    width, out = size_of(rest), writer.buffer(node.output)
    writer.line(f"{name}_at = {writer.read(mask)}.reshape({count})")
    writer.line(f"{name}_x = {writer.read(x)}.reshape({(count, width)})")
    writer.line(f"{name}_y = {out}.reshape({(count, width)})")
    writer.line(f"{name} = 0")
    with writer.loop("t", f"range({_length(writer, mask)})"):
        if width == 1:
            writer.line(f"{name}_y[{name}, 0] = {name}_x[t, 0]")
            writer.line(f"{name} += np.int64({name}_at[t])")
            return
        with writer.when(f"{name}_at[t]"):
            with writer.loop("j", f"range({width})"):
                writer.line(f"{name}_y[{name}, j] = {name}_x[t, j]")
            writer.line(f"{name} += 1")


def _replaced_by_mask(writer: KernelWriter, node: Node) -> None:
    x, mask, value = node.inputs
    name, count, rest = f"s{next(writer.count)}", elements_of(mask), dims(x)[len(dims(mask)) :]
    if not dims(mask) or len(dims(value)) > 1 + len(rest):
        raise NotNativeError("a value of more axes than what a mask chooses", node.where)
    changed = changeable(writer, node.output, x)
    writer.line(f"{name}_at = {writer.read(mask)}.reshape({count})")
    writer.line(f"{name}_y = {changed}.reshape({(count, *map(int, rest))})")
    is_each = len(dims(value)) == 1 + len(rest) and dims(value)[0] != 1
    if is_each:
        writer.line(f"{name} = 0")
        with writer.loop("t", f"range({_length(writer, mask)})"):
            writer.line(f"{name} += np.int64({name}_at[t])")
        writer.fail_when(f"{name} != {writer.size(dims(value)[0])}")
    writer.line(f"{name} = 0")
    test = f"{name}_at[t]"
    if is_each:  # another thread may have changed the mask
        test += f" and {name} < {writer.size(dims(value)[0])}"
    indices = [name, *(f"i{axis}" for axis in range(len(rest)))]
    with writer.loop("t", f"range({_length(writer, mask)})"), writer.when(test):
        with writer.loops(indices[1:], map(writer.size, rest)):
            new = writer.element_at(value, own_indices(indices, value))
            writer.line(f"{name}_y[{', '.join(['t', *indices[1:]])}] = {new}")
        writer.line(f"{name} += 1")


def _length(writer: KernelWriter, mask: Value) -> str:
    """The number of elements of a mask; a computed one has one axis."""
    return writer.size(dims(mask)[0]) if len(dims(mask)) == 1 else str(elements_of(mask))


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
    "compressed": _compressed,
    "replaced_by_mask": _replaced_by_mask,
    "memory_of": _reshaped,
}
