"""The sequences of ONNX as lists of arrays, which `TensorArray` has too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from onnx import helper

from .... import DType, convert_to_tensor
from ....extend.operations import ops as by_name
from ....extend.specs import Shape, join_shapes
from ... import element_lists
from .operator_table import dtype_of, known, like, numbers, operator

ops: Any = by_name  # operations get their calls from modules that mypy does not see here


class TensorSequence(NamedTuple):
    """A list as a value of the graph, and what is known of its elements."""

    elements: Any
    dtype: DType
    shape: Shape  # of each element

    def with_elements(self, elements) -> TensorSequence:
        return self._replace(elements=elements)


def tensors_of(values: Iterable) -> list:
    """The values as tensors, which loops and branches pass on."""
    return [
        value.elements if isinstance(value, TensorSequence) else convert_to_tensor(value)
        for value in values
    ]


def sequences_again(tensors: Sequence, others: Sequence) -> list:
    """The tensors, as sequences where others are sequences."""
    return [
        other.with_elements(tensor) if isinstance(other, TensorSequence) else tensor
        for tensor, other in zip(tensors, others, strict=True)
    ]


def common(one, other):
    """What is known of a value that is one of two."""
    if not isinstance(one, TensorSequence) or not isinstance(other, TensorSequence):
        return one
    return one._replace(shape=join_shapes(one.shape, other.shape))


def declared(info, elements) -> TensorSequence:
    """The sequence that a body of a model declares."""
    tensor = info.type.sequence_type.elem_type.tensor_type
    shape = None
    if tensor.HasField("shape"):
        shape = tuple(
            one.dim_value if one.HasField("dim_value") else None for one in tensor.shape.dim
        )
    return TensorSequence(elements, dtype_of(tensor.elem_type), shape)


NEW: Shape = (-1,)  # the shape of the elements of a list that has none


def _with(sequence: TensorSequence, value, elements) -> TensorSequence:
    shape = value.dims if sequence.shape == NEW else join_shapes(sequence.shape, value.dims)
    return TensorSequence(elements, value.dtype, shape)


def _known_shape(sequence: TensorSequence) -> Shape:
    return None if sequence.shape == NEW else sequence.shape


@operator("SequenceEmpty")
def sequence_empty(*, dtype=1):
    elements = element_lists.run("new_elements", np.int32(0))
    return TensorSequence(elements, dtype_of(dtype), NEW)


@operator("SequenceConstruct")
def sequence_construct(*values):
    first = convert_to_tensor(values[0])
    sequence = sequence_empty(dtype=helper.np_dtype_to_tensor_dtype(first.dtype.numpy_dtype))
    for value in values:
        sequence = sequence_insert(sequence, value)
    return sequence


@operator("SequenceInsert")
def sequence_insert(sequence, value, position=None):
    value = convert_to_tensor(value)
    if position is None:
        count = element_lists.run("count_elements", sequence.elements)
        written = element_lists.run("write_element", sequence.elements, count, value, grows=True)
    else:
        index = _from_the_front(sequence, position)
        written = element_lists.run("insert_element", sequence.elements, index, value)
    return _with(sequence, value, written)


@operator("SequenceErase")
def sequence_erase(sequence, position=None):
    index = np.array(-1) if position is None else _index(position)
    return sequence.with_elements(element_lists.run("erase_element", sequence.elements, index))


@operator("SequenceAt")
def sequence_at(sequence, position):
    return element_lists.run(
        "read_element", sequence.elements, _from_the_front(sequence, position),
        dtype=sequence.dtype, shape=_known_shape(sequence),
    )  # fmt: skip


def _from_the_front(sequence: TensorSequence, position):
    index = _index(position)
    count = ops.cast(element_lists.run("count_elements", sequence.elements), dtype=index.dtype)
    return ops.select(ops.less(index, like(0, index)), ops.add(index, count), index)


def _index(position):
    return ops.reshape(convert_to_tensor(position), np.zeros(0, np.int64))


@operator("SequenceLength")
def sequence_length(sequence):
    count = element_lists.run("count_elements", sequence.elements)
    return ops.cast(count, dtype=dtype_of(7))


@operator("ConcatFromSequence")
def concat_from_sequence(sequence, *, axis, new_axis=0):
    shape = _known_shape(sequence)
    facts = {"dtype": sequence.dtype, "shape": shape}
    if not new_axis:
        return element_lists.run("concat_elements", sequence.elements, axis=axis, **facts)
    stacked = element_lists.run("stack_elements", sequence.elements, **facts)
    if axis == 0:
        return stacked
    order = list(range(1, len(stacked.dims)))
    order.insert(axis % len(stacked.dims), 0)
    return ops.transpose(stacked, perm=order)


@operator("SplitToSequence")
def split_to_sequence(x, split=None, *, axis=0, keepdims=1):
    x = convert_to_tensor(x)
    axis %= len(x.dims)
    sizes = list(x.dims)
    if split is None and not keepdims:
        order = [axis, *(number for number in range(len(sizes)) if number != axis)]
        elements = element_lists.run("unstack_elements", ops.transpose(x, perm=order))
        del sizes[axis]
        return TensorSequence(elements, x.dtype, tuple(sizes))
    sizes[axis] = None
    lengths = _lengths(x, np.array(1) if split is None else split, axis)
    elements = element_lists.run("split_elements", x, lengths, axis=axis)
    return TensorSequence(elements, x.dtype, tuple(sizes))


def _lengths(x, split, axis: int):
    """The lengths of the sections; one number is that of all of them but the last."""
    found = known(split)
    if found is None or found.ndim:
        return convert_to_tensor(split)
    (each,) = numbers(found, "split")
    count = ops.shape(x, dtype=dtype_of(7))[axis]
    starts = ops.range(np.int64(0), count, np.int64(each))
    return ops.minimum(ops.subtract(count, starts), np.int64(each))
