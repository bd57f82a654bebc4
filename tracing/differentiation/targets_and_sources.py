"""What tapes are asked about: targets and sources, in structures, and their gradients."""

from __future__ import annotations

import enum
import warnings

from ...autograph.operators.checked_values import Checked, held
from ...runtime.core.errors import ShapeError
from ...runtime.core.public_names import public
from ...runtime.core.source_locations import depth_of_user
from ...runtime.gradients.records import added, backpropagate, key, zeros_of
from ...runtime.ir.saved_lists import is_differentiable
from ...runtime.ops.state.variables import Variable
from ...runtime.tensors.apply import convert_to_tensor
from ...runtime.tensors.operation import ops
from ...runtime.tensors.tensor import SymbolicTensor, Tensor
from ..structures import nest
from ..type_system.composite_specs import CompositeTensor, container_of


@public("UnconnectedGradients")
class UnconnectedGradients(enum.Enum):
    """The gradient with respect to something that the target does not depend on."""

    NONE = "none"
    ZERO = "zero"


def thing_of(value):
    """The key object of a value in records: the cell of a variable, else the tensor."""
    return value.handle if isinstance(value, Variable) else convert_to_tensor(value)


def ones_like(tensor) -> Tensor:
    return zeros_of(tensor) + 1


def differentiable_leaves(structure) -> list:
    """The leaves of a structure; of a ragged or sparse tensor, its values."""
    return [
        leaf.__tf_differentiable__ if isinstance(leaf, CompositeTensor) else leaf
        for leaf in nest.flatten(structure, container_of)
    ]


def required_values(structure):
    """The same structure; items and attributes in it that may be missing are read."""
    leaves = nest.flatten(structure, container_of)
    if not any(isinstance(leaf, Checked) for leaf in leaves):
        return structure
    return nest.pack_sequence_as(structure, list(map(held, leaves)), container_of)


def as_source(source, gradient):
    """A gradient in the form of its source."""
    if gradient is None or not isinstance(source, CompositeTensor):
        return gradient
    return source.__tf_with_differentiable__(gradient)


def as_symbol(thing, builder):
    return thing if isinstance(thing, Tensor) else SymbolicTensor(builder.value_of(thing), builder)


def source_of(value):
    """The key object of a source; None if no tape can watch it."""
    if isinstance(value, (Tensor, Variable)):
        return thing_of(value)
    return None


def pull_back(records, targets, weights, wanted) -> dict:
    """The cotangents of the wanted objects, by key, for the weighted sum of the targets."""
    start: dict[int, Tensor] = {}
    for target, weight in zip(targets, weights, strict=True):
        thing = thing_of(target)
        if not is_differentiable(thing.dtype):
            warnings.warn(
                f"the target of a gradient is of {thing.dtype.name}, which has none",
                stacklevel=depth_of_user(),
            )
            continue
        cotangent = ones_like(thing) if weight is None else convert_to_tensor(weight, thing.dtype)
        start[key(thing)] = added(start.get(key(thing)), cotangent)
    return backpropagate(records, start, wanted)


def fill_unconnected(gradients, sources, unconnected) -> list:
    """Replace missing gradients by zeros if `unconnected` says so."""
    if UnconnectedGradients(unconnected) is UnconnectedGradients.NONE:
        return list(gradients)
    return [
        zeros_of(thing_of(source)) if gradient is None else gradient
        for gradient, source in zip(gradients, sources, strict=True)
    ]


def unit(place: int, count: int, dtype) -> Tensor:
    on_value = dtype.numpy_dtype.type(1)
    return ops.one_hot(place, count, on_value, on_value * 0, axis=-1)


def elements(shape, name: str) -> int:
    if shape is None or None in shape:
        raise ShapeError(f"{name}: the shape of the target has to be known while tracing")
    count = 1
    for size in shape:
        count *= size
    return count
