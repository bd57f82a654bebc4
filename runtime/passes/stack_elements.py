"""Finds the elements of the stacks that loops save for gradients, once the shapes of a call are
known: a list of values of one shape becomes an array, and one value in all iterations a constant
where it is read.

    saved = []                                 saved = zeros((0, 3))
    for i:                                     for i:
        saved = push(saved, i, y)                  saved = push(saved, i, y)
    for i:                                     for i:
        y: [?] = peek(saved, i)                    y: [3] = peek(saved, i)

`Elements` tells of each stack a value that stands for all of its elements, as far as they are
alike: one that is a stack itself has elements, too.
"""

from __future__ import annotations

from dataclasses import replace

from ..core.dtypes import stack
from ..core.errors import ShapeError
from ..core.shapes import join, merge
from ..ir.constant_values import constant_node, full_constant
from ..ir.graph import Node, Value
from ..ir.indexing import Slot
from ..ir.op import TABLE, Spec
from ..ir.saved_lists import empty_stack, items_of, stack_spec

NOTHING = Value(stack, ())  # the element of a stack that has none
ROW = {"index": (Slot(0), ...)}


class Elements(dict[Value, Value]):
    """A value like the elements of each stack; none for a stack whose elements are not known."""

    def of(self, value: Value) -> Value | None:
        """A value like the elements of a stack."""
        constant = full_constant(value)
        if constant is None:
            return self.get(value)
        is_empty = not items_of(constant) if value.dtype is stack else constant.shape[:1] == (0,)
        return NOTHING if is_empty else None

    def note(self, value: Value, element: Value | None) -> None:
        """A value has elements like this one; nothing is known of them for None."""
        if element is not None:
            self[value] = element

    def joined(self, first: Value | None, second: Value | None) -> Value | None:
        """A value like the elements of either of two stacks."""
        if first is None or second is None or first is second:
            return first and second
        if NOTHING in (first, second):
            return second if first is NOTHING else first
        if first.dtype is not second.dtype:
            return None
        is_same = _content_of_constant(first) == _content_of_constant(second)
        shape = join(first.shape, second.shape)
        element = Value(first.dtype, shape, first.name, first.constant if is_same else None)
        self.note(element, self.joined(self.of(first), self.of(second)))
        return element

    def facts(self, value: Value | None):
        """The facts of a value and of its elements, to compare."""
        if value is None or value is NOTHING:
            return value
        return value.dtype, value.shape, _content_of_constant(value), self.facts(self.of(value))

    def either(self, first: Value, second: Value) -> Value:
        """A value that is one of two, by their types and elements."""
        element = self.joined(self.of(first), self.of(second))
        if stack not in (first.dtype, second.dtype):
            spec = Spec(first.dtype, join(first.shape, second.shape))
        else:
            spec = Spec(stack, ()) if element is None else stack_spec(element)
        value = replace(first, dtype=spec.dtype, shape=spec.shape, constant=None)
        self.note(value, element)
        return value

    def as_type_of(self, value: Value, other: Value, nodes: list[Node]) -> Value:
        """A value as one of the type of another: an empty list is an array without rows, and what
        nothing reads is anything. `nodes` get those that make it.
        """
        if value.dtype is other.dtype and value.shape == other.shape:
            return value
        is_blank = any(node.op is TABLE["blank"] and value is node.output for node in nodes)
        if value.dtype is other.dtype and not is_blank:
            return value
        if not is_blank and self.of(value) is not NOTHING:
            raise ShapeError(f"'{value.name}' is a list of values of several shapes")
        if other.dtype is stack or (other.shape and other.shape[0] is None):
            rows = empty_stack(other.dtype, (other.shape or ())[1:])
            nodes.append(constant_node(rows, value.name))
        else:
            attrs = {"dtype": other.dtype, "shape": other.shape}
            new = Value(other.dtype, other.shape, value.name)
            nodes.append(Node(TABLE["blank"], (), attrs, (new,)))
        return nodes[-1].output

    def without_constants(self, element: Value | None) -> Value | None:
        """A value like the cotangents of such an element."""
        if element is None or element is NOTHING:
            return None
        new = replace(element, constant=None)
        self.note(new, self.without_constants(self.of(element)))
        return new


def _content_of_constant(value: Value) -> str | None:  # where zeros have signs, and NaN is itself
    constant = value.constant
    return None if constant is None else repr((constant.shape, constant.tolist()))


# ---- operations on stacks ------------------------------------------------------------------------


def push(node: Node, elements: Elements) -> list[Node]:
    held, index, value = node.inputs
    element, nodes = elements.joined(elements.of(held), value), list[Node]()
    is_list = node.output.dtype is stack and (element is None or element is NOTHING)
    spec = Spec(stack, ()) if is_list else stack_spec(element or value)
    output = replace(node.output, dtype=spec.dtype, shape=spec.shape)
    elements.note(output, element)
    if held.dtype is stack is not output.dtype:
        held = elements.as_type_of(held, output, nodes)
    return [*nodes, replace(node, inputs=(held, index, value), outputs=(output,))]


def peek(node: Node, elements: Elements) -> list[Node]:
    element, attrs = elements.of(node.inputs[0]), node.attrs
    if element is None or element is NOTHING:
        return [node]
    is_same = element.dtype is attrs["dtype"]
    shape = merge(element.shape, attrs["shape"]) if is_same else element.shape
    output = replace(node.output, dtype=element.dtype, shape=shape, constant=element.constant)
    elements.note(output, elements.of(element))
    return [replace(node, attrs={"dtype": element.dtype, "shape": shape}, outputs=(output,))]


def zeros(node: Node, elements: Elements) -> list[Node]:
    (held,) = node.inputs
    output = replace(node.output, dtype=held.dtype, shape=held.shape)
    elements.note(output, elements.without_constants(elements.of(held)))
    return [replace(node, outputs=(output,))]


def of_one(node: Node, elements: Elements) -> list[Node]:
    held, index, value = node.inputs
    (first,) = zeros(replace(node, op=TABLE["stack_zeros"], inputs=(held,), attrs={}), elements)
    if held.dtype is stack:
        return [replace(node, outputs=first.outputs)]
    output = replace(first.output)
    elements.note(output, elements.of(first.output))
    return [
        first,
        Node(TABLE["set_item"], (first.output, value, index), ROW, (output,), node.where),
    ]


def peek_like(node: Node, elements: Elements) -> list[Node]:
    cotangents, index, value = node.inputs
    output = replace(node.output, dtype=value.dtype, shape=value.shape)
    elements.note(output, elements.without_constants(elements.of(value)))
    if cotangents.dtype is stack:
        return [replace(node, outputs=(output,))]
    attrs = {"dtype": value.dtype, "shape": value.shape}
    inputs = (cotangents, index)
    return [replace(node, op=TABLE["stack_peek"], inputs=inputs, attrs=attrs, outputs=(output,))]


def total(node: Node, elements: Elements) -> list[Node]:
    both, nodes = elements.either(*node.inputs), list[Node]()
    inputs = tuple(elements.as_type_of(value, both, nodes) for value in node.inputs)
    output = replace(node.output, dtype=both.dtype, shape=both.shape)
    elements.note(output, elements.of(both))
    op = node.op if both.dtype is stack else TABLE["add"]
    return [*nodes, replace(node, op=op, inputs=inputs, outputs=(output,))]


BY_OP = {
    "stack_push": push,
    "stack_peek": peek,
    "stack_zeros": zeros,
    "stack_of_one": of_one,
    "stack_peek_like": peek_like,
    "stack_sum": total,
}
