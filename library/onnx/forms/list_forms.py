"""ONNX forms of lists that grow, as sequences."""

from __future__ import annotations

import numpy as np

from .... import int32
from ....extend.graphs import Node, Value
from ....extend.operations import full_constant
from ....extend.specs import STACK
from ... import element_lists  # noqa: F401 - declares the operations
from .counted_loops import repeated
from .list_types import Element
from .table import NoFormError, form
from .writer import Writer, element_type

MOST_AXES = 7  # of what stands for elements of which nothing is known


def element_of(to: Writer, value: Value) -> Element:
    """What the elements of a list are. Raises NoFormError where they are lists."""
    element = to.lists[value]
    if element.dtype is STACK:
        raise NoFormError("lists of lists have no ONNX form")
    return element


def empty_sequence(to: Writer, value: Value) -> str:
    return to.op("SequenceEmpty", dtype=element_type(element_of(to, value).dtype))


@form("new_elements")
def new_elements(to: Writer, node: Node, size: str):
    empty = empty_sequence(to, node.output)
    known = full_constant(node.inputs[0])
    if known is not None and not known.any():
        return empty
    return _lengthened(to, node.output, empty, to.op("Squeeze", to.dimensions(size, 1)))


def _lengthened(to: Writer, value: Value, elements: str, count: str) -> str:
    """The list with `count` elements more, which are not written.

    They have one axis more than elements that are, so nothing joins them.
    """
    element = element_of(to, value)
    rank = MOST_AXES if element.rank is None else element.rank + 1
    blank = to.const(np.zeros((0,) * rank, element.dtype.numpy_dtype))

    def step(iteration, names):
        return [to.op("SequenceInsert", names[0], blank)]

    return repeated(to, count, [elements], [value], step)[0]


@form("write_element")
def write_element(to: Writer, node: Node, elements: str, index: str, value: str):
    index = to.int64(index)

    def replaced():
        return [to.op("SequenceInsert", to.op("SequenceErase", elements, index), value, index)]

    def appended():
        missing = to.op("Sub", index, to.op("SequenceLength", elements))
        return [to.op("SequenceInsert", _lengthened(to, node.output, elements, missing), value)]

    if not node.attrs["grows"]:
        return replaced()[0]
    branches = {
        key: to.subgraph(key, [], write, node.outputs)
        for key, write in (("then_branch", replaced), ("else_branch", appended))
    }
    return to.op("If", to.op("Less", index, to.op("SequenceLength", elements)), **branches)


@form("insert_element")
def insert_element(to: Writer, node: Node, elements: str, index: str, value: str):
    return to.op("SequenceInsert", elements, value, to.int64(index))


@form("erase_element")
def erase_element(to: Writer, node: Node, elements: str, index: str):
    return to.op("SequenceErase", elements, to.int64(index))


@form("read_element")
def read_element(to: Writer, node: Node, elements: str, index: str):
    return to.op("SequenceAt", elements, to.int64(index))


@form("count_elements")
def count_elements(to: Writer, node: Node, elements: str):
    return to.cast(to.op("SequenceLength", elements), int32)


@form("stack_elements")
def stack_elements(to: Writer, node: Node, elements: str):
    shape = node.attrs["shape"]
    return _joined(to, node, elements, (None, *(shape or ())), axis=0, new_axis=1)


@form("concat_elements")
def concat_elements(to: Writer, node: Node, elements: str):
    shape, axis = list(node.attrs["shape"] or [None]), node.attrs.get("axis", 0)
    shape[axis] = None
    return _joined(to, node, elements, shape, axis=axis, new_axis=0)


def _joined(to: Writer, node: Node, elements: str, shape, **how: int) -> str:
    """The elements along an axis; ONNX joins no empty list. Open sizes are 0 then."""

    def nothing():
        return [to.const(np.zeros([size or 0 for size in shape], node.output.dtype.numpy_dtype))]

    def joined():
        return [to.op("ConcatFromSequence", elements, **how)]

    branches = {
        key: to.subgraph(key, [], write, node.outputs)
        for key, write in (("then_branch", nothing), ("else_branch", joined))
    }
    is_empty = to.op("Equal", to.op("SequenceLength", elements), to.const(np.int64(0)))
    return to.op("If", is_empty, **branches)


@form("split_elements")
def split_elements(to: Writer, node: Node, value: str, lengths: str):
    axis = node.attrs.get("axis", 0)
    return to.op("SplitToSequence", value, to.int64(lengths), axis=axis, keepdims=1)


@form("unstack_elements")
def unstack_elements(to: Writer, node: Node, value: str):
    return to.op("SplitToSequence", value, axis=0, keepdims=0)


@form("stack_push")
def stack_push(to: Writer, node: Node, rows: str, index: str, value: str):
    """A value that a loop saves: elements of one shape are rows of an array."""
    if node.inputs[0].dtype is STACK:
        element_of(to, node.inputs[0])
        return to.op("SequenceInsert", rows, value)
    end = to.dimensions(index, 1)
    kept = to.op("Slice", rows, to.ints(0), end, to.ints(0))
    return to.op("Concat", kept, to.op("Unsqueeze", value, to.ints(0)), axis=0)


@form("stack_peek")
def stack_peek(to: Writer, node: Node, rows: str, index: str):
    if node.inputs[0].dtype is STACK:
        element_of(to, node.inputs[0])
        return to.op("SequenceAt", rows, to.int64(index))
    return to.op("Gather", rows, index, axis=0)
