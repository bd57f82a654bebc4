"""Elements as structures: specifications, flattening to arrays, and packing."""

from __future__ import annotations

from typing import Any

import numpy as np

from .... import TensorSpec, TypeSpec, convert_to_tensor
from ....extend import nest
from ....extend.errors import ShapeError
from ....extend.operations import Spec
from ....extend.specs import CompositeSpec, CompositeTensor, container_of, show, trace_type
from ....extend.tensors import EagerTensor, Streamed, tensor_of
from .nodes import HANDLE


def normalized(value):
    """The structure with its leaves converted to tensors. A list is one tensor; datasets stay."""
    if isinstance(value, (Streamed, CompositeTensor)):
        return value
    container = None if isinstance(value, list) else nest.container_type(value)
    if container is None:
        if value is None:
            raise TypeError("an element of a dataset cannot contain None: omit that component")
        return convert_to_tensor(value)
    keys = container.keys(value)
    return container.rebuild(value, keys, list(map(normalized, container.children(value, keys))))


def spec_of(value):
    """The specification of a normalized structure."""
    if isinstance(value, (Streamed, CompositeTensor)):
        return trace_type(value)
    container = nest.container_type(value)
    if container is None:
        return TensorSpec(value.dims, value.dtype)
    keys = container.keys(value)
    return container.rebuild(value, keys, list(map(spec_of, container.children(value, keys))))


def datasets_of(value) -> list:
    """The datasets in a structure, which are its leaves."""
    if isinstance(value, Streamed):
        return [value]
    container = nest.container_type(value)
    children = container.children(value, container.keys(value))  # type: ignore[union-attr]
    return [leaf for child in children for leaf in datasets_of(child)]


def batched(spec, count: int | None):
    """The specification of `count` elements, stacked along a new first axis."""

    def stacked(leaf):
        if isinstance(leaf, CompositeSpec):
            return leaf.batched(count)
        return TensorSpec(None if leaf.dims is None else (count, *leaf.dims), leaf.dtype)

    return nest.map_structure(stacked, spec)


def unbatched(spec):
    """The specification of the slices of an element along its first axis."""

    def sliced(leaf):
        if isinstance(leaf, CompositeSpec):
            return leaf.unbatched()
        return TensorSpec(None if leaf.dims is None else leaf.dims[1:], leaf.dtype)

    return nest.map_structure(sliced, spec)


def require_tensors(spec, caller: str, composite: bool = False) -> None:
    """Raise TypeError if a component of the elements is a dataset.

    Ragged and sparse tensors are allowed where `composite` is true.
    """
    for leaf in nest.flatten(spec):
        if not isinstance(leaf, (TensorSpec, CompositeSpec) if composite else TensorSpec):
            raise TypeError(f"{caller} takes elements of tensors, not {leaf!r}")


def component_specs(spec) -> list:
    """The specifications of the tensors and datasets of an element: of its flat components."""
    return [
        one
        for leaf in nest.flatten(spec)
        for one in (leaf.component_specs if isinstance(leaf, CompositeSpec) else [leaf])
    ]


def flat_specs(spec) -> tuple[Spec, ...]:
    """The static dtype and shape of each component of an element."""
    return tuple(
        Spec(leaf.dtype, leaf.dims) if isinstance(leaf, TensorSpec) else HANDLE
        for leaf in component_specs(spec)
    )


def tensors_of(value) -> list:
    """The tensors of a normalized structure; a dataset is represented by its handle."""
    return nest.flatten(value)


def arrays_of(value) -> tuple:
    """The arrays of a normalized structure of eager tensors."""
    return tuple(tensor.array for tensor in nest.flatten(value))


def packed(spec, tensors):
    """Tensors packed into the structure of a specification; handles become datasets."""
    rest, leaves = iter(tensors), []
    for leaf in nest.flatten(spec):
        if isinstance(leaf, TensorSpec):
            leaves.append(next(rest))
        elif isinstance(leaf, CompositeSpec):
            leaves.append(leaf.from_components([next(rest) for _ in leaf.component_specs]))
        else:
            leaves.append(leaf.wrap(next(rest)))
    if isinstance(spec, TypeSpec):
        return leaves[0]
    return nest.pack_sequence_as(spec, leaves)


class Placed(tuple):
    """A flat element whose arrays are in the memory of a device, too, as `tensors`."""

    tensors: list[EagerTensor]


def packed_arrays(spec, arrays):
    """A flat element of a node as a structure of eager tensors."""
    if type(arrays) is Placed:
        return packed(spec, arrays.tensors)
    if type(spec) is TensorSpec:
        return EagerTensor(arrays[0])
    return packed(spec, list(map(EagerTensor, arrays)))


def arguments_of(spec) -> tuple:
    """The arguments of a function for an element: the components of a tuple, or the element."""
    return spec if type(spec) is tuple else (spec,)


def joined(one, other, caller: str):
    """The narrowest specification that covers both. Raises TypeError if there is none."""
    if not nest.same_structure(one, other):
        raise TypeError(f"{caller}: the elements differ in structure: {one!r} and {other!r}")
    return nest.map_structure(lambda a, b: _joined_leaf(a, b, caller), one, other)


def _joined_leaf(first, other, caller: str):
    common = first.most_specific_common_supertype([other])
    if common is None:
        raise TypeError(f"{caller}: {first!r} and {other!r} have no common type")
    return common


def common_length(value, caller: str) -> int | None:
    """The length of the first axis of the tensors of a structure, None if it is unknown.

    Raises ShapeError if the lengths differ, or for a scalar.
    """
    counts = []
    for tensor in nest.flatten(value, container_of):
        if tensor.dims == ():
            raise ShapeError(
                f"{caller}: a scalar has no slices", "Use from_tensors for one element."
            )
        counts.append(None if tensor.dims is None else tensor.dims[0])
    lengths = {count for count in counts if count is not None}
    if len(lengths) > 1:
        shapes = ", ".join(show(tensor.dims) for tensor in nest.flatten(value, container_of))
        raise ShapeError(
            f"{caller}: the first dimensions differ, in tensors of the shapes {shapes}",
            "Make their first axes equally long.",
        )
    return lengths.pop() if lengths else None


def slice_of(array, index: int):
    """A slice of an array along its first axis, as an array."""
    return array[index, ...] if array.dtype == object else array[index]


def static_int(value) -> int | None:
    """The value of an int or constant tensor, None if it is known only at run time."""
    tensor: Any = tensor_of(value)
    if tensor is None:
        return int(value)
    if isinstance(tensor, EagerTensor):
        return int(tensor)
    constant = tensor.graph_value.constant
    return None if constant is None else int(np.asarray(constant))
