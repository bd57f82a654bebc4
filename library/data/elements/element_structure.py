"""Elements as structures: their specifications, and the way to flat arrays and back."""

from __future__ import annotations

import numpy as np

from ....runtime.core.errors import ShapeError
from ....runtime.core.shapes import show
from ....runtime.ir.op import Spec
from ....runtime.tensors.apply import convert_to_tensor, tensor_of
from ....runtime.tensors.tensor import EagerTensor
from ....tracing.staged_values.iterables import Streamed
from ....tracing.structures import nest
from ....tracing.type_system.trace_types import TensorSpec, TypeSpec
from .nodes import HANDLE


def normalised(value):
    """The structure with tensors for leaves: a list is one tensor, a dataset stays."""
    if isinstance(value, Streamed):
        return value
    kind = None if isinstance(value, list) else nest.kind_of(value)
    if kind is None:
        if value is None:
            raise TypeError("an element of a dataset has no None in it: leave that part out")
        return convert_to_tensor(value)
    keys = kind.keys(value)
    return kind.rebuild(value, keys, list(map(normalised, kind.children(value, keys))))


def spec_of(value):
    """The specification of a normalised structure."""
    if isinstance(value, Streamed):
        return value._type_spec
    kind = nest.kind_of(value)
    if kind is None:
        return TensorSpec(value.dims, value.dtype)
    keys = kind.keys(value)
    return kind.rebuild(value, keys, list(map(spec_of, kind.children(value, keys))))


def datasets_of(value) -> list:
    """The datasets of a structure, which are its leaves."""
    if isinstance(value, Streamed):
        return [value]
    kind = nest.kind_of(value)
    children = kind.children(value, kind.keys(value))
    return [leaf for child in children for leaf in datasets_of(child)]


def map_specs(function, spec):
    """The specification with `function(shape, leaf)` for the shape of each tensor."""
    return nest.map_structure(
        lambda leaf: (
            TensorSpec(function(leaf.dims, leaf), leaf.dtype)
            if isinstance(leaf, TensorSpec)
            else leaf
        ),
        spec,
    )


def require_tensors(spec, what: str) -> None:
    """Raise TypeError where a component of the elements is itself a dataset."""
    for leaf in nest.flatten(spec):
        if not isinstance(leaf, TensorSpec):
            raise TypeError(f"{what} takes elements of tensors, not {leaf!r}")


def flat_specs(spec) -> tuple[Spec, ...]:
    """What a graph knows of each part of an element."""
    return tuple(
        Spec(leaf.dtype, leaf.dims) if isinstance(leaf, TensorSpec) else HANDLE
        for leaf in nest.flatten(spec)
    )


def tensors_of(value) -> list:
    """The tensors of a normalised structure, a dataset by its handle."""
    return nest.flatten(value)


def arrays_of(value) -> tuple:
    """The arrays of a normalised structure of eager tensors."""
    return tuple(tensor.array for tensor in nest.flatten(value))


def packed(spec, tensors):
    """Tensors in the structure of a specification, handles as datasets."""
    leaves = [
        leaf.wrap(tensor) if not isinstance(leaf, TensorSpec) else tensor
        for leaf, tensor in zip(nest.flatten(spec), tensors, strict=True)
    ]
    if isinstance(spec, TypeSpec):
        return leaves[0]
    return nest.pack_sequence_as(spec, leaves)


def packed_arrays(spec, arrays):
    """The element that a node gave, as a structure of eager tensors."""
    if type(spec) is TensorSpec:
        return EagerTensor(arrays[0])
    return packed(spec, list(map(EagerTensor, arrays)))


def arguments_of(spec) -> tuple:
    """How an element is given to a function: a tuple is spread over its parameters."""
    return spec if type(spec) is tuple else (spec,)


def joined(one, other, what: str):
    """The narrowest specification that covers both; TypeError when there is none."""
    if not nest.same_structure(one, other):
        raise TypeError(f"{what}: the elements differ in structure: {one!r} and {other!r}")
    return nest.map_structure(lambda a, b: _joined_leaf(a, b, what), one, other)


def _joined_leaf(one, other, what: str):
    found = one.most_specific_common_supertype([other])
    if found is None:
        raise TypeError(f"{what}: {one!r} and {other!r} do not go together")
    return found


def rows_of(value, what: str) -> int | None:
    """How many slices the tensors of a structure have; ShapeError when they differ."""
    counts = []
    for tensor in tensors_of(value):
        if tensor.dims == ():
            raise ShapeError(f"{what}: a scalar has no slices", "Use from_tensors for one element.")
        counts.append(None if tensor.dims is None else tensor.dims[0])
    known = {count for count in counts if count is not None}
    if len(known) > 1:
        shapes = ", ".join(show(tensor.dims) for tensor in tensors_of(value))
        raise ShapeError(
            f"{what}: the first dimensions differ, in tensors of the shapes {shapes}",
            "Give as many rows in each of them.",
        )
    return known.pop() if known else None


def row(array, index: int):
    """One row of an array, itself an array."""
    return array[index, ...] if array.dtype == object else array[index]


def known_int(value) -> int | None:
    """The int that a number or tensor is, or None where only the running program knows."""
    tensor = tensor_of(value)
    if tensor is None:
        return int(value)
    if isinstance(tensor, EagerTensor):
        return int(tensor)
    known = tensor.graph_value.known
    return None if known is None else int(np.asarray(known))
