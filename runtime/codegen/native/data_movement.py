"""Operations that only move elements, as native text: joining, views, items, stacks of loops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.axes import normal_axis
from ...ir.graph import Node, Value
from ...ir.indexing import Slot, expanded, slice_length
from .operands import Access

if TYPE_CHECKING:
    from .loop_nests import NestWriter


def _set_by_loop(writer: NestWriter, node: Node, depth: int) -> None:
    """The value as it is, behind a check that ends the kernel."""
    given, ran = node.inputs
    writer.line(depth, f"if not {writer.read(ran)}:")
    writer.line(depth + 1, "raise AssertionError")
    writer.alias(node.output, given)


def _push(writer: NestWriter, node: Node, depth: int) -> None:
    """A stack has one owner: it grows where it is."""
    stack, index, value = node.inputs
    rows, place = writer.read(stack), writer.read(index)
    writer.names[node.output] = rows
    writer.line(depth, f"{rows} = with_room({rows}, {place})")
    element = f"{rows}[{place}]"
    if value.shape:
        writer.line(depth, f"copy_elements({element}, {writer.read(value)})")
    else:
        writer.line(depth, f"{element} = {writer.read(value)}")


def _peek(writer: NestWriter, node: Node, depth: int) -> None:
    stack, index = node.inputs
    name = writer.name(node.output)
    writer.line(depth, f"{name} = {writer.read(stack)}[{writer.read(index)}]")
    if node.output.shape:
        writer.views.add(name)
    writer.buffers.share(node.output, stack)


def _joined(writer: NestWriter, node: Node, depth: int) -> None:
    """`stack` and `concat`: each operand is copied to its place."""
    made, result = node.output, writer.buffer(node.output, depth)
    axis = normal_axis(node.attrs["axis"], len(made.shape))
    start = 0
    for value in node.inputs:
        indices = [f"i{place}" for place in range(len(value.shape))]
        for index, size in zip(indices, value.shape, strict=True):
            writer.line(depth, f"for {index} in range({size}):")
            depth += 1
        places = list(indices)
        if node.op.name == "stack":
            places.insert(axis, str(start))
            start += 1
        else:
            places[axis] = f"{start} + {places[axis]}"
            start += value.shape[axis]
        writer.line(depth, f"{result}[{', '.join(places)}] = {writer.element_at(value, indices)}")
        depth -= len(indices)


def _reshaped(writer: NestWriter, node: Node, depth: int) -> None:
    """A view: buffers are contiguous."""
    given, made = node.inputs[0], node.output
    if given.shape == made.shape:
        writer.alias(made, given)
    elif not made.shape:
        zeros = ", ".join("0" for _ in given.shape)
        writer.line(depth, f"{writer.name(made)} = {writer.read(given)}[{zeros}]")
    elif not given.shape:
        zeros = ", ".join("0" for _ in made.shape)
        writer.line(depth, f"{writer.buffer(made, depth)}[{zeros}] = {writer.read(given)}")
    else:
        name, rows = writer.name(made), writer.read(given)
        writer.line(depth, f"{name} = reshaped({rows}, {made.shape})")
        if rows in writer.views:
            writer.views.add(name)
        writer.buffers.share(made, given)


def changeable(writer: NestWriter, made: Value, given: Value, depth: int) -> str:
    """`made` with the elements of `given`: in its memory if nobody else reads that, else a copy."""
    if given in writer.dying and writer.buffers.is_alone(given):
        writer.alias(made, given)
    else:
        writer.line(depth, f"copy_elements({writer.buffer(made, depth)}, {writer.read(given)})")
    return writer.read(made)


def _set_item(writer: NestWriter, node: Node, depth: int) -> None:
    target, value, *scalars = node.inputs
    made = changeable(writer, node.output, target, depth)
    access, axis = Access(writer, target), 0
    places, indices, loops = [], [], []  # in the target; in the value; what runs
    for row in expanded(node.attrs["index"], len(target.shape)):
        if row is None:
            indices.append("0")
            continue
        if type(row) is tuple:
            index = f"i{axis}"
            indices.append(index)
            places.append(access.slice(axis, row, index, scalars))
            loops.append((index, slice_length(row, target.shape[axis])))
        else:
            place = writer.read(scalars[row.place]) if type(row) is Slot else row
            places.append(access.index(axis, place))
        axis += 1
    writer.write_fixed(len(writer.lines), depth)
    for variable, size in loops:
        writer.line(depth, f"for {variable} in range({size}):")
        depth += 1
    own = indices[len(indices) - len(value.shape) :]
    own = ["0" if size == 1 else index for index, size in zip(own, value.shape, strict=True)]
    writer.line(depth, f"{made}[{', '.join(places)}] = {writer.element_at(value, own)}")


FORMS = {
    "stack": _joined,
    "concat": _joined,
    "reshape": _reshaped,
    "ensure_shape": _reshaped,
    "set_item": _set_item,
    "set_by_loop": _set_by_loop,
    "stack_push": _push,
    "stack_peek": _peek,
}
