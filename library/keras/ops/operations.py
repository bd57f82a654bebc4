"""Declaration of the functions of `keras.ops`: on tensors they compute, on placeholders of the
functional API they become steps of the model.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable

from ....extend import nest
from ....extend.errors import boundary
from ....extend.registration import expose
from ..layers.base_layer import Layer
from ..models.functional_api import KerasTensor
from ..registry import TABLES

FUNCTIONS: dict[str, Callable] = {}


class FunctionStep(Layer):
    """A call of a function of `keras.ops` on placeholders, as a layer."""

    def __init__(self, function: str, name=None):
        super().__init__(name=name)
        self.function = function
        self.built = True

    def __call__(self, *args, **kwargs):
        if (placeholder := _placeholder_in((args, kwargs))) is not None:
            return placeholder.record_call(self, args, kwargs)
        return FUNCTIONS[self.function](*args, **kwargs)

    def get_config(self) -> dict:
        return {"name": self.name, "function": self.function}


TABLES["layers"][FunctionStep.__name__] = FunctionStep


def _placeholder_in(arguments) -> KerasTensor | None:
    leaves = nest.flatten(arguments)
    return next((leaf for leaf in leaves if isinstance(leaf, KerasTensor)), None)


def operation(function: Callable, *names: str, group: str = "") -> Callable:
    """Make a function public as `keras.ops.<name>`, and in the namespace of its group.

    The names default to the function's own. Placeholders of `keras.Input` may be arguments.
    """
    call = recorded(function, function.__name__)
    for name in names or (function.__name__,):
        expose(call, f"keras.ops.{name}")
        if group:
            expose(call, f"keras.ops.{group}.{name}")
    return call


def recorded(function: Callable, own: str) -> Callable:
    """The function; a call on placeholders of `keras.Input` is a step of the model."""
    FUNCTIONS[own] = function
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args, **kwargs):
        if _placeholder_in((args, kwargs)) is None:
            return function(*args, **kwargs)
        bound = signature.bind(*args, **kwargs)
        return FunctionStep(own)(*bound.args, **bound.kwargs)

    return boundary(call)


def operations(group: str, *names: str) -> Callable:
    """The decorator form of `operation`; a function keeps its own meaning inside of its module."""

    def register(function):
        operation(function, *names, group=group)
        return function

    return register
