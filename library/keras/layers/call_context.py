"""The context of layer calls: unique names, `training`, masks."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections import defaultdict
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar

from .... import Tensor, TensorShape, name_scope
from ....extend import nest
from ....extend.errors import Error, ShapeError
from ....extend.graphs import BUILDER
from ....extend.specs import container_of, is_compatible, show
from ....extend.tensors import IdentityMap

TRAINING: ContextVar[bool | None] = ContextVar("allograph_training", default=None)
DEPTH: ContextVar[int] = ContextVar("allograph_layer_depth", default=0)
# The masks of outputs, True for steps that count: what later layers and losses ask for.
MASKS: IdentityMap = IdentityMap()
_used_names: defaultdict = defaultdict(itertools.count)


def unique_name(stem: str) -> str:
    """`dense`, then `dense_1`, `dense_2` and so on."""
    count = next(_used_names[stem])
    return f"{stem}_{count}" if count else stem


def reset_names() -> None:
    """Restart the numbering of names."""
    _used_names.clear()


@contextmanager
def inside_a_layer(name: str, training):
    """The context of a layer's call: its name scope, and `training` for its sublayers."""
    entry, depth = TRAINING.set(training), DEPTH.set(DEPTH.get() + 1)
    scope = nullcontext() if BUILDER.get() is None else name_scope(name)
    try:
        with scope:
            yield
    finally:
        TRAINING.reset(entry)
        DEPTH.reset(depth)


@contextmanager
def naming_the_layer(layer, inputs, built_for=None):
    """Errors name the innermost layer that they come from, and the shape that it was built for."""
    try:
        yield
    except Error as error:
        if not hasattr(error, "layer_name"):
            error.layer_name = layer.name
            given = getattr(inputs, "dims", None)
            label = f"layer '{layer.name}' ({type(layer).__name__})"
            if isinstance(error, ShapeError) and not _could_be(given, built_for):
                error.reworded(
                    f"{label} is built for inputs of shape {show(built_for)}, not {show(given)}",
                    "A layer keeps the shape of its first call: make a new one for other inputs.",
                )
            else:
                error.reworded(f"{label}: {error.message}")
        raise


def _could_be(given, built_for) -> bool:
    """Whether inputs have the shape, of a single tensor, that a layer was built for."""
    if given is None or not isinstance(built_for, tuple):
        return True
    return is_compatible(given, built_for)


def call_masked(layer, inputs, mask, **kwargs):
    """The outputs of a layer and their mask; `mask` is passed to layers with such a parameter."""
    if mask is not None and accepts_mask(type(layer).call):
        kwargs.setdefault("mask", mask)
    return layer(inputs, **kwargs), layer.compute_mask(inputs, mask)


def mask_of(inputs):
    """The mask of the first of some inputs that has one, or None."""
    if not MASKS:
        return None
    found = (MASKS.get(leaf) for leaf in nest.flatten(inputs) if isinstance(leaf, Tensor))
    return next((mask for mask in found if mask is not None), None)


@functools.cache
def accepts_mask(call) -> bool:
    """Whether a `call` has a parameter `mask`."""
    return "mask" in inspect.signature(call).parameters


@functools.cache
def training_parameter(call) -> tuple[int, object] | None:
    """The position of `training` after the inputs, and its default; None without it."""
    parameters = list(inspect.signature(call).parameters.values())[2:]
    for index, parameter in enumerate(parameters):
        if parameter.name == "training":
            default = None if parameter.default is parameter.empty else parameter.default
            return (len(parameters) if parameter.kind is parameter.KEYWORD_ONLY else index), default
    return None


def shapes_of(inputs):
    """The shapes of inputs, in their structure."""
    return nest.map_structure(
        lambda leaf: TensorShape(getattr(leaf, "dims", None)), inputs, classify=container_of
    )


def is_nested_list(structure) -> bool:
    """Whether a list is an array such as [[1.0, 2.0]], not a list of inputs."""
    leaves = nest.flatten(structure)
    return bool(leaves) and all(isinstance(leaf, (bool, int, float, str, bytes)) for leaf in leaves)
